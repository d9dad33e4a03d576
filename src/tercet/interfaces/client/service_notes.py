"""``ServiceNotes``: the notes of the vault over HTTP, with the values of the facade's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.interfaces.client.values import result_of
from tercet.layers.wiki.writing import NoteText
from tercet.model import Scope, SearchOptions
from tercet.text.notes.parse import parse_note

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from tercet.model import SearchResult

    Ask = Callable[[str, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
    """(method, path, what is given) -> the answer; Any: JSON."""


class ServiceNotes:
    """Search, show and write notes; each method is documented at ``AsyncMemory.wiki``."""

    def __init__(self, ask: Ask, agent: str) -> None:
        """Hold how the service is asked, and for whom."""
        self._ask = ask
        self._agent = agent

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the notes that answer a query, best first, by words."""
        given = options or SearchOptions()
        body = {
            "query": query,
            "limit": given.limit,
            "minScore": given.min_score,
            "types": list(given.categories),
            "explain": given.explain,
            "whole": True,
            "sessionKey": session_key,
        }
        return result_of(await self._ask("POST", "/v1/wiki/search", body))

    async def show(self, ref: str, *, session_key: str | None = None) -> NoteText:
        """Return a note by title, alias, path or id."""
        return self._note(await self._ask("GET", "/v1/wiki/notes", {"ref": ref, "sessionKey": session_key}))

    async def replace(self, ref: str, text: str, expected: str, *, session_key: str | None = None) -> NoteText:
        """Put an edited text in place of a note that is still what was read."""
        body = {"ref": ref, "text": text, "expected": expected, "sessionKey": session_key}
        return self._note(await self._ask("PUT", "/v1/wiki/notes", body))

    async def append(
        self, title: str, heading: str, text: str, sources: Sequence[str] = (), *, session_key: str | None = None
    ) -> NoteText:
        """Add text under a heading of a note, which is made when there is none."""
        body = {
            "title": title,
            "heading": heading,
            "text": text,
            "sources": list(sources),
            "sessionKey": session_key,
        }
        return self._note(await self._ask("POST", "/v1/wiki/append", body))

    def _note(self, value: dict[str, Any]) -> NoteText:
        scope = Scope(self._agent, value["anchor"] or "")
        return NoteText(parse_note(value["text"], value["path"], scope), value["text"], value["sha256"])
