"""Fits the main weights to a user's own questions, and says plainly when that does not hold on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.evaluation.runner import Search, Task
    from tercet.evaluation.systems import System


@dataclass(frozen=True, slots=True)
class Tuning:
    """What came of it."""

    def as_json(self) -> dict[str, Any]:
        return {}

    def as_lines(self) -> list[str]:
        return []


async def tune(
    search: Search, tasks: Sequence[Task], system: System, k: int, progress: Callable[[str, int, int], None] | None
) -> Tuning:
    raise NotImplementedError
