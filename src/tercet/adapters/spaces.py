"""Embedding spaces by name, in words and as text, for the engines that keep a record of theirs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields

from tercet.errors import SpaceMismatchError, StoreFormatError
from tercet.model import Space


def space_name(space: Space) -> str:
    """Return twelve hex digits that name a space: every field counts, since any of them may change the vectors."""
    return hashlib.sha256(space_to_json(space).encode()).hexdigest()[:12]


def describe(space: Space) -> str:
    """Return a space in words, with every field that is set."""
    extras = [
        f"{field.name.replace('_', ' ')} {getattr(space, field.name)!r}"
        for field in fields(space)
        if field.name not in {"provider", "model", "dimensions"} and getattr(space, field.name)
    ]
    return f"{space.provider} {space.model} ({', '.join([f'{space.dimensions} numbers', *extras])})"


def mismatch(held: Space, wanted: Space) -> SpaceMismatchError:
    """Return the error that says which two spaces would mix, and the mend."""
    return SpaceMismatchError(
        f"The index holds vectors of {describe(held)}, the configured model makes {describe(wanted)}. "
        "Run 'tercet reembed', or set the old model again."
    )


def space_to_json(space: Space) -> str:
    """Return a space as text."""
    # Without the defaults, so that a field that a later version adds does not rename every space.
    defaults = {field.name: field.default for field in fields(space)}
    values = {name: value for name, value in asdict(space).items() if value != defaults[name]}
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def space_from_json(text: str) -> Space:
    """Read a space back from its text.

    Raises:
        StoreFormatError: a newer Tercet wrote it (permanent).
    """
    try:
        return Space(**json.loads(text))
    except TypeError as error:
        msg = f"The vector store describes its space as {text}, which this Tercet cannot read: update Tercet."
        raise StoreFormatError(msg) from error
