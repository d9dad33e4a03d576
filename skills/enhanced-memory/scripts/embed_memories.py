#!/usr/bin/env python3
"""Index the memory of a workspace: every .md file under ``memory/`` and the core files beside it.

Usage, from the workspace's root: ``embed_memories.py``. It writes ``memory/vectors.json``, and
embeds only what is new since the last run.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memory_rules import embedded_text, rules_digest
from ollama import Ollama, OllamaError, RefusedTextError
from vector_index import NoIndexError, VectorIndex, read_index, scan_files, write_index
from workspace import MEMORY_FOLDER, Chunk, Workspace

if TYPE_CHECKING:
    from array import array

MODEL = "nomic-embed-text"
PORT = 11434
TIMEOUT_S = 60.0
GROUP = 20
"""Chunks a request."""
MAX_CHARACTERS = 2000
"""A longer section becomes several chunks, each embedded whole; a CJK character counts as four."""
CORE_FILES = ("MEMORY.md", "AGENTS.md", "USER.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "DREAMS.md")


def main() -> int:
    """Index the workspace; 1 when it is none, or the index cannot be written."""
    workspace = Workspace(Path.cwd(), CORE_FILES)
    if not (workspace.root / MEMORY_FOLDER).is_dir():
        sys.stderr.write(f"{workspace.root} has no folder {MEMORY_FOLDER}/: run this in the workspace's root.\n")
        return 1
    ollama = Ollama(MODEL, PORT, TIMEOUT_S)
    space, failure = _space(ollama)
    known = _known(workspace.root, space)
    index, warnings = scan_files(workspace, known, MAX_CHARACTERS)
    removed = len(set(known.files) - set(index.files))
    embedded = 0
    if not failure:
        index, embedded, failures = embed(index, ollama)
        warnings += failures
    try:
        write_index(workspace.root, index)
    except OSError as error:
        sys.stderr.write(f"{MEMORY_FOLDER}/vectors.json cannot be written: {error.strerror}.\n")
        return 1
    for warning in warnings:
        sys.stderr.write(f"warning: {warning}\n")
    if failure:
        sys.stderr.write(f"degraded: {failure} Searches go by words until the next run.\n")
    waiting = sum(chunk.vector is None for chunk in index.chunks)
    counts = f"{len(index.files)} files, {len(index.chunks)} chunks, {embedded} embedded, {removed} files removed"
    sys.stdout.write(f"{counts}{f', {waiting} chunks wait for vectors' if waiting else ''}\n")
    return 0


def embed(index: VectorIndex, ollama: Ollama) -> tuple[VectorIndex, int, list[str]]:
    """Return the index with the vectors that were missing, how many those are, and what failed.

    A group that the service refuses is tried text by text, so that one bad chunk costs no other (G14).
    """
    missing = list(dict.fromkeys(embedded_text(c.passage) for c in index.chunks if c.vector is None))
    vectors: dict[str, array[float]] = {}
    failures: list[str] = []
    for start in range(0, len(missing), GROUP):
        group = missing[start : start + GROUP]
        try:
            vectors.update(_embedded(group, ollama, failures))
        except OllamaError as error:
            failures.append(f"{error} {len(missing) - start} texts wait for the next run.")
            break
    fresh = {len(vector) for vector in vectors.values()}
    if index.dimensions is not None and fresh - {index.dimensions}:
        # The same name, another model behind it: its vectors say nothing beside the old ones (G4, G5).
        return embed(index.without_vectors(), ollama)
    return _with_vectors(index, vectors), len(vectors), failures


def _embedded(group: list[str], ollama: Ollama, failures: list[str]) -> dict[str, array[float]]:
    try:
        return dict(zip(group, ollama.embed_documents(group), strict=True))
    except RefusedTextError as refusal:
        if len(group) == 1:
            failures.append(f"a text of {len(group[0])} characters ({group[0][:40]!r} ...): {refusal}")
            return {}
    found: dict[str, array[float]] = {}
    for text in group:
        found.update(_embedded([text], ollama, failures))
    return found


def _with_vectors(index: VectorIndex, vectors: dict[str, array[float]]) -> VectorIndex:
    def filled(chunk: Chunk) -> Chunk:
        if chunk.vector is not None:
            return chunk
        return replace(chunk, vector=vectors.get(embedded_text(chunk.passage)))

    files = {path: replace(file, chunks=tuple(map(filled, file.chunks))) for path, file in index.files.items()}
    return VectorIndex(index.space, files)


def _space(ollama: Ollama) -> tuple[dict[str, object], str]:
    """Return what chunks and vectors depend on, and why there will be none when the service is down."""
    space: dict[str, object] = {
        "model": MODEL,
        "prefix": ollama.prefixes[0],
        "maxCharacters": MAX_CHARACTERS,
        "rules": rules_digest(),
    }
    try:
        return {**space, "digest": ollama.digest()}, ""
    except OllamaError as error:
        return space, str(error)


def _known(root: Path, space: dict[str, object]) -> VectorIndex:
    """Return what of the last index may be used again: nothing of another space.

    While the service is down nobody knows the build of the model, and the last index keeps its own.
    """
    try:
        known = read_index(root)
    except NoIndexError:
        return VectorIndex(space)
    same = all(known.space.get(name) == value for name, value in space.items())
    return VectorIndex(known.space | space, known.files) if same else VectorIndex(space)


if __name__ == "__main__":
    sys.exit(main())
