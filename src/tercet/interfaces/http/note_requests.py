"""What requests about notes hold."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from tercet.interfaces.http.requests import INTEGRAL, AboutSession, Share, Words

NoteRef: TypeAlias = Annotated[Words, Field(max_length=1024, description="A title, an alias, a path or an id.")]
Title: TypeAlias = Annotated[Words, Field(max_length=512)]
MOST_NAMES = 100


class SearchingNotes(AboutSession):
    """``POST /v1/wiki/search``."""

    query: Words
    limit: Annotated[int, Field(ge=1, le=1000), INTEGRAL] = 10
    min_score: Share | None = None
    types: tuple[str, ...] = Field(default=(), max_length=MOST_NAMES, description="Only notes of these types.")
    explain: bool = False
    whole: bool = Field(default=False, description="Whole passages beside the snippets.")


class NamingNote(AboutSession):
    """``GET /v1/wiki/notes`` and ``/v1/wiki/links``."""

    ref: NoteRef


class WritingNote(AboutSession):
    """``POST /v1/wiki/notes``."""

    title: Title
    body: str = ""
    type: str = Field(default="", max_length=64, description="entity, concept, synthesis, source, report, or another.")
    tags: tuple[str, ...] = Field(default=(), max_length=MOST_NAMES)
    aliases: tuple[str, ...] = Field(default=(), max_length=MOST_NAMES)
    sources: tuple[str, ...] = Field(default=(), max_length=MOST_NAMES)


class ReplacingNote(AboutSession):
    """``PUT /v1/wiki/notes``."""

    ref: NoteRef
    text: Words = Field(description="The whole file.")
    expected: str = Field(pattern=r"^[0-9a-f]{64}$", description="sha256 of the note as it was read.")


class AppendingToNote(AboutSession):
    """``POST /v1/wiki/append``."""

    title: Title
    heading: Title
    text: Words
    sources: tuple[str, ...] = Field(default=(), max_length=MOST_NAMES)
