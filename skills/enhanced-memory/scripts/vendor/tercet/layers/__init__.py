"""The layers: each answers one question about the past, stands alone, and keeps the same interface."""
