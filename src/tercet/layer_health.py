"""How each layer did when it was last asked, and which of them is left alone for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tercet.model import LayerName

HANGS = 2
"""Time-outs in a row after which a layer is left alone."""
REST_S = 30.0
"""For how long; the next search after it asks again."""


@dataclass(slots=True)
class _Record:
    trouble: str | None = None
    hangs: int = 0
    rests_until: float = 0.0


class LayerHealth:
    """Remembers the trouble of each layer until it answers again.

    A layer that hangs costs every search its whole deadline; one that hung twice in a row is not
    asked for half a minute, and the answers say so.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Take the seconds from ``monotonic``."""
        self._monotonic = monotonic
        self._records: dict[LayerName, _Record] = {}

    def well(self, name: LayerName) -> None:
        """Note that a layer answered."""
        self._records.pop(name, None)

    def failed(self, name: LayerName, trouble: str, *, hung: bool) -> None:
        """Note that a layer did not answer, and why."""
        record = self._records.setdefault(name, _Record())
        record.trouble = trouble
        record.hangs = record.hangs + 1 if hung else 0
        if record.hangs >= HANGS:
            record.rests_until = self._monotonic() + REST_S

    def trouble(self, name: LayerName) -> str | None:
        """Return what was wrong when the layer was last asked; None when nothing was."""
        record = self._records.get(name)
        return record.trouble if record is not None else None

    def resting(self, name: LayerName) -> str | None:
        """Return why a layer is not to be asked now; None when it is."""
        record = self._records.get(name)
        if record is None or record.hangs < HANGS or self._monotonic() >= record.rests_until:
            return None
        return record.trouble
