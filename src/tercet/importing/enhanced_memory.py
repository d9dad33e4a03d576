"""Pure: ``memory/vectors.json`` of the skill enhanced-memory, ours and what other builds of it write.

It is an index of Markdown files of a workspace. The files are the truth, so nothing of it is copied,
save the text of chunks whose file is gone, and that only when it is asked for.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Final, cast

from tercet.capture.transcript_entries import object_of, string_of
from tercet.errors import InvalidInputError
from tercet.importing.facts import ImportedFact
from tercet.text.dates.paths import dates_in_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tercet.capture.transcript_entries import JsonObject

SOURCE: Final = "enhanced-memory"
_TEXT_KEYS: Final = ("text", "content", "chunk", "snippet")
_PATH_KEYS: Final = ("path", "file", "source", "filename")
_LIST_KEYS: Final = ("chunks", "vectors", "entries", "items")


@dataclass(frozen=True, slots=True)
class OldChunk:
    """A span of a file as the index holds it."""

    path: str
    """POSIX, below the root of the workspace."""
    text: str
    header: str = ""


def read_chunks(text: str, name: str) -> list[OldChunk]:
    """Return the chunks of a ``vectors.json``, in the order of the file; vectors are passed over.

    Args:
        text: Content of the file: files with their chunks, or a list of chunks that each name a file.
        name: Of the file, for messages.

    Raises:
        InvalidInputError: it is no such index (permanent).
    """
    try:
        value: object = json.loads(text)
    except ValueError as error:
        msg = f"{name} is no JSON ({error}): give the vectors.json of enhanced-memory with --vectors."
        raise InvalidInputError(msg) from error
    listed = list(_listed(value))
    chunks = [chunk for path, each in listed if (chunk := _chunk(path, each)) is not None]
    if not chunks and (listed or not _is_empty(value)):
        msg = f"{name} holds no chunk with a path and a text: give the vectors.json of enhanced-memory with --vectors."
        raise InvalidInputError(msg)
    return chunks


def orphan_facts(chunks: Sequence[OldChunk]) -> list[ImportedFact]:
    """Return the text of chunks whose file is gone as facts, said on the one day that their path names."""
    return [
        ImportedFact(
            # By text: lines of a file that is gone number nothing any more.
            f"{SOURCE}:{chunk.path}#{hashlib.sha256(chunk.text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}",
            f"{chunk.header}\n{chunk.text}" if chunk.header and chunk.header not in chunk.text else chunk.text,
            said_at=next((span.start for span in dates_in_path(chunk.path, UTC)), None),
        )
        for chunk in chunks
    ]


def _listed(value: object) -> Iterator[tuple[str, JsonObject]]:
    """Yield (path, chunk); the path is empty where only the chunk itself names it."""
    if isinstance(value, list):
        yield from (("", object_of(each)) for each in cast("list[object]", value))  # looked at one by one
        return
    whole = object_of(value)
    for path, file in object_of(whole.get("files")).items():
        yield from ((path, chunk) for _, chunk in _listed(file))
    for key in _LIST_KEYS:
        if isinstance(whole.get(key), list):
            yield from _listed(whole[key])


def _chunk(path: str, value: JsonObject) -> OldChunk | None:
    # Paths and texts of other builds stand in a metadata object at times.
    fields = {**object_of(value.get("metadata")), **value}
    text = _first_string(fields, _TEXT_KEYS)
    where = path or _first_string(fields, _PATH_KEYS)
    if not text.strip() or not where:
        return None
    return OldChunk(where.replace("\\", "/"), text, string_of(fields.get("header")))


def _first_string(fields: JsonObject, keys: Sequence[str]) -> str:
    return next((found for key in keys if (found := string_of(fields.get(key)))), "")


def _is_empty(value: object) -> bool:
    """Whether it is an index of nothing, rather than something else."""
    whole = object_of(value)
    return value == [] or any(key in whole for key in ("files", *_LIST_KEYS))
