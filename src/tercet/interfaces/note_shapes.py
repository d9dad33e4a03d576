"""The shapes of ``wiki_wire.py`` as models."""

from __future__ import annotations

from pydantic import Field

from tercet.interfaces.wire_shapes import Shape


class ClaimShape(Shape):
    """One statement of a note."""

    id: str
    text: str
    status: str | None
    confidence: float | None


class ProblemShape(Shape):
    """What is wrong with a note's front matter."""

    line: int
    message: str


class NoteShape(Shape):
    """One note as it lies in the vault."""

    path: str
    id: str | None
    title: str
    sha256: str = Field(description="Of the whole file: what a later write expects to find.")
    type: str | None
    anchor: str | None
    tags: list[str]
    aliases: list[str]
    sources: list[str]
    claims: list[ClaimShape]
    headings: list[str]
    created: str | None
    updated: str | None
    problems: list[ProblemShape]
    text: str


class LinkShape(Shape):
    """One link with the notes at its ends."""

    from_: str = Field(alias="from")
    line: int
    target: str
    heading: str | None
    text: str | None
    embed: bool
    to: str | None


class LinksShape(Shape):
    """The links of one note."""

    path: str
    links: list[LinkShape]
    backlinks: list[LinkShape]
    dead: list[LinkShape]


class FindingShape(Shape):
    """One thing to mend."""

    path: str
    line: int
    code: str
    message: str


class LintShape(Shape):
    """What is wrong in the vault."""

    findings: list[FindingShape]
