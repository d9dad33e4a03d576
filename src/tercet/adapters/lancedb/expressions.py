"""Filters to the library's own expressions; no text of a caller ever becomes part of a string."""

from __future__ import annotations

import math
import sys
from functools import reduce
from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.library import load
from tercet.adapters.lancedb.schema import tag_key
from tercet.filters import Eq, HasTag, HasVector, In, Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.filters import Condition, Filter

_INTEGER_FIELDS = frozenset({"start_line", "ordinal", "timestamp_ms"})
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def compile_filter(where: Filter, vector_column: str | None, *, after: str = "") -> Any:  # Any: lancedb expressions
    """Return what ``where()`` of the library takes, or None when no row can match.

    Args:
        where: The filter; an empty reach matches nothing.
        vector_column: Column that ``HasVector`` asks for; with None no row has a vector.
        after: Only ids greater than this.

    Returns:
        An ``Expr``; or, because expressions know no null test, the string of that expression as
        the library itself renders it, joined with a null test of our own column.
    """
    if not where.reach.anchors:
        return None
    parts = [is_text("agent", where.reach.agent), is_any_of("anchor", where.reach.anchors)]
    if after:
        expr = load("lancedb.expr")
        parts.append(expr.col("id") > expr.lit(after))
    presence: set[bool] = set()
    for condition in where.conditions:
        if isinstance(condition, HasVector):
            presence.add(condition.present)
        else:
            compiled = _condition(condition)
            if compiled is None:
                return None
            parts += compiled
    whole = reduce(lambda left, right: left & right, parts)
    if not presence or (vector_column is None and presence == {False}):
        return whole
    if vector_column is None or len(presence) > 1:
        return None
    return f"({whole.to_sql()}) AND {vector_is_null(vector_column, missing=not presence.pop())}"


def vector_is_null(vector_column: str, *, missing: bool = True) -> str:
    """Return the null test of a vector column, a name that ``spaces.vector_column`` made."""
    return f"{vector_column} IS {'' if missing else 'NOT '}NULL"


def is_text(name: str, value: str) -> Any:  # Any: lancedb expressions
    """Return ``name = value``."""
    expr = load("lancedb.expr")
    return expr.col(name) == expr.lit(value)


def is_any_of(name: str, values: Sequence[str]) -> Any:  # Any: lancedb expressions
    """Return ``name IN values``; at least one value."""
    expr = load("lancedb.expr")
    return expr.col(name).isin([expr.lit(value) for value in dict.fromkeys(values)])


def _condition(condition: Condition) -> list[Any] | None:  # Any: lancedb expressions
    match condition:
        case Eq(field, value):
            return [is_text(field, value)]
        case In(field, values):
            return [is_any_of(field, values)] if values else None
        case HasTag(tag):
            expr = load("lancedb.expr")
            return [expr.col("tags").contains(expr.lit(tag_key(tag)))]
        case Range(field, low, high):
            return _range(field, low, high)
        case HasVector():
            return []


def _range(field: str, low: float | None, high: float | None) -> list[Any] | None:  # Any: lancedb expressions
    """Return the bounds; a side left open on both ends still asks for a value."""
    if field in _INTEGER_FIELDS:
        # For whole numbers ``x >= 2.5`` is ``x >= 3`` and ``x < 2.5`` is ``x < 3``: exact, and an index serves it.
        low = None if low is None else math.ceil(low)
        high = None if high is None else math.ceil(high)
        if (low is not None and low > _LARGEST) or (high is not None and high <= _SMALLEST):
            return None
        low = _SMALLEST if low is None else max(low, _SMALLEST)
        high = None if high is None or high > _LARGEST else high
    elif low is None:
        low = -sys.float_info.max
    expr = load("lancedb.expr")
    column = expr.col(field)
    bounds = [column >= expr.lit(low)]
    if high is not None:
        bounds.append(column < expr.lit(high))
    return bounds
