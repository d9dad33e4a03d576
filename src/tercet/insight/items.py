"""What a cross-reference graph links: whole files and single entries, each with its passages."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from tercet.ranking.federation import LENT_NOTES, NOTES_ROOT, PRIVATE_FOLDER
from tercet.text.indexed_text import stem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
        groups[_place(row.passage)].append(row)
    return [
        Item(ref, kind, tuple(sorted(group, key=lambda row: (row.passage.start_line, row.passage.id))))
        for (ref, kind), group in sorted(groups.items())
    ]


def _place(passage: Passage) -> tuple[str, ItemKind]:
    if not passage.path:
        return passage.id, "entry"
    lent = LENT_NOTES.fullmatch(passage.root)
    if lent is None:
        return f"{passage.root}:{passage.path}", "file"
    folder = f"{PRIVATE_FOLDER}/{lent['folder']}/" if lent["folder"] else ""
    return f"{NOTES_ROOT}:{folder}{passage.path}", "file"


def informativeness(items: Iterable[Item]) -> dict[str, float]:
    """Return the idf of every term over all passages: ln(1 + (N - n + .5) / (n + .5)), as in BM25."""
    rows = [row for item in items for row in item.rows]
    holding = Counter(term for row in rows for term in set(row.terms))
    return {term: math.log1p((len(rows) - n + 0.5) / (n + 0.5)) for term, n in holding.items()}


def representatives(item: Item, idf: Mapping[str, float]) -> list[Row]:
    """Return the passages with a vector that tell most: by the idf of their distinct terms together."""
    having = [row for row in item.rows if row.vector is not None]
    having.sort(key=lambda row: -math.fsum(idf[term] for term in set(row.terms)))
    return having[:REPRESENTATIVES]


def digest_of(chosen: Iterable[Row]) -> str:
    """Return a text that changes when an item's representatives, or where they stand, do."""
    passages = [f"{row.passage.id}:{row.passage.start_line}" for row in chosen]
    return sha256("\n".join(passages).encode()).hexdigest()[:32]
