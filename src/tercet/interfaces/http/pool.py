"""Memories of several agents in one process: made when first asked for, the least used let go."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tercet.app import Databases, build_async
from tercet.errors import TransientError
from tercet.identity import checked_agent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from tercet.config import LoadedSettings
    from tercet.memory import AsyncMemory

MOST_OPEN = 32


@dataclass(slots=True)
class _Slot:
    building: asyncio.Task[AsyncMemory]
    users: int = 0


class MemoryPool:
    """Lends one memory an agent; one in use is never closed."""

    def __init__(
        self,
        loaded: LoadedSettings,
        *,
        most_open: int = MOST_OPEN,
        build: Callable[[LoadedSettings], Awaitable[AsyncMemory]] | None = None,
    ) -> None:
        """Hold the settings that every agent's memory shares.

        Args:
            loaded: Settings; their agent is the one served when a request names none.
            most_open: How many memories stay open, >= 1.
            build: Makes one; None is ``build_async``, all memories on the same pools of databases.
        """
        self._loaded = loaded
        self._most_open = most_open
        self._databases = Databases()
        self._build = build or partial(build_async, databases=self._databases)
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def default_agent(self) -> str:
        """The agent of the settings."""
        return self._loaded.settings.agent

    @asynccontextmanager
    async def lend(self, agent: str) -> AsyncGenerator[AsyncMemory]:
        """Lend an agent's memory for the length of one request.

        Raises:
            IdentityError: the agent id is malformed (permanent).
            TransientError: as many agents as are allowed are all being answered now.
        """
        name = checked_agent(agent)
        slot = self._slot(name)
        slot.users += 1
        try:
            # A caller that gives up must not stop a build that others wait for.
            yield await asyncio.shield(slot.building)
        except BaseException:
            if _failed(slot.building) and self._slots.get(name) is slot:
                del self._slots[name]  # the next request tries again
            raise
        finally:
            slot.users -= 1

    async def close(self) -> None:
        """Close every memory; what they were handed is durable afterwards."""
        for slot in self._slots.values():
            self._let_go(slot)
        self._slots.clear()
        await asyncio.gather(*self._closing)
        await self._databases.close()

    def _slot(self, name: str) -> _Slot:
        slot = self._slots.get(name)
        if slot is None:
            self._make_room()
            settings = self._loaded.settings.model_copy(update={"agent": name})
            slot = _Slot(asyncio.ensure_future(self._made(replace(self._loaded, settings=settings))))
            self._slots[name] = slot
        self._slots.move_to_end(name)
        return slot

    async def _made(self, loaded: LoadedSettings) -> AsyncMemory:
        return await self._build(loaded)

    def _make_room(self) -> None:
        if len(self._slots) < self._most_open:
            return
        idle = next((name for name, slot in self._slots.items() if not slot.users), None)
        if idle is None:
            msg = f"{self._most_open} agents are being answered now: try again in a moment."
            raise TransientError(msg)
        self._let_go(self._slots.pop(idle))

    def _let_go(self, slot: _Slot) -> None:
        task = asyncio.create_task(_close(slot.building))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _close(building: asyncio.Task[AsyncMemory]) -> None:
    await asyncio.wait({building})
    if not _failed(building):
        await building.result().close()


def _failed(building: asyncio.Task[AsyncMemory]) -> bool:
    return building.done() and (building.cancelled() or building.exception() is not None)
