"""Merges what several layers found: by calibrated score where a layer has one, else by rank.

A calibrated score says how likely a hit answers, on one scale for every layer (DESIGN.md section 5),
so such hits are sorted by it. A layer that cannot calibrate says so; its n-th hit then stands beside
the n-th of the others (Fox and Shaw 1994 call the like "interleaving"), and is shown with a score that
keeps the list in order.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tercet.text.same_text import normalised, text_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tercet.model import Hit, SearchResult

NOTES_ROOT: Final = "wiki"
"""Root of every hit on a note."""
LENT_NOTES: Final = re.compile(r"wiki@[^@]+(?:@(?P<folder>.+))?")
"""Label of notes that another layer has as chunks: ``wiki@AGENT``, or ``wiki@AGENT@FOLDER`` for those
of one anchor. No folder of a user gets such a label."""
RETOLD_SHARE: Final = 0.4
"""Of a message's characters: an entry of its words with so many of them stands for it."""
PRIVATE_FOLDER: Final = "private"
"""Where in the vault the folders of anchors lie."""


def merge(answers: Sequence[SearchResult], limit: int) -> list[Hit]:
    """Return the hits of all answers, best first, each thing once, with scores that never rise.

    Args:
        answers: One a layer, in the order in which equal scores are kept; each best first.
        limit: How many hits at most.
    """
    calibrated = [_as_note(hit) for answer in answers if answer.is_calibrated for hit in answer]
    calibrated.sort(key=lambda hit: -hit.score)  # stable: equal scores keep the order of the layers
    ranked = [[_as_note(hit) for hit in answer] for answer in answers if not answer.is_calibrated]
    lists = [_each_once(calibrated), *map(_each_once, ranked)]
    return _shown(_without_retold(_each_once(_interleaved(lists))))[:limit]


def _as_note(hit: Hit) -> Hit:
    """Name a chunk of a note as the vault does."""
    passage = hit.passage
    path = vault_path(passage.root, passage.path)
    if path is None:
        return hit
    return replace(hit, passage=replace(passage, kind="note", root=NOTES_ROOT, path=path))


def vault_path(label: str, path: str) -> str | None:
    """Return where in the vault a file of a lent folder lies; None for a file of any other folder."""
    lent = LENT_NOTES.fullmatch(label)
    if lent is None:
        return None
    return f"{PRIVATE_FOLDER}/{lent['folder']}/{path}" if lent["folder"] else path


def identity_of(hit: Hit) -> tuple[str, str, str]:
    """Return what two hits on the same thing share.

    A note is one thing, however many of its chunks and whichever layer found it; an entry is one
    with the message of the window that it was made of; anything else is its own passage.
    """
    passage = hit.passage
    owner = f"{passage.scope.agent}\0{passage.scope.anchor}"
    if passage.root == NOTES_ROOT:
        return ("note", owner, passage.path)
    if passage.kind == "entry":
        return ("entry", owner, text_digest(passage.text))
    return ("passage", owner, passage.id)


def _each_once(hits: Iterable[Hit]) -> list[Hit]:
    """Keep the first of each thing; the better one, since the hits come best first.

    What one layer itself tells apart stays apart, but for chunks of one note.
    """
    kept: list[Hit] = []
    places: dict[tuple[str, str, str], int] = {}
    for hit in hits:
        place = places.setdefault(identity_of(hit), len(kept))
        if place == len(kept):
            kept.append(hit)
        elif kept[place].layer != hit.layer:
            kept[place] = _noted(kept[place], f"also found by the {hit.layer} layer")
        elif hit.passage.root != NOTES_ROOT:
            kept.append(hit)
    return kept


def _without_retold(hits: Sequence[Hit]) -> list[Hit]:
    """Leave out messages of a window that say little more than entries before them, made of their words."""
    kept: list[Hit] = []
    told: dict[tuple[str, str], list[str]] = {}
    for hit in hits:
        scope = (hit.passage.scope.agent, hit.passage.scope.anchor)
        text = normalised(hit.passage.text)
        if hit.layer == "active" and any(
            each in text and len(each) >= RETOLD_SHARE * len(text) for each in told.get(scope, ())
        ):
            continue
        if hit.layer != "active" and hit.passage.kind == "entry":
            told.setdefault(scope, []).append(text)
        kept.append(hit)
    return kept


def _noted(hit: Hit, note: str) -> Hit:
    explanation = hit.explanation
    if explanation is None or note in explanation.notes:
        return hit
    return replace(hit, explanation=replace(explanation, notes=(*explanation.notes, note)))


def _interleaved(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    longest = max(map(len, lists), default=0)
    return [hits[rank] for rank in range(longest) for hits in lists if rank < len(hits)]


def _shown(hits: Iterable[Hit]) -> list[Hit]:
    """Lower a score where it would rise: only what came in by rank can."""
    shown: list[Hit] = []
    ceiling = 1.0
    for hit in hits:
        ceiling = min(ceiling, hit.score)
        shown.append(hit if hit.score == ceiling else replace(hit, score=ceiling))
    return shown
