"""The LanceDB engine: an embedded store of vectors and terms in one folder or bucket."""

from tercet.adapters.lancedb.engine import LanceEngine

__all__ = ["LanceEngine"]
