"""One request of a signed-in browser: whose memory it is about, and what becomes of an error."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from tercet.errors import DeadlineError, InvalidInputError, NotFoundError, TercetError, TransientError
from tercet.interfaces.grants import Grant, ScopeRefusedError, Whose
from tercet.interfaces.inspector.rendering import moved, page_url, rendered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from starlette.datastructures import FormData, QueryParams
    from starlette.requests import Request
    from starlette.responses import Response

    from tercet.interfaces.inspector.upkeep import Upkeep
    from tercet.memory import AsyncMemory

M = TypeVar("M", bound=BaseModel)
LOG = logging.getLogger("tercet.inspector")
ANSWER_S: Final = 60.0
"""How long a page may take."""
MOST_FIELDS: Final = 200
MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one field: as much as the service takes of a body, so that a long note can be saved."""


class MemorySource(Protocol):
    """Where memories come from."""

    @property
    def default_agent(self) -> str:
        """The agent meant when nobody names one."""
        ...

    def lend(self, agent: str) -> AbstractAsyncContextManager[AsyncMemory]:
        """Lend an agent's memory for one request."""
        ...


@dataclass(frozen=True, slots=True)
class Visit:
    """A request whose caller is known."""

    request: Request
    grant: Grant
    whose: Whose
    memory: AsyncMemory
    upkeep: Upkeep
    form: FormData | None = None
    """Of a POST."""

    @property
    def session_key(self) -> str | None:
        """Who asks; None is the agent's owner."""
        return self.whose.session_key

    def given(self, model: type[M]) -> M:
        """Return the form or the query as a model; blank fields count as left out.

        Raises:
            InvalidInputError: a field is missing or wrong (permanent).
        """
        values = _filled(self.form if self.form is not None else self.request.query_params)
        try:
            return model.model_validate(values)
        except ValidationError as error:
            raise _unreadable(error) from error

    def url(self, page: str, /, **given: str | float | None) -> str:
        """Return the address of a page about the same memory."""
        query = self.request.query_params
        return page_url(page, agent=query.get("agent"), session=query.get("session"), **given)

    def page(self, template: str, *, here: str, status: int = 200, **values: Any) -> Response:
        """Render a page.

        Args:
            template: Its file.
            here: Name of the page in the navigation.
            status: Of the answer.
            values: What the template asks for.
        """
        return rendered(template, {**frame(self.request, self.grant, self.whose, here), **values}, status=status)

    def moved(self, page: str, /, **given: str | float | None) -> Response:
        """Send the browser to a page about the same memory."""
        return moved(self.url(page, **given), is_htmx=is_htmx(self.request))


def frame(request: Request, grant: Grant | None, whose: Whose | None, here: str) -> dict[str, Any]:
    """Return what every page's frame asks for; without a grant nobody is signed in."""
    query = request.query_params
    kept = {"agent": query.get("agent"), "session": query.get("session")}

    def url(page: str, /, **given: str | float | None) -> str:
        return page_url(page, **{**kept, **given})

    return {
        "here": here,
        "grant": grant,
        "whose": whose,
        "kept": {name: value for name, value in kept.items() if value},
        "url": url,
    }


def is_htmx(request: Request) -> bool:
    """Say whether htmx asked, which follows no redirect by itself."""
    return request.headers.get("hx-request") == "true"


def visited(
    source: MemorySource, upkeep: Upkeep, handle: Callable[[Visit], Awaitable[Response]]
) -> Callable[..., Awaitable[Response]]:
    """Return an endpoint that lets a signed-in browser in and answers every error with a page."""

    async def endpoint(request: Request) -> Response:
        grant: Grant | None = request.scope.get("tercet.grant")
        try:
            if grant is None:
                return await _signed_out(request)
            return await _answered(source, upkeep, handle, request, grant)
        except TercetError as error:
            return _problem(request, grant, " ".join(str(error).split()), _status_of(error))
        except Exception:
            LOG.exception("unexpected error")
            message = "The service made a mistake; its log has the place. Try again, and report it."
            return _problem(request, grant, message, 500)

    return endpoint


async def _signed_out(request: Request) -> Response:
    """Send the browser to the sign-in; what a form held is shown, to be sent once more."""
    if request.method != "POST" or "origin" not in request.headers:
        return moved(page_url("sign-in"), is_htmx=is_htmx(request))
    form = await _form(request)
    sent = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    again = f"{request.url.path}?{request.url.query}".removesuffix("?")
    return rendered("signed_out.html", {**frame(request, None, None, ""), "sent": sent, "again": again}, status=401)


def refusal_page(request: Request, status: int, reason: str) -> Response:
    """Return the page of an address below ``/inspector/`` that leads nowhere, or not in this way."""
    known = {404: "There is no such page.", 405: "This address takes a form: begin on the page with the form."}
    return _problem(request, request.scope.get("tercet.grant"), known.get(status, reason), status)


async def _answered(
    source: MemorySource,
    upkeep: Upkeep,
    handle: Callable[[Visit], Awaitable[Response]],
    request: Request,
    grant: Grant,
) -> Response:
    form = await _form(request) if request.method == "POST" else None
    query = request.query_params
    whose = grant.whose(query.get("agent") or None, query.get("session") or None, source.default_agent)
    try:
        async with asyncio.timeout(ANSWER_S), source.lend(whose.agent) as memory:
            return await handle(Visit(request, grant, whose, memory, upkeep, form))
    except TimeoutError as error:
        if isinstance(error, TercetError):
            raise
        msg = f"The page was not ready within {ANSWER_S:g} s: try again, or ask for less."
        raise DeadlineError(msg) from error


async def _form(request: Request) -> FormData:
    """Read the form of our own page.

    Raises:
        ScopeRefusedError: the request does not say that it comes from one of our pages (permanent).
        InvalidInputError: it is no form, or one with too many fields (permanent).
    """
    # The guard refuses foreign origins; browsers tell theirs with every form they send.
    if "origin" not in request.headers:
        msg = "This form was not sent from a page of the inspector: open the page, and send it from there."
        raise ScopeRefusedError(msg)
    try:
        return await request.form(max_files=0, max_fields=MOST_FIELDS, max_part_size=MOST_BYTES)
    except HTTPException as error:
        msg = f"The form cannot be read: {error.detail.rstrip('.')}."
        raise InvalidInputError(msg) from error


def _filled(values: FormData | QueryParams) -> dict[str, Any]:
    """Return the fields that hold something; a name given several times is a list."""
    found: dict[str, Any] = {}
    for name in values:
        if name in {"agent", "session"}:
            continue
        given = [value for value in values.getlist(name) if isinstance(value, str) and value.strip()]
        if given:
            found[name] = given if len(given) > 1 else given[0]
    return found


def _unreadable(error: ValidationError) -> InvalidInputError:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"]) or "the form"
    reason = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return InvalidInputError(f"{place}: {reason[:1].lower()}{reason[1:]}.")


def _problem(request: Request, grant: Grant | None, message: str, status: int) -> Response:
    values: Mapping[str, Any] = {**frame(request, grant, None, ""), "message": message}
    return rendered("problem.html", values, status=status)


def _status_of(error: TercetError) -> int:
    known = ((ScopeRefusedError, 403), (NotFoundError, 404), (InvalidInputError, 400), (TransientError, 503))
    return next((status for kind, status in known if isinstance(error, kind)), 500)
