"""One query's way through the layer: analyse, embed, two legs, neighbours, rank, expand."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.errors import (
    EngineUnavailableError,
    PermanentError,
    SpaceMismatchError,
    StoreFormatError,
    TransientError,
)
from tercet.filters import Filter, In, Range
from tercet.layers.semantic.background import kept_background
from tercet.layers.semantic.date_leg import dated_rows
from tercet.layers.semantic.entries import entries_by_word, untold_rows, without_retired
from tercet.layers.semantic.lexical_scan import scan_files
from tercet.layers.semantic.snippets import snippet
from tercet.layers.semantic.waiting_items import WAITING, waiting_rows, with_waiting
from tercet.model import Explanation, Hit, Match, SearchResult
from tercet.ranking import pipeline
from tercet.ranking.presets import DEFAULT_PRESET, preset_with
from tercet.ranking.query import with_expansion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.layers.semantic.reranking import Reranking
    from tercet.model import Mode, Reach, Row, SearchOptions, TermStatistics
    from tercet.ports import Clock, Embedder, Engine, FileStore, Ledger, RootRecord
    from tercet.ranking.pipeline import BackgroundCosines, Candidate, QueryAnalysis, RankedHit, Ranking
    from tercet.ranking.presets import Preset

NO_EMBEDDER = "There are no vectors to search by: no embedder is set (embedding.provider = none)."
OPENING_SHARE = 0.25
"""Share of the deadline that opening the engine may take; after it files and journal answer."""
SCAN_SHARE = 0.4
"""Share of the deadline that a search without an engine may spend on reading files."""
EMBEDDER_SHARE = 0.35
"""Share of the deadline that the question's vector may take; after it words answer alone."""
DEFAULT_DEADLINE_S = 30.0


@dataclass(frozen=True, slots=True)
class RetrievalParts:
    """What a search works with."""

    files: FileStore
    ledger: Ledger
    access: EngineAccess
    embedder: Embedder | None
    clock: Clock
    reranking: Reranking | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """A ranking with what the answer has to say about itself."""

    analysis: QueryAnalysis
    ranking: Ranking
    """After reranking, where there is a reranker."""
    degraded: str | None
    asked_of_each_leg: int
    """How many candidates each leg was asked for."""
    fused: tuple[str, ...] = ()
    """Ids of the hits in fused order, before reranking."""

    def fused_rank(self, passage_id: str) -> int | None:
        """Return a hit's rank after fusion, from 1; None when it is no hit."""
        return self.fused.index(passage_id) + 1 if passage_id in self.fused else None


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """One query with everything about it that stays the same while it is answered."""

    analysis: QueryAnalysis
    preset: Preset
    mode: Mode
    where: Filter
    now: datetime
    limit: int
    min_score: float | None
    vectors: NDArray[np.float32] | None
    background: BackgroundCosines | None
    roots: Sequence[RootRecord]
    waiting: Sequence[Row] = ()
    """Messages in the inbox that hold a term of the query."""


