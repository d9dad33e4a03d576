"""The notes of the vault behind the facade: who asks decides which notes are seen, and whose a new one is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.identity import parse_session_key
from tercet.model import SHARED, SearchOptions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.layers.wiki.layer import WikiLayer
    from tercet.layers.wiki.linking import NoteLinks
    from tercet.layers.wiki.lint import LintFinding
    from tercet.layers.wiki.writing import NoteText
    from tercet.model import Reach, SearchResult


class Notes:
    """Write, show, edit, search, link and lint notes.

    Without a session key the agent's owner is at the keyboard: shared notes and the owner's own. With
    one it is that session: a new note goes into the folder of its person, and shared notes are read,
    not written.
    """

    def __init__(self, wiki: WikiLayer | None, agent: str, reach: Callable[[str | None], Awaitable[Reach]]) -> None:
        """Hold the layer, None where it is not used, and how a session's reach is made."""
        self._wiki = wiki
        self._agent = agent
        self._reach = reach

    async def new(
        self,
        title: str,
        *,
        body: str = "",
        type: str = "",  # noqa: A002 - the key of the front matter
        tags: Sequence[str] = (),
        aliases: Sequence[str] = (),
        sources: Sequence[str] = (),
        session_key: str | None = None,
    ) -> NoteText:
        """Write a new note; another one of that title keeps its own file.

        Raises:
            InvalidInputError: the title is blank, or the layer is not used (permanent).
            IdentityError: the session key is malformed (permanent).
            VaultUnavailableError: it cannot be written (transient).
        """
        return await self._layer.new(
            title, body=body, type=type, tags=tags, aliases=aliases, sources=sources, anchor=self._anchor(session_key)
        )

    async def append(
        self,
        title: str,
        heading: str,
        text: str,
        sources: Sequence[str] = (),
        *,
        session_key: str | None = None,
    ) -> NoteText:
        """Add text under a heading at the end of a note, which is made when there is none; drops nothing.

        Raises:
            InvalidInputError, IdentityError, VaultUnavailableError: as for ``new``.
            WriteConflictError: others changed the note every time (permanent).
        """
        return await self._layer.append(title, heading, text, sources, anchor=self._anchor(session_key))

    async def show(self, ref: str, *, session_key: str | None = None) -> NoteText:
        """Return a note by title, alias, path or id, as it lies in the vault now.

        Raises:
            NotFoundError, AmbiguousRefError: no note that this session sees is called so, or several are.
        """
        return await self._layer.show(ref, await self._reach(session_key))

    async def text_of(self, ref: str, *, session_key: str | None = None) -> NoteText:
        """Return a note with the digest that ``replace`` expects; otherwise as ``show``."""
        return await self._layer.text_of(ref, await self._reach(session_key))

    async def replace(self, ref: str, text: str, expected: str, *, session_key: str | None = None) -> NoteText:
        """Put an edited text in place of a note that is still what was read.

        Raises:
            InvalidInputError: its front matter cannot be read, or the note is not this session's to
                write (permanent).
            WriteConflictError: it was changed meanwhile; nothing was written (permanent).
        """
        reach = None if session_key is None else await self._reach(session_key)
        return await self._layer.replace(ref, text, expected, reach)

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the notes that answer a query, best first, by words.

        Raises:
            InvalidInputError: the query is blank or an option out of range.
        """
        given = options or SearchOptions()
        return await self._layer.search(query, _within(given, await self._reach(session_key)))

    async def links(self, ref: str, *, session_key: str | None = None) -> NoteLinks:
        """Return where a note's links lead, and what leads to it."""
        return await self._layer.links(ref, await self._reach(session_key))

    async def lint(self, *, session_key: str | None = None) -> list[LintFinding]:
        """Return what is wrong, by path and line; without a session key in the whole vault."""
        return await self._layer.lint(None if session_key is None else await self._reach(session_key))

    @property
    def _layer(self) -> WikiLayer:
        if self._wiki is None:
            msg = "The layer memory-wiki is not used: 'tercet plugins enable memory-wiki' brings it back."
            raise InvalidInputError(msg)
        return self._wiki

    def _anchor(self, session_key: str | None) -> str:
        return SHARED if session_key is None else parse_session_key(session_key, self._agent).anchor


def _within(options: SearchOptions, reach: Reach) -> SearchOptions:
    return options if options.reach is not None else replace(options, reach=reach)
