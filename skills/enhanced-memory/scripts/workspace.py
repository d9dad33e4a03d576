"""The Markdown files of an agent's workspace: which there are, what they say, and their chunks."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_rules import Passage, Scope, chunk_markdown, indexed_text, terms

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator

MEMORY_FOLDER = "memory"
NEVER_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".obsidian", ".trash", ".venv", ".cache", "node_modules", "__pycache__"}
)
NOBODY = Scope("main")
"""The workspace has one agent, and no person of its own."""


@dataclass(frozen=True)
class Chunk:
    """Lines of a file with their terms and, once made, their vector."""

    passage: Passage
    terms: tuple[str, ...]
    """Of the indexed text, in order, with repeats."""
    vector: array[float] | None = None
    """float32 of length 1; None while it waits for the embedder."""


class Workspace:
    """A folder that holds ``memory/`` and, beside it, the agent's core files."""

    def __init__(self, root: Path, core_files: Iterable[str]) -> None:
        """Name the folder and the core files; nothing is read yet."""
        self.root = root
        self._core_files = tuple(core_files)

    def files(self) -> tuple[dict[str, Path], list[str]]:
        """Return {shown path: place} in order of path, and one line for each file passed over."""
        found: dict[str, Path] = {}
        skipped: list[str] = []
        for place in self._places():
            shown = unicodedata.normalize("NFC", place.relative_to(self.root).as_posix())
            if not place.resolve().is_relative_to(self.root.resolve()):
                skipped.append(f"{shown}: a link that leads out of the workspace")
            else:
                found[shown] = place
        return dict(sorted(found.items())), skipped

    def _places(self) -> Iterator[Path]:
        for name in self._core_files:
            if (self.root / name).is_file():
                yield self.root / name
        for folder, names, files in os.walk(self.root / MEMORY_FOLDER):
            names[:] = sorted(set(names) - NEVER_ENTERED)
            for name in sorted(files):
                place = Path(folder, name)
                if name.lower().endswith(".md") and place.is_file():
                    yield place


def text_of(data: bytes) -> tuple[str, str]:
    """Return a file's text, and a warning when bytes in it are no UTF-8 (F12, F15)."""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        return data.decode("utf-8-sig", "replace"), f"byte {error.start + 1} is no UTF-8; read with replacements"


def chunks_of(path: str, text: str, max_characters: int) -> list[Chunk]:
    """Cut a file into chunks of at most ``max_characters``; a CJK character counts as four."""
    chunks: list[Chunk] = []
    for number, found in enumerate(chunk_markdown(text, max_weight=max_characters)):
        chunk = found.chunk
        passage = Passage(
            id=f"{path}#{number}",
            kind="chunk",
            scope=NOBODY,
            text=chunk.text,
            header=" > ".join(chunk.headings),
            context=found.context,
            path=path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
        )
        chunks.append(Chunk(passage, tuple(terms(indexed_text(passage)))))
    return chunks
