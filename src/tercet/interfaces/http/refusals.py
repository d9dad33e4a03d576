"""How an error is answered: a status, ``{"error": {"type", "message"}}`` on one line, and when to try again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from tercet.errors import (
    ConfigurationError,
    DeadlineError,
    InvalidInputError,
    NotFoundError,
    PermanentError,
    TercetError,
    TransientError,
    WriteConflictError,
)
from tercet.interfaces.grants import ScopeRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError

RETRY_AFTER_S = 2
_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
"""A browser may be shown a refusal too."""
_STATUS: tuple[tuple[type[TercetError], int], ...] = (
    (ScopeRefusedError, 403),
    (NotFoundError, 404),
    (WriteConflictError, 409),
    (InvalidInputError, 400),
    (TransientError, 503),
    # A wrong setting or a damaged store: the request was right, and only the operator can mend it.
    (PermanentError, 500),
)


class RefusedError(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = dict(headers or {})


def unauthorised() -> RefusedError:
    """Return the refusal of a missing or wrong token; it does not say which."""
    msg = "Give the service's token: 'Authorization: Bearer TOKEN'; it lies in tokens.json of the service's home."
    return RefusedError(401, "UnauthorisedError", msg, {"WWW-Authenticate": 'Bearer realm="tercet"'})


def no_tokens() -> RefusedError:
    """Return the refusal where the file of tokens cannot be used."""
    msg = "The service cannot use its file of tokens: start it again where it runs, and it says why."
    return RefusedError(500, ConfigurationError.__name__, msg)


def late(seconds: float) -> RefusedError:
    """Return the refusal of work that took too long."""
    msg = f"The answer was not ready within {seconds:g} s: try again, or ask for less."
    return RefusedError(503, DeadlineError.__name__, msg, _try_again())


def busy() -> RefusedError:
    """Return the refusal of one request too many."""
    return RefusedError(503, "BusyError", "Too many requests are being answered now: try again.", _try_again())


def invalid(error: ValidationError) -> RefusedError:
    """Return the refusal of a body or a query that is not as documented; it repeats no value."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"]) or "the request"
    reason = str(problem["msg"]).rstrip(".")
    msg = f"{place}: {reason[:1].lower()}{reason[1:]}. See /openapi.json."
    return RefusedError(400, InvalidInputError.__name__, msg)


def of_error(error: TercetError) -> RefusedError:
    """Return the refusal that an error of ours means."""
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    headers = _try_again() if isinstance(error, TransientError) else {}
    return RefusedError(status, type(error).__name__, " ".join(str(error).split()), headers)


def unexpected(error: Exception) -> RefusedError:
    """Return the refusal of a mistake of ours; what it says may hold anything, so it is not repeated."""
    msg = "The service made a mistake; its log has the place. Try again, and report it."
    return RefusedError(500, f"Unexpected{type(error).__name__}", msg)


def response(refusal: RefusedError) -> JSONResponse:
    """Return the answer of a refusal."""
    body = {"error": {"type": refusal.kind, "message": str(refusal)}}
    return JSONResponse(body, status_code=refusal.status, headers={**_HEADERS, **refusal.headers})


def _try_again() -> dict[str, str]:
    return {"Retry-After": str(RETRY_AFTER_S)}
