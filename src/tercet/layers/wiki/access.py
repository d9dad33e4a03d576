"""The notes of one agent as its sessions may see and write them: what an interface calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.identity import parse_session_key
from tercet.model import SHARED, SearchOptions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.layers.wiki.layer import WikiLayer
    from tercet.layers.wiki.linking import NoteLinks
    from tercet.layers.wiki.lint import LintFinding
    from tercet.layers.wiki.writing import NoteText
    from tercet.model import Reach, SearchResult


class WikiAccess:
    """The wiki layer with session keys in place of reaches and anchors.

    Without a session it is the agent's owner who asks: new notes are shared, and all that the owner
    sees may be edited. A session sees what its reach holds and writes into its own anchor's folder.
    """

    def __init__(self, layer: WikiLayer, agent: str, reach_of: Callable[[str | None], Awaitable[Reach]]) -> None:
        """Hold the layer.

        Args:
            layer: Of this agent.
            agent: A checked agent id.
            reach_of: From a session key to what it may see, links between platforms included.
        """
        self._layer = layer
        self._agent = agent
        self._reach_of = reach_of

    async def new(
        self,
        title: str,
        *,
        body: str = "",
        type: str = "",  # noqa: A002 - the key it is written under
        tags: Sequence[str] = (),
        aliases: Sequence[str] = (),
        sources: Sequence[str] = (),
        session_key: str | None = None,
    ) -> NoteText:
        """Write a new note (``WikiLayer.new``)."""
        anchor = SHARED if session_key is None else parse_session_key(session_key, self._agent).anchor
        return await self._layer.new(
            title, body=body, type=type, tags=tags, aliases=aliases, sources=sources, anchor=anchor
        )

    async def show(self, ref: str, *, session_key: str | None = None) -> NoteText:
        """Return a note as it lies in the vault (``WikiLayer.text_of``)."""
        return await self._layer.text_of(ref, await self._reach(session_key))

    async def text_of(self, ref: str, *, session_key: str | None = None) -> NoteText:
        """Return a note with the digest that ``replace`` expects (``WikiLayer.text_of``)."""
        return await self._layer.text_of(ref, await self._reach(session_key))

    async def replace(self, ref: str, text: str, expected: str, *, session_key: str | None = None) -> NoteText:
        """Put an edited text in place of a note (``WikiLayer.replace``)."""
        return await self._layer.replace(ref, text, expected, await self._reach(session_key))

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Search the notes alone (``WikiLayer.search``)."""
        given = options or SearchOptions()
        return await self._layer.search(query, replace(given, reach=given.reach or await self._reach_of(session_key)))

    async def links(self, ref: str, *, session_key: str | None = None) -> NoteLinks:
        """Return a note's links and backlinks (``WikiLayer.links``)."""
        return await self._layer.links(ref, await self._reach(session_key))

    async def lint(self, *, session_key: str | None = None) -> list[LintFinding]:
        """Return what is wrong, without a session in the whole vault (``WikiLayer.lint``)."""
        return await self._layer.lint(await self._reach(session_key))

    async def _reach(self, session_key: str | None) -> Reach | None:
        return None if session_key is None else await self._reach_of(session_key)
