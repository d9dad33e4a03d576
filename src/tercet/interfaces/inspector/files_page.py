"""Files and notes by folder, and what is wrong in the vault."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from tercet.errors import InvalidInputError, VaultUnavailableError
from tercet.interfaces.inspector import file_page, note_editing_page
from tercet.interfaces.inspector.byte_sizes import readable_size

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from starlette.responses import Response

    from tercet.browsing import FileSummary
    from tercet.interfaces.inspector.visits import Visit
    from tercet.layers.wiki.lint import LintCode, LintFinding

ON_A_PAGE: Final = 100
MOST_FOLDERS: Final = 60
"""Shown of the folders below the one that is looked at; words find the others."""
MOST_LINTED: Final = 1_000
"""Notes that are looked over for the summary on the list of files; more have a page of their own."""
MOST_FINDINGS: Final = 300

Show = Literal["all", "notes", "waiting", "warnings"]

TOLD: Final[dict[LintCode, str]] = {
    "dead-link": "broken links",
    "bad-front-matter": "unreadable front matter",
    "orphan": "orphans: no link leads there or away",
    "missing-id": "without an id",
    "duplicate-id": "ids used twice",
    "missing-title": "without a title",
    "claim-conflict": "claims told otherwise elsewhere",
    "empty": "empty notes",
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


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that can be gone into."""

    address: str
    name: str
    files: int


async def _show(visit: Visit) -> Response:
    asked = visit.given(_Asked)
    every = await visit.memory.browse.files(session_key=visit.session_key)
    found = sorted(_matching(every, asked), key=_place)
    below = [file for file in found if _lies_in(file, asked.folder)]
    pages = max(1, -(-len(below) // ON_A_PAGE))
    page = min(asked.page, pages)
    shown = below[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    folders = _folders(below, asked.folder)
    return visit.page(
        "files.html",
        here="files",
        asked=asked,
        groups=[(folder, [_listed(file) for file in group]) for folder, group in groupby(shown, key=_folder)],
        total=len(every),
        found=len(below),
        waiting=sum(file.waiting for file in below),
        warnings=sum(bool(file.warning) for file in below),
        folders=folders[:MOST_FOLDERS],
        more_folders=max(0, len(folders) - MOST_FOLDERS),
        trail=_trail(asked.folder),
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


def _place(file: FileSummary) -> tuple[str, str, str]:
    """Order files so that those of one folder stand together."""
    folder, _, name = file.path.rpartition("/")
    return file.root, folder, name


def _folder(file: FileSummary) -> str:
    return f"{file.root}:{file.path.rpartition('/')[0]}"


def _lies_in(file: FileSummary, folder: str) -> bool:
    return not folder or _folder(file) == folder or _folder(file).startswith(_beginning(folder))


def _beginning(folder: str) -> str:
    """Return how the folders below one begin."""
    return folder if folder.endswith(":") else f"{folder}/"


def _folders(files: Iterable[FileSummary], folder: str) -> list[Folder]:
    """Return the folders one level below, or the roots."""
    counts: Counter[str] = Counter()
    for file in files:
        place = _folder(file)
        if not folder:
            counts[f"{file.root}:"] += 1
        elif place != folder:
            begun = _beginning(folder)
            counts[begun + place.removeprefix(begun).partition("/")[0]] += 1
    if not folder and len(counts) == 1:
        # One root alone is no choice.
        return _folders(files, next(iter(counts)))
    return [Folder(address, _last_name(address), count) for address, count in sorted(counts.items())]


def _trail(folder: str) -> list[tuple[str, str]]:
    """Return (address, name) of each folder on the way to one."""
    root, colon, path = folder.partition(":")
    if not colon:
        return []
    names = [name for name in path.split("/") if name]
    below = [(f"{root}:{'/'.join(names[: depth + 1])}", name) for depth, name in enumerate(names)]
    return [(f"{root}:", root), *below]


def _last_name(address: str) -> str:
    return address.removesuffix(":").rpartition(":")[2].rpartition("/")[2]


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
