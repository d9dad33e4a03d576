"""Where imported memories go: into a memory, or, for a dry run, nowhere but into the counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from tercet.adapters.sqlite.schema import LEDGER
from tercet.app.building import build_async
from tercet.app.semantic import make_files
from tercet.app.stores import Databases, ledger_url, open_ledger
from tercet.identity import parse_session_key
from tercet.importing.entry_import import ImportReport, left_out, preview_facts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
    from pathlib import Path

    from tercet.adapters.files.store import LocalFiles
    from tercet.config import LoadedSettings
    from tercet.importing.facts import ImportedFact
    from tercet.memory import AsyncMemory
    from tercet.ports import Ledger
    from tercet.ports.files import SkippedFile

    Progress = Callable[[int, int], None]


class ImportTarget(Protocol):
    """Takes a folder or facts and counts what became of them."""

    @property
    def degraded(self) -> str | None:
        """Why vectors wait; None when none does."""
        ...

    async def index(self, folder: Path) -> ImportReport:
        """Index a folder of Markdown; counted in files."""
        ...

    async def take(self, facts: Sequence[ImportedFact]) -> ImportReport:
        """Make facts entries."""
        ...

    async def folders(self) -> list[str]:
        """Return the indexed folders, absolute."""
        ...


@asynccontextmanager
async def writing_target(
    loaded: LoadedSettings, session_key: str | None, progress: Progress | None
) -> AsyncGenerator[ImportTarget]:
    """Open the memory of the settings."""
    memory = await build_async(loaded)
    try:
        yield _Writing(memory, session_key, progress)
    finally:
        await memory.close()


@asynccontextmanager
async def counting_target(loaded: LoadedSettings, session_key: str | None) -> AsyncGenerator[ImportTarget]:
    """Open only the ledger, and that only where there is one: neither model nor store, and no home is made."""
    settings, databases = loaded.settings, Databases()
    file = settings.home / LEDGER.file_name
    is_there = ledger_url(settings.store) is not None or await asyncio.to_thread(file.is_file)
    ledger = await open_ledger(settings, databases) if is_there else None
    files = make_files(loaded.settings)
    try:
        yield _Counting(ledger, files, loaded.settings.agent, session_key)
    finally:
        await files.close()
        if ledger is not None:
            await ledger.close()
        await databases.close()


class _Writing:
    def __init__(self, memory: AsyncMemory, session_key: str | None, progress: Progress | None) -> None:
        self.degraded: str | None = None
        self._memory = memory
        self._session_key = session_key
        self._progress = progress

    async def index(self, folder: Path) -> ImportReport:
        report = await self._memory.index([str(folder)], progress=self._progress)
        self.degraded = self.degraded or report.degraded
        there = report.files - report.changed
        return ImportReport(report.files, report.changed, 0, there).plus(_left_out(report.skipped))

    async def take(self, facts: Sequence[ImportedFact]) -> ImportReport:
        return await self._memory.import_facts(facts, self._session_key)

    async def folders(self) -> list[str]:
        return [folder.directory for folder in (await self._memory.status()).folders]


class _Counting:
    degraded: str | None = None

    def __init__(self, ledger: Ledger | None, files: LocalFiles, agent: str, session_key: str | None) -> None:
        self._ledger = ledger
        self._files = files
        self._agent = agent
        self._scope = parse_session_key("main" if session_key is None else session_key, agent).scope
        self._meant: list[str] = []

    async def index(self, folder: Path) -> ImportReport:
        directory = str(await asyncio.to_thread(folder.resolve))
        self._meant.append(directory)
        listing = await self._files.list(directory)
        known = await self._known(directory)
        there = sum(known.get(file.path) == (file.size, file.mtime_ns) for file in listing.files)
        count = len(listing.files)
        return ImportReport(count, count - there, 0, there).plus(_left_out(listing.skipped))

    async def take(self, facts: Sequence[ImportedFact]) -> ImportReport:
        return await preview_facts(self._ledger, self._scope, facts)

    async def folders(self) -> list[str]:
        roots = await self._ledger.manifest.roots(self._agent) if self._ledger else []
        return [*self._meant, *(root.directory for root in roots)]

    async def _known(self, directory: str) -> dict[str, tuple[int, int]]:
        if self._ledger is None:
            return {}
        for root in await self._ledger.manifest.roots(self._agent):
            if root.directory == directory:
                files = await self._ledger.manifest.files(root.label)
                return {path: (file.size, file.mtime_ns) for path, file in files.items()}
        return {}


def _left_out(skipped: Iterable[SkippedFile]) -> ImportReport:
    return left_out(Counter(file.reason for file in skipped).most_common())
