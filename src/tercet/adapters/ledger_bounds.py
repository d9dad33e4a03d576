"""How much of what only helps a ledger keeps, wherever it lies; older ones are dropped."""

from __future__ import annotations

from typing import Final

LOGGED_QUERIES: Final = 2000
LOGGED_HITS: Final = 10
"""Of each query's hits, the first so many are kept."""
KEPT_ACCESSES: Final = 20_000
DEFAULT_CACHE_ROWS: Final = 200_000
"""Vectors over all spaces: about 450 MB of 512-d ones."""
