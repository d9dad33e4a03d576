"""Pure: from a turn, as a host hands it over, to the items of the inbox."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.identity import parse_session_key
from tercet.model import InboxItem
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.identity import SessionKey
    from tercet.model import Message, Turn


def without_secrets(turn: Turn) -> Turn:
    """Return what of a turn may lie on a disk: the user's messages alone, secrets blacked out.

    While the embedder is down a message waits, and its backups wait with it: a secret that is only
    taken out afterwards was stored.
    """
    users = (message for message in turn.messages if message.role == "user" and message.text.strip())
    return replace(turn, messages=tuple(replace(message, text=redact(message.text).text) for message in users))


def turn_items(turn: Turn, agent: str, received_at: datetime, *, keep_all: bool = False) -> list[InboxItem]:
    """Return one item for each message of the user; what others said is not captured.

    An id depends on scope, session and the message's own id; where it has none, on its text and
    time, so that a provider's retry is the same item.

    Raises:
        IdentityError: the session key is malformed (permanent).
        InvalidInputError: a time has no zone (permanent).
    """
    key = parse_session_key(turn.session_key, agent)
    items: list[InboxItem] = []
    for place, message in enumerate(turn.messages):
        if message.role != "user" or not message.text.strip():
            continue
        if message.timestamp is not None and message.timestamp.tzinfo is None:
            msg = f"The time {message.timestamp.isoformat()} of a message has no zone: add one, e.g. +00:00."
            raise InvalidInputError(msg)
        items.append(
            InboxItem(
                id=_item_id(key, message, place, received_at),
                scope=key.scope,
                session=session_of(key),
                message_id=message.id,
                text=message.text,
                said_at=message.timestamp or received_at,
                received_at=received_at,
                keep_all=keep_all,
            )
        )
    return items


def session_of(key: SessionKey) -> str:
    """Return the normalised session key, its thread included."""
    return f"{key.anchor}:thread:{key.thread}" if key.thread else key.anchor


def with_ids(messages: Sequence[Message]) -> list[Message]:
    """Return messages of a file, those without an id named by place and text: the file again is the same again."""
    return [
        message if message.id else replace(message, id=_digest(str(place), message.text)[:16])
        for place, message in enumerate(messages)
    ]


def _item_id(key: SessionKey, message: Message, place: int, received_at: datetime) -> str:
    who = (key.agent, key.anchor, session_of(key))
    if message.id:
        return _digest("id", *who, message.id)
    if message.timestamp is not None:
        return _digest("said", *who, message.text, message.timestamp.isoformat())
    return _digest("received", *who, message.text, received_at.isoformat(), str(place))


def _digest(*parts: str) -> str:
    # Length-prefixed, so that no two different tuples are ever hashed as the same bytes.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]
