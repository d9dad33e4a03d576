"""What the user wrote, out of the envelope that hosts and channels put round it.

The order of the steps is the order in which hosts wrap, from the outside in: recalled blocks, queued
messages, events, metadata, history, time stamps and channel labels, marks of single lines.
"""

from __future__ import annotations

import re
from typing import Final

from tercet.text.blocks import without_blocks
from tercet.text.noise import NoiseReason, Sanitised, whole_message_reason, without_slash_command

_QUEUE: Final = re.compile(r"\[Queued (?:messages|announce messages) while agent was busy\][ \t]*(?:\n|\Z)")
_QUEUED: Final = re.compile(r"^---[ \t]*\nQueued #\d+[^\n]{0,200}(?:\n|\Z)", re.MULTILINE)

_EVENT_LINE: Final = re.compile(r"System(?: \(untrusted\))?: \[[^\]\n]{1,80}\][^\n]*(?:\n|\Z)\s*")
_FENCED_HEADER: Final = re.compile(r"[A-Z][\w ,'/-]{0,60} \(untrusted[^)\n]{0,100}\):[ \t]*")
_CONTEXT_MARK: Final = "⟦openclaw:ctx⟧"
_TRAILING_HEADER: Final = re.compile(r"Untrusted context \([^)\n]{0,120}\):[ \t]*")
_EXTERNAL_OPEN: Final = re.compile(r'<<<EXTERNAL_UNTRUSTED_CONTENT(?: id="([^"\n]{0,100})")?>>>[ \t]*')

_HISTORY: Final = "[Chat messages since your last reply - for context]"
_CURRENT: Final = re.compile(r"^\[Current message - respond to this\][ \t]*(?:\n|\Z)", re.MULTILINE)
_TIMESTAMP: Final = re.compile(r"\[[A-Za-z]{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]{0,60}\][ \t]*")
_CHANNEL: Final = re.compile(
    r"\[(?:Telegram|WhatsApp|Discord|Signal|Slack|iMessage|BlueBubbles|Matrix|(?:MS ?|Microsoft )?Teams|Google ?Chat"
    r"|Feishu|Lark|LINE|Zalo|Nostr|Mattermost|IRC|WebChat|SMS|Twitch|Nextcloud Talk|WeChat|QQ|DingTalk)"
    r"(?P<label>[^\]\n]{0,300}?) \d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^\]\n]{0,40}\][ \t]*"
)
_GROUP_LABEL: Final = re.compile(r"\b(?:Group|Guild|channel|room)\b|@g\.us|#", re.IGNORECASE)
_SENDER: Final = re.compile(r"[^\n:：\[\]]{1,40}[:：] ")
_FEISHU_ID: Final = re.compile(r"\[message_id: om_[^\]\n]{1,200}\][ \t]*\n\s*")
_REPLYING: Final = re.compile(r"^\[Replying to [^\]\n]{1,200}\]", re.MULTILINE)
_REPLYING_END: Final = "[/Replying]"
_MARK_LINE: Final = re.compile(
    r"^[ \t]*(?:\[(?:message_id|from|Image|Image #\d+|media attached(?: \d+/\d+)?): ?[^\n]{0,2000}\][ \t]*"
    r"|\[Image #\d+\][ \t]*|\[Request interrupted by user[^\]\n]{0,40}\][ \t]*"
    r"|\[media attached: \d+ files\][ \t]*|To send an image back, prefer the message tool[^\n]*)$",
    re.MULTILINE,
)
_MEDIA_TOKEN: Final = re.compile(r"<media:[a-z]{1,20}>[ \t]*(?:\(\d+ \w{1,20}\))?")
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t]*\n){2,}")


def sanitise_user_text(raw: str) -> Sanitised:
    """Return what a person wrote in a message of role user, and why it is nothing when it is.

    Never raises; time is linear in the length. Text that only mentions a label stays.
    Source: the strip list in the session data's README, after the hosts' own formats.
    """
    text = raw.replace("\r\n", "\n").strip()
    if not text:
        return Sanitised("", "empty")
    bare = without_blocks(text).strip()
    queue = _QUEUE.match(bare)
    parts = _QUEUED.split(bare[queue.end() :]) if queue else [bare]
    kept: list[str] = []
    reason: NoiseReason | None = None
    for part in parts:
        one = _sanitise_one(part)
        if reason in {None, "metadata"}:
            reason = one.reason
        if one.text:
            kept.append(one.text)
    return Sanitised("\n\n".join(kept)) if kept else Sanitised("", reason)


