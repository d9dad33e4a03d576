"""One walk of a folder: names, sizes and times of its Markdown files, and what was passed by and why."""

from __future__ import annotations

import os
import stat
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING

from tercet.adapters.files.ignore import IGNORE_FILE, NEVER_ENTERED, IgnoreRules, is_excluded, is_markdown
from tercet.errors import NotFoundError
from tercet.ports.files import FoundFile, Listing, SkippedFile

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

DEFAULT_MAX_BYTES = 10_000_000
LEAVES = "the symbolic link leaves the folder"
NOT_REGULAR = "not a regular file"
NO_UTF8 = "the name is not UTF-8: rename it"
DENIED = "permission denied"
_READABLE_BY_ALL = 0o444
_KIND = 0o170000
"""Bits of a mode that say whether it is a file, a folder, a socket ..."""
_ORDINARY = stat.S_IFREG | _READABLE_BY_ALL


def walk(
    directory: str,
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
    never_enter: Collection[str] = (),
    before: Mapping[str, FoundFile] = MappingProxyType({}),
) -> Listing:
    """List a folder's Markdown files by path, reading none of them.

    Real files and folders come first; a symbolic link adds a file only when it gives a Markdown
    name to a file inside the folder that has none, so that each file is listed once and a loop of
    links is harmless. What vanishes during the walk is left out without a word.

    Args:
        directory: The folder; it may itself be a symbolic link.
        max_bytes: Larger files are skipped and named.
        never_enter: Absolute real paths of folders to pass by (our own home below a notes folder).
        before: Files of an earlier listing by path; the very objects are given again for what is as it was.

    Raises:
        NotFoundError: the folder is not there, is a file, or may not be read (permanent).
    """
    return _Walk(real_folder(directory), max_bytes, frozenset(never_enter), before).listing()


def real_folder(directory: str) -> str:
    """Return a folder's path without symbolic links.

    Raises:
        NotFoundError: it is not there, is a file, or may not be read (permanent).
    """
    try:
        real = os.path.realpath(directory, strict=True)
        if not stat.S_ISDIR(os.stat(real).st_mode):  # noqa: PTH116 - paths stay str: names may be no UTF-8
            msg = f"{directory} is a file, not a folder: index the folder it lies in."
            raise NotFoundError(msg)
        with os.scandir(real):
            return real
    except OSError as error:
        msg = f"The folder {printable(directory)} cannot be read: {error.strerror or error}."
        raise NotFoundError(msg) from error


def printable(path: str) -> str:
    r"""Return a path as it can be shown and stored: NFC, bytes that are no UTF-8 as ``\\xNN``."""
    if path.isascii():
        return path
    return unicodedata.normalize("NFC", os.fsencode(path).decode("utf-8", "backslashreplace"))


def precedence(path: str) -> tuple[tuple[bool, str], ...]:
    """Order paths that differ only in Unicode normalisation: composed names first."""
    return tuple((not unicodedata.is_normalized("NFC", name), name) for name in path.split("/"))


