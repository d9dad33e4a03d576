"""What kind of source a passage comes from, and which passages stand beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from tercet.model import Passage

Source = Literal["turn", "chunk", "note", "entry"]
"""A turn of a conversation, a span of a Markdown file, a note of the vault, a lone entry."""

SOURCES: tuple[Source, ...] = get_args(Source)

Group: TypeAlias = tuple[str, ...]

_ASSISTANTS = frozenset({"assistant", "ai", "bot", "model", "agent"})
_ROLES = _ASSISTANTS | {"user", "human", "system", "tool"}


def source_of(passage: Passage) -> Source:
    """Return the kind of source; an entry that belongs to a conversation is a turn of it."""
    if passage.kind == "chunk":
        return "chunk"
    if passage.kind == "note":
        return "note"
    return "turn" if passage.session else "entry"


def group_of(passage: Passage) -> Group | None:
    """Return what the passage is a part of: its conversation or its file; None for a lone entry."""
    scope = passage.scope
    if passage.session and passage.kind == "entry":
        return ("session", scope.agent, scope.anchor, passage.session)
    if passage.path:
        return ("file", scope.agent, scope.anchor, passage.root, passage.path)
    return None


def place_of(session: str, ordinal: int) -> str:
    """Return the engine's ``place`` of a turn: session, ``#``, ordinal."""
    return f"{session}#{ordinal}"


def is_assistant(passage: Passage) -> bool:
    """Tell whether the assistant itself is the speaker."""
    return passage.speaker.casefold() in _ASSISTANTS


def is_role(speaker: str) -> bool:
    """Tell whether a speaker's label is a role ("user") and no name."""
    return speaker.casefold() in _ROLES
