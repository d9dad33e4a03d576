"""Whether a fact drawn from a message says only what is kept of that message already."""

from __future__ import annotations

import re
from typing import Final

from tercet.capture.details import NEGATIONS, telling_words
from tercet.capture.support import has_its_figures, has_its_names
from tercet.text.terms import query_terms

LEAST_SHARE: Final = 0.75
"""Of the fact's terms; chosen on the pairs of the unit tests."""
_SPEAKER: Final = re.compile(r"\b(?:the )?user(?:'s|’s)?\b|用户|用戶|使用者", re.IGNORECASE)


def retells(fact: str, kept: str) -> bool:
    """Return whether ``kept``, which came of the same message, tells the fact.

    "The user lives in Berlin" retells "I live in Berlin now, near the river". A fact with a figure,
    name or negation that is not kept does not. Whether the message carries the fact at all is not
    asked here (``evidence.py``).
    """
    wanted = set(query_terms(_SPEAKER.sub(" ", fact)))
    denied = NEGATIONS.intersection(telling_words(fact))
    if not wanted or not denied <= set(telling_words(kept)):
        return False
    is_covered = len(wanted & set(query_terms(kept))) >= LEAST_SHARE * len(wanted)
    return is_covered and has_its_figures(fact, kept) and has_its_names(fact, kept)
