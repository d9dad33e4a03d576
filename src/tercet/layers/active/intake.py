"""Pure: from a turn, as a host hands it over, to the messages of a window."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.identity import parse_session_key
from tercet.ports.windows import Session, WindowMessage
from tercet.text.blocks import without_blocks
from tercet.text.envelopes import sanitise_user_text
from tercet.text.noise import sanitise_assistant_text
from tercet.text.redaction import redact
from tercet.text.token_count import token_count

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model import Message, Turn


@dataclass(frozen=True, slots=True)
class WindowTurn:
    """What of one turn goes into its session's window."""

    session: Session
    messages: tuple[WindowMessage, ...]


def session_of(session_key: str, agent: str) -> Session:
    """Return the session that a key, as a host writes it, names.

    Raises:
        IdentityError: the key is malformed (permanent).
    """
    key = parse_session_key(session_key, agent)
    return Session(key.scope, key.session)


def window_turn(turn: Turn, agent: str, received_at: datetime) -> WindowTurn:
    """Return the messages of a turn: sanitised as capture does, secrets blacked out, tool calls without text.

    What no person wrote and no person was shown is left out; so are the tool calls of a turn that
    only such a message began (a heartbeat's). A message's key depends on the session and its own
    id; where it has none, on its text, and its time or else its place in the turn.

    Raises:
        IdentityError: the session key is malformed (permanent).
    """
    session = session_of(turn.session_key, agent)
    messages: list[WindowMessage] = []
    awaits_answer = is_noise = False
    for place, message in enumerate(turn.messages):
        if message.role == "user":
            text = sanitise_user_text(message.text).text
            is_noise = not text
            if text:
                messages.append(_message(session, message, text, place, received_at, begins_turn=not awaits_answer))
                awaits_answer = True
        elif message.role == "assistant":
            text = sanitise_assistant_text(without_blocks(message.text)).text
            if text:
                messages.append(_message(session, message, text, place, received_at))
            awaits_answer = False
        elif message.role == "tool":
            if not is_noise:
                messages.append(_message(session, message, "", place, received_at))
            awaits_answer = False
    return WindowTurn(session, tuple(messages))


def _message(
    session: Session, message: Message, text: str, place: int, received_at: datetime, *, begins_turn: bool = False
) -> WindowMessage:
    safe = redact(text).text
    return WindowMessage(
        key=_key(session, message, place, received_at),
        role="assistant" if message.role == "assistant" else "user" if message.role == "user" else "tool",
        text=safe,
        tokens=token_count(safe),
        begins_turn=begins_turn,
        message_id=message.id,
        said_at=message.timestamp or received_at,
    )


def _key(session: Session, message: Message, place: int, received_at: datetime) -> str:
    who = (session.scope.agent, session.scope.anchor, session.key, message.role)
    if message.id:
        return _digest("id", *who, message.id)
    if message.timestamp is not None:
        # Tool calls of one moment differ by what they say.
        return _digest("said", *who, message.text, message.timestamp.isoformat())
    return _digest("received", *who, message.text, received_at.isoformat(), str(place))


def _digest(*parts: str) -> str:
    # Length-prefixed, so that no two different tuples are ever hashed as the same bytes.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]
