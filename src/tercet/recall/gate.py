"""Pure: which messages cannot need memory.

Only what is nothing but a greeting, a thank you, a slash command or a machine's own prompt is
skipped. Everything else is looked up, whatever it begins with: "find my passport number", "git
branch policy we agreed on", "2026" and "make a packing list" are questions to the memory (R34).
"""

from __future__ import annotations

import re
from typing import Final

_PUNCTUATION: Final = re.compile(
    r"[\s!.,;:~…'\"()\-–—·*_！。，；：～、（）\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]+"
)

_PHRASES: Final = frozenset(
    phrase.strip()
    for line in (
        "hi, hello, hey, heya, hiya, yo, howdy, greetings, morning, evening, afternoon, good morning",
        "good afternoon, good evening, good night, good day, hi there, hello there, hey there, hello again, hi again",
        "thanks, thank you, thanks a lot, thank you so much, thank you very much, many thanks, thx, ty, cheers",
        "thanks so much, much appreciated, bye, goodbye, good bye, see you, see you later, see ya, take care",
        "ok, okay, k, kk, got it, sounds good, great, cool, nice, perfect, awesome, lol, haha, hahaha, welcome",
        "you re welcome, you're welcome, no problem, np, talk later, talk soon, nice one, well done",
    )
    for phrase in line.split(",")
)
_CHINESE: Final = re.compile(
    r"(?:你们好|你好呀|你好啊|你好|您好|大家好|嗨|哈喽|哈啰|喂|在吗|早安|早上好|上午好|中午好|下午好|晚上好|晚安|早"
    r"|谢谢你们|谢谢您|谢谢你|谢谢啦|谢谢|多谢|感谢|謝謝你|謝謝|多謝|再见|再見|拜拜|回头见|明天见"
    r"|好的|好吧|好呀|好|嗯嗯|嗯|哦|行|可以|没问题|收到|知道了|明白了|明白|辛苦了|哈哈+)"
)
_SLASH: Final = re.compile(r"/[A-Za-z][\w:-]*(?:\s|$)")
_PATH_MARK: Final = re.compile(r"/[\w.-]+/")
_MACHINE: Final = re.compile(
    r"Read HEARTBEAT\.md if it exists|\[OpenClaw heartbeat poll\]|HEARTBEAT_OK|\[cron:|\[Subagent Context\]"
    r"|Pre-compaction memory flush|A new session was started via /|An async command you ran earlier has completed"
)
_LONGEST_GREETING: Final = 60


def skip_reason(message: str) -> str | None:
    """Return ``blank``, ``command``, ``heartbeat`` or ``greeting``; None when memory may help.

    A message that asks anything is never skipped.
    """
    text = message.strip()
    if not text:
        return "blank"
    if _MACHINE.match(text):
        return "heartbeat"
    if _SLASH.match(text) and not _PATH_MARK.match(text):
        return "command"
    return "greeting" if _is_greeting(text) else None


def _is_greeting(text: str) -> bool:
    if len(text) > _LONGEST_GREETING or "?" in text or "\uff1f" in text:
        return False
    folded = " ".join(_PUNCTUATION.sub(" ", text.casefold().replace("\u2019", "'")).split())
    if not folded:
        return not any(letter.isalnum() for letter in text)
    words = folded.split()
    return _is_run_of_phrases(words) or all(_is_chinese_courtesy(word) for word in words)


def _is_run_of_phrases(words: list[str]) -> bool:
    """Say whether the words are phrases of the table one after another ("hello good morning")."""
    at = 0
    while at < len(words):
        for length in range(min(5, len(words) - at), 0, -1):
            if " ".join(words[at : at + length]) in _PHRASES:
                at += length
                break
        else:
            return False
    return True


def _is_chinese_courtesy(word: str) -> bool:
    at = 0
    while at < len(word):
        found = _CHINESE.match(word, at)
        if found is None:
            return False
        at = found.end()
    return True
