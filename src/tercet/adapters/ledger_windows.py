"""Windows by the columns in which every ledger reads them: their messages, and how their sessions stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text
from tercet.model import Scope
from tercet.ports.windows import Session, SessionMemoryState, SessionStatus, WindowMessage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from tercet.ports.windows import WindowRole

    MessageColumns: TypeAlias = tuple[str, WindowRole, str, int, bool | int, str, str | None, int]
    StatusColumns: TypeAlias = tuple[
        str, str, str, int, int, int, bool | int, int, str | None, str, str | None, int, int, int
    ]


def messages_of_columns(rows: Iterable[MessageColumns]) -> list[WindowMessage]:
    """Return messages by their columns key, role, text, tokens, begins_turn, message_id, said_at, number."""
    return [
        WindowMessage(key, role, text, tokens, bool(begins), message_id, from_text(said_at), number)
        for key, role, text, tokens, begins, message_id, said_at, number in rows
    ]


def statuses_of_columns(rows: Iterable[StatusColumns]) -> list[SessionStatus]:
    """Return how sessions stand by agent, anchor and key, their counters, and what is kept of them."""
    return [
        SessionStatus(
            session=Session(Scope(owner, anchor), key),
            state=SessionMemoryState(tokens, tool_calls, turns),
            messages=count,
            tokens=kept,
            bytes_on_disk=size,
            ended=bool(ended),
            attempts=attempts,
            retry_at=from_text(retry_at),
            reason=reason,
            extracted_at=from_text(extracted_at),
        )
        for (
            owner,
            anchor,
            key,
            tokens,
            tool_calls,
            turns,
            ended,
            attempts,
            retry_at,
            reason,
            extracted_at,
            count,
            kept,
            size,
        ) in rows
    ]