class _Walk:
    def __init__(self, root: str, max_bytes: int, never_enter: frozenset[str], before: Mapping[str, FoundFile]) -> None:
        self._root = root
        self._before = before
        self._max_bytes = max_bytes
        self._never_enter = never_enter
        self._found: dict[str, FoundFile] = {}
        self._on_disk: dict[str, str] = {}
        """NFC path -> path as stored, for those that differ."""
        self._skipped: list[SkippedFile] = []
        self._links: list[tuple[str, str]] = []

    def listing(self) -> Listing:
        folders = [(self._root, "", IgnoreRules())]
        while folders:
            folders.extend(self._folder(*folders.pop()))
        taken: set[str] = set()
        for path, shown in sorted(self._links):
            self._link(path, shown, taken)
        files = tuple([self._found[path] for path in sorted(self._found)])
        return Listing(files, tuple(sorted(self._skipped, key=lambda skip: (skip.path, skip.reason))))

    def _skip(self, path: str, reason: str) -> None:
        self._skipped.append(SkippedFile(printable(path), reason))

    def _folder(self, directory: str, shown: str, rules: IgnoreRules) -> list[tuple[str, str, IgnoreRules]]:
        """Take in one folder's files and return the folders below it."""
        try:
            with os.scandir(directory) as scan:
                entries = list(scan)
        except FileNotFoundError:
            return []
        except OSError as error:
            self._skip(shown.rstrip("/") or ".", _reason(error))
            return []
        if any(entry.name == IGNORE_FILE for entry in entries):
            try:
                rules = rules.entering(directory, shown)
            except OSError as error:
                self._skip(shown.rstrip("/") or ".", f"its {IGNORE_FILE} cannot be read: {_reason(error)}")
                return []
            for fault in rules.faults:
                self._skip(f"{shown}{IGNORE_FILE}", fault)
        return self._entries(entries, shown, rules)

    def _entries(
        self, entries: Sequence[os.DirEntry[str]], shown: str, rules: IgnoreRules
    ) -> list[tuple[str, str, IgnoreRules]]:
        below: list[tuple[str, str, IgnoreRules]] = []
        for entry in entries:
            name = entry.name
            if entry.is_symlink():
                if name not in NEVER_ENTERED and not rules.ignores(shown + name):
                    self._links.append((entry.path, shown + name))
            elif entry.is_dir(follow_symlinks=False):
                if self._enters(entry, shown + name, rules):
                    below.append((entry.path, f"{shown}{name}/", rules))
            elif is_markdown(name) and not (rules.files and rules.ignores(shown + name)):
                self._file(entry, shown + name)
        return below

    def _enters(self, entry: os.DirEntry[str], path: str, rules: IgnoreRules) -> bool:
        if entry.name in NEVER_ENTERED or entry.path in self._never_enter:
            return False
        if rules.ignores(path, folder=True):
            return False
        if not _is_utf8(entry.name):
            self._skip(path, NO_UTF8)
            return False
        return True

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            seen = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self._skip(path, _reason(error))
            return
        if (
            seen.st_mode & (_KIND | _READABLE_BY_ALL) == _ORDINARY
            and seen.st_size <= self._max_bytes
            and path.isascii()
        ):
            self._add(path, seen)  # as nearly all are; the other ways are slower
        else:
            self._take(entry.path, path, seen)

    def _take(self, place: str, path: str, seen: os.stat_result) -> None:
        if not _is_utf8(path):
            self._skip(path, NO_UTF8)
        elif not stat.S_ISREG(seen.st_mode):
            self._skip(path, NOT_REGULAR)
        elif seen.st_size > self._max_bytes:
            self._skip(path, too_large(seen.st_size, self._max_bytes))
        elif seen.st_mode & _READABLE_BY_ALL != _READABLE_BY_ALL and not os.access(place, os.R_OK):
            self._skip(path, DENIED)
        else:
            self._add(path, seen)

    def _add(self, path: str, seen: os.stat_result) -> None:
        name = path if path.isascii() else unicodedata.normalize("NFC", path)
        if name in self._found:
            held = self._on_disk.get(name, name)
            if precedence(held) < precedence(path):
                self._skip(name, "a second file of this name in another Unicode normalisation: rename one")
                return
            self._skip(name, "a second file of this name in another Unicode normalisation: rename one")
        if name != path:
            self._on_disk[name] = path
        else:
            self._on_disk.pop(name, None)
        size, mtime_ns = seen.st_size, seen.st_mtime_ns
        same = self._before.get(name)
        if same is None or same.mtime_ns != mtime_ns or same.size != size:
            same = FoundFile(name, size, mtime_ns)
        self._found[name] = same

    def _link(self, place: str, path: str, taken: set[str]) -> None:
        """Name a link that leads out of the folder; take in one that gives a file its Markdown name."""
        named = is_markdown(path)
        try:
            target = os.path.realpath(place, strict=True)
            seen = os.stat(target)  # noqa: PTH116 - paths stay str: names may be no UTF-8
        except OSError as error:
            if named:
                self._skip(path, f"broken symbolic link: {_reason(error)}")
            return
        folder = stat.S_ISDIR(seen.st_mode)
        if target != self._root and not is_inside(self._root, target):
            if named or folder:
                self._skip(path, LEAVES)
            return
        # A folder, or a file with a Markdown name of its own, is listed where it really lies.
        if folder or not named or is_markdown(target) or target in taken or self._is_passed_by(target):
            return
        try:
            if is_excluded(self._root, os.path.relpath(target, self._root)):
                return
        except OSError as error:
            self._skip(path, f"an {IGNORE_FILE} on the way to it cannot be read: {_reason(error)}")
            return
        taken.add(target)
        self._take(target, path, seen)

    def _is_passed_by(self, target: str) -> bool:
        """Say whether a file below the root lies in a folder that the walk does not enter."""
        return any(is_inside(folder, target) and is_inside(self._root, folder) for folder in self._never_enter)


def is_inside(root: str, target: str) -> bool:
    """Say whether a real path lies below a real folder."""
    return target.startswith(root if root.endswith(os.sep) else root + os.sep)


def too_large(size: int, max_bytes: int) -> str:
    """Say why a file of this size is skipped."""
    return f"larger than the limit ({size:,} of {max_bytes:,} bytes)"


def _is_utf8(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _reason(error: OSError) -> str:
    return DENIED if isinstance(error, PermissionError) else (error.strerror or str(error)).lower()
