"""Reads a service's parsed JSON with types, trusting nothing of its shape."""

from __future__ import annotations

from typing import cast


def fields(value: object) -> dict[str, object]:
    """Return a JSON object; anything else counts as one without fields."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}  # JSON keys are texts


def items(value: object) -> list[object] | None:
    """Return a JSON list; None for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else None  # isinstance knows no item type


def places(found: list[dict[str, object]], key: str, count: int) -> list[int] | None:
    """Return each item's index, which must be 0 to ``count - 1``, once each; None when it is not.

    Where no item has an index the order of the answer is all there is.
    """
    if not any(key in item for item in found):
        numbers: list[object] = list(range(len(found)))
    else:
        numbers = [item.get(key) for item in found]
    whole = [number for number in numbers if isinstance(number, int) and not isinstance(number, bool)]
    return whole if sorted(whole) == list(range(count)) and len(numbers) == count else None
