"""When two texts are the same but for how they were typed."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Final

_TRAILING: Final = " .,;:!?…~。，；：！？、～"


def normalised(text: str) -> str:
    """Return the text in NFC, case-folded, white space folded, without trailing punctuation.

    A text of nothing but punctuation is returned with it.
    """
    folded = " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).split())
    return folded.rstrip(_TRAILING) or folded


def text_digest(text: str) -> str:
    """Return the sha256 of the normalised text, as hex digits: equal for what is the same but for typing."""
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()
