"""News of changes below folders, as they happen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tercet.adapters.files.atomic_write import is_temporary
from tercet.adapters.files.ignore import IGNORE_FILE, NEVER_ENTERED, is_markdown
from tercet.errors import TransientError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, Callable, Sequence

    from watchfiles import Change

DEBOUNCE_MS = 400
"""Changes this close together come as one set: editors save in several steps."""
LOOK_AGAIN_MS = 2000
"""How often a folder that is not there, or was replaced, is looked for."""


async def changes(
    directories: Sequence[str],
    stop_event: asyncio.Event,
    *,
    debounce_ms: int = DEBOUNCE_MS,
    look_again_ms: int = LOOK_AGAIN_MS,
    say_when_watching: bool = False,
) -> AsyncGenerator[set[str]]:
    """Yield the absolute paths that changed, a set at a time, until ``stop_event`` is set.

    A path is a Markdown file, an ignore file, a folder that came or anything that went (it may have
    been a folder); never one in a never-indexed folder, nor a temporary of ours. A watched folder
    that comes later, or is replaced, is named itself. The sets are hints to walk again, not a log.

    Args:
        directories: Folders to watch to the bottom; they need not be there yet (F3).
        stop_event: Ends the iteration; also set when the iteration is cancelled.
        debounce_ms: Milliseconds in which changes are gathered into one set.
        look_again_ms: Milliseconds between looks for folders that are not there.
        say_when_watching: Yield one empty set once the watch has begun, at most ``look_again_ms``
            after it: what changed between a walk before this call and then is news to nobody.

    Raises:
        TransientError: the system refuses to watch, e.g. for its limit of watches.
    """
    from watchfiles import Change, awatch  # pyright: ignore[reportUnknownVariableType] - names trio, not installed

    seen = _identities(directories)
    is_said = not say_when_watching
    while not stop_event.is_set():
        there = [directory for directory in directories if seen[directory] is not None]
        # The watch ends with its folder, and a folder made in its place may have the same inode.
        ended: set[str] = set()
        if not there:
            await _pause(stop_event, look_again_ms / 1000)
        else:
            try:
                async for events in awatch(
                    *there,
                    watch_filter=_wanted(there),
                    debounce=debounce_ms,
                    stop_event=stop_event,
                    rust_timeout=look_again_ms,
                    yield_on_timeout=True,
                    ignore_permission_denied=True,
                ):
                    if events or not is_said:
                        is_said = True
                        yield {path for _, path in events}
                    ended = {path for change, path in events if change is Change.deleted and path in there}
                    if ended or _identities(directories) != seen:
                        break
            except OSError as error:
                msg = f"The folders cannot be watched ({error}): run 'tercet index' after changes, or raise the limit."
                raise TransientError(msg) from error
        now = _identities(directories)
        changed = {place for place in directories if now[place] != seen[place]} | ended
        if appeared := {place for place in changed if now[place] is not None}:
            yield appeared
        seen = now


def _wanted(directories: Sequence[str]) -> Callable[[Change, str], bool]:
    from watchfiles import Change

    # A folder may itself lie below one that is never entered; only what is below it counts.
    roots = sorted({*directories, *map(os.path.realpath, directories)}, key=len, reverse=True)

    def wanted(change: Change, path: str) -> bool:
        below = next((path[len(root) :] for root in roots if path.startswith(root)), path)
        *folders, name = below.strip(os.sep).split(os.sep)  # noqa: PTH206 - paths stay str
        if is_temporary(name) or not NEVER_ENTERED.isdisjoint((*folders, name)):
            return False
        if is_markdown(name) or name == IGNORE_FILE:
            return True
        return change is Change.deleted or (change is Change.added and os.path.isdir(path))  # noqa: PTH112 - paths stay str

    return wanted


def _identities(directories: Sequence[str]) -> dict[str, tuple[int, int] | None]:
    """Return device and inode of each folder; None for one that is not there."""
    found: dict[str, tuple[int, int] | None] = {}
    for directory in directories:
        try:
            seen = os.stat(directory)  # noqa: PTH116 - paths stay str
        except OSError:
            found[directory] = None
        else:
            found[directory] = (seen.st_dev, seen.st_ino)
    return found


async def _pause(stop_event: asyncio.Event, seconds: float) -> None:
    import asyncio

    try:
        async with asyncio.timeout(seconds):
            await stop_event.wait()
    except TimeoutError:
        return
