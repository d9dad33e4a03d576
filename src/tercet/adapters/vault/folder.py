"""The vault over a folder of this machine."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.adapters.executor import BlockingExecutor
from tercet.adapters.files.reading import read as read_file
from tercet.adapters.files.walk import walk
from tercet.adapters.vault.places import lies_in_its_scope, stored_place
from tercet.adapters.vault.writing import note_unavailable, sweep, vault_unavailable, write
from tercet.errors import InvalidInputError, NotFoundError, VaultUnavailableError
from tercet.ports.vault import VaultFile, VaultText
from tercet.text.front_matter import BOM
from tercet.text.notes.folders import folder_of, scope_of

if TYPE_CHECKING:
    from tercet.model import Scope
    from tercet.ports.files import FileContent, FoundFile, SkippedFile

LOCK_TIMEOUT_S = 30.0


class FolderVault:
    """Markdown notes below one folder; a ``Vault``.

    Shared notes lie anywhere but under ``private/``, an anchor's in its own folder there. Reading
    changes nothing on disk; the first write makes the folder, when missing, and an empty lock file.
    """

    def __init__(self, directory: Path, agent: str, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        """Prepare; nothing is touched yet.

        Args:
            directory: The vault, which may itself be a symbolic link.
            agent: Whose vault it is.
            lock_timeout_s: How long a write waits for another process, >= 0.
        """
        self._directory = directory
        self._agent = agent
        self._lock_timeout_s = lock_timeout_s
        self._reading = BlockingExecutor(max_workers=2, name="vault reader")
        self._writing = BlockingExecutor(max_workers=1, name="vault writer")
        self._is_swept = False
        self._sweeping = threading.Lock()
        self._passed_by: tuple[SkippedFile, ...] = ()
        self._last: tuple[dict[str, FoundFile], list[VaultFile]] = ({}, [])
        """What the last listing found by path, in its order, and as it was given."""

    @property
    def passed_by(self) -> tuple[SkippedFile, ...]:
        """What the last listing could not take, and why."""
        return self._passed_by

    @property
    def place(self) -> str:
        """The folder's real path."""
        return os.path.realpath(self._directory)

    async def is_there(self) -> bool:
        """Say whether the folder is there now."""
        return await self._reading.run(os.path.isdir, self.place)

    def folder_of(self, scope: Scope) -> str:
        """Return the folder below the vault in which notes of a scope lie; ``""`` for shared ones.

        Raises:
            InvalidInputError: the scope is another agent's (permanent).
        """
        if scope.agent != self._agent:
            msg = f"This vault is of agent {self._agent!r}, not of {scope.agent!r}: use the memory of that agent."
            raise InvalidInputError(msg)
        return folder_of(scope)

    def scope_of(self, path: str) -> Scope:
        """Return whose note a path is; in no known anchor's folder below ``private/`` nobody's."""
        return scope_of(self._agent, path)

    async def files(self) -> list[VaultFile]:
        """Return every note's file by path; none while the folder is not there yet.

        The list is the one given before, the very object, as long as nothing in it has changed:
        whoever keeps it can tell so, and nobody may change it.

        Raises:
            VaultUnavailableError: the vault is no folder or may not be read (transient).
        """
        return await self._reading.run(self._files)

    async def read(self, path: str) -> VaultText:
        """Return a note's text, its byte order mark included.

        Raises:
            NotFoundError: there is no such note, or the path leaves the vault (permanent).
            VaultUnavailableError: it may not be read (transient).
        """
        return await self._reading.run(self._read, path)

    async def write(self, path: str, text: str, *, expected_sha256: str | None) -> str:
        """Write a note whole, durably, and return the digest of its bytes.

        A file that is there keeps its permissions; a new one is 0600, its folders 0700.

        Args:
            path: POSIX, below the vault, ending in ``.md``.
            text: The whole file.
            expected_sha256: Of what is there now, as ``read`` gave it; None when nothing is.

        Raises:
            WriteConflictError: something else is there by now; nothing was written (permanent).
            InvalidInputError: the path is none of a note of this vault, what is there is no UTF-8, or
                the text could not be read again (permanent).
            VaultUnavailableError: it cannot be written, or another process writes all the time (transient).
        """
        return await self._writing.run(self._write, path, text, expected_sha256)

    async def close(self) -> None:
        """Let running calls end; may be called twice."""
        await self._reading.close()
        await self._writing.close()

    def _files(self) -> list[VaultFile]:
        root = self._root()
        if root is None:
            return []
        self._sweep(root)
        before, given = self._last
        try:
            listing = walk(str(root), before=before)
        except NotFoundError as error:  # it vanished, or its rights changed, just now
            msg = f"{error} Try again."
            raise VaultUnavailableError(msg) from error
        self._passed_by = listing.skipped
        # What is as it was is the very same object, so that two equal listings are compared in no time.
        if listing.files == tuple(before.values()):
            return given
        scopes: dict[str, Scope] = {}
        given = [self._listed(file, scopes) for file in listing.files]
        self._last = {file.path: file for file in listing.files}, given
        return given

    def _listed(self, file: FoundFile, scopes: dict[str, Scope]) -> VaultFile:
        """Return a found file as a listing shows it; ``scopes`` keeps those of folders for the next."""
        folder = file.path.rpartition("/")[0]
        scope = scopes.get(folder)
        if "\\" in file.path:  # nobody's, whatever its folder is
            scope = self.scope_of(file.path)
        elif scope is None:
            scope = scopes[folder] = self.scope_of(file.path)
        return VaultFile(file.path, file.size, file.mtime_ns, scope)

    def _read(self, path: str) -> VaultText:
        root = self._root()
        if root is None:
            msg = f"{path}: there is no vault yet at {self._directory}"
            raise NotFoundError(msg)
        try:
            content = read_file(str(root), path)
        except NotFoundError as error:
            if isinstance(error.__cause__, PermissionError):
                raise note_unavailable(root, path, error.__cause__) from error
            raise
        place = f"{root}{os.sep}{path}" if path.isascii() else str(stored_place(root, path))
        real_place = os.path.realpath(place)
        # Without a link on the way it lies where its path says.
        if real_place != place and not lies_in_its_scope(root, path, real_place):
            msg = f"{path}: a symbolic link leads to the notes of somebody else"
            raise NotFoundError(msg)
        return _text_of(content)

    def _write(self, path: str, text: str, expected_sha256: str | None) -> str:
        root = self._root() or Path(os.path.realpath(self._directory))
        self._sweep(root)
        return write(root, path, text, expected_sha256, self._lock_timeout_s)

    def _root(self) -> Path | None:
        """Return the vault's real path, None while it is not there.

        Raises:
            VaultUnavailableError: it is no folder, or may not be read (transient).
        """
        root = Path(os.path.realpath(self._directory))
        try:
            seen = root.stat()
            if not stat.S_ISDIR(seen.st_mode):
                raise NotADirectoryError(20, "Not a directory")
            with os.scandir(root):
                return root
        except FileNotFoundError:
            return None
        except OSError as error:
            raise vault_unavailable(root, error) from error

    def _sweep(self, root: Path) -> None:
        """Once, before anything else: take away what a writer that was killed has left."""
        with self._sweeping:
            if not self._is_swept and root.is_dir():
                self._is_swept = sweep(root)


def _text_of(content: FileContent) -> VaultText:
    """Return a file's text such that it is the file's bytes again, or say that it is not."""
    for text in (content.text, BOM + content.text):
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() == content.sha256:
            return VaultText(text, content.sha256, content.warning)
    return VaultText(content.text, content.sha256, content.warning or "no UTF-8: save the file as UTF-8 to change it")
