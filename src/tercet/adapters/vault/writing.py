"""One note written whole: under the vault's lock, after a look at what is there, in one step."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from typing import TYPE_CHECKING

from tercet.adapters.files.atomic_write import (
    ensure_private_directory,
    sweep_temporaries,
    sync_directory,
    write_atomically,
)
from tercet.adapters.files.walk import DEFAULT_MAX_BYTES
from tercet.adapters.vault.places import place_to_write
from tercet.errors import (
    ConfigurationError,
    InvalidInputError,
    NotFoundError,
    TransientError,
    VaultUnavailableError,
    WriteConflictError,
)
from tercet.text.decoding import decode
from tercet.text.front_matter import BOM
from tercet.text.notes.folders import checked_note_path

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

LOCK_FILE = ".tercet.lock"
"""Lies in the vault, empty; the system holds the lock, not the file, so that a killed writer leaves none."""


@contextlib.contextmanager
def locked(root: Path, timeout_s: float) -> Generator[None]:
    """Hold the vault's lock, which every writer of ours takes.

    Args:
        root: The vault; it must exist.
        timeout_s: How long to wait for another holder; 0 does not wait.

    Raises:
        VaultUnavailableError: another process held it all the time, or it may not be made (transient).
    """
    from filelock import FileLock, Timeout

    lock = FileLock(root / LOCK_FILE, timeout=timeout_s, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        msg = f"Another process has been writing the vault {root} for {timeout_s:g} s: wait for it, or end it."
        raise VaultUnavailableError(msg) from error
    except OSError as error:
        raise vault_unavailable(root, error) from error
    try:
        yield
    finally:
        lock.release()


def sweep(root: Path) -> bool:
    """Take away what killed writers left; False when it could not be done now, as while another process writes.

    Who holds the lock is the only writer, so that every temporary is a dead one's. A vault that
    none of ours ever wrote is left alone.
    """
    if not (root / LOCK_FILE).exists():
        return True
    try:
        with locked(root, 0):
            sweep_temporaries(root, older_than_s=0)
    except (VaultUnavailableError, OSError):
        return False
    return True


def write(root: Path, path: str, text: str, expected_sha256: str | None, timeout_s: float) -> str:
    """Write a note and return the digest of its bytes (see ``Vault.write``)."""
    data = _bytes_of(checked_note_path(path), text)
    try:
        _make_folder(root)
        with locked(root, timeout_s):
            return _write_locked(root, path, data, expected_sha256)
    except OSError as error:
        raise note_unavailable(root, path, error) from error
    except (ConfigurationError, NotFoundError, TransientError) as error:
        if isinstance(error, VaultUnavailableError):
            raise
        msg = f"The note {path} is not written: {error}"
        raise VaultUnavailableError(msg) from error


def vault_unavailable(root: Path, error: OSError) -> VaultUnavailableError:
    """Return that a vault cannot be used, with the mend."""
    return _unavailable(f"The vault {root}", error)


def note_unavailable(root: Path, path: str, error: OSError) -> VaultUnavailableError:
    """Return that a note cannot be read or written, with the mend."""
    return _unavailable(f"The note {path} of the vault {root}", error)


def _unavailable(what: str, error: OSError) -> VaultUnavailableError:
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        mend = "it is no folder: move the file away, or set another vault"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        mend = "mend its permissions"
    else:
        mend = "see to the disk, then try again"
    return VaultUnavailableError(f"{what} cannot be used ({error.strerror or error}): {mend}.")


def _write_locked(root: Path, path: str, data: bytes, expected_sha256: str | None) -> str:
    place = place_to_write(root, path)
    mode = _check(place, path, expected_sha256)
    _make_folder(place.parent)
    # Editors take no lock of ours: look again when all but the renaming is done.
    write_atomically(place, data, mode=mode, before_replace=lambda: _check(place, path, expected_sha256))
    return hashlib.sha256(data).hexdigest()


def _check(place: Path, path: str, expected_sha256: str | None) -> int:
    """Return the permission bits that the file shall have, when what is there is what was expected.

    Raises:
        WriteConflictError: it is not (permanent).
        InvalidInputError: it is no UTF-8, or no file (permanent).
        OSError: it cannot be read, or is read-only.
    """
    try:
        seen = place.stat()
        if not stat.S_ISREG(seen.st_mode):
            msg = f"{path} is not written: what is there is no file."
            raise InvalidInputError(msg)
        data = place.read_bytes()
    except FileNotFoundError:
        if expected_sha256 is not None:
            raise _conflict(path, "was deleted meanwhile") from None
        return 0o600
    if expected_sha256 is None:
        raise _conflict(path, "is there already")
    if hashlib.sha256(data).hexdigest() != expected_sha256:
        raise _conflict(path, "was changed meanwhile")
    if not _is_utf8(data):
        msg = f"{path} is not written: it is no UTF-8; save it as UTF-8 in an editor first."
        raise InvalidInputError(msg)
    if not os.access(place, os.W_OK):
        # A rename would not mind, but who took the right away meant it.
        raise PermissionError(errno.EACCES, "the file is read-only")
    return stat.S_IMODE(seen.st_mode) & 0o777


def _conflict(path: str, what: str) -> WriteConflictError:
    return WriteConflictError(f"The note {path} {what}; nothing was written: read it again, then write.")


def _make_folder(folder: Path) -> None:
    """Make a folder and those missing above it, durably."""
    missing = [level for level in (folder, *folder.parents) if not level.exists()]
    ensure_private_directory(folder)
    for level in missing:
        sync_directory(level.parent)


def _bytes_of(path: str, text: str) -> bytes:
    """Return a text's bytes when reading them gives the text again.

    Raises:
        InvalidInputError: it holds NUL or half characters, is mostly control characters, or is larger
            than a note that is read (permanent).
    """
    why = ""
    data = b""
    try:
        data = text.encode()
        if decode(data).text != text.removeprefix(BOM):
            why = "it would be read as another text"
    except UnicodeEncodeError:
        why = "it holds half a character"
    except InvalidInputError as error:
        why = str(error)
    if len(data) > DEFAULT_MAX_BYTES:
        why = f"{len(data):,} bytes, at most {DEFAULT_MAX_BYTES:,}"
    if why:
        msg = f"The text for {path} is not written ({why}): give plain text."
        raise InvalidInputError(msg)
    return data


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
