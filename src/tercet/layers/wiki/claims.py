"""Pure: which claims of a note are not to be relied on, and which contradict one another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tercet.model import Claim, Note

DISPUTED: Final = frozenset(
    {"contested", "disputed", "contradicted", "refuted", "superseded", "retracted", "rejected", "obsolete", "outdated"}
)
"""Statuses of a claim that is doubted, or known to hold no longer."""

_NOT_LETTERS: Final = re.compile(r"[\W_]+")


def status_of(claim: Claim) -> str:
    """Return a claim's status in small letters, whatever marks stand around or between its words."""
    return _NOT_LETTERS.sub(" ", claim.status).strip().casefold()


def disputed_claims(note: Note) -> list[Claim]:
    """Return the note's claims that are contested, contradicted, refuted, superseded or the like."""
    return [claim for claim in note.claims if status_of(claim) in DISPUTED]


def dispute_share(note: Note) -> float:
    """Return the share of a note's claims that are disputed, in [0, 1]; 0 without any claim."""
    return len(disputed_claims(note)) / len(note.claims) if note.claims else 0.0


def warnings_of(note: Note) -> list[str]:
    """Return one line for each disputed claim, e.g. ``claim contested: The boat lies at berth 47``."""
    return [f"claim {status_of(claim)}: {' '.join(claim.text.split()) or claim.id}" for claim in disputed_claims(note)]


def conflicts(notes: Iterable[Note]) -> dict[str, list[tuple[Note, Claim]]]:
    """Return, by its id, each claim that several places tell with another text or status."""
    told: dict[str, list[tuple[Note, Claim]]] = {}
    for note in notes:
        for claim in note.claims:
            if claim.id:
                told.setdefault(claim.id, []).append((note, claim))
    return {
        claim_id: places
        for claim_id, places in told.items()
        if len({(" ".join(claim.text.split()), status_of(claim)) for _, claim in places}) > 1
    }
