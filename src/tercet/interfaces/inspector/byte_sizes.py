"""Sizes as people read them."""

from __future__ import annotations

from typing import Final

_STEP: Final = 1024
_UNITS: Final = ("KB", "MB", "GB")


def readable_size(size: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if size < _STEP:
        return f"{size} B"
    power = min(len(_UNITS), (size.bit_length() - 1) // 10)
    return f"{size / _STEP**power:.1f} {_UNITS[power - 1]}"
