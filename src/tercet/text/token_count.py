"""About how many tokens a language model reads in a text, without its tokeniser."""

from __future__ import annotations

import re
from typing import Final

from tercet.text.scripts import CJK_LETTERS

_CHARACTERS_PER_TOKEN: Final = 4
_WIDE: Final = re.compile(f"[{CJK_LETTERS}\U0001f000-\U0001faff]")


def token_count(text: str) -> int:
    """Return an estimate that is rather too high than too low: a letter of CJK 1, others a quarter each."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // _CHARACTERS_PER_TOKEN)
