"""One file: rendered or as it is written, with the borders of its chunks and what leads to it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from tercet.errors import InvalidInputError, NotFoundError, TercetError, TransientError
from tercet.interfaces.inspector.byte_sizes import readable_size
from tercet.interfaces.inspector.file_links import FileLinks
from tercet.interfaces.inspector.file_segments import part_with, parts, segments, touched
from tercet.interfaces.inspector.folders import trail
from tercet.interfaces.inspector.front_table import front_rows
from tercet.interfaces.inspector.markdown import MarkdownFile
from tercet.layers.semantic.refs import parse_file_ref
from tercet.ranking.federation import NOTES_ROOT
from tercet.text.front_matter import BOM, read_front_matter
from tercet.text.lines import split_lines, without_line_end

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from markupsafe import Markup
    from starlette.responses import Response

    from tercet.browsing import ChunkSpan, FileSummary
    from tercet.insight.graph import Neighbour
    from tercet.interfaces.inspector.file_segments import Segment
    from tercet.interfaces.inspector.front_table import FrontRow
    from tercet.interfaces.inspector.visits import Visit
    from tercet.layers.wiki.linking import NoteLinks

MOST_RENDERED: Final = 1_000_000
"""Characters; a longer file is shown as it is written."""
MOST_NEIGHBOURS: Final = 12
SHOWN_OF_AN_ENTRY: Final = 100
"""Characters."""
WHY: Final = {
    "similar": "similar",
    "wikilink": "linked",
    "same_entity": "same name",
    "same_day": "same day",
    "supersedes": "superseded",
}


class _Asked(BaseModel):
    ref: str = Field(max_length=5_000)
    """Lines in it are marked."""
    view: Literal["rendered", "source"] = "rendered"
    part: int | None = Field(default=None, ge=1, le=1_000_000)
    line: int | None = Field(default=None, ge=1, le=1_000_000_000)
    """The part that holds it is shown."""
    saved: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A file to show."""

    ref: str
    text: str
    chunks: tuple[ChunkSpan, ...]
    summary: FileSummary | None
    """None of a note that the index does not have yet."""
    is_stale: bool = False

    @property
    def is_note(self) -> bool:
        """Whether it lies in the vault."""
        return self.summary is None or bool(self.summary.note)


@dataclass(frozen=True, slots=True)
class Related:
    """A neighbour in the graph of cross-references."""

    ref: str
    name: str
    """Of a file its ref, of an entry the beginning of what it says."""
    is_entry: bool
    weight: float
    why: str


async def _show(visit: Visit) -> Response:
    asked = visit.given(_Asked)
    file = await _file(visit, asked.ref)
    links = await _note_links(visit, file)
    view = asked.view if len(file.text) <= MOST_RENDERED else "source"
    found = segments(file.text, file.chunks)
    pages = parts(found)
    first, last = _lines_named(asked.ref)
    part = min(asked.part or part_with(asked.line or first or 1, pages), len(pages))
    front = read_front_matter(file.text)
    rendered: list[tuple[Segment, Markup | None]] = [(segment, None) for segment in pages[part - 1]]
    if view == "rendered":
        # All files are asked for only where something may link to one.
        known = await visit.memory.browse.files(session_key=visit.session_key) if "[" in file.text else []
        refs = [each.ref for each in known]
        file_links = FileLinks(file.ref, refs, lambda ref: visit.url("files/view", ref=ref), links)
        body_line = 1 if front is None else front.end_line + 1
        rendered = await asyncio.to_thread(_rendered, file.text, body_line, file_links, pages[part - 1])
    return visit.page(
        "file.html",
        here="files",
        file=file,
        size=readable_size(len(file.text.encode("utf-8", "surrogatepass"))),
        trail=trail(file.ref.rpartition("/")[0] or f"{file.ref.partition(':')[0]}:"),
        view=view,
        is_too_long=view != asked.view,
        segments=rendered,
        marked=set(touched(found, first, last)) if first and last else set(),
        front=_front(file.text),
        links=links,
        note_ref=_note_ref,
        related=await _related(visit, file),
        part=part,
        pages=len(pages),
        can_edit=file.is_note and (visit.session_key is None or _is_private(file)),
        is_saved=asked.saved,
    )


async def _file(visit: Visit, ref: str) -> Shown:
    """Return the file that is asked for; a note is there before the index has it.

    Raises:
        NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
    """
    try:
        found = await visit.memory.browse.file(ref, session_key=visit.session_key)
    except (NotFoundError, InvalidInputError, TransientError):
        if not ref.startswith(f"{NOTES_ROOT}:"):
            raise
        note = await visit.memory.wiki.show(ref, session_key=visit.session_key)
        return Shown(_note_ref(note.note.path), note.text.removeprefix(BOM), (), None)
    return Shown(found.summary.ref, found.text, found.chunks, found.summary, found.is_stale)


async def _note_links(visit: Visit, file: Shown) -> NoteLinks | None:
    """Return the links of a note; None for any other file, and where the vault cannot be asked now."""
    if not file.is_note:
        return None
    try:
        return await visit.memory.wiki.links(file.ref, session_key=visit.session_key)
    except TercetError:  # its text is shown all the same, with links by file name
        return None


async def _related(visit: Visit, file: Shown) -> list[Related] | None:
    """Return what the graph links a file to, the strongest first; None where there is no graph of it."""
    try:
        _, found = await visit.memory.graph.show(file.ref, session_key=visit.session_key)
    except (NotFoundError, InvalidInputError):
        return None
    found = found[:MOST_NEIGHBOURS]
    entries = {each.ref for each in found if ":" not in each.ref}
    told: dict[str, str] = {}
    if entries:
        live = await visit.memory.list_entries(visit.session_key)
        told = {entry.id: shorten(entry.text, SHOWN_OF_AN_ENTRY, placeholder=" …") for entry in live}
    return [_neighbour(each, told.get(each.ref, each.ref), is_entry=each.ref in entries) for each in found]


def _neighbour(found: Neighbour, name: str, *, is_entry: bool) -> Related:
    why = ", ".join(dict.fromkeys(WHY[each.kind] for each in found.evidence))
    return Related(found.ref, name, is_entry, found.weight, why)


def _rendered(
    text: str, body_line: int, links: FileLinks, page: Sequence[Segment]
) -> list[tuple[Segment, Markup | None]]:
    lines = [without_line_end(line) for line in split_lines(text)]
    markdown = MarkdownFile(lines, body_line, links)
    return [
        (segment, markdown.html(max(segment.start, body_line), segment.end) if segment.end >= body_line else None)
        for segment in page
    ]


def _front(text: str) -> tuple[list[FrontRow], str] | None:
    front = read_front_matter(text)
    return None if front is None else (front_rows(front), front.problem)


def _lines_named(ref: str) -> tuple[int | None, int | None]:
    named = parse_file_ref(ref, {ref.partition(":")[0]})
    return named.start_line, named.end_line


def _note_ref(path: str) -> str:
    return f"{NOTES_ROOT}:{path}"


def _is_private(file: Shown) -> bool:
    """Say whether a session that sees a note may write it: what is shared it only reads."""
    return bool(file.summary.anchor) if file.summary else file.ref.startswith(f"{NOTES_ROOT}:private/")


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (("GET", "files/view", _show),)
