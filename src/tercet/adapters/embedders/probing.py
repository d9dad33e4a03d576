"""Keeps the answer of a probe for a few seconds, so that asking often costs nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tercet.errors import PermanentError, TercetError
from tercet.model import Probe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

KEEP_S = 5.0
PROBE_TEXT = "memory"


class CachedProbe:
    """Embeds one short text at most once every ``KEEP_S`` seconds."""

    def __init__(
        self,
        embed: Callable[[Sequence[str]], Awaitable[NDArray[np.float32]]],
        monotonic: Callable[[], float] | None = None,
    ) -> None:
        self._embed = embed
        self._monotonic = time.monotonic if monotonic is None else monotonic
        self._last: tuple[float, Probe] | None = None

    async def __call__(self) -> Probe:
        """Return whether the embedder works; never raises, except when it is cancelled."""
        now = self._monotonic()
        if self._last is not None and now - self._last[0] < KEEP_S:
            return self._last[1]
        try:
            await self._embed([PROBE_TEXT])
            probe = Probe(ok=True)
        except TercetError as error:
            probe = Probe(ok=False, reason=str(error), permanent=isinstance(error, PermanentError))
        except Exception as error:  # noqa: BLE001 - the port promises that a probe never raises
            probe = Probe(ok=False, reason=f"The embedder failed ({type(error).__name__}: {error}).")
        self._last = (self._monotonic(), probe)
        return probe
