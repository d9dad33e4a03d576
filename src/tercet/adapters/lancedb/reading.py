"""What a search asks of the store: nearest rows, rows with a term, rows by id; blocking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.expressions import compile_filter, is_any_of
from tercet.adapters.lancedb.library import load, translated
from tercet.adapters.lancedb.schema import COLUMN_NAMES, TERMS_COLUMN, arrow_to_rows
from tercet.adapters.passage_values import is_term
from tercet.adapters.vectors import check_vector
from tercet.model import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.lancedb.store import LanceStore
    from tercet.filters import Filter
    from tercet.model import Row, Vector

PROBES = 20
"""Partitions an IVF search reads; recall 1.0 at 100k rows together with the refinement below."""
REFINE_FACTOR = 5
"""Candidates per result whose exact distance is computed (reference/storage.md 2.1)."""

_TIE_MARGIN = 8
_IDS_AT_ONCE = 5000


def vector_topk(store: LanceStore, vector: Vector, k: int, where: Filter, *, exact: bool) -> list[Match]:
    """Return what ``Engine.vector_topk`` promises."""
    query = check_vector(vector, store.space.dimensions if store.space else None)
    with translated(store.uri, "search by vector"):
        column = store.serving_column()
        condition = None if column is None or k <= 0 else compile_filter(where, column)
        if condition is None:
            return []
        count = k + _TIE_MARGIN
        while True:
            search = store.table.search(query, vector_column_name=column, query_type="vector").distance_type("l2")
            search = search.bypass_vector_index() if exact else search.nprobes(PROBES).refine_factor(REFINE_FACTOR)
            found = search.where(condition).select([*COLUMN_NAMES, column, "_distance"]).limit(count).to_arrow()
            distances = found.column("_distance").to_pylist()
            # The library breaks ties as it likes: read on until no tie crosses the k-th place.
            if len(distances) < count or distances[k - 1] < distances[-1]:
                break
            count *= 4
    rows = arrow_to_rows(found, column)
    matches = [Match(row, max(0.0, raw)) for row, raw in zip(rows, distances, strict=True)]
    return sorted(matches, key=lambda match: (match.raw, match.row.passage.id))[:k]


def text_topk(store: LanceStore, terms: Sequence[str], k: int, where: Filter) -> list[Match]:
    """Return what ``Engine.text_topk`` promises, best score first, ties by id."""
    wanted = [term for term in dict.fromkeys(terms) if is_term(term)]
    if not wanted or k <= 0:
        return []
    with translated(store.uri, "search by term"):
        column = store.stored_column()
        condition = compile_filter(where, column)
        if condition is None:
            return []
        match = load("lancedb.query").MatchQuery(" ".join(wanted), TERMS_COLUMN)
        search = store.table.search(match, query_type="fts").where(condition)
        found = search.select([*_columns(column), "_score"]).limit(k + _TIE_MARGIN).to_arrow()
    scores = found.column("_score").to_pylist()
    matches = [Match(row, raw) for row, raw in zip(arrow_to_rows(found, column), scores, strict=True)]
    return sorted(matches, key=lambda match: (-match.raw, match.row.passage.id))[:k]


def get(store: LanceStore, ids: Sequence[str]) -> list[Row]:
    """Return what ``Engine.get`` promises; an id asked for twice comes once."""
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Row] = {}
    with translated(store.uri, "read rows"):
        column = store.stored_column()
        for start in range(0, len(wanted), _IDS_AT_ONCE):
            part = wanted[start : start + _IDS_AT_ONCE]
            search = store.table.search().where(is_any_of("id", part)).select(_columns(column)).limit(len(part))
            found.update((row.passage.id, row) for row in arrow_to_rows(search.to_arrow(), column))
    return [found[identifier] for identifier in wanted if identifier in found]


def scan(store: LanceStore, where: Filter, *, after: str, limit: int) -> list[Row]:
    """Return what ``Engine.scan`` promises."""
    with translated(store.uri, "list rows"):
        column = store.stored_column()
        condition = compile_filter(where, column, after=after) if limit > 0 else None
        if condition is None:
            return []
        return rows_by_id(store, condition, limit, column)


def rows_by_id(store: LanceStore, condition: Any, limit: int, column: str | None) -> list[Row]:  # Any: lancedb filters
    """Return up to ``limit`` rows that meet a compiled condition, in id order."""
    by_id = load("lancedb.query").ColumnOrdering(column_name="id", ascending=True)
    search = store.table.search().where(condition).select(_columns(column)).order_by([by_id]).limit(limit)
    return arrow_to_rows(search.to_arrow(), column)


def _columns(vector_column: str | None) -> list[str]:
    return [*COLUMN_NAMES, vector_column] if vector_column else list(COLUMN_NAMES)
