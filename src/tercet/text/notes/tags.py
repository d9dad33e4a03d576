"""``#tags`` of a note's body, as Obsidian reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.text.notes.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

# What may stand in a tag is all but white space and punctuation; "-", "_" and "/" may.
_TAG: Final = re.compile(
    r"(?:^|(?<=[\s(（,，、;；]))(?<!\]\()#"
    r"([^\s\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    r"!\"#$%&'()*+,.:;<=>?@^`{|}~\[\]\\]{1,200})",
    re.MULTILINE,
)


def tags_in(body: str) -> tuple[str, ...]:
    """Return the tags of a body without their ``#``, in order, each once (case and all as first written).

    A tag begins a line or follows white space or an opening bracket, may be nested (``a/b``) and is
    no bare number. The marks of a heading are none, nor is anything in code, comments or addresses.
    """
    if "#" not in body:
        return ()
    found = (match[1].strip("/") for match in _TAG.finditer(visible(body)))
    return distinct_tags(tag for tag in found if tag and not tag.replace("/", "").isdigit())


def distinct_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags each once, as first written: two that differ by case alone are one."""
    kept: dict[str, str] = {}
    for tag in tags:
        kept.setdefault(tag.casefold(), tag)
    return tuple(kept.values())
