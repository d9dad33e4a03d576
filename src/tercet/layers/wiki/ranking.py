"""Pure: the order of notes for a query, from their terms alone.

Weighted fields are one text in which a term of the title stands several times (BM25F of Robertson,
Zaragoza and Taylor 2004). All counts are of the query's own reach, so that ranks do not move with
other people's notes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tercet.layers.wiki.names import holds_run, name_terms
from tercet.model import SignalPart, TermStatistics
from tercet.ports.note_index import NOTE_FIELDS
from tercet.ranking.bm25 import bm25, inverse_document_frequency, saturate, weighted_share
from tercet.ranking.term_table import TermTable
from tercet.text.terms import terms as terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tercet.ports.note_index import NoteCandidate, NoteStatistics

FIELD_WEIGHTS: Final = dict(zip(NOTE_FIELDS, (4.0, 4.0, 2.0, 2.0, 1.0), strict=True))
"""How often a term of each field counts."""

WEIGHTS: Final = {"keyword": 0.4, "coverage": 0.3, "title": 0.1, "named": 0.2}
"""Of the signals in the order's key; together 1."""

DISPUTE: Final = 0.5
"""A note all of whose claims are disputed has its score multiplied by 1 - this."""

_K1: Final = 1.2
_B: Final = 0.75
_NAMES: Final = tuple(NOTE_FIELDS.index(field) for field in ("title", "aliases"))


@dataclass(frozen=True, slots=True)
class RankedNote:
    """A note in its place."""

    path: str
    parts: tuple[SignalPart, ...]
    relevance: float
    """Sum of the parts, in [0, 1]."""
    dispute_factor: float
    """In [1 - ``DISPUTE``, 1]."""

    @property
    def key(self) -> float:
        """What the order is by, in [0, 1]."""
        return self.relevance * self.dispute_factor

    def value(self, signal: str) -> float:
        """Return one signal, in [0, 1]."""
        return next(part.value for part in self.parts if part.name == signal)


def rank_notes(
    query: str, terms: Sequence[str], candidates: Sequence[NoteCandidate], statistics: NoteStatistics
) -> list[RankedNote]:
    """Order candidates, best first; ties by path.

    Args:
        query: As asked; names are looked for in it whole.
        terms: Distinct terms of the query, those of ``candidates``' counts.
        candidates: Notes with counts.
        statistics: Of the query's reach.
    """
    if not candidates or not terms:
        return []
    table = _table(terms, candidates, statistics)
    informed = table.idf * table.weights
    raw = bm25(table, _mean(statistics), k1=_K1, b=np.full(len(candidates), _B))
    in_names = np.array([[sum(c.counts[f][t] for f in _NAMES) for t in range(len(terms))] for c in candidates]) > 0
    signals = {
        "keyword": saturate(raw, float(len(terms)), statistics.documents),
        "coverage": weighted_share(table.present, informed),
        "title": weighted_share(in_names, informed),
        "named": _named(query, terms, candidates, in_names, table.idf),
    }
    ranked = [
        _ranked(candidate.path, candidate.dispute, {name: float(values[row]) for name, values in signals.items()})
        for row, candidate in enumerate(candidates)
    ]
    return sorted(ranked, key=lambda note: (-note.key, note.path))


def idf_of(terms: Sequence[str], statistics: NoteStatistics) -> NDArray[np.float64]:
    """Return (m,) the inverse document frequency of each term over the reach, > 0."""
    frequency = [float(statistics.document_frequency.get(term, 0)) for term in terms]
    return inverse_document_frequency(np.array(frequency), statistics.documents)


def _table(terms: Sequence[str], candidates: Sequence[NoteCandidate], statistics: NoteStatistics) -> TermTable:
    """Return counts and lengths of the notes as one weighted text each."""
    weights = np.array(list(FIELD_WEIGHTS.values()))
    counts = np.einsum("f,nfm->nm", weights, np.array([c.counts for c in candidates], dtype=np.float64))
    return TermTable(
        counts=counts,
        lengths=np.array([c.lengths for c in candidates], dtype=np.float64) @ weights,
        idf=idf_of(terms, statistics),
        weights=np.ones(len(terms)),
        close_pairs=np.zeros((len(candidates), 0), dtype=np.bool_),
        pair_idf=np.zeros(0),
        is_number=np.zeros(len(terms), dtype=np.bool_),
    )


def _mean(statistics: NoteStatistics) -> TermStatistics:
    weighted = sum(w * n for w, n in zip(FIELD_WEIGHTS.values(), statistics.lengths, strict=True))
    return TermStatistics(statistics.documents, round(weighted), statistics.document_frequency)


def _named(
    query: str,
    terms: Sequence[str],
    candidates: Sequence[NoteCandidate],
    in_names: NDArray[np.bool_],
    idf: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how much of the query (by idf) is the whole of a title or alias that stands in it; 1 when it is all."""
    asked = terms_of(query)
    place = {term: column for column, term in enumerate(terms)}
    total = float(idf.sum())
    result = np.zeros(len(candidates))
    for row, candidate in enumerate(candidates):
        if not in_names[row].any():
            continue
        for name in candidate.names:
            run = name_terms(name)
            if holds_run(asked, run):
                columns = sorted({place[term] for term in run if term in place})
                result[row] = max(result[row], float(idf[columns].sum()) / total)
    return result


def _ranked(path: str, dispute: float, signals: Mapping[str, float]) -> RankedNote:
    parts = tuple(SignalPart(name, signals[name], weight, weight * signals[name]) for name, weight in WEIGHTS.items())
    return RankedNote(
        path=path,
        parts=parts,
        relevance=sum(part.contribution for part in parts),
        dispute_factor=1.0 - DISPUTE * dispute,
    )


def mentioned_note(path: str, share: float, dispute: float) -> RankedNote:
    """Return the rank of a note that is only known to be named.

    Args:
        path: The note's.
        share: How much of what is asked its name is, in [0, 1].
        dispute: Share of its claims that are disputed, in [0, 1].
    """
    return _ranked(path, dispute, {**dict.fromkeys(WEIGHTS, 0.0), "named": share})