def _sanitise_one(text: str) -> Sanitised:
    text = text.strip()
    left, events = _without_events(text)
    left = _without_metadata(left).strip()
    left, more = _without_events(left)
    left = _without_history(left)
    left = _without_wrappers(left)
    if not left:
        return Sanitised("", "event" if events or more else "metadata")
    reason = whole_message_reason(left)
    if reason:
        return Sanitised("", reason)
    left = without_slash_command(left)
    return Sanitised(left) if left else Sanitised("", "command")


def _without_events(text: str) -> tuple[str, bool]:
    """Drop the host's event lines at the top; further down they are a log the user pasted."""
    at = 0
    while event := _EVENT_LINE.match(text, at):
        at = event.end()
    return text[at:], at > 0


def _without_metadata(text: str) -> str:
    """Drop labelled blocks of metadata, line by line in one pass."""
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.rstrip().endswith(_CONTEXT_MARK):
            if line.startswith("Context:"):
                break
            at = _after_block(lines, at + 1)
        elif _FENCED_HEADER.fullmatch(line) and _is_fence(lines, at + 1):
            at = _after_block(lines, at + 1)
        elif _TRAILING_HEADER.fullmatch(line):
            opening = at + 1
            while opening < len(lines) and not lines[opening].strip():
                opening += 1
            # Hosts append it: without its marks it is everything to the end.
            at = _after_external(lines, opening)
        elif _EXTERNAL_OPEN.fullmatch(line):
            at = _after_external(lines, at)
        else:
            kept.append(line)
            at += 1
    return "\n".join(kept)


def _is_fence(lines: list[str], at: int) -> bool:
    return at < len(lines) and lines[at].startswith("```")


def _after_block(lines: list[str], at: int) -> int:
    """Return the line after a fenced block, or after prose that ends at a blank line."""
    if not _is_fence(lines, at):
        while at < len(lines) and lines[at].strip():
            at += 1
        return at
    at += 1
    while at < len(lines) and lines[at].rstrip() != "```":
        at += 1
    return at + 1


def _after_external(lines: list[str], at: int) -> int:
    opening = _EXTERNAL_OPEN.fullmatch(lines[at]) if at < len(lines) else None
    if opening is None:
        return len(lines)
    # The id keeps a body from ending its own block early.
    name = f' id="{opening[1]}"' if opening[1] is not None else ""
    closing = f"<<<END_EXTERNAL_UNTRUSTED_CONTENT{name}>>>"
    while at < len(lines) and lines[at].strip() != closing:
        at += 1
    return at + 1


def _without_history(text: str) -> str:
    if not text.startswith(_HISTORY):
        return text
    current = _CURRENT.search(text)
    return text[current.end() :].lstrip() if current else ""


def _without_wrappers(text: str) -> str:
    """Drop time stamps, channel labels, sender names where the channel adds them, and marks of a line."""
    at = 0
    names_sender = False
    while True:
        wrapper = _TIMESTAMP.match(text, at) or _CHANNEL.match(text, at) or _FEISHU_ID.match(text, at)
        if wrapper is None:
            break
        label = wrapper.groupdict().get("label")
        names_sender = wrapper.re is _FEISHU_ID or (label is not None and bool(_GROUP_LABEL.search(label)))
        at = wrapper.end()
    if names_sender and (sender := _SENDER.match(text, at)):
        at = sender.end()
    left = _without_replies(text[at:])
    left = _MEDIA_TOKEN.sub("", _MARK_LINE.sub("", left))
    if left != text:
        left = _BLANK_LINES.sub("\n\n", left)
    return left.strip()


def _without_replies(text: str) -> str:
    """Drop quoted messages: they are another's words, or the agent's own."""
    kept: list[str] = []
    at = 0
    for opening in _REPLYING.finditer(text):
        if opening.start() < at:
            continue
        end = text.find(_REPLYING_END, opening.end())
        if end < 0:
            break
        kept.append(text[at : opening.start()])
        at = end + len(_REPLYING_END)
    return "".join([*kept, text[at:]])
