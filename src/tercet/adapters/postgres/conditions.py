"""Filters to SQL: fields come from the allow-list, every value is a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.filters import Eq, HasTag, HasVector, In, Range

if TYPE_CHECKING:
    from tercet.filters import Condition, Filter

_INTEGER_FIELDS = frozenset({"start_line", "ordinal", "timestamp_ms"})
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition over ``passages p`` with the values of its parameters, by name."""

    text: str
    values: dict[str, object] = field(default_factory=dict[str, object])
    is_reach_alone: bool = False
    """Whether agent and anchor are all it asks for."""


def compile_filter(where: Filter, tenant: str, space: str | None, *, after: str = "") -> Clause | None:
    """Return the condition of a filter, or None when no row can match.

    Args:
        where: The filter; an empty reach matches nothing.
        tenant: Whose rows.
        space: Space that ``HasVector`` asks for; with None no row has a vector.
        after: Only ids greater than this.
    """
    if not where.reach.anchors:
        return None
    parts = ["p.tenant = %(tenant)s", "p.agent = %(agent)s", "p.anchor = ANY(%(anchors)s::text[])"]
    values: dict[str, object] = {
        "tenant": tenant,
        "agent": where.reach.agent,
        "anchors": list(dict.fromkeys(where.reach.anchors)),
        "space": space,
        "after": after,
    }
    if after:
        parts.append("p.id > %(after)s")
    for number, condition in enumerate(where.conditions):
        compiled = _condition(condition, f"c{number}", space)
        if compiled is None:
            return None
        parts.append(compiled.text)
        values |= compiled.values
    return Clause(" AND ".join(parts), values, is_reach_alone=not (where.conditions or after))


def _condition(condition: Condition, name: str, space: str | None) -> Clause | None:
    match condition:
        case Eq(column, value):
            return Clause(f"p.{column} = %({name})s", {name: value})
        case In(column, values):
            return Clause(f"p.{column} = ANY(%({name})s::text[])", {name: list(values)}) if values else None
        case HasTag(tag):
            return Clause(f"%({name})s::text = ANY(p.tags)", {name: tag})
        case Range(column, low, high):
            return _range(column, low, high, name)
        case HasVector(present):
            if space is None:
                return None if present else Clause("true")
            return Clause(
                f"{'' if present else 'NOT '}EXISTS (SELECT FROM vectors has"
                " WHERE has.tenant = p.tenant AND has.id = p.id AND has.space = %(space)s)"
            )


def _range(column: str, low: float | None, high: float | None, name: str) -> Clause | None:
    """Return the bounds; a side left open on both ends still asks for a value."""
    kind = "double precision"
    if column in _INTEGER_FIELDS:
        # For whole numbers ``x >= 2.5`` is ``x >= 3`` and ``x < 2.5`` is ``x < 3``: exact beyond 2**53 too.
        kind, low, high = "bigint", _ceiling(low), _ceiling(high)
        if (low is not None and low > _LARGEST) or (high is not None and high <= _SMALLEST):
            return None
        low = None if low is None or low < _SMALLEST else low
        high = None if high is None or high > _LARGEST else high
    parts, values = [f"p.{column} IS NOT NULL"], dict[str, object]()
    for sign, end, bound in ((">=", "low", low), ("<", "high", high)):
        if bound is not None:
            parts.append(f"p.{column} {sign} %({name}_{end})s::{kind}")
            values[f"{name}_{end}"] = bound
    return Clause(" AND ".join(parts), values)


def _ceiling(bound: float | None) -> int | None:
    return None if bound is None else math.ceil(bound)
