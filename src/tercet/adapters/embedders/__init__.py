"""Embedders: one file per model or protocol, each with ``create(settings)``.

Importing this package, or one of its modules, loads no model and no model library.
"""