class Retriever:
    """Answers queries of one agent from the engine, or without it from the files."""

    def __init__(self, parts: RetrievalParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts

    async def search(self, query: str, options: SearchOptions, reach: Reach) -> SearchResult:
        """Return hits with snippets and, when asked for, explanations."""
        started = time.perf_counter()
        found = await self.retrieve(query, options, reach)
        preset = found.ranking.preset
        hits = [_hit(ranked, found.analysis, preset, explain=options.explain) for ranked in found.ranking.hits]
        return SearchResult(hits, degraded=found.degraded, took_ms=(time.perf_counter() - started) * 1000)

    async def retrieve(self, query: str, options: SearchOptions, reach: Reach) -> Retrieval:
        """Return the whole ranking, with what was left out and why.

        Raises:
            InvalidInputError: an unknown preset or constant, or a value out of range.
            LedgerBusyError: transient.
        """
        now = options.now or self._parts.clock.now()
        preset = preset_with(options.preset or DEFAULT_PRESET, options.weights)
        analysis = pipeline.analyse_query(query, now)
        mode: Mode = options.mode or "hybrid"
        try:
            engine = await self._engine(OPENING_SHARE * (options.deadline_s or DEFAULT_DEADLINE_S))
        except (EngineUnavailableError, StoreFormatError) as error:
            return await self._without_engine(analysis, preset, options, reach, now, str(error))
        waiting = await self._waiting(analysis, options, reach)
        statistics = with_waiting(await self._parts.ledger.terms.statistics(reach, analysis.terms), waiting)
        roots = await self._parts.ledger.manifest.roots(reach.agent)
        patience_s = EMBEDDER_SHARE * (options.deadline_s or DEFAULT_DEADLINE_S)
        vectors, degraded = await self._embed(analysis, statistics, preset, mode, patience_s)
        if vectors is None and mode == "vector":
            mode = "keyword"
        question = _Question(
            analysis,
            preset,
            mode,
            _filter(reach, options, roots),
            now,
            self._depth(options.limit),
            options.min_score,
            vectors,
            await self._background(),
            roots,
            () if mode == "vector" else waiting,
        )
        try:
            try:
                ranking = await self._answer(engine, question, statistics)
            except SpaceMismatchError as error:
                # Trigger: another process has just moved the store to another model. Outcome: words alone.
                self._parts.access.look_again()
                degraded = _by_words(str(error))
                by_words: Mode = "keyword"
                question = replace(question, vectors=None, mode=by_words)
                ranking = await self._answer(engine, question, statistics)
        except EngineUnavailableError as error:
            self._parts.access.look_again()
            return await self._without_engine(analysis, preset, options, reach, now, str(error))
        return await self._finished(question, ranking, degraded, options.limit)

    async def _engine(self, patience_s: float) -> Engine:
        """Return the open engine; opening that is late goes on behind the answer, for the next one."""
        opening = asyncio.create_task(self._parts.access.ready())
        opening.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        done, _ = await asyncio.wait({opening}, timeout=patience_s)
        if not done:
            msg = f"The vector store did not open within {patience_s:g} s."
            raise EngineUnavailableError(msg)
        return opening.result()

    async def _waiting(self, analysis: QueryAnalysis, options: SearchOptions, reach: Reach) -> list[Row]:
        if options.categories:
            return []  # a message gets its category when it is worked in
        return await waiting_rows(self._parts.ledger.inbox, reach, analysis.terms, options.time_range)

    async def _finished(self, question: _Question, ranking: Ranking, degraded: str | None, limit: int) -> Retrieval:
        """Rerank the first hits where there is a reranker, then cut to the limit."""
        fused = tuple(hit.row.passage.id for hit in ranking.hits)
        reranking = self._parts.reranking
        if reranking is not None and ranking.hits:
            hits, failure = await reranking.apply(question.analysis.text, ranking.hits)
            ranking = replace(ranking, hits=tuple(hits))
            degraded = " ".join(note for note in (degraded, failure) if note) or None
        asked = pipeline.candidate_count(question.preset, question.limit)
        return Retrieval(question.analysis, _cut(ranking, limit), degraded, asked, fused)

    async def _embed(
        self, analysis: QueryAnalysis, statistics: TermStatistics, preset: Preset, mode: Mode, patience_s: float
    ) -> tuple[NDArray[np.float32] | None, str | None]:
        embedder, access = self._parts.embedder, self._parts.access
        if mode == "keyword" or (embedder is None and mode == "hybrid"):
            return None, None
        if embedder is None:
            return None, _by_words(NO_EMBEDDER)
        if access.space is None:
            return None, _by_words(access.mismatch or access.embedder_failure or "there are no vectors")
        try:
            async with asyncio.timeout(patience_s):
                return await embedder.embed_queries(pipeline.query_texts(analysis, statistics, preset)), None
        except TimeoutError:
            return None, _by_words(f"{embedder.identity} did not answer within {patience_s:g} s.")
        except (TransientError, PermanentError) as error:
            # Trigger: the embedder is down or answers nonsense. Outcome: words alone, said in the answer.
            return None, _by_words(str(error))

    def _depth(self, limit: int) -> int:
        """How many fused hits to make: a reranker may bring one up from below the limit."""
        reranking = self._parts.reranking
        return limit if reranking is None else max(limit, reranking.depth)

    async def _background(self) -> BackgroundCosines | None:
        measured = await kept_background(self._parts.ledger)
        space = self._parts.access.space
        return measured if space is None else pipeline.background_in_effect(space.model, measured)

    async def _answer(self, engine: Engine, question: _Question, statistics: TermStatistics) -> Ranking:
        pool = await self._candidates(engine, question, question.analysis, statistics)
        ranking = self._rank(question, pool, statistics)
        extra = pipeline.expansion(ranking, question.analysis, question.preset)
        if not extra:
            return ranking
        wider = await self._parts.ledger.terms.statistics(question.where.reach, [*question.analysis.terms, *extra])
        expanded = with_expansion(question.analysis, extra, question.preset.prf_weight)
        vectors = await self._embed_expanded(question, extra)
        second = await self._candidates(
            engine, question if vectors is None else replace(question, vectors=vectors), expanded, wider
        )
        return pipeline.rank_expanded(
            question.analysis,
            extra,
            pipeline.merge_pools(pool, second),
            wider,
            question.preset,
            query_vectors=question.vectors,
            expanded_vectors=vectors,
            background=question.background,
            limit=question.limit,
            min_score=question.min_score,
            mode=question.mode,
            now=question.now,
        )

    async def _embed_expanded(self, question: _Question, extra: Sequence[str]) -> NDArray[np.float32] | None:
        if question.vectors is None or self._parts.embedder is None:
            return None
        try:
            return await self._parts.embedder.embed_queries([pipeline.expanded_text(question.analysis, extra)])
        except TransientError:
            # The first round has its vectors; the second then goes by them and by the new words.
            return None

    async def _candidates(
        self, engine: Engine, question: _Question, analysis: QueryAnalysis, statistics: TermStatistics
    ) -> list[Candidate]:
        near, worded = await _both_legs(engine, question, pipeline.keyword_leg_terms(analysis, statistics))
        rows = list(question.waiting)
        if question.mode != "vector" and len(question.where.conditions) == 1:
            known = {match.row.passage.id for match in (*near, *worded)}
            journal = self._parts.ledger.journal
            rows += await untold_rows(journal, engine, question.where.reach, analysis.terms, known)
        pool = pipeline.merge_legs(near, [*worded, *(Match(row, 0.0) for row in rows)])
        if question.mode != "vector" and question.preset.reads_dates:
            found = await dated_rows(engine, self._parts.ledger, question.where, analysis.intervals, question.now)
            pool = pipeline.with_dated(pool, found)
        places = pipeline.neighbour_places(pool, question.preset)
        if places:
            where = Filter(question.where.reach, (*question.where.conditions, In("place", tuple(places))))
            pool = pipeline.with_neighbours(pool, await engine.scan(where, limit=len(places)))
        return await without_retired(pool, self._parts.ledger.journal, question.where.reach, question.roots)

    def _rank(self, question: _Question, pool: list[Candidate], statistics: TermStatistics) -> Ranking:
        return pipeline.rank(
            question.analysis,
            pool,
            statistics,
            question.preset,
            query_vectors=question.vectors,
            background=question.background,
            limit=question.limit,
            min_score=question.min_score,
            mode=question.mode,
            now=question.now,
        )

    async def _without_engine(
        self,
        analysis: QueryAnalysis,
        preset: Preset,
        options: SearchOptions,
        reach: Reach,
        now: datetime,
        reason: str,
    ) -> Retrieval:
        roots = [
            root for root in await self._parts.ledger.manifest.roots(reach.agent) if root.scope.anchor in reach.anchors
        ]
        scan = await scan_files(
            self._parts.files,
            roots,
            analysis.terms,
            at_most=2 * pipeline.candidate_count(preset, options.limit),
            budget_s=SCAN_SHARE * (options.deadline_s or DEFAULT_DEADLINE_S),
        )
        told = await self._waiting(analysis, options, reach)
        if not options.categories:
            told += await entries_by_word(self._parts.ledger.journal, reach, analysis.terms)
        question = _Question(
            analysis,
            preset,
            "keyword",
            _filter(reach, options, roots),
            now,
            options.limit,
            options.min_score,
            vectors=None,
            background=None,
            roots=roots,
        )
        pool = pipeline.merge_legs([], [*scan.matches, *(Match(row, 0.0) for row in told)])
        ranking = self._rank(question, pool, with_waiting(scan.statistics, told))
        partly = "" if scan.complete else " (not all of them: time ran out)"
        said = f"{reason} Answered by words, straight from the files and the journal{partly}."
        fused = tuple(hit.row.passage.id for hit in ranking.hits)
        return Retrieval(analysis, ranking, said, pipeline.candidate_count(preset, options.limit), fused)


async def _both_legs(engine: Engine, question: _Question, terms: Sequence[str]) -> tuple[list[Match], list[Match]]:
    """Return what the engine finds by vector and by term; neither leg waits for the other."""
    k = pipeline.candidate_count(question.preset, question.limit)

    async def by_vector() -> list[Match]:
        if question.vectors is None:
            return []
        return await engine.vector_topk(pipeline.query_vector(question.vectors, question.preset), k, question.where)

    async def by_terms() -> list[Match]:
        # Mode ``vector`` switches the keyword leg off; the keyword signals have no weight there.
        return await engine.text_topk(terms, k, question.where) if question.mode != "vector" else []

    # Both are waited for: a leg that failed leaves none behind that still reads while the answer goes another way.
    near, worded = await asyncio.gather(by_vector(), by_terms(), return_exceptions=True)
    if isinstance(near, BaseException):
        raise near
    if isinstance(worded, BaseException):
        raise worded
    return near, worded


def _cut(ranking: Ranking, limit: int) -> Ranking:
    rest = ranking.hits[limit:]
    below = tuple(
        pipeline.Dropped(hit.row.passage.id, "limit", place, hit.score, hit.vector_rank, hit.keyword_rank)
        for place, hit in enumerate(rest, start=limit + 1)
    )
    return replace(ranking, hits=ranking.hits[:limit], dropped=(*below, *ranking.dropped)) if rest else ranking


def _by_words(reason: str) -> str:
    return f"{reason} Answered by words alone."


def _filter(reach: Reach, options: SearchOptions, roots: Sequence[RootRecord]) -> Filter:
    # Rows of a folder that the ledger does not know (it was lost, or is being removed) are nobody's.
    conditions: list[In | Range] = [In("root", ("", *(root.label for root in roots)))]
    if options.categories:
        conditions.append(In("category", options.categories))
    if options.time_range is not None:
        start, end = options.time_range.start, options.time_range.end
        low = start.timestamp() * 1000 if start is not None else None
        high = end.timestamp() * 1000 if end is not None else None
        conditions.append(Range("timestamp_ms", low, high))
    return Filter(reach, tuple(conditions))


def _hit(ranked: RankedHit, analysis: QueryAnalysis, preset: str, *, explain: bool) -> Hit:
    passage = ranked.row.passage
    notes = (*ranked.notes, WAITING) if WAITING in passage.tags else ranked.notes
    explanation = Explanation(preset, ranked.parts, ranked.multipliers, ranked.legs, notes) if explain else None
    return Hit(passage, ranked.score, ranked.relevance, "semantic", snippet(passage.text, analysis.terms), explanation)
