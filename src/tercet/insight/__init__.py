"""What a memory says about itself: which of it matters and has not been looked at for long."""
