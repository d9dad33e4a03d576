"""Fields of a passage as an engine's columns hold them, and what no column holds."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Passage

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def check_passage(passage: Passage) -> None:
    """Refuse what the columns cannot hold.

    Raises:
        InvalidInputError: empty id or NUL in it, naive timestamp, importance that is no number.
    """
    if not passage.id or "\x00" in passage.id:
        msg = f"The passage id {passage.id!r} is empty or holds a NUL character: give another."
        raise InvalidInputError(msg)
    if passage.timestamp is not None and passage.timestamp.utcoffset() is None:
        msg = f"Passage {passage.id!r} has the naive timestamp {passage.timestamp.isoformat()}: give it a zone."
        raise InvalidInputError(msg)
    if passage.importance is not None and not math.isfinite(passage.importance):
        msg = f"Passage {passage.id!r} has the importance {passage.importance}: give a number in [0, 1] or None."
        raise InvalidInputError(msg)


def place_of(passage: Passage) -> str:
    """Return ``session#ordinal``, by which the turns beside a turn are found; empty without a session."""
    return f"{passage.session}#{passage.ordinal}" if passage.session else ""


def join_terms(terms: Sequence[str]) -> str:
    """Return terms joined by single spaces.

    Raises:
        InvalidInputError: a term is empty or holds white space, and would come back as another.
    """
    for term in terms:
        if not is_term(term):
            msg = f"The term {term!r} is empty or holds white space: split it before indexing."
            raise InvalidInputError(msg)
    return " ".join(terms)


def is_term(term: str) -> bool:
    """Say whether the white-space tokeniser gives this term back unchanged."""
    return term.split() == [term]


def milliseconds_of(timestamp: datetime | None) -> int | None:
    """Return whole milliseconds since 1970, rounded down."""
    return None if timestamp is None else (timestamp - _EPOCH) // _MILLISECOND


def utc_offset_of(timestamp: datetime | None) -> int | None:
    """Return the seconds east of Greenwich that a timestamp was told in."""
    offset = None if timestamp is None else timestamp.utcoffset()
    return None if offset is None else int(offset.total_seconds())


def timestamp_of(milliseconds: int | None, utc_offset_s: int | None) -> datetime | None:
    """Return the timestamp that was told in these two numbers."""
    if milliseconds is None:
        return None
    moment = _EPOCH + milliseconds * _MILLISECOND
    return moment.astimezone(timezone(timedelta(seconds=utc_offset_s or 0)))
