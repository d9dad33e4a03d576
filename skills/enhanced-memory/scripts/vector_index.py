"""``memory/vectors.json``: the chunks of every file with their terms and vectors.

The file is replaced in one step, so that a reader or a kill in the middle never meets half of it
(L6). A vector is the base64 text of its float32 numbers, little end first: at 2,000 chunks of 768
numbers it is read four times as fast as lists of numbers, and a third as large.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import tempfile
from array import array
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memory_rules import Passage, embedded_text
from workspace import MEMORY_FOLDER, NOBODY, Chunk, Workspace, chunks_of, text_of

FILE_NAME = "vectors.json"
FORMAT = "tercet-enhanced-memory-1"
"""Another format, or the file of another program, is made anew."""


class NoIndexError(Exception):
    """There is no index, or none that this program can read; the message says the mend."""


@dataclass(frozen=True)
class IndexedFile:
    """One file as it was when it was indexed."""

    sha256: str
    size: int
    mtime_ns: int
    chunks: tuple[Chunk, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every chunk has its vector."""
        return all(chunk.vector is not None for chunk in self.chunks)


@dataclass(frozen=True)
class VectorIndex:
    """All files, and the space that their vectors lie in."""

    space: dict[str, object]
    """Model, its digest, the prefix of documents, the cap on a chunk, the rules; any change, another space."""
    files: dict[str, IndexedFile] = field(default_factory=dict)

    @property
    def chunks(self) -> list[Chunk]:
        """All chunks, in order of path and line."""
        return [chunk for path in sorted(self.files) for chunk in self.files[path].chunks]

    @property
    def dimensions(self) -> int | None:
        """The length of the vectors; None when there is none."""
        return next((len(chunk.vector) for chunk in self.chunks if chunk.vector is not None), None)

    def vectors_by_text(self) -> dict[str, array[float]]:
        """Return the vectors there are by the text they were made of, to use them again."""
        return {embedded_text(c.passage): c.vector for c in self.chunks if c.vector is not None}

    def without_vectors(self) -> VectorIndex:
        """Return the same files with no vector: those of another space say nothing here."""
        files = {
            path: replace(file, chunks=tuple(replace(chunk, vector=None) for chunk in file.chunks))
            for path, file in self.files.items()
        }
        return VectorIndex(self.space, files)


def index_path(root: Path) -> Path:
    """Return where the index of a workspace lies."""
    return root / MEMORY_FOLDER / FILE_NAME


def read_index(root: Path) -> VectorIndex:
    """Return the index of a workspace.

    Raises:
        NoIndexError: it is missing, damaged, or of another program (G26).
    """
    mend = "run 'python3 skills/enhanced-memory/scripts/embed_memories.py' in the workspace."
    try:
        value = json.loads(index_path(root).read_bytes())
        if value["format"] == FORMAT:
            return VectorIndex(value["space"], {path: _file_from(path, file) for path, file in value["files"].items()})
        cause = "is of another program"
    except FileNotFoundError:
        cause = "is not there"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        cause = "cannot be read"
    msg = f"{MEMORY_FOLDER}/{FILE_NAME} {cause}: {mend}"
    raise NoIndexError(msg)


def write_index(root: Path, index: VectorIndex) -> None:
    """Replace the index of a workspace."""
    value = {
        "format": FORMAT,
        "space": index.space,
        "dimensions": index.dimensions,
        "files": {path: _file_value(file) for path, file in sorted(index.files.items())},
    }
    replace_file(index_path(root), json.dumps(value, ensure_ascii=True, separators=(",", ":")))


def replace_file(place: Path, text: str) -> None:
    """Write a file by way of a temporary one beside it, readable by its owner alone.

    Raises:
        OSError: it cannot be written; what was there before stays.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def scan_files(workspace: Workspace, known: VectorIndex, max_characters: int) -> tuple[VectorIndex, list[str]]:
    """Return the index of the files as they are now, and one line for each warning.

    An unchanged file is taken over as it is, a changed one keeps the vectors of the texts that
    stayed, and a file that is gone leaves (F14). What is new has no vector yet.
    """
    found, warnings = workspace.files()
    vectors = known.vectors_by_text()
    files: dict[str, IndexedFile] = {}
    for path, place in found.items():
        try:
            data, stat = place.read_bytes(), place.stat()
        except OSError as error:
            warnings.append(f"{path}: {error.strerror}; left out")
            continue
        digest = hashlib.sha256(data).hexdigest()
        before = known.files.get(path)
        if before is not None and before.sha256 == digest:
            chunks = before.chunks
        else:
            text, warning = text_of(data)
            warnings += [f"{path}: {warning}"] if warning else []
            chunks = tuple(
                replace(chunk, vector=vectors.get(embedded_text(chunk.passage)))
                for chunk in chunks_of(path, text, max_characters)
            )
        files[path] = IndexedFile(digest, stat.st_size, stat.st_mtime_ns, chunks)
    return VectorIndex(known.space, files), warnings


def changed_files(workspace: Workspace, index: VectorIndex) -> int:
    """Return how many files differ, by size and time, from what the index holds (G15)."""
    found, _ = workspace.files()
    changed = len(set(index.files) - set(found))
    for path, place in found.items():
        file = index.files.get(path)
        try:
            stat = place.stat()
        except OSError:
            continue
        changed += file is None or (file.size, file.mtime_ns) != (stat.st_size, stat.st_mtime_ns)
    return changed


def _file_value(file: IndexedFile) -> dict[str, object]:
    return {
        "sha256": file.sha256,
        "size": file.size,
        "mtimeNs": file.mtime_ns,
        "chunks": [_chunk_value(chunk) for chunk in file.chunks],
    }


def _file_from(path: str, value: dict[str, Any]) -> IndexedFile:
    chunks = tuple(_chunk_from(path, number, each) for number, each in enumerate(value["chunks"]))
    return IndexedFile(value["sha256"], value["size"], value["mtimeNs"], chunks)


def _chunk_value(chunk: Chunk) -> dict[str, object]:
    passage = chunk.passage
    return {
        "header": passage.header,
        "startLine": passage.start_line,
        "endLine": passage.end_line,
        "context": passage.context,
        "text": passage.text,
        "terms": " ".join(chunk.terms),
        "vector": None if chunk.vector is None else _packed(chunk.vector),
    }


def _chunk_from(path: str, number: int, value: dict[str, Any]) -> Chunk:
    passage = Passage(
        id=f"{path}#{number}",
        kind="chunk",
        scope=NOBODY,
        text=value["text"],
        header=value["header"],
        context=value["context"],
        path=path,
        start_line=value["startLine"],
        end_line=value["endLine"],
    )
    vector = None if value["vector"] is None else _unpacked(value["vector"])
    return Chunk(passage, tuple(value["terms"].split()), vector)


def _packed(vector: array[float]) -> str:
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return base64.b64encode(vector.tobytes()).decode("ascii")


def _unpacked(text: str) -> array[float]:
    vector = array("f")
    vector.frombytes(base64.b64decode(text, validate=True))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector
