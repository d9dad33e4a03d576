"""SQLite's errors in our words: what failed, in which file, and the mend."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from tercet.errors import (
    ConfigurationError,
    InvalidInputError,
    LedgerBusyError,
    StoreFormatError,
    TercetError,
    TransientError,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.adapters.sqlite.schema import StoreFormat

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT)
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


class DamagedFileError(StoreFormatError):
    """SQLite cannot read the file; a file that is another's, or of a newer version, is not damaged."""


def translated(
    error: sqlite3.Error | OSError | UnicodeEncodeError, path: Path, store_format: StoreFormat, busy_timeout_s: float
) -> TercetError:
    """Return the error of ours that says what happened to this file.

    A constraint that fails, or a table that is missing, counts as damage: the writers check their
    input before they write.
    """
    what = store_format.what
    if isinstance(error, UnicodeEncodeError):
        return InvalidInputError(f"The {what} takes no text with half a character in it ({error}): mend the text.")
    code = sqlite3.SQLITE_CANTOPEN if isinstance(error, OSError) else error.sqlite_errorcode & 0xFF
    if code in _BUSY:
        return LedgerBusyError(
            f"Another process held the {what} {path} for more than {busy_timeout_s:g} s: try again, or end it."
        )
    if code in _DAMAGED:
        return DamagedFileError(f"The {what} {path} is damaged ({error}): {store_format.mend}.")
    if code in _REFUSED:
        return ConfigurationError(f"The {what} {path} cannot be opened or written ({error}): mend its permissions.")
    return TransientError(f"The {what} {path} cannot be used now ({error}): free the disk and try again.")
