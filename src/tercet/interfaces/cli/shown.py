"""How commands print text that others wrote: one line stays one line, and no byte steers the terminal."""

from __future__ import annotations

import re

_STEERING = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def printed_line(text: str) -> str:
    r"""Return a line as it may be printed: control characters, and what else breaks a line, as ``\xNN``."""
    return _STEERING.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)
