"""Identity links in memory, for the tests of what stands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemoryIdentityLinks:
    """See ``tercet.ports.capture.IdentityLinks``."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    async def link(self, agent: str, name: str, anchors: Sequence[str]) -> None:
        """Add anchors to a name."""
        for anchor in anchors:
            if self._names.get((agent, anchor), name) != name:
                msg = f"{anchor!r} is linked as {self._names[agent, anchor]!r} already: unlink it there first."
                raise InvalidInputError(msg)
        self._names.update(((agent, anchor), name) for anchor in anchors)

    async def unlink(self, agent: str, name: str, anchors: Sequence[str] = ()) -> None:
        """Take anchors, or the whole name, out again."""
        held = (await self.links(agent)).get(name, ())
        if not held or not set(anchors) <= set(held):
            msg = f"Not all of that is linked as {name!r}."
            raise NotFoundError(msg)
        for anchor in anchors or held:
            del self._names[agent, anchor]

    async def links(self, agent: str) -> dict[str, tuple[str, ...]]:
        """Return anchors by name."""
        mine = sorted((name, anchor) for (owner, anchor), name in self._names.items() if owner == agent)
        return {name: tuple(a for n, a in mine if n == name) for name in dict.fromkeys(n for n, _ in mine)}
