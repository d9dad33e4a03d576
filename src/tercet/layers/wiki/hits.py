"""Pure: from ranked notes to hits with their lines, their score and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tercet.layers.wiki.claims import warnings_of
from tercet.layers.wiki.names import name_terms, names_of, passage_id
from tercet.layers.wiki.ranking import idf_of
from tercet.layers.wiki.sections import best_lines, best_section
from tercet.model import Explanation, Hit, Passage, SignalPart
from tercet.ranking.calibration import calibrated
from tercet.ranking.explain import ORDER, fit
from tercet.ranking.formula import Calibration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.layers.wiki.ranking import RankedNote
    from tercet.layers.wiki.sections import Section
    from tercet.model import Note
    from tercet.ports.note_index import NoteStatistics

ROOT: Final = "wiki"
"""The label under which refs name the vault."""
PRESET: Final = "wiki"
WORDS_ALONE: Final = 0.5
"""How much of a chunk's certainty the same words give a note."""
BY_NAME: Final = 0.45
"""What is added where all of the query is the note's title or alias."""
_DISPUTED: Final = "disputed"


@dataclass(frozen=True, slots=True)
class _Settled:
    """A note with the section that speaks for it."""

    ranked: RankedNote
    note: Note
    section: Section


def hits_of(
    ranked: Sequence[RankedNote],
    notes: Mapping[str, Note],
    texts: Mapping[str, str],
    terms: Sequence[str],
    statistics: NoteStatistics,
    limit: int,
) -> list[Hit]:
    """Return at most ``limit`` hits of the notes that are still there, best first, with explanations.

    Words that stand scattered over a long note are no evidence together: the coverage that counts
    is that of the best section with the note's names and tags.
    """
    worth = dict(zip(terms, idf_of(terms, statistics).tolist(), strict=True))
    settled = [
        _settled(each, notes[each.path], texts[each.path], worth)
        for each in ranked
        if each.path in notes and each.path in texts
    ]
    settled = sorted(settled, key=lambda each: (-each.ranked.key, each.note.path))[:limit]
    relevance = _shown([each.ranked for each in settled])
    hits: list[Hit] = []
    top = 1.0
    for each, shown in zip(settled, relevance, strict=True):
        hit = _hit(each, shown, min(top, shown * each.ranked.dispute_factor), top, worth)
        top = hit.score
        hits.append(hit)
    return hits


def _settled(ranked: RankedNote, note: Note, text: str, worth: Mapping[str, float]) -> _Settled:
    section = best_section(text, worth, note.body_line)
    named = {term for name in (*names_of(note), *note.tags) for term in name_terms(name)}
    found = section.found | (worth.keys() & named)
    coverage = sum(worth[term] for term in found) / sum(worth.values())
    parts = tuple(
        SignalPart(part.name, coverage, part.weight, part.weight * coverage) if part.name == "coverage" else part
        for part in ranked.parts
    )
    told = replace(ranked, parts=parts, relevance=sum(part.contribution for part in parts))
    return _Settled(told, note, section)


def _shown(ranked: Sequence[RankedNote]) -> list[float]:
    """Return the scores that other layers' scores can be compared with, in (0, 1).

    A whole note holds a query's words more easily than a chunk does, and says less by it: of the notes
    that the constants for chunks give .9 and more, about half answered the questions of two folders that
    were read as vaults. With ``WORDS_ALONE`` the merged answers had the MRR@10 of the semantic layer alone
    (.688 and .925), without it .522 and .849. A note that is asked for by its name is sure all the same.
    """
    shown = calibrated(
        Calibration(),
        cosine=None,
        coverage=np.array([each.value("coverage") for each in ranked]),
        saturation=np.array([each.value("keyword") for each in ranked]),
        other=np.zeros(len(ranked)),
        background=None,
    )
    return [
        float(score) * (WORDS_ALONE + BY_NAME * each.value("named") ** 2)
        for score, each in zip(shown, ranked, strict=True)
    ]


def _hit(each: _Settled, relevance: float, score: float, top: float, worth: Mapping[str, float]) -> Hit:
    note, ranked = each.note, each.ranked
    warnings = warnings_of(note)
    multipliers = ((_DISPUTED, ranked.dispute_factor),) if ranked.dispute_factor < 1 else ()
    explanation = Explanation(
        preset=PRESET,
        parts=ranked.parts,
        multipliers=fit(ranked.parts, multipliers, ORDER, score, top),
        legs=("keyword",),
        notes=tuple(warnings),
    )
    snippet = _warned(warnings, best_lines(each.section, worth) or note.title)
    return Hit(passage_of(note, each.section, warnings), score, relevance, "wiki", snippet, explanation)


def passage_of(note: Note, section: Section, warnings: Sequence[str]) -> Passage:
    """Return a section of a note as a passage; disputed claims are named before its text."""
    return Passage(
        id=passage_id(note.scope.agent, note.path),
        kind="note",
        scope=note.scope,
        text=_warned(warnings, section.text or note.title),
        header=note.title,
        root=ROOT,
        path=note.path,
        start_line=section.start_line,
        end_line=section.end_line,
        timestamp=note.updated or note.created,
        category=note.type,
        tags=note.tags,
    )


def _warned(warnings: Sequence[str], text: str) -> str:
    return "\n".join((*(f"[{warning}]" for warning in warnings), text))
