"""Files and notes by folder, and what is wrong in the vault."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from tercet.errors import InvalidInputError, VaultUnavailableError
from tercet.interfaces.inspector import file_page, note_editing_page
from tercet.interfaces.inspector.byte_sizes import readable_size
from tercet.interfaces.inspector.folders import folder_of, folders_below, lies_in, place, trail

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from starlette.responses import Response

    from tercet.browsing import FileSummary
    from tercet.interfaces.inspector.visits import Visit
    from tercet.layers.wiki.lint import LintCode, LintFinding

ON_A_PAGE: Final = 100
MOST_FOLDERS: Final = 60
"""Shown of the folders below the one that is looked at; words find the others."""
MOST_LINTED: Final = 5_000
"""Notes that are looked over for the summary on the list of files; more have a page of their own."""
MOST_FINDINGS: Final = 300

Show = Literal["all", "notes", "waiting", "warnings"]

TOLD: Final[dict[LintCode, str]] = {
    "dead-link": "Broken links",
    "bad-front-matter": "Unreadable front matter",
    "orphan": "Orphans, without a link to or from them",
    "missing-id": "Without an id",
    "duplicate-id": "Ids used twice",
    "missing-title": "Without a title",
    "claim-conflict": "Claims told otherwise elsewhere",
    "empty": "Empty notes",
}
"""What a finding is called, in the order of the page."""


class _Asked(BaseModel):
    words: str = Field(default="", max_length=500)
    show: Show = "all"
    folder: str = Field(default="", max_length=5_000)
    """``root:folder``; everything below it."""
    page: int = Field(default=1, ge=1, le=1_000_000)


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file in a list."""

    summary: FileSummary
    name: str
    size: str


async def _show(visit: Visit) -> Response:
    asked = visit.given(_Asked)
    every = await visit.memory.browse.files(session_key=visit.session_key)
    found = sorted(_matching(every, asked), key=place)
    below = [file for file in found if lies_in(file, asked.folder)]
    pages = max(1, -(-len(below) // ON_A_PAGE))
    page = min(asked.page, pages)
    shown = below[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    folders = folders_below(below, asked.folder)
    return visit.page(
        "files.html",
        here="files",
        asked=asked,
        groups=[(folder, [_listed(file) for file in group]) for folder, group in groupby(shown, key=folder_of)],
        total=len(every),
        found=len(below),
        waiting=sum(file.waiting for file in below),
        warnings=sum(bool(file.warning) for file in below),
        folders=folders[:MOST_FOLDERS],
        more_folders=max(0, len(folders) - MOST_FOLDERS),
        trail=trail(asked.folder),
        page=page,
        pages=pages,
        shows_whose=any(file.anchor for file in every),
        vault=await _vault(visit, every),
    )


async def _show_lint(visit: Visit) -> Response:
    findings = await _findings(visit)
    return visit.page("files_lint.html", here="files", groups=_by_code(findings), most=MOST_FINDINGS, told=TOLD)


async def _vault(visit: Visit, every: Sequence[FileSummary]) -> dict[str, object]:
    """Return what the list of files says about the vault."""
    notes = sum(bool(file.note) for file in every)
    vault: dict[str, object] = {"notes": notes, "counts": [], "is_linted": False, "problem": ""}
    if notes > MOST_LINTED:
        return vault
    try:
        findings = await _findings(visit)
    except (InvalidInputError, VaultUnavailableError) as error:  # the files are shown all the same
        return {**vault, "problem": str(error)}
    counts = [(TOLD[code], len(group), code) for code, group in _by_code(findings)]
    return {**vault, "counts": counts, "is_linted": True}


async def _findings(visit: Visit) -> list[LintFinding]:
    """Return what is wrong in the notes that are seen here; of the owner's view that is not the whole vault."""
    return await visit.memory.wiki.lint(session_key=visit.session_key or "main")


def _by_code(findings: Iterable[LintFinding]) -> list[tuple[LintCode, list[LintFinding]]]:
    groups: dict[LintCode, list[LintFinding]] = {code: [] for code in TOLD}
    for finding in findings:
        groups[finding.code].append(finding)
    return [(code, group) for code, group in groups.items() if group]


def _matching(files: Iterable[FileSummary], asked: _Asked) -> list[FileSummary]:
    wanted = _comparable(asked.words).split()
    return [
        file for file in files if _is_shown(file, asked.show) and all(word in _comparable(file.ref) for word in wanted)
    ]


def _is_shown(file: FileSummary, show: Show) -> bool:
    if show == "notes":
        return bool(file.note)
    if show == "waiting":
        return file.waiting > 0
    return show == "all" or bool(file.warning)


def _listed(file: FileSummary) -> ListedFile:
    return ListedFile(file, file.path.rpartition("/")[2], readable_size(file.size))


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "files", _show),
    ("GET", "files/lint", _show_lint),
    *file_page.PAGES,
    *note_editing_page.PAGES,
)
