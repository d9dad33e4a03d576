"""Pure: when a session is to be extracted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from tercet.ports.windows import SessionMemoryState


@dataclass(frozen=True, slots=True)
class ExtractionGate:
    """How much must have come into a session since its last extraction, all three of it.

    Raises:
        InvalidInputError: a threshold is negative (permanent).
    """

    min_tokens: int = 4000
    min_tool_calls: int = 8
    min_turns: int = 4

    def __post_init__(self) -> None:
        """Refuse thresholds that no session could fall short of by mistake."""
        for name in ("min_tokens", "min_tool_calls", "min_turns"):
            if getattr(self, name) < 0:
                msg = f"active.{name} is {getattr(self, name)}: give 0 or more."
                raise InvalidInputError(msg)

    def is_due(self, state: SessionMemoryState) -> bool:
        """Return whether all three thresholds are reached; exactly reached is reached."""
        return (
            state.tokens >= self.min_tokens
            and state.tool_calls >= self.min_tool_calls
            and state.turns >= self.min_turns
        )
