"""Counts of what happened, in memory."""

from __future__ import annotations

from collections import Counter


class Counters:
    """An ``EventSink`` that can be read; ends with its process."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self._counts: Counter[str] = Counter()

    def count(self, event: str, amount: int = 1) -> None:
        """Add to a counter."""
        self._counts[event] += amount

    def counts(self) -> dict[str, int]:
        """Return every counter by name, sorted."""
        return dict(sorted(self._counts.items()))
