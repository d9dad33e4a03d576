"""One passage per text: later copies and a template's whole family leave room for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.ranking.template_text import template_family, template_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Passage

FAMILY_OVERLAP = 0.6
"""Jaccard overlap of headings from which two templates are one family."""


def redundant(passages: Sequence[Passage]) -> dict[int, str]:
    """Return which passages of an order only repeat an earlier one, by position, with the rule.

    ``duplicate``: the same text but for white space around it. ``template``: mostly empty, with the
    headings of an earlier one. What stays depends only on what stands before, never on a limit.

    Args:
        passages: Best first.
    """
    seen: set[str] = set()
    families: list[frozenset[str]] = []
    repeats: dict[int, str] = {}
    for position, passage in enumerate(passages):
        text = passage.text.strip()
        if text in seen:
            repeats[position] = "duplicate"
            continue
        seen.add(text)
        family = template_family(passage.text) if template_share(passage.text) else None
        if not family:
            continue
        if any(len(family & f) >= FAMILY_OVERLAP * len(family | f) for f in families):
            repeats[position] = "template"
        else:
            families.append(family)
    return repeats
