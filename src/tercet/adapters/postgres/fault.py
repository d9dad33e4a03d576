"""PostgreSQL's errors in our words: what failed, at which server, and the mend; never a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import (
    ConfigurationError,
    InvalidInputError,
    TercetError,
    TransientError,
)

if TYPE_CHECKING:
    import psycopg

RETRYABLE = frozenset({"40001", "40P01"})
"""Serialization failure and deadlock: the same work may succeed at once."""

_BUSY = frozenset({"55P03", "57014", "25P03", "25P04"})
"""A lock, a statement or a transaction took longer than this session allows."""
_READ_ONLY = "25006"
"""A standby, or a server that its operator closed to writing: a full disk, a move."""
_TRANSIENT_CLASSES = frozenset({"08", "53", "57", "58", "XX"})
"""Connection lost, resources used up, operator's doing (shutting down, starting up), system error, damage."""
_ACCESS = frozenset({"42501", "42P01", "42704", "42883", "42703", "3D000", "3F000"})
_REFUSED_AT_THE_DOOR = (
    "password authentication failed",
    "no password supplied",
    "authentication failed",
    "no pg_hba.conf entry",
    "does not exist",
    "permission denied",
    "is not permitted to log in",
    "connection is bad: invalid",
    "server does not support SSL",
)
"""The library tells these without a code; "invalid" is a value in the URL."""


def translated(error: Exception, place: str, doing: str, unavailable: type[TransientError]) -> Exception:
    """Return the error of ours for what the library raised.

    Args:
        error: What was raised; errors of ours, and mistakes in our own SQL, are returned as they are.
        place: The server as it may be shown.
        doing: What could not be done, in words that follow "could not".
        unavailable: The transient error to use where trying later may help.
    """
    import psycopg

    if isinstance(error, TercetError):
        return error
    if isinstance(error, UnicodeError):
        return InvalidInputError(f"A text holds half a character and cannot be stored as UTF-8 ({error}): mend it.")
    if not isinstance(error, psycopg.Error):
        return error
    told = f"The database at {place} could not {doing}: {reason_of(error)}."
    kind, mend = _kind_and_mend(error, unavailable)
    return error if kind is None else kind(f"{told} {mend}")


def _kind_and_mend(error: psycopg.Error, unavailable: type[TransientError]) -> tuple[type[TercetError] | None, str]:
    import psycopg

    state = error.sqlstate or ""
    passing = _mend_of_passing(state)
    if passing:
        return unavailable, passing
    if state[:2] == "28" or state in _ACCESS:
        return ConfigurationError, "Check store.url and what its role may do."
    if state or not isinstance(error, psycopg.OperationalError):
        return None, ""
    if any(words in str(error) for words in _REFUSED_AT_THE_DOOR):
        return ConfigurationError, "Check store.url: user, password, database and values."
    return unavailable, "Check that the server runs, can be reached and has connections free."


def _mend_of_passing(state: str) -> str:
    """Return what to do about a fault that may pass by itself; empty where it does not."""
    if state in RETRYABLE or state in _BUSY:
        return "Other work held it too long: try again."
    if state == _READ_ONLY:
        return "It takes no writing now: name the primary in store.url, or let its operator open it."
    return "Check that the server runs and has connections free." if state[:2] in _TRANSIENT_CLASSES else ""


def is_lost(error: Exception) -> bool:
    """Say whether the connection itself is gone, so that another one may serve."""
    import psycopg

    if not isinstance(error, psycopg.OperationalError):
        return False
    state = error.sqlstate or ""
    return not state or state[:2] == "08" or state in {"57P01", "57P02", "57P03"}


def reason_of(error: psycopg.Error) -> str:
    """Return the first line of an error, without its detail, which may quote rows."""
    text = error.diag.message_primary or str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # libpq tells one line an address it tried; the server's own word stands after FATAL.
    said = next((line for line in lines if "FATAL:" in line), lines[0] if lines else type(error).__name__)
    return said.rstrip(" .")[:240]
