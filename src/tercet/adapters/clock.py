"""The machine's own clock, in the machine's own zone."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Time as the machine has it."""

    def now(self) -> datetime:
        """Return the present, aware, in the local zone."""
        return datetime.now(UTC).astimezone()
