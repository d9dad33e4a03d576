"""A note of the vault as read: its front matter, its links, its claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model.scopes import Scope


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement that a note's front matter holds, with how far it is to be trusted."""

    id: str
    text: str
    status: str = ""
    """As written: ``supported``, ``contested``, ``superseded``, ...; empty when it says none."""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class WikiLink:
    """A ``[[target#heading|text]]`` or ``![[embed]]`` in a note's body."""

    target: str
    """Without heading and shown text."""
    line: int
    """1-based, of the file."""
    text: str = ""
    heading: str = ""
    is_embed: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A Markdown file of the vault, read."""

    id: str
    """Of its front matter; empty when that has none."""
    title: str
    """Of its front matter, else the heading its body begins with, else its file name."""
    type: str
    """``entity``, ``concept``, ``synthesis``, ``source``, ``report``, or as written; may be empty."""
    path: str
    """POSIX, NFC, below the vault."""
    scope: Scope
    body: str
    """After the front matter."""
    body_line: int
    """1-based line of the file on which the body begins."""
    tags: tuple[str, ...] = ()
    """Of front matter and body, without ``#``, in order, each once."""
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    headings: tuple[str, ...] = ()
    links: tuple[WikiLink, ...] = ()
    created: datetime | None = None
    updated: datetime | None = None
    problems: tuple[tuple[int, str], ...] = ()
    """(1-based line, what is wrong with the front matter); the body is read all the same."""
