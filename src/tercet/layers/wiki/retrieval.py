"""From a query to hits: the index picks candidates, the ranking orders them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from tercet.layers.wiki.claims import dispute_share
from tercet.layers.wiki.hits import hits_of
from tercet.layers.wiki.names import is_written_in, mention_keys, names_of
from tercet.layers.wiki.ranking import idf_of, mentioned_note, rank_notes
from tercet.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.layers.wiki.ranking import RankedNote
    from tercet.model import Hit, Reach
    from tercet.ports.note_index import NoteFilter, NoteIndex, NoteStatistics

CANDIDATES: Final = 100
CANDIDATES_PER_RESULT: Final = 3
"""FTS5 picks so many notes for one query, or so many per result when that is more."""
DEPTH: Final = 20
"""Of so many, or of the limit when that is more, the best section is sought."""
MAX_TERMS: Final = 32
"""Of a longer query the rarest terms are sought; a pasted log is no question."""


async def find_hits(index: NoteIndex, query: str, where: NoteFilter, limit: int) -> list[Hit]:
    """Return at most ``limit`` hits with explanations, best first."""
    terms, statistics = await _asked(index, query, where.reach)
    candidates = await index.candidates(terms, where, max(CANDIDATES, CANDIDATES_PER_RESULT * limit))
    ranked = rank_notes(query, terms, candidates, statistics)
    return await _hits(index, ranked[: max(DEPTH, limit)], terms, statistics, limit)


async def mentioned_hits(index: NoteIndex, message: str, reach: Reach) -> list[Hit]:
    """Return the notes whose title or alias stands in a message, those that are most of it first."""
    terms, statistics = await _asked(index, message, reach)
    telling = frozenset(terms)
    runs = {key: run for key, run in mention_keys(message).items() if not telling.isdisjoint(run)}
    found = await index.keyed(list(runs), reach)
    worth = dict(zip(terms, idf_of(terms, statistics).tolist(), strict=True))
    shares: dict[str, float] = {}
    for key, paths in found.items():
        share = sum(worth[term] for term in telling.intersection(runs[key])) / sum(worth.values())
        shares.update((path, max(share, shares.get(path, 0.0))) for path in paths)
    notes = [
        note
        for note in await index.notes(list(shares))
        # Not only its stem: "to book a table" does not speak of the note "Books".
        if any(is_written_in(name, message) for name in names_of(note))
    ]
    ranked = [mentioned_note(note.path, shares[note.path], dispute_share(note)) for note in notes]
    return await _hits(index, ranked, terms, statistics, len(ranked))


async def _asked(index: NoteIndex, query: str, reach: Reach) -> tuple[list[str], NoteStatistics]:
    """Return what is sought and its counts; a term that nobody has stays, it is missing everywhere."""
    terms = query_terms(query)
    statistics = await index.statistics(terms, reach)
    if len(terms) > MAX_TERMS:
        rarest = sorted(terms, key=lambda term: statistics.document_frequency.get(term, 0) or statistics.documents)
        kept = frozenset(rarest[:MAX_TERMS])
        terms = [term for term in terms if term in kept]
    return terms, statistics


async def _hits(
    index: NoteIndex,
    ranked: Sequence[RankedNote],
    terms: Sequence[str],
    statistics: NoteStatistics,
    limit: int,
) -> list[Hit]:
    if not ranked:
        return []
    paths = [each.path for each in ranked]
    notes, texts = await asyncio.gather(index.notes(paths), index.texts(paths))
    by_path = {note.path: note for note in notes}
    return await asyncio.to_thread(hits_of, ranked, by_path, texts, terms, statistics, limit)
