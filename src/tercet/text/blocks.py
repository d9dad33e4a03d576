"""Blocks between tags that a host or a memory put into a user's message."""

from __future__ import annotations

import re
from typing import Final

_TAGS: Final = (
    # recalled text: what a memory said must never be taken for what the user says (U5)
    "tercet-memory",
    "relevant-memories",
    "relevant_memories",
    "active_memory_plugin",
    "ingest-reply-assist",
    # a coding agent's own additions and the echo of its local commands
    "system-reminder",
    "command-name",
    "command-args",
    "command-message",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "user-prompt-submit-hook",
    "ide_opened_file",
    "ide_selection",
)
_TOKEN: Final = re.compile(rf"<(/?)({'|'.join(_TAGS)})(?![\w-])[^<>]{{0,600}}>", re.IGNORECASE | re.ASCII)
_HEADER_ABOVE: Final = re.compile(r"(?:Untrusted context \([^)\n]{0,120}\)|Context):[ \t]*\n[ \t]*\Z")
_HEADER_REACH: Final = 200


def without_blocks(text: str) -> str:
    """Return the text without tagged blocks, nested ones as a whole.

    A block that is never closed takes the rest of the text with it when its tag begins a line (it
    was cut off); a tag in the middle of a sentence is the user's own word.
    """
    tokens = list(_TOKEN.finditer(text))
    if not tokens:
        return text
    kept: list[str] = []
    at = index = 0
    never_closed: set[str] = set()
    while index < len(tokens):
        token = tokens[index]
        tag = token[2].lower()
        if token[1] or tag in never_closed:
            index += 1
            continue
        last = _closing(tokens, index, tag)
        if last is None and not _begins_line(text, token.start()):
            never_closed.add(tag)
            index += 1
            continue
        kept.append(_without_header(text[at : token.start()]))
        if last is None:
            return "".join(kept)
        at = tokens[last].end()
        index = last + 1
    kept.append(text[at:])
    return "".join(kept)


def _closing(tokens: list[re.Match[str]], opening: int, tag: str) -> int | None:
    """Return the index of the tag that closes the block: its own, else the last there is."""
    depth = 0
    last: int | None = None
    for index in range(opening, len(tokens)):
        if tokens[index][2].lower() != tag:
            continue
        if not tokens[index][1]:
            depth += 1
            continue
        depth -= 1
        last = index
        if depth == 0:
            break
    return last


def _begins_line(text: str, at: int) -> bool:
    while at and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] == "\n"


def _without_header(before: str) -> str:
    header = _HEADER_ABOVE.search(before, max(0, len(before) - _HEADER_REACH))
    return before[: header.start()] if header else before
