"""One search, from the question to the results that both search scripts print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from classic import Classic, Formula, Hit
from memory_rules import query_terms, rules_digest, snippet
from ollama import Ollama, OllamaError
from search_log import Searched, record
from tercet_service import Service
from vector_index import NoIndexError, VectorIndex, changed_files, read_index, scan_files

if TYPE_CHECKING:
    from array import array
    from datetime import datetime

    from workspace import Workspace

SNIPPET_CHARACTERS = 700


@dataclass(frozen=True)
class Settings:
    """What the constants at the top of a search script say."""

    ollama: Ollama
    formula: Formula
    ask_service: bool
    log_searches: bool
    max_characters: int


@dataclass(frozen=True)
class Answer:
    """Results as ``memory_search`` gives them, and what the reader should know of them."""

    results: list[dict[str, Any]]
    degraded: str | None


def answer(workspace: Workspace, query: str, limit: int, now: datetime, settings: Settings) -> Answer:
    """Search the workspace, by a running service where there is one."""
    service = Service.running() if settings.ask_service else None
    found = service.search(query, limit) if service is not None else None
    if found is not None:
        return Answer([_from_service(each) for each in found["results"]], found.get("degraded"))
    index, notes = _index(workspace, settings.max_characters)
    embedder = _QueryEmbedder(settings.ollama, index.dimensions)
    try:
        hits = Classic(index.chunks, settings.formula, now).search(query, limit, embedder if embedder.expects else None)
    except OllamaError as error:
        notes.append(f"{error} Answered by words alone.")
        hits = Classic(index.chunks, settings.formula, now).search(query, limit, None)
    if settings.log_searches:
        paths = tuple(hit.chunk.passage.path for hit in hits)
        best = hits[0].score if hits else 0.0
        record(workspace.root, Searched(now, tuple(query_terms(query)), best, paths))
    return Answer([_from_hit(hit, query) for hit in hits], " ".join(notes) or None)


class _QueryEmbedder:
    """Embeds questions, and refuses a vector of another length than those of the index (G3)."""

    def __init__(self, ollama: Ollama, expects: int | None) -> None:
        self._ollama = ollama
        self.expects = expects

    def __call__(self, text: str) -> array[float]:
        vector = self._ollama.embed_query(text)
        if len(vector) != self.expects:
            msg = (
                f"Model {self._ollama.model!r} returned {len(vector)} numbers, the index holds {self.expects}: "
                "run embed_memories.py."
            )
            raise OllamaError(msg)
        return vector


def _index(workspace: Workspace, max_characters: int) -> tuple[VectorIndex, list[str]]:
    """Return the index; without a readable one the files themselves, for a search by words."""
    try:
        index = read_index(workspace.root)
    except NoIndexError as error:
        files, _ = scan_files(workspace, VectorIndex({}), max_characters)
        return files, [f"{error} Answered by words, straight from the files."]
    if index.space.get("rules") != rules_digest():
        return index, ["The skill was updated since the last indexing: run embed_memories.py."]
    changed = changed_files(workspace, index)
    if changed:
        return index, [f"{changed} files changed since the last indexing: run embed_memories.py."]
    if index.dimensions is None and index.files:
        return index, ["The index has no vectors yet: run embed_memories.py. Answered by words alone."]
    return index, []


def _from_hit(hit: Hit, query: str) -> dict[str, Any]:
    passage = hit.chunk.passage
    return {
        "path": passage.path,
        "startLine": passage.start_line,
        "endLine": passage.end_line,
        "score": round(hit.score, 6),
        "snippet": snippet(passage.text, query_terms(query), max_chars=SNIPPET_CHARACTERS),
        "header": passage.header,
        "signals": {
            name: {"value": round(value, 6), "weight": hit.weights[name]} for name, value in hit.signals.items()
        },
        "factor": hit.factor,
    }


def _from_service(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result of the service; an entry has no file, and its id stands for the path."""
    return {
        "path": result.get("path") or result.get("id"),
        "startLine": result.get("startLine"),
        "endLine": result.get("endLine"),
        "score": result.get("score"),
        "snippet": result.get("snippet"),
        "header": result.get("header") or "",
    }
