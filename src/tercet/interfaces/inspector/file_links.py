"""Where the links of a file lead: to pages of the inspector, or nowhere."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from tercet.model import Note, Scope
from tercet.text.indexed_text import stem_of
from tercet.text.notes.links import LinkTargets, comparable, is_attachment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.layers.wiki.linking import NoteLinks
    from tercet.model import WikiLink

_NO_WORD: Final = re.compile(r"[^\w-]+")
_SUFFIXES: Final = ("", ".md", ".markdown")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads."""

    address: str
    """Of a page of ours; empty when it leads nowhere."""
    told: str
    """What is there, or why nothing is."""


def heading_id(title: str) -> str:
    """Return the id of a heading in a page, by which links name it."""
    return "h-" + (_NO_WORD.sub("-", comparable(title).strip()).strip("-") or "heading")


class FileLinks:
    """Resolves the links that one file holds, among the files that the session sees."""

    def __init__(
        self, ref: str, refs: Sequence[str], view: Callable[[str], str], note_links: NoteLinks | None = None
    ) -> None:
        """Hold what may be linked.

        Args:
            ref: ``root:path`` of the file.
            refs: Of every file in reach.
            view: Returns the address of the page about a file.
            note_links: The links of a note as its vault resolves them, by titles and aliases too.
        """
        self._root, _, self._path = ref.partition(":")
        self._view = view
        self._paths = {path: path for root, _, path in (each.partition(":") for each in refs) if root == self._root}
        self._notes = None if note_links is None else {end.link.target: end.to_path for end in note_links.out}
        self._targets: LinkTargets | None = None

    def note(self, link: WikiLink) -> Target:
        """Return where a wikilink leads."""
        anchor = f"#{heading_id(link.heading)}" if link.heading else ""
        if not link.target:
            return Target(anchor or "#main", "this file")
        path = self._named(link.target)
        if path is not None:
            return Target(self._view(f"{self._root}:{path}") + anchor, path)
        if is_attachment(link.target):
            return Target("", f"{link.target} is no text: it is not shown here")
        return Target("", f"no note is called {link.target!r}")

    def file(self, address: str) -> Target:
        """Return where a relative address leads: below this file's folder, or with ``/`` below the root."""
        path, _, fragment = address.partition("#")
        path = unquote(path.partition("?")[0])
        anchor = f"#{heading_id(unquote(fragment))}" if fragment else ""
        if not path:
            return Target(anchor or "#main", "this file")
        folder = "" if path.startswith("/") else posixpath.dirname(self._path)
        wanted = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
        found = next((self._paths[wanted + suffix] for suffix in _SUFFIXES if wanted + suffix in self._paths), None)
        if found is None:
            return Target("", f"{wanted} is no indexed file")
        return Target(self._view(f"{self._root}:{found}") + anchor, found)

    def _named(self, target: str) -> str | None:
        if self._notes is not None:
            return self._notes.get(target)
        if self._targets is None:
            self._targets = LinkTargets(_as_note(path) for path in self._paths)
        return None if is_attachment(target) else self._targets.resolve(target, self._path)


def _as_note(path: str) -> Note:
    return Note("", stem_of(path), "", path, Scope(""), "", 1)
