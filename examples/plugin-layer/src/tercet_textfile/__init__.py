"""A layer for Tercet: plain text files, found by their words."""

from tercet_textfile.layer import TextFileLayer, create

__all__ = ["TextFileLayer", "create"]
