"""The file store over local folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.executor import BlockingExecutor
from tercet.adapters.files.reading import read
from tercet.adapters.files.walk import DEFAULT_MAX_BYTES, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tercet.ports.files import FileContent, Listing


class LocalFiles:
    """Markdown files of folders on this machine; a ``FileStore``."""

    def __init__(self, *, max_file_bytes: int = DEFAULT_MAX_BYTES, never_enter: Iterable[str] = ()) -> None:
        """Prepare; nothing is touched yet.

        Args:
            max_file_bytes: Larger files are skipped and named.
            never_enter: Absolute real paths of folders that are passed by wherever they lie, such as
                the home of the index below a notes folder.
        """
        self._max_file_bytes = max_file_bytes
        self._never_enter = frozenset(never_enter)
        self._executor = BlockingExecutor(max_workers=2, name="files")

    async def list(self, directory: str) -> Listing:
        """Walk a folder; what cannot be taken is named in ``skipped``, never raised.

        Raises:
            NotFoundError: the folder itself is not there or may not be read (permanent).
        """
        return await self._executor.run(walk, directory, max_bytes=self._max_file_bytes, never_enter=self._never_enter)

    async def read(self, directory: str, path: str) -> FileContent:
        """Read and decode one file below a folder.

        Raises:
            NotFoundError: it is gone, not readable, binary, too large, not one that ``list`` would
                name, or its path leaves the folder; the message is the reason (permanent).
        """
        return await self._executor.run(read, directory, path, max_bytes=self._max_file_bytes)

    async def close(self) -> None:
        """End the threads."""
        await self._executor.close()
