"""A renamed file keeps its vectors: the same bytes under another name embed nothing again.

The file's stem is part of the embedded text (it is worth .03 to .08 MRR on folders, where titles
stand in file names), so the kept vectors still carry the old name until the text next changes or
the index is rebuilt. Terms and path signals have the new name at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tercet.model import Row
    from tercet.ports import Engine, FileRecord


def former_paths(gone: Iterable[str], known: Mapping[str, FileRecord]) -> dict[str, str]:
    """Return the gone path by content hash, for files that may be there under another name."""
    return {known[path].sha256: path for path in gone if path in known}


async def with_former_vectors(rows: Sequence[Row], engine: Engine, former_ids: Sequence[str]) -> list[Row]:
    """Return the rows with the vectors of the file's former rows, where text and lines are the same."""
    former = {
        (row.passage.text, row.passage.start_line): row.vector
        for row in await engine.get(former_ids)
        if row.vector is not None
    }
    return [replace(row, vector=former.get((row.passage.text, row.passage.start_line))) for row in rows]
