"""Notes written and edited in the browser; what somebody typed is never lost for an error."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, Field

from tercet.errors import InvalidInputError, NotFoundError, TercetError, TransientError, WriteConflictError
from tercet.interfaces.inspector.note_text import differences, file_text, form_text, plain_lines
from tercet.ranking.federation import NOTES_ROOT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.responses import Response

    from tercet.interfaces.inspector.visits import Visit
    from tercet.layers.wiki.writing import NoteText

TYPES: Final = ("entity", "concept", "synthesis", "source", "report")


class _Named(BaseModel):
    ref: str = Field(max_length=5_000)


class _Edited(_Named):
    text: str = ""
    digest: str = Field(max_length=64)
    """Of the file as the form showed it."""


class _New(BaseModel):
    title: str = Field(default="", max_length=500)
    type: str = Field(default="", max_length=100)
    tags: str = Field(default="", max_length=1_000)
    body: str = ""


async def _show_edit(visit: Visit) -> Response:
    note = await _note(visit, visit.given(_Named).ref)
    return _form(visit, note.note.path, form_text(note.text), note.sha256)


async def _edit(visit: Visit) -> Response:
    given = visit.given(_Edited)
    try:
        note = await _note(visit, given.ref)
        if note.sha256 != given.digest:
            return _conflict(visit, note, given.text)
        text = file_text(given.text, note.text)
        await visit.memory.wiki.replace(given.ref, text, given.digest, session_key=visit.session_key)
    except WriteConflictError:
        return _conflict(visit, await _note(visit, given.ref), given.text)
    except TercetError as error:
        path = given.ref.partition(":")[2]
        return _form(visit, path, plain_lines(given.text), given.digest, error)
    return visit.moved("files/view", ref=given.ref, saved="yes")


async def _show_new(visit: Visit) -> Response:
    return visit.page("note_new.html", here="files", given=visit.given(_New), types=TYPES, problem="")


async def _new(visit: Visit) -> Response:
    given = visit.given(_New)
    tags = [tag.strip().removeprefix("#") for tag in given.tags.split(",") if tag.strip()]
    try:
        made = await visit.memory.wiki.new(
            given.title, body=plain_lines(given.body), type=given.type, tags=tags, session_key=visit.session_key
        )
    except TercetError as error:
        values = {"given": given, "types": TYPES, "problem": str(error)}
        return visit.page("note_new.html", here="files", status=_status_of(error), **values)
    return visit.moved("files/view", ref=f"{NOTES_ROOT}:{made.note.path}", saved="yes")


async def _note(visit: Visit, ref: str) -> NoteText:
    """Return a note that can be edited.

    Raises:
        InvalidInputError: the ref names no note, the note cannot be written by this session, or its
            file is no UTF-8 (permanent).
        NotFoundError: there is none (permanent).
    """
    if not ref.startswith(f"{NOTES_ROOT}:"):
        msg = f"{ref!r} lies in an indexed folder, whose files are yours: change it with your editor."
        raise InvalidInputError(msg)
    note = await visit.memory.wiki.text_of(ref, session_key=visit.session_key)
    if visit.session_key is not None and not note.note.scope.anchor:
        msg = f"The note {note.note.path} is shared with everyone: edit it without a session, or write one of your own."
        raise InvalidInputError(msg)
    if hashlib.sha256(note.text.encode("utf-8", "surrogatepass")).hexdigest() != note.sha256:
        msg = f"The note {note.note.path} is no UTF-8: save it as UTF-8 with your editor, then edit it here."
        raise InvalidInputError(msg)
    return note


def _form(visit: Visit, path: str, text: str, digest: str, error: TercetError | None = None) -> Response:
    return visit.page(
        "note_edit.html",
        here="files",
        status=200 if error is None else _status_of(error),
        ref=f"{NOTES_ROOT}:{path}",
        path=path,
        text=text,
        digest=digest,
        problem="" if error is None else str(error),
    )


def _conflict(visit: Visit, theirs: NoteText, yours: str) -> Response:
    """Show what was sent beside what is there by now, to be put together."""
    return visit.page(
        "note_conflict.html",
        here="files",
        status=409,
        ref=f"{NOTES_ROOT}:{theirs.note.path}",
        path=theirs.note.path,
        yours=plain_lines(yours),
        theirs=form_text(theirs.text),
        digest=theirs.sha256,
        differences=differences(theirs.text, yours),
    )


def _status_of(error: TercetError) -> int:
    if isinstance(error, TransientError):
        return 503
    return 404 if isinstance(error, NotFoundError) else 400


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "files/edit", _show_edit),
    ("POST", "files/edit", _edit),
    ("GET", "files/new", _show_new),
    ("POST", "files/new", _new),
)
