"""Where notes lie: one Markdown file each, edited by people, their editors and this program alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from tercet.model import Scope


@dataclass(frozen=True, slots=True)
class VaultFile:
    """One note's file as a listing shows it; nothing of it is read."""

    path: str
    """POSIX, NFC, below the vault."""
    size: int
    mtime_ns: int
    scope: Scope
    """Of the folder it lies in: shared, or the anchor whose folder it is."""


@dataclass(frozen=True, slots=True)
class VaultText:
    """A note's file as read."""

    text: str
    """Line ends as the file has them."""
    sha256: str
    """Of the file's bytes: what ``write`` expects back."""
    warning: str = ""
    """E.g. that bytes were no UTF-8 (such a file is never written); empty when all is well."""


class Vault(Protocol):
    """A folder of Markdown notes, shared ones and a folder for each anchor."""

    def folder_of(self, scope: Scope) -> str:
        """Return the folder below the vault in which notes of a scope lie; ``""`` for shared ones."""
        ...

    def scope_of(self, path: str) -> Scope:
        """Return whose note a path is; of a path in no known anchor's folder nobody's but its own."""
        ...

    async def files(self) -> list[VaultFile]:
        """Return every note's file by path.

        Raises:
            VaultUnavailableError: the vault cannot be read (transient).
        """
        ...

    async def read(self, path: str) -> VaultText:
        """Return a note's text.

        Raises:
            NotFoundError: there is no such note, or the path leaves the vault (permanent).
            VaultUnavailableError: it cannot be read (transient).
        """
        ...

    async def write(self, path: str, text: str, *, expected_sha256: str | None) -> str:
        """Write a note whole, durably, and return the digest of its bytes.

        Args:
            path: Below the vault.
            text: The whole file.
            expected_sha256: Of what is there now; None when nothing is.

        Raises:
            WriteConflictError: something else is there by now; nothing was written (permanent).
            InvalidInputError: the path leaves the vault or is no Markdown file (permanent).
            VaultUnavailableError: it cannot be written (transient).
        """
        ...


@runtime_checkable
class PlacedVault(Protocol):
    """Optional ability of a vault: it lies somewhere, and may be away."""

    @property
    def place(self) -> str:
        """Where; what was indexed of another place is none of this vault's."""
        ...

    async def is_there(self) -> bool:
        """Say whether the place is there now; before its first note it need not be."""
        ...
