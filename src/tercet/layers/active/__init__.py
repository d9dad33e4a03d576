"""The active layer: what was said just now, and what is drawn from it later."""
