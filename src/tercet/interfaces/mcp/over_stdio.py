"""The MCP server of one process, over standard input and output."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tercet.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tercet.interfaces.face import MemoryFace
    from tercet.interfaces.grants import Grant


class OneMemory:
    """Lends the one memory of a process, whatever agent is named: its grant is bound to that agent."""

    def __init__(self, memory: MemoryFace, agent: str) -> None:
        """Hold the memory of an agent."""
        self._memory = memory
        self._agent = agent

    @property
    def default_agent(self) -> str:
        """The agent."""
        return self._agent

    @asynccontextmanager
    async def lend(self, agent: str) -> AsyncGenerator[MemoryFace]:
        """Lend it."""
        del agent
        yield self._memory


async def run_stdio(memory: MemoryFace, grant: Grant) -> None:
    """Answer on standard output until standard input ends.

    Args:
        memory: Of the grant's agent.
        grant: Bound to that agent, and to a session where only that may be reached.
    """
    await build_server(OneMemory(memory, grant.agent or "main"), grant).run_stdio_async()
