"""Filters to the library's own expressions; no text of a caller ever becomes part of a string."""

from __future__ import annotations

import math
import sys
from functools import reduce
from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.library import load
from tercet.adapters.lancedb.schema import presence_column, tag_key
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
        An ``Expr`` of lancedb, or None.
    """
    if not where.reach.anchors:
        return None
    parts = [is_text("agent", where.reach.agent), is_any_of("anchor", where.reach.anchors)]
    if after:
        expr = load("lancedb.expr")
        parts.append(expr.col("id") > expr.lit(after))
    for condition in where.conditions:
        compiled = _condition(condition, vector_column)
        if compiled is None:
            return None
        parts += compiled
    return reduce(lambda left, right: left & right, parts)


def has_vector(vector_column: str, *, present: bool) -> Any:  # Any: lancedb expressions
    """Return the test whether a row has a vector in this column."""
    expr = load("lancedb.expr")
    presence = expr.col(presence_column(vector_column))
    if present:
        return presence == expr.lit(True)  # noqa: FBT003 - a literal of the library
    # ``concat`` reads null, as it stands in rows older than the column, as an empty text.
    return expr.func("concat", presence.cast("string"), expr.lit("")) != expr.lit("true")


def has_vector_sql(vector_column: str, *, present: bool) -> str:
    """Return the same for ``count_rows``, which takes only strings; the name is one we made."""
    return f"{presence_column(vector_column)} IS {'' if present else 'NOT '}TRUE"


def is_text(name: str, value: str) -> Any:  # Any: lancedb expressions
    """Return ``name = value``."""
    expr = load("lancedb.expr")
    return expr.col(name) == expr.lit(value)


def is_any_of(name: str, values: Sequence[str]) -> Any:  # Any: lancedb expressions
    """Return ``name IN values``; at least one value."""
    expr = load("lancedb.expr")
    return expr.col(name).isin([expr.lit(value) for value in dict.fromkeys(values)])


def _condition(condition: Condition, vector_column: str | None) -> list[Any] | None:  # Any: lancedb expressions
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
        case HasVector(present):
            if vector_column is None:
                return None if present else []
            return [has_vector(vector_column, present=present)]


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
