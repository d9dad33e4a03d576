"""What a person sees when they look into a memory: what belongs together."""
