"""Builds the graph of what one reach may see, on what the last build of it knew."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tercet.filters import Filter
from tercet.insight.crossref import same_days, same_entities, superseded, wikilinks
from tercet.insight.graph import Graph, merged
from tercet.insight.items import items_of
from tercet.insight.neighbours import find_neighbours, similar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.insight.items import Item, ItemKind
    from tercet.insight.neighbours import Known
    from tercet.model import Reach, Row
    from tercet.ports import Engine, Journal

_ROWS_AT_ONCE = 5000
"""An engine orders all rows for each batch that it gives."""


@dataclass(frozen=True, slots=True)
class Built:
    """A graph, and what the next build goes on from."""

    graph: Graph
    known: Mapping[str, Known]
    """By ref."""
    asked: int
    """Items whose neighbours were sought; the others had not changed."""
    without_vector: int
    """Passages that no meaning is known of: they are linked by their words alone."""


async def build_graph(
    engine: Engine, journal: Journal, reach: Reach, before: Mapping[str, Known], threshold: float
) -> Built:
    """Link all files and entries in reach.

    The result is that of a build from nothing, whatever ``before`` holds; where there are so many items
    that a build from nothing compares them in cells, what it misses of links by meaning (below 1 %) may
    be found by one that asks about few.

    Args:
        engine: Open, and told of everything.
        journal: Knows which entry replaced which.
        reach: What may be seen.
        before: As ``find_neighbours`` takes it.
        threshold: Cosine in [-1, 1] from which two items are linked.

    Raises:
        EngineUnavailableError, LedgerBusyError: transient.
    """
    items = items_of(await _rows(engine, reach))
    chains = await _chains(journal, reach, items)
    return await asyncio.to_thread(_linked, items, chains, before, threshold)


def _linked(
    items: Sequence[Item], chains: Sequence[Sequence[str]], before: Mapping[str, Known], threshold: float
) -> Built:
    known, asked = find_neighbours(items, before, threshold)
    nodes: dict[str, ItemKind] = {each: "entry" for ids in chains for each in ids}
    nodes |= {item.ref: item.kind for item in items}
    links = chain(
        similar(known),
        wikilinks(items),
        same_entities(items),
        same_days(items, {ref: each.days for ref, each in known.items()}),
        *(superseded(ids) for ids in chains),
    )
    without = sum(row.vector is None for item in items for row in item.rows)
    return Built(Graph(dict(sorted(nodes.items())), merged(links)), known, asked, without)


async def _rows(engine: Engine, reach: Reach) -> list[Row]:
    rows: list[Row] = []
    after = ""
    while batch := await engine.scan(Filter(reach), after=after, limit=_ROWS_AT_ONCE):
        rows += batch
        after = batch[-1].passage.id
    return rows


async def _chains(journal: Journal, reach: Reach, items: Sequence[Item]) -> list[list[str]]:
    """Return the ids of every chain of supersession that ends in a live entry, oldest first."""
    chains = [await journal.history(item.ref, reach) for item in items if item.kind == "entry"]
    return [[entry.id for entry in entries] for entries in chains if len(entries) > 1]
