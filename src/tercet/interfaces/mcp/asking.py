"""Who asks over MCP, and how an error reaches the model: one line with the mend."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from tercet.errors import NotFoundError, TercetError
from tercet.interfaces.grants import ScopeRefusedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractAsyncContextManager

    from tercet.interfaces.face import MemoryFace
    from tercet.interfaces.grants import Grant, Whose

Asked = Context[Any, Any]
"""Any: neither the lifespan's value nor the transport's request has a type here."""


class MemorySource(Protocol):
    """Where memories come from: a pool of a service, or one memory of a process."""

    @property
    def default_agent(self) -> str:
        """The agent meant when nobody names one."""
        ...

    def lend(self, agent: str) -> AbstractAsyncContextManager[MemoryFace]:
        """Lend an agent's memory for one request."""
        ...


@dataclass(frozen=True, slots=True)
class Callers:
    """Finds the memory that a request may reach."""

    source: MemorySource
    own_grant: Grant | None = None
    """Over stdio, where the one caller is known; over HTTP the guard puts each request's in its scope."""

    def whose(self, context: Asked, session_key: str | None) -> Whose:
        """Return whose memory a request is about.

        Raises:
            ScopeRefusedError, IdentityError: permanent.
        """
        return self._grant(context).whose(None, session_key, self.source.default_agent)

    def refuse_if_bound(self, context: Asked, what: str) -> None:
        """Refuse what shows or changes more than one session (ScopeRefusedError)."""
        self._grant(context).refuse_if_bound(what)

    def _grant(self, context: Asked) -> Grant:
        if self.own_grant is not None:
            return self.own_grant
        # Each request carries its own: a session of the protocol may be continued by another token.
        request = context.request_context.request
        if request is None:
            msg = "This transport tells no caller."
            raise ScopeRefusedError(msg)
        grant: Grant = request.scope["tercet.grant"]
        return grant

    @asynccontextmanager
    async def memory(self, context: Asked, session_key: str | None = None) -> AsyncGenerator[tuple[MemoryFace, Whose]]:
        """Lend the memory that a request means; what fails inside is told to the model.

        Raises:
            ToolError: with the message of an error of ours; anything else stays hidden by the SDK.
        """
        try:
            whose = self.whose(context, session_key)
            async with self.source.lend(whose.agent) as memory:
                yield memory, whose
        except TercetError as error:
            raise ToolError(_one_line(error)) from error

    @asynccontextmanager
    async def resource(self, context: Asked) -> AsyncGenerator[tuple[MemoryFace, Whose]]:
        """Do the same for a resource.

        Raises:
            ResourceError: with the message of an error of ours.
        """
        try:
            whose = self.whose(context, None)
            async with self.source.lend(whose.agent) as memory:
                yield memory, whose
        except NotFoundError as error:
            raise ResourceNotFoundError(_one_line(error)) from error
        except TercetError as error:
            raise ResourceError(_one_line(error)) from error


def _one_line(error: TercetError) -> str:
    return " ".join(str(error).split())
