"""The sentences of a long question, each of which may be the one that the answer is near to."""

from __future__ import annotations

import re
from functools import lru_cache

from tercet.text.terms import query_terms

MAX_SENTENCES = 6
"""Each costs the embedder a text; the longest ones are kept."""
MIN_TERMS = 2
"""A shorter one ("Thanks!") is near to everything."""

_AFTER = "and|but|what|how|which|where|when|who|why|does|did|do|is|are|was|were"
_BREAK = re.compile(
    rf"(?<=[。！？；])\s*|(?<=[?!;.:：])\s+|\s*\n\s*|(?<=[a-z]),\s+(?=(?:{_AFTER})\s)",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def question_sentences(text: str) -> tuple[str, ...]:
    """Return the question's sentences in order, at most ``MAX_SENTENCES`` and none of fewer than two terms.

    A clause after a comma that asks anew ("..., and where did she ...") counts as one. Empty when
    fewer than two are left: the question then is its own sentence.
    """
    weight = {part: len(query_terms(part)) for part in map(str.strip, _BREAK.split(text)) if part}
    told = [part for part, terms in weight.items() if terms >= MIN_TERMS]
    if len(told) < 2:  # noqa: PLR2004 - one sentence is the question
        return ()
    kept = frozenset(sorted(told, key=lambda part: -weight[part])[:MAX_SENTENCES])
    return tuple(part for part in told if part in kept)
