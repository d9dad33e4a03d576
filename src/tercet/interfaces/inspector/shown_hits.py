"""A hit as a page shows it: where it is, what of it answers, what its score is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.identity import owner_reach
from tercet.interfaces.inspector.marking import marked
from tercet.interfaces.inspector.score_bars import score_bar
from tercet.interfaces.inspector.signal_words import SIGNAL_WORDS
from tercet.layers.semantic.refs import format_ref
from tercet.layers.semantic.snippets import snippet
from tercet.layers.semantic.waiting_items import WAITING
from tercet.ranking.federation import NOTES_ROOT, vault_path
from tercet.ranking.sources import source_of
from tercet.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tercet.interfaces.inspector.marking import Piece
    from tercet.interfaces.inspector.score_bars import ScoreBar
    from tercet.model import Hit, Passage

_SOURCE_WORDS: Final = {"turn": "turns", "chunk": "chunks", "note": "notes", "entry": "entries"}


_BLANK_LINES: Final = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage is, and the page that shows it."""

    title: str
    ref: str
    """What ``read`` and ``why`` take: ``root:path#L1-L4``, or an id."""
    page: str
    """``files/view``, ``timeline``, or empty where no page shows it."""
    file: str = ""
    """``root:path``, empty for what lies in no file."""
    line: int = 0
    entry: str = ""
    """Id of an entry, for its page."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One hit."""

    hit: Hit
    place: Place
    pieces: tuple[Piece, ...]
    bar: ScoreBar
    can_compare: bool
    """Whether it can be asked why it stands where it stands."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Rules that acted, in plain words."""
        return self.hit.explanation.notes if self.hit.explanation else ()

    @property
    def person(self) -> str:
        """Whose it is; empty for what is shared or the owner's."""
        scope = self.hit.passage.scope
        return "" if scope.anchor in owner_reach(scope.agent).anchors else scope.anchor

    @property
    def legs(self) -> tuple[str, ...]:
        """What found it."""
        return self.hit.explanation.legs if self.hit.explanation else ()


@dataclass(frozen=True, slots=True)
class WeightsInForce:
    """What the signals of one kind of source weigh."""

    preset: str
    source: str
    """Plural, in words."""
    weights: tuple[tuple[str, float], ...]

    def of(self, signal: str) -> float | None:
        """Return one weight; None where the signal has none."""
        return dict(self.weights).get(signal)


def shown(hit: Hit, query: str) -> ShownHit:
    """Return a hit as pages show it, the query's words marked."""
    text = _BLANK_LINES.sub("\n", snippet(hit.snippet, query_terms(query)).strip())
    return ShownHit(
        hit=hit,
        place=place_of(hit.passage, is_kept=hit.layer != "active"),
        pieces=tuple(marked(text, query)),
        bar=score_bar(hit),
        can_compare=hit.layer != "active" and WAITING not in hit.passage.tags,
    )


def place_of(passage: Passage, *, is_kept: bool = True) -> Place:
    """Return where a passage is.

    Args:
        passage: Of a file, or an entry.
        is_kept: False for a message of a conversation's window, which has no page.
    """
    if passage.path:
        in_vault = vault_path(passage.root, passage.path)
        root, path = (passage.root, passage.path) if in_vault is None else (NOTES_ROOT, in_vault)
        file = f"{root}:{path}"
        if not passage.start_line:
            return Place(file, file, "files/view", file)
        ref = format_ref(root, path, passage.start_line, passage.end_line)
        return Place(ref, ref, "files/view", file, passage.start_line)
    if not is_kept:
        return Place(_said(passage, "Message"), passage.id, "")
    if WAITING in passage.tags:
        return Place(_said(passage, "Message that waits"), passage.id, "timeline")
    return Place(_said(passage, "Entry"), passage.id, "timeline", entry=passage.id)


def weights_in_force(hits: Iterable[Hit]) -> list[WeightsInForce]:
    """Return the weights that the hits were scored with, each table once, in order of appearance."""
    found: dict[WeightsInForce, None] = {}
    for hit in hits:
        explanation = hit.explanation
        if explanation is not None and explanation.parts:
            weights = tuple((part.name, part.weight) for part in explanation.parts)
            found[WeightsInForce(explanation.preset, _SOURCE_WORDS[source_of(hit.passage)], weights)] = None
    return list(found)


def signals_of(tables: Sequence[WeightsInForce]) -> list[str]:
    """Return the names of all signals that weigh anything: known ones in their order, then others."""
    names = {name for table in tables for name, _ in table.weights}
    known = [name for name in SIGNAL_WORDS if name in names]
    return [*known, *sorted(names.difference(known))]


def _said(passage: Passage, what: str) -> str:
    if passage.timestamp is None:
        return f"{what} without a date"
    return f"{what} of {passage.timestamp.date().isoformat()}"
