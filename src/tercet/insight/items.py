"""What a cross-reference graph links: whole files and single entries, each with its passages."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

from tercet.ranking.federation import LENT_NOTES, NOTES_ROOT, PRIVATE_FOLDER
from tercet.text.indexed_text import stem_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tercet.model import Passage, Row

ItemKind = Literal["file", "entry"]
REPRESENTATIVES: Final = 5
"""Passages that stand for a file when its neighbours are asked for, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One file with its chunks, or one entry."""

    ref: str
    """``root:path`` of a file as answers show it, the id of an entry."""
    kind: ItemKind
    rows: tuple[Row, ...]
    """In the order of the file; never empty."""

    @property
    def root(self) -> str:
        """Label of the folder; empty for entries."""
        return self.ref.partition(":")[0] if self.kind == "file" else ""

    @property
    def path(self) -> str:
        """Path below the root; empty for entries."""
        return self.ref.partition(":")[2] if self.kind == "file" else ""

    @property
    def title(self) -> str:
        """The first heading of a file, else its file's name; empty for entries."""
        if self.kind == "entry":
            return ""
        return self.rows[0].passage.header.split(" > ")[0].strip() or stem_of(self.path)


def items_of(rows: Iterable[Row]) -> list[Item]:
    """Group passages by the file they come from, in the order of the refs."""
    groups: defaultdict[tuple[str, ItemKind], list[Row]] = defaultdict(list)
    for row in rows:
        groups[place_of(row.passage)].append(row)
    return [
        Item(ref, kind, tuple(sorted(group, key=lambda row: (row.passage.start_line, row.passage.id))))
        for (ref, kind), group in sorted(groups.items())
    ]


def place_of(passage: Passage) -> tuple[str, ItemKind]:
    """Return the ref and the kind of the item that a passage belongs to."""
    if not passage.path:
        return passage.id, "entry"
    lent = LENT_NOTES.fullmatch(passage.root)
    if lent is None:
        return f"{passage.root}:{passage.path}", "file"
    folder = f"{PRIVATE_FOLDER}/{lent['folder']}/" if lent["folder"] else ""
    return f"{NOTES_ROOT}:{folder}{passage.path}", "file"


def representatives(item: Item) -> list[int]:
    """Return the places of the passages with a vector that tell most of an item: what its others do not say.

    They come in the item's order. How much one tells is the idf of its distinct terms together, over the
    passages of the item itself and not over the memory: what stands for a file changes with the file
    alone. idf is ln(1 + (N - n + .5) / (n + .5)), as in BM25.
    """
    having = [place for place, row in enumerate(item.rows) if row.vector is not None]
    if len(having) <= REPRESENTATIVES:
        return having
    distinct = [frozenset(row.terms) for row in item.rows]
    holding = Counter(chain.from_iterable(distinct))
    idf = [math.log1p((len(distinct) - n + 0.5) / (n + 0.5)) for n in range(len(distinct) + 1)]
    told = [math.fsum(idf[holding[term]] for term in terms) for terms in distinct]
    return sorted(sorted(having, key=lambda place: -told[place])[:REPRESENTATIVES])


def digest_of(item: Item) -> str:
    """Return a text that changes when an item's passages, where they stand, or their vectors do."""
    passages = [f"{row.passage.id}:{row.passage.start_line}:{row.vector is None:d}" for row in item.rows]
    return sha256("\n".join(passages).encode()).hexdigest()[:32]
