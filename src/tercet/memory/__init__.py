"""The facade that every interface calls: ``AsyncMemory``, and ``Memory``, its synchronous face."""

from tercet.memory.asynchronous import AsyncMemory
from tercet.memory.parts import MemoryParts
from tercet.memory.synchronous import Memory

__all__ = ["AsyncMemory", "Memory", "MemoryParts"]
