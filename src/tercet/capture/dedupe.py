"""Whether something new is a repeat, takes the place of something older, or stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tercet.capture.details import differ_in_detail
from tercet.capture.subjects import about_the_same, supersedes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Entry

NEAR: Final = 0.95
"""``1 / (1 + squared L2)``, before importance; cosine .974. Source: the published dedupe rule (U1)."""
MOST_LINKS: Final = 3

Verdict = Literal["new", "duplicate", "supersedes", "related"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of something new."""

    verdict: Verdict
    targets: tuple[str, ...] = ()
    """The entry it repeats, those it retires, or those it is to be shown with."""
    beside: tuple[str, ...] = ()
    """With ``supersedes``: near entries that stay, to be shown with it."""

    @property
    def superseded(self) -> tuple[str, ...]:
        """Return the entries that it retires."""
        return self.targets if self.verdict == "supersedes" else ()

    @property
    def links(self) -> tuple[str, ...]:
        """Return the entries it is to be shown with."""
        return self.targets if self.verdict == "related" else self.beside


def decide(
    text: str,
    nearest: Sequence[tuple[Entry, float]],
    exact: Entry | None = None,
    *,
    said_at: datetime | None = None,
    may_supersede: bool = True,
    told_to_supersede: Sequence[str] = (),
) -> Decision:
    """Decide about a text to be kept.

    Args:
        text: What is new, as it would be stored.
        nearest: Live entries of exactly the same scope with their squared L2 distance, by meaning
            and by shared words; infinity where it is not known.
        exact: A live entry of the scope with the same normalised text.
        said_at: When the new text was said; it retires nothing that was said later. None: now.
        may_supersede: False for what does not come from the owner, or is kept word for word.
        told_to_supersede: Ids that the user (or a tool) says it takes the place of.
    """
    near = [entry for entry, squared_l2 in nearest if 1 / (1 + squared_l2) >= NEAR]
    repeats = [entry for entry in near if not differ_in_detail(text, entry.text)]
    same = [exact] if exact is not None else repeats
    if same and not told_to_supersede:
        return Decision("duplicate", (same[0].id,))
    # Told to take another's place, it takes that of its own repeats too: one row is left.
    gone = dict.fromkeys((*told_to_supersede, *(entry.id for entry in same)))
    for entry, _ in nearest:
        if may_supersede and _is_not_later(entry, said_at) and supersedes(text, entry.text):
            gone[entry.id] = None
    beside = dict.fromkeys(entry.id for entry, _ in nearest if entry in near or about_the_same(text, entry.text))
    links = tuple(other for other in beside if other not in gone)[:MOST_LINKS]
    if gone:
        return Decision("supersedes", tuple(gone), links)
    return Decision("related", links) if links else Decision("new")


def _is_not_later(entry: Entry, said_at: datetime | None) -> bool:
    told_at = entry.said_at or entry.stored_at
    return said_at is None or told_at is None or told_at <= said_at
