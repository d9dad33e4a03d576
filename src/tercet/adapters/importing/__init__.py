"""Stores of other memories, read and never written."""
