"""What signals, steps, layers and reasons are called before people who look at a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SIGNAL_WORDS: Final[Mapping[str, str]] = {
    "vector": "how near it is to the query in meaning",
    "keyword": "how strongly the query's words stand in it (BM25)",
    "coverage": "how much of the query its words cover, rare words first",
    "rare": "the same for the rarest words, names above all",
    "pair": "words that stand together in the query stand together here",
    "number": "numbers and codes of the query",
    "header": "words of the query in its headings",
    "path": "words of the query in its path",
    "date": "nearness to a date that the query names",
    "speaker": "the query names who said it",
    "newness": "how new it is, for questions after the latest",
    "neighbour": "the turns before and after answer too",
    "parent": "the rest of its file or conversation answers too",
    "sibling": "another passage of its file or conversation answers too",
    "reply": "the assistant said it, and that is asked for",
    "assistant": "penalty: the assistant said it, and nobody asks for that",
    "later": "penalty: it is of a later day than the question",
    "title": "words of the query in the note's title or aliases",
    "named": "the query names the note",
}
"""Signal to what it tells; each has a colour of its own in ``search.css``."""

STEP_WORDS: Final[Mapping[str, str]] = {
    "date": "it is of the day that the query names",
    "template": "it is an empty template, or close to one",
    "scale": "calibration: brings the sum to the scale that all layers share",
    "importance": "how important it is held to be",
    "order": "calibration to the layers' scale and to its place: no score rises down the list",
    "rerank": "what the reranker read in query and passage together",
    "disputed": "claims of the note are disputed",
    "merge": "lowered where the layers were merged, so that no score rises down the list",
}

LAYER_WORDS: Final[Mapping[str, str]] = {
    "semantic": "files and entries",
    "wiki": "notes of the vault",
    "active": "recent conversation",
}

SKIP_WORDS: Final[Mapping[str, str]] = {
    "blank": "The message is blank.",
    "greeting": "The message is a greeting or a thank-you: there is nothing to look up.",
    "command": "The message is a slash command to the host, not a question.",
    "heartbeat": "The message is the host's own heartbeat.",
    "session_start": "The message is the host's notice that a session began.",
    "memory_flush": "The message is the host's own request to save memories.",
    "cron": "The message is a scheduled job's prompt.",
    "subagent": "The message is meant for a sub-agent.",
    "event": "The message is the host's notice of an event.",
    "empty": "Nothing is left of the message once envelopes are taken off.",
    "metadata": "The message holds metadata and attachments, and no words of a person.",
    "nothing_relevant": "Nothing in reach is relevant enough to be put before the agent unasked.",
}
"""Reason of an empty section to plain words."""
