"""Files that are either wholly the old or wholly the new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import ConfigurationError, InvalidInputError, NotFoundError, TercetError, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_TEMPORARY = re.compile(r"^\..*\.tercet-[0-9a-f]{16}\.tmp$", re.DOTALL)
_NAME_BYTES = 120  # of the target's name kept in the temporary's, so that it stays below the usual 255
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


def is_temporary(name: str) -> bool:
    """Say whether a file name is one of our own temporaries, ``.<name>.tercet-<16 hex>.tmp``."""
    return _TEMPORARY.match(name) is not None


def write_atomically(
    path: Path, data: bytes, *, mode: int = 0o600, before_replace: Callable[[], object] | None = None
) -> None:
    """Replace a file's bytes, durably, in one step: readers see the old or the new, never a part.

    A kill leaves at most a temporary beside it, which ``sweep_temporaries`` takes away.

    Args:
        path: The file, existing or not; its folder must exist.
        data: The new bytes.
        mode: Permission bits of the new file.
        before_replace: Called last, when the new bytes are on disk; what it raises leaves the old file.

    Raises:
        InvalidInputError: the path is a symbolic link, which a replace would cut (permanent).
        NotFoundError: the folder is not there (permanent).
        ConfigurationError: the folder may not be written (permanent).
        TransientError: the disk is full or failed.
    """
    with _in_our_words(path):
        if path.is_symlink():
            msg = f"{path} is a symbolic link and is not replaced: give the file it points to."
            raise InvalidInputError(msg)
        temporary = path.with_name(_temporary_name(path.name))
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
                file.write(data)
                file.flush()
                # The umask may have taken bits away from what was asked for.
                os.chmod(temporary, mode)  # noqa: PTH101 - follows nothing: O_EXCL made it
                os.fsync(file.fileno())
            if before_replace is not None:
                before_replace()
            os.replace(temporary, path)  # noqa: PTH105 - one call, no Path needed
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
            raise
        sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in a folder durable; does nothing where a folder cannot be opened (Windows)."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def ensure_private_directory(path: Path) -> None:
    """Make a folder and each missing one above it, all 0700; existing ones stay as they are.

    Raises:
        ConfigurationError: a level may not be made, or is a file (permanent).
        TransientError: the disk is full or failed.
    """
    with _in_our_words(path):
        missing: list[Path] = []
        level = path
        while not level.exists() and level != level.parent:
            missing.append(level)
            level = level.parent
        for folder in reversed(missing):
            with contextlib.suppress(FileExistsError):  # another process made it meanwhile
                folder.mkdir(mode=0o700)
        if not path.is_dir():
            msg = f"{path} is not a folder: move it away, or choose another place."
            raise ConfigurationError(msg)


def sweep_temporaries(directory: Path, *, older_than_s: float = 3600.0, now_s: float | None = None) -> list[Path]:
    """Delete temporaries that a killed writer left below a folder, and return them.

    Args:
        directory: Walked to the bottom; symbolic links are not followed.
        older_than_s: Seconds since the last write; a younger one may belong to a live writer.
        now_s: Unix time to count from; None means now.
    """
    limit = (time.time() if now_s is None else now_s) - older_than_s
    swept: list[Path] = []
    for folder, _, names in os.walk(directory):
        for name in filter(is_temporary, names):
            temporary = Path(folder, name)
            with contextlib.suppress(FileNotFoundError):  # its writer ended meanwhile
                if temporary.lstat().st_mtime <= limit:
                    temporary.unlink()
                    swept.append(temporary)
    return sorted(swept)


def _temporary_name(name: str) -> str:
    kept = os.fsencode(name)[:_NAME_BYTES].decode("utf-8", "ignore")
    return f".{kept}.tercet-{secrets.token_hex(8)}.tmp"


@contextlib.contextmanager
def _in_our_words(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise _translated(path, error) from error


def _translated(path: Path, error: OSError) -> TercetError:
    reason = error.strerror or str(error)
    if error.errno == errno.ENOENT:
        return NotFoundError(f"{path} cannot be written: its folder is not there.")
    if error.errno in (*_REFUSED, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG):
        return ConfigurationError(f"{path} cannot be written ({reason}): mend the path or its permissions.")
    return TransientError(f"{path} cannot be written ({reason}): free the disk and try again.")
