"""Markdown folders on the local disk: walked, read, watched, written atomically."""
