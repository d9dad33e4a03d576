"""Addresses as they may be shown: who and what an address is stays, its secrets do not."""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "***"

_USER: Final = re.compile(r"(?<=://)(?:[^\s/?#]*|[^\s/:@]+:(?!\d+(?:/|$))[^\s@]*)@")
"""User and password; the second form is a password that holds a slash."""
_QUERY: Final = re.compile(r"([?&])([^=&#\s]*)(=?)[^&#\s]*")


def shown_url(url: str) -> str:
    """Return an address without user, password, and the values of its query; other text as it is.

    A query is masked whole: which of its names is a key differs from service to service.
    """
    if "://" not in url:
        return url
    return _QUERY.sub(_without_value, _USER.sub(f"{MASK}@", url, count=1))


def _without_value(match: re.Match[str]) -> str:
    start, name, equals = match.groups()
    return f"{start}{name}={MASK}" if equals else f"{start}{MASK}"
