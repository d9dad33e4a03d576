"""Before each search: what changed in the vault since the index saw it, and taking that in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from tercet.errors import LedgerBusyError, NotFoundError, StoreFormatError, VaultUnavailableError
from tercet.layers.wiki.indexing import indexed_note, recipe, state_of
from tercet.ports.vault import PlacedVault
from tercet.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from tercet.ports import Clock
    from tercet.ports.note_index import FileState, IndexedNote, NoteIndex
    from tercet.ports.vault import Vault, VaultFile, VaultText

T = TypeVar("T")

RACY_WINDOW_NS: Final = 2_000_000_000
"""A file whose mtime lies this close before its indexing may have been written again within the same
tick of the file system's clock, with the same size: it is read once more (FAT keeps 2 s)."""

TAKING_IN: Final = "Changed notes are still being taken in."

BATCH: Final = 200
"""Notes taken in by one transaction: what a process that ends in between leaves to do is the less."""


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """What to read, and what to take out."""

    to_read: tuple[VaultFile, ...]
    """New and changed files, the latest first."""
    to_check: tuple[VaultFile, ...]
    """Files that only may have changed: they are read, and taken in only when they differ."""
    gone: tuple[str, ...]


def plan_refresh(files: Sequence[VaultFile], known: Mapping[str, FileState]) -> RefreshPlan:
    """Compare a listing with what the index has seen."""
    differ: list[VaultFile] = []
    racy: list[VaultFile] = []
    for file in files:
        state = known.get(file.path)
        if state is None or state.mtime_ns != file.mtime_ns or state.size != file.size:
            differ.append(file)
        elif state.mtime_ns > state.indexed_at_ns - RACY_WINDOW_NS:
            racy.append(file)
    differ.sort(key=lambda file: -file.mtime_ns)
    here = {file.path for file in files}
    gone = () if len(here) == len(known) and not differ else tuple(sorted(known.keys() - here))
    return RefreshPlan(tuple(differ), tuple(racy), gone)


class Freshness:
    """Keeps the index of a vault as new as its files."""

    def __init__(self, vault: Vault, index: NoteIndex, clock: Clock) -> None:
        """Hold the parts; nothing is opened yet."""
        self._vault = vault
        self._index = index
        self._clock = clock
        self._turn = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._next: asyncio.Task[str | None] | None = None
        """One that has not begun to list: it serves everybody who asks until it does."""
        self._tasks: set[asyncio.Task[str | None]] = set()
        self._is_open = False
        self._settled: tuple[Sequence[VaultFile], Mapping[str, FileState]] | None = None
        """A listing and what the index had seen, the very objects, between which there was nothing to do."""

    async def within(self, seconds: float | None) -> str | None:
        """Take in what changed before this call; what is late goes on behind the answer.

        Returns:
            Why the answer may be stale, in one line; None when it is not.
        """
        task = self._next
        if task is None:
            task = self._next = asyncio.create_task(self._in_turn())
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        return task.result() if done else TAKING_IN

    async def asked(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what the index answers; one that proves damaged is made anew and asked again.

        Raises:
            LedgerBusyError: another process holds it too long (transient).
        """
        await self._opened()
        try:
            return await ask()
        except StoreFormatError:
            # Trigger: damage deeper in the file shows only when its page is read. Outcome: made anew.
            async with self._turn:
                await self._index.discard()
            await self.within(None)
            return await ask()

    async def close(self) -> None:
        """End what still runs and let go of the index."""
        running = set(self._tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        await self._index.close()

    def _ended(self, task: asyncio.Task[str | None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # one behind an answer is met again, and said, by the next search

    async def _in_turn(self) -> str | None:
        async with self._turn:
            self._next = None
            try:
                await self._opened()
                try:
                    return await self._refresh()
                except StoreFormatError:
                    # Trigger: damage that shows only now. Why: all of it is in the notes. Outcome: made anew.
                    await self._index.discard()
                    return await self._refresh()
            except VaultUnavailableError as error:
                return f"{error} Answered from what was indexed before."
            except LedgerBusyError as error:
                return str(error)

    async def _opened(self) -> None:
        async with self._opening:
            if not self._is_open:
                await self._index.open(recipe(self._vault.place if isinstance(self._vault, PlacedVault) else ""))
                self._is_open = True

    async def _refresh(self) -> str | None:
        files = await self._vault.files()
        known = await self._index.files()
        if known and not files:
            await self._check_place()
        if self._settled is not None and self._settled[0] is files and self._settled[1] is known:
            return None
        plan = plan_refresh(files, known)
        self._settled = None if plan.to_read or plan.to_check or plan.gone else (files, known)
        if plan.gone:
            await self._index.apply((), plan.gone)
        unread = sum([await self._take_in(batch, known) for batch in _batches((*plan.to_read, *plan.to_check))])
        # Their paths are not told: whoever asks may not be the one whose notes they are.
        return f"{counted(unread, 'note')} could not be read: mend the permissions." if unread else None

    async def _check_place(self) -> None:
        """Tell a vault that is away from one without notes.

        Raises:
            VaultUnavailableError: it is away: moved, or on a disk that is not mounted (transient).
        """
        if isinstance(self._vault, PlacedVault) and not await self._vault.is_there():
            msg = f"The vault {self._vault.place} is not there: put it back, or set wiki.vault to where it is."
            raise VaultUnavailableError(msg)

    async def _take_in(self, files: Sequence[VaultFile], known: Mapping[str, FileState]) -> int:
        """Take one batch in, and return how many of it could not be read."""
        read_at_ns = round(self._clock.now().timestamp() * 1e9)
        same: dict[str, FileState] = {}
        differ: list[tuple[VaultFile, VaultText]] = []
        gone: list[str] = []
        unread = 0
        reading = (self._vault.read(file.path) for file in files)
        for file, content in zip(files, await asyncio.gather(*reading, return_exceptions=True), strict=True):
            before = known.get(file.path)
            if isinstance(content, NotFoundError):
                gone.append(file.path)  # between listing and reading
            elif isinstance(content, VaultUnavailableError):
                unread += 1
            elif isinstance(content, BaseException):
                raise content
            elif before is not None and before.sha256 == content.sha256:
                same[file.path] = state_of(file, content, read_at_ns)
            else:
                differ.append((file, content))
        if same:
            await self._index.touch(same)
        if differ or gone:
            await self._index.apply(await asyncio.to_thread(_indexed, differ, read_at_ns), gone)
        return unread


def _indexed(read: Sequence[tuple[VaultFile, VaultText]], read_at_ns: int) -> list[IndexedNote]:
    return [indexed_note(file, content, read_at_ns) for file, content in read]


def _batches(files: Sequence[VaultFile]) -> list[Sequence[VaultFile]]:
    return [files[start : start + BATCH] for start in range(0, len(files), BATCH)]
