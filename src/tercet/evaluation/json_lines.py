"""Reading a file of one JSON object a line, with errors that name the line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from tercet.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from pathlib import Path

Fields: TypeAlias = dict[str, Any]  # Any: JSON from a file, checked field by field below


def read_objects(file: Path) -> list[tuple[str, Fields]]:
    """Return every object with the place it stands in (``file:line``); blank lines are passed over.

    Raises:
        NotFoundError: there is no such file (permanent).
        InvalidInputError: a line is no JSON object, or the file is no UTF-8 (permanent).
    """
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        msg = f"{file} is not there: give a file of one JSON object a line."
        raise NotFoundError(msg) from None
    except UnicodeDecodeError as error:
        msg = f"{file} is not UTF-8 (byte {error.start}): save it as UTF-8."
        raise InvalidInputError(msg) from error
    found: list[tuple[str, Fields]] = []
    # Not splitlines(): a text may hold U+2028, which JSON leaves unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file}:{number}"
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            msg = f"{place} is no JSON: {error}."
            raise InvalidInputError(msg) from error
        if not isinstance(value, dict):
            msg = f"{place} is no JSON object: write {{...}} on each line."
            raise InvalidInputError(msg)
        found.append((place, value))  # pyright: ignore[reportUnknownArgumentType] - JSON keys are strings
    return found


def text_field(place: str, fields: Fields, name: str, *, required: bool = False) -> str:
    """Return a text field; absent and null are ``""`` unless it is required, a number is its digits."""
    value = fields.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and (value.strip() or not required):
        return value
    if value is None and not required:
        return ""
    msg = f"{place}: {name!r} is {value!r}: give a text."
    raise InvalidInputError(msg)


def moment_field(place: str, fields: Fields, name: str) -> datetime | None:
    """Return an ISO date or time as an aware datetime, read as UTC where it names no zone."""
    text = text_field(place, fields, name)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{place}: {name!r} is {text!r}: write an ISO date or time."
        raise InvalidInputError(msg) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
