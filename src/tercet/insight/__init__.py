"""What a memory says about itself: what matters and was not looked at for long, and what belongs together."""
