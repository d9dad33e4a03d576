"""``[[wikilinks]]``: where they stand, and which note each means."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from tercet.model.notes import WikiLink
from tercet.text.notes.visible import line_starts, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tercet.model.notes import Note

_LINK: Final = re.compile(r"(?<!\\)(!?)\[\[([^\[\]\n]{1,1000})\]\]")
_SHOWN: Final = re.compile(r"\\?\|")
_MARKDOWN_SUFFIX: Final = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
_ATTACHMENT: Final = re.compile(
    r"\.(?:avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp"
    r"|3gp|flac|m4a|mp3|oga|ogg|opus|wav|weba|mkv|mov|mp4|ogv|webm"
    r"|pdf|canvas|base|excalidraw|epub|csv|tsv|json|ya?ml|txt|html?|css|js|py|zip"
    r"|docx?|odt|ods|odp|pptx?|xlsx?)$",
    re.IGNORECASE,
)


def links_of(body: str, first_line: int = 1) -> tuple[WikiLink, ...]:
    """Return the wikilinks and embeds of a body, in order; code and comments hold none.

    Args:
        body: Markdown without its front matter.
        first_line: 1-based line of the file on which the body begins.
    """
    if "[[" not in body:
        return ()
    shown = visible(body)
    starts = line_starts(shown)
    found: list[WikiLink] = []
    for match in _LINK.finditer(shown):
        link = _link(match, bisect_right(starts, match.start()) - 1 + first_line)
        if link is not None:
            found.append(link)
    return tuple(found)


def _link(match: re.Match[str], line: int) -> WikiLink | None:
    address, _, text = _split_shown(match[2])
    target, _, heading = address.partition("#")
    target, heading = target.strip(), heading.strip()
    if not target and not heading:
        return None
    return WikiLink(target, line, text.strip(), heading, is_embed=bool(match[1]))


def _split_shown(inner: str) -> tuple[str, str, str]:
    r"""Part the address from the text shown; inside a table the bar is written ``\|``."""
    bar = _SHOWN.search(inner)
    return (inner, "", "") if bar is None else (inner[: bar.start()], bar[0], inner[bar.end() :])


def is_attachment(target: str) -> bool:
    """Say whether a link's target is a file that is no note: a picture, a recording, a PDF, ..."""
    return _ATTACHMENT.search(target.strip()) is not None


def comparable(name: str) -> str:
    """Return a name such that two are equal when they differ by case or Unicode normalisation alone."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class LinkTargets:
    """The names by which notes may be linked; made once for many links."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self._by_path: dict[str, list[str]] = defaultdict(list)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for note in notes:
            address = comparable(_without_suffix(note.path))
            self._by_path[address].append(note.path)
            self._by_stem[address.rpartition("/")[2]].append(note.path)
            for name in {comparable(" ".join(name.split())) for name in (note.title, *note.aliases)}:
                self._by_name[name].append(note.path)

    def resolve(self, target: str, from_path: str) -> str | None:
        """Return the path of the note a link means, None when there is none.

        The whole path first, then the end of a path or the file's name, then a title or an alias;
        of several the one in the nearest folder, then with the shortest path, then the first by name.

        Args:
            target: As ``WikiLink.target``: with or without ``.md``; ``./`` and ``../`` begin at the
                linking note's folder, ``/`` at the vault; empty means the note itself.
            from_path: The linking note's path.
        """
        written = target.strip()
        if not written:
            return from_path
        folder = from_path.rpartition("/")[0]
        address = _address(written, folder)
        if address is None:
            return None
        wanted = comparable(address)
        relative = written.startswith(("./", "../", "/"))
        found = self._by_path.get(wanted)
        if not found and not relative:
            found = self._ending_with(wanted) or self._by_name.get(comparable(" ".join(written.split())))
        return min(found, key=lambda path: _distance(path, folder)) if found else None

    def _ending_with(self, wanted: str) -> list[str]:
        same_stem = self._by_stem.get(wanted.rpartition("/")[2], [])
        if "/" not in wanted:
            return same_stem
        return [path for path in same_stem if comparable(_without_suffix(path)).endswith("/" + wanted)]


def resolve(target: str, from_path: str, notes: Mapping[str, Note]) -> str | None:
    """Return the path of the note a link means, None when there is none (see ``LinkTargets.resolve``).

    Args:
        target: As ``WikiLink.target``.
        from_path: The linking note's path.
        notes: The notes that may be meant, by path.
    """
    return LinkTargets(notes.values()).resolve(target, from_path)


def _without_suffix(path: str) -> str:
    return _MARKDOWN_SUFFIX.sub("", path)


def _address(written: str, folder: str) -> str | None:
    """Return a target as a path below the vault without its suffix; None when it leaves the vault."""
    names = folder.split("/") if folder and written.startswith(("./", "../")) else []
    for name in written.replace("\\", "/").split("/"):
        if name == "..":
            if not names:
                return None
            names.pop()
        elif name not in {"", "."}:
            names.append(name.strip())
    return _without_suffix("/".join(names))


def _distance(path: str, folder: str) -> tuple[int, int, str]:
    """Order candidates: steps from folder to folder, then the path's depth, then its name."""
    here = folder.split("/") if folder else []
    there = path.split("/")[:-1]
    common = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        common += 1
    return len(here) + len(there) - 2 * common, len(there), path
