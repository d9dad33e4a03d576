"""One file below a folder, read whole and decoded; nothing outside the folder is ever opened."""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from typing import NamedTuple

from tercet.adapters.files.ignore import is_excluded, is_markdown
from tercet.adapters.files.walk import (
    DEFAULT_MAX_BYTES,
    DENIED,
    LEAVES,
    NOT_REGULAR,
    is_inside,
    precedence,
    printable,
    real_folder,
    too_large,
)
from tercet.errors import InvalidInputError, NotFoundError
from tercet.ports.files import FileContent
from tercet.text.decoding import decode

_ATTEMPTS = 4
_CHANGING = "it changed while it was read: what was read may be half a change"


class _Snapshot(NamedTuple):
    data: bytes
    size: int
    mtime_ns: int
    """Before the first byte was read, so that a later write always shows as a difference."""
    steady: bool


def read(directory: str, path: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> FileContent:
    """Read and decode one file that a walk of the folder would list.

    Args:
        directory: The folder.
        path: POSIX, below the folder, in any Unicode normalisation.
        max_bytes: Larger files are refused.

    Raises:
        NotFoundError: it is gone, not readable, binary, too large, no Markdown, excluded by name or
            ignore file, or its path leaves the folder; the message is the reason (permanent).
    """
    _check_shape(path)
    root = real_folder(directory)
    place = _locate(root, unicodedata.normalize("NFC", path).split("/"))
    if place is None:
        raise _refused(path, "no such file")
    target = _resolve(root, place, path)
    snapshot = _read_steady(target, path, max_bytes)
    try:
        decoded = decode(snapshot.data)
    except InvalidInputError as error:
        raise _refused(path, str(error)) from error
    warnings = [decoded.warning] if decoded.warning else []
    if not snapshot.steady:
        warnings.append(_CHANGING)
    return FileContent(
        text=decoded.text,
        sha256=hashlib.sha256(snapshot.data).hexdigest(),
        size=snapshot.size,
        mtime_ns=snapshot.mtime_ns,
        warning="; ".join(warnings),
    )


def _refused(path: str, reason: str) -> NotFoundError:
    return NotFoundError(f"{printable(path)}: {reason}")


def _check_shape(path: str) -> None:
    names = path.split("/")
    if "\x00" in path or path.startswith("/") or ".." in names or os.path.splitdrive(path)[0]:
        raise _refused(path.replace("\x00", "\\0"), "the path leaves the folder")
    if not all(name not in {"", "."} for name in names):
        raise _refused(path, "give a path such as memory/note.md")
    if not is_markdown(path):
        raise _refused(path, "not a Markdown file")


def _locate(directory: str, names: list[str]) -> str | None:
    """Find names below a folder as they are stored: some systems keep them decomposed (NFD)."""
    wanted, *rest = names
    place = os.path.join(directory, wanted)  # noqa: PTH118 - paths stay str
    if os.path.lexists(place) and (found := _locate(place, rest) if rest else place) is not None:
        return found
    return None if wanted.isascii() else _locate_decomposed(directory, wanted, rest)


def _locate_decomposed(directory: str, wanted: str, rest: list[str]) -> str | None:
    """Find a name that is stored in another form than the one looked for; the folder has to be scanned."""
    try:
        with os.scandir(directory) as scan:
            same = [entry.name for entry in scan if unicodedata.normalize("NFC", entry.name) == wanted]
    except OSError:  # no folder, or not readable: then nothing is to be found in it
        return None
    for name in sorted(same, key=precedence):
        place = os.path.join(directory, name)  # noqa: PTH118 - paths stay str
        if (found := _locate(place, rest) if rest else place) is not None:
            return found
    return None


def _resolve(root: str, place: str, path: str) -> str:
    """Return the file's real path, checked to be one that a walk may list."""
    try:
        target = os.path.realpath(place, strict=True)
        if not is_inside(root, target):
            raise _refused(path, LEAVES)
        for seen in (place, target):
            if is_excluded(root, os.path.relpath(seen, root)):
                raise _refused(path, "not part of the indexed folder (excluded by name or .tercetignore)")
    except OSError as error:
        raise _refused(path, _reason(error)) from error
    return target


def _read_steady(target: str, path: str, max_bytes: int) -> _Snapshot:
    """Read until nobody wrote meanwhile, a few times (X13)."""
    snapshot = _read_once(target, path, max_bytes)
    for _ in range(_ATTEMPTS - 1):
        if snapshot.steady:
            break
        snapshot = _read_once(target, path, max_bytes)
    return snapshot


def _read_once(target: str, path: str, max_bytes: int) -> _Snapshot:
    # No link at the end (it was resolved), and no waiting on a pipe of that name.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(target, flags)
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise _refused(path, NOT_REGULAR)
            if before.st_size > max_bytes:
                raise _refused(path, too_large(before.st_size, max_bytes))
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(max_bytes + 1)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _refused(path, _reason(error)) from error
    if len(data) > max_bytes:
        raise _refused(path, too_large(max(after.st_size, len(data)), max_bytes))
    steady = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(data) == after.st_size
    return _Snapshot(data, before.st_size, before.st_mtime_ns, steady)


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return DENIED if isinstance(error, PermissionError) else (error.strerror or str(error)).lower()
