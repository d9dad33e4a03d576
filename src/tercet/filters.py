"""The closed filter language of the engines: no caller ever writes a ``where`` string.

A filter always carries the ``Reach`` of the query; an engine compiles it to its own expressions.
Field names come from an allow-list, so that a forged name is refused before any engine sees it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from tercet.model import Reach

TextField = Literal["id", "kind", "root", "path", "category", "origin", "session", "place"]
NumberField = Literal["start_line", "ordinal", "timestamp_ms", "importance"]

TEXT_FIELDS: frozenset[str] = frozenset(get_args(TextField))
NUMBER_FIELDS: frozenset[str] = frozenset(get_args(NumberField))


@dataclass(frozen=True, slots=True)
class Eq:
    """The field equals this text."""

    field: TextField
    value: str

    def __post_init__(self) -> None:
        _check_field(self.field, TEXT_FIELDS)
        _check_text(self.field, self.value)


@dataclass(frozen=True, slots=True)
class In:
    """The field is one of these texts; with none, nothing matches."""

    field: TextField
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_field(self.field, TEXT_FIELDS)
        for value in self.values:
            _check_text(self.field, value)


@dataclass(frozen=True, slots=True)
class Range:
    """``low <= field < high``; None leaves a side open. Rows without a value do not match."""

    field: NumberField
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        _check_field(self.field, NUMBER_FIELDS)
        for bound in (self.low, self.high):
            if bound is not None and not math.isfinite(bound):
                msg = f"Filter on {self.field!r} has the bound {bound}: give a finite number."
                raise InvalidInputError(msg)


@dataclass(frozen=True, slots=True)
class HasTag:
    """The row carries this tag."""

    tag: str

    def __post_init__(self) -> None:
        _check_text("tags", self.tag)


@dataclass(frozen=True, slots=True)
class HasVector:
    """The row has a vector in the current space (or, with ``present=False``, waits for one)."""

    present: bool = True


Condition = Eq | In | Range | HasTag | HasVector


@dataclass(frozen=True, slots=True)
class Filter:
    """Rows in ``reach`` that meet every condition; an empty reach meets none (fails closed)."""

    reach: Reach
    conditions: tuple[Condition, ...] = field(default=())


def _check_field(name: str, allowed: frozenset[str]) -> None:
    if name not in allowed:
        msg = f"Unknown filter field {name!r}: use one of {', '.join(sorted(allowed))}."
        raise InvalidInputError(msg)


def _check_text(name: str, value: str) -> None:
    if "\x00" in value:
        msg = f"Filter on {name!r} holds a NUL character: remove it."
        raise InvalidInputError(msg)
