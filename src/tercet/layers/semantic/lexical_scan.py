"""Search without an engine: chunk the files now and rank them by words.

Trigger: the vector store is missing, corrupt or locked. Why: the files are the truth and are there.
Outcome: the answer is lexical, made from the files themselves, and says so.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import NotFoundError
from tercet.layers.semantic.chunking import rows_of_file
from tercet.layers.semantic.lent_roots import own_listing
from tercet.model import Match, TermStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Row
    from tercet.ports import FileStore, RootRecord


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What a scan found, and the counts it saw on its way."""

    matches: list[Match]
    """Rows with at least one query term, those with most distinct ones first."""
    statistics: TermStatistics
    complete: bool
    """False when time ran out before every file was read."""


async def scan_files(
    files: FileStore, roots: Sequence[RootRecord], query_terms: Sequence[str], *, at_most: int, budget_s: float
) -> Scan:
    """Read and chunk the folders' files until the budget is spent."""
    wanted = frozenset(query_terms)
    ends = time.monotonic() + budget_s
    rows: list[tuple[int, Row]] = []
    documents = total_length = 0
    frequency: Counter[str] = Counter()
    complete = True
    for root in roots:
        for file in await _listed(files, root):
            if time.monotonic() > ends:
                complete = False
                break
            try:
                content = await files.read(root.directory, file)
            except NotFoundError:
                continue  # named by every index run; a search has nothing to add
            for row in await asyncio.to_thread(rows_of_file, root, file, content.text):
                documents += 1
                total_length += len(row.terms)
                found = wanted.intersection(row.terms)
                frequency.update(found)
                if found:
                    rows.append((len(found), row))
    rows.sort(key=lambda counted: (-counted[0], counted[1].passage.id))
    matches = [Match(row, float(found)) for found, row in rows[:at_most]]
    return Scan(matches, TermStatistics(documents, total_length, frequency), complete)


async def _listed(files: FileStore, root: RootRecord) -> list[str]:
    try:
        listing = own_listing(root, await files.list(root.directory))
    except NotFoundError:
        return []  # the folder itself is away; the engine's own trouble is what the answer reports
    return [file.path for file in listing.files]
