"""Pure: from a file's text to the rows of the index, vectors still missing."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from tercet.model import Passage, Row
from tercet.text.front_matter import read_front_matter
from tercet.text.indexed_text import indexed_text
from tercet.text.markdown import chunk_markdown
from tercet.text.terms import terms

if TYPE_CHECKING:
    from tercet.ports import RootRecord


def rows_of_file(root: RootRecord, path: str, text: str) -> list[Row]:
    """Chunk one Markdown file into rows, in line order.

    An id depends on scope, folder, path, the chunk's own text and how often that text came before
    in the file: the same folder gives the same ids again, and an edit elsewhere in the file leaves
    them alone.
    """
    tags = _tags(text)
    seen: Counter[str] = Counter()
    rows: list[Row] = []
    for span in chunk_markdown(text):
        chunk = span.chunk
        seen[chunk.text] += 1
        passage = Passage(
            id=_chunk_id(root, path, chunk.text, seen[chunk.text]),
            kind="chunk",
            scope=root.scope,
            text=chunk.text,
            header=" > ".join(chunk.headings),
            context=span.context,
            root=root.label,
            path=path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            tags=tags,
        )
        rows.append(Row(passage, tuple(terms(indexed_text(passage)))))
    return rows


def _chunk_id(root: RootRecord, path: str, text: str, occurrence: int) -> str:
    parts = (root.scope.agent, root.scope.anchor, root.label, path, str(occurrence), text)
    # Length-prefixed, so that no two different tuples are ever hashed as the same bytes.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _tags(text: str) -> tuple[str, ...]:
    front_matter = read_front_matter(text)
    if front_matter is None:
        return ()
    value = front_matter.data.get("tags")
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    if isinstance(value, list):
        return tuple(str(tag) for tag in value if tag is not None)  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType] - YAML is untyped
    return ()
