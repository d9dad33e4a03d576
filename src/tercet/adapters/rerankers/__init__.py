"""Rerankers: one file per kind, each with ``create(settings)``; importing them loads no model library."""
