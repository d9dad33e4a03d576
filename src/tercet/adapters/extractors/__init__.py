"""Extractors that ask a language model, each with ``create(settings)``.

Importing this package, or one of its modules, asks nobody and loads no HTTP library.
"""
