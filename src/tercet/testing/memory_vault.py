"""A vault in memory, for tests of what stands on one."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError, VaultUnavailableError, WriteConflictError
from tercet.ports.vault import VaultFile, VaultText
from tercet.text.decoding import decode
from tercet.text.front_matter import BOM
from tercet.text.notes.folders import checked_note_path, folder_of, scope_of

if TYPE_CHECKING:
    from tercet.model import Scope


@dataclass(frozen=True, slots=True)
class _File:
    data: bytes
    mtime_ns: int


class MemoryVault:
    """A ``Vault`` whose notes are gone with it; its clock ticks once a write."""

    def __init__(self, agent: str = "main") -> None:
        self._agent = agent
        self._files: dict[str, _File] = {}
        self._ticks = 0
        self.fault = ""
        """While it is set, every call fails with ``VaultUnavailableError`` and this message."""

    def put(self, path: str, data: bytes | str) -> None:
        """Change a note as somebody's editor would, asking nobody."""
        self._ticks += 1
        written = data.encode() if isinstance(data, str) else data
        self._files[unicodedata.normalize("NFC", path)] = _File(written, self._ticks)

    def remove(self, path: str) -> None:
        """Delete a note as somebody's file manager would."""
        del self._files[unicodedata.normalize("NFC", path)]

    def folder_of(self, scope: Scope) -> str:
        """Return the folder of a scope's notes.

        Raises:
            InvalidInputError: the scope is another agent's (permanent).
        """
        if scope.agent != self._agent:
            msg = f"This vault is of agent {self._agent!r}, not of {scope.agent!r}: use the memory of that agent."
            raise InvalidInputError(msg)
        return folder_of(scope)

    def scope_of(self, path: str) -> Scope:
        """Return whose note a path is."""
        return scope_of(self._agent, path)

    async def files(self) -> list[VaultFile]:
        """Return every note's file by path."""
        self._check()
        return [
            VaultFile(path, len(file.data), file.mtime_ns, self.scope_of(path))
            for path, file in sorted(self._files.items())
        ]

    async def read(self, path: str) -> VaultText:
        """Return a note's text."""
        self._check()
        file = self._files.get(unicodedata.normalize("NFC", path))
        if file is None:
            msg = f"{path}: no such file"
            raise NotFoundError(msg)
        decoded = decode(file.data)
        text = BOM + decoded.text if file.data.startswith(BOM.encode()) else decoded.text
        return VaultText(text, hashlib.sha256(file.data).hexdigest(), decoded.warning)

    async def write(self, path: str, text: str, *, expected_sha256: str | None) -> str:
        """Write a note whole and return the digest of its bytes."""
        self._check()
        name = unicodedata.normalize("NFC", checked_note_path(path))
        there = self._files.get(name)
        if (hashlib.sha256(there.data).hexdigest() if there else None) != expected_sha256:
            msg = f"The note {path} is not what was expected; nothing was written: read it again, then write."
            raise WriteConflictError(msg)
        if there is not None and decode(there.data).warning:
            msg = f"{path} is not written: it is no UTF-8; save it as UTF-8 in an editor first."
            raise InvalidInputError(msg)
        self.put(name, text)
        return hashlib.sha256(text.encode()).hexdigest()

    def _check(self) -> None:
        if self.fault:
            raise VaultUnavailableError(self.fault)
