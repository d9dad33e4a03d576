"""Times in a ledger: as the reader wrote them, zone and all, and in milliseconds for order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import overload

from tercet.errors import InvalidInputError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def unix_ms(at: datetime) -> int:
    """Return an aware time in milliseconds since 1970.

    Raises:
        InvalidInputError: the time has no zone (permanent).
    """
    if at.tzinfo is None:
        msg = f"The time {at.isoformat()} has no zone: give an aware datetime."
        raise InvalidInputError(msg)
    return round(at.timestamp() * 1000)


@overload
def to_text(at: datetime) -> str: ...
@overload
def to_text(at: None) -> None: ...
def to_text(at: datetime | None) -> str | None:
    """Return a time as ISO text with its offset: a ``timestamptz`` would forget in which zone it was said.

    Raises:
        InvalidInputError: the time has no zone (permanent).
    """
    if at is None:
        return None
    unix_ms(at)
    return at.isoformat()


@overload
def from_text(text: str) -> datetime: ...
@overload
def from_text(text: None) -> None: ...
def from_text(text: str | None) -> datetime | None:
    """Return what ``to_text`` was given, its zone as a fixed offset."""
    return None if text is None else datetime.fromisoformat(text)


def from_unix_ms(ms: int) -> datetime:
    """Return the time so many milliseconds after 1970, in UTC."""
    return _EPOCH + timedelta(milliseconds=ms)
