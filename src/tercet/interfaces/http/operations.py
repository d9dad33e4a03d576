"""What an operation of the API is: one table of these makes the routes and their OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from pydantic import BaseModel
    from starlette.responses import Response

    from tercet.interfaces.grants import Grant, Whose
    from tercet.interfaces.http.metrics import Metrics
    from tercet.interfaces.http.pool import MemoryPool
    from tercet.interfaces.http.requests import Given
    from tercet.interfaces.inspector.sign_in import SignIns
    from tercet.memory import AsyncMemory

B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Service:
    """What every operation works with."""

    pool: MemoryPool
    metrics: Metrics
    instance: str
    sign_ins: SignIns


@dataclass(frozen=True, slots=True)
class Call:
    """One request, checked: who asks, and what for."""

    service: Service
    grant: Grant
    path: Mapping[str, str]
    given: BaseModel | None
    """Body or query, as the operation's model."""

    def of(self, model: type[B]) -> B:
        """Return what was given as the model that the operation declares."""
        if not isinstance(self.given, model):
            msg = f"the operation declares no {model.__name__}"
            raise TypeError(msg)
        return self.given

    def whose(self, given: Given) -> Whose:
        """Return whose memory this is about.

        Raises:
            ScopeRefusedError, IdentityError: permanent.
        """
        session_key: str | None = getattr(given, "session_key", None)
        return self.grant.whose(given.agent, session_key, self.service.pool.default_agent)

    def memory(self, whose: Whose) -> AbstractAsyncContextManager[AsyncMemory]:
        """Lend the memory of an agent."""
        return self.service.pool.lend(whose.agent)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path."""

    id: str
    method: str
    path: str
    summary: str
    handle: Callable[[Call], Awaitable[dict[str, Any] | Response]]
    answer: type[BaseModel] | None
    """Shape of a JSON answer; None where it is no JSON of ours."""
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    status: int = 200
    is_public: bool = False
    """Answered without a token."""
    media_type: str = "application/json"
