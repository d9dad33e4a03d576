"""Messages of the inbox by the columns in which every ledger reads them, and what they share with their entries."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text, to_text
from tercet.model import InboxItem, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import TypeAlias

    ItemColumns: TypeAlias = tuple[str, str, str, str, str, str, str | None, str, int, bool | int]


def source_of(scope: Scope, session: str, message_id: str, said_at: datetime | None) -> str:
    """Return what an inbox item and the entries made of it have in common, as a digest."""
    parts = [scope.agent, scope.anchor, session, message_id, to_text(said_at)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def whole_characters(text: str) -> str:
    """Return the text with half characters, which UTF-8 cannot hold, as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def items_of(rows: Iterable[ItemColumns]) -> list[InboxItem]:
    """Return messages by their columns, in the order of ``InboxItem``, the scope as agent and anchor."""
    return [
        InboxItem(
            id=item_id,
            scope=Scope(agent, anchor),
            session=session,
            message_id=message_id,
            text=text,
            said_at=from_text(said_at),
            received_at=from_text(received_at),
            attempts=attempts,
            keep_all=bool(keep_all),
        )
        for item_id, agent, anchor, session, message_id, text, said_at, received_at, attempts, keep_all in rows
    ]
