"""Entries by the columns in which every ledger reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text
from tercet.model import Entry, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal, TypeAlias

    from tercet.model import Category, Origin

    State: TypeAlias = Literal["live", "superseded", "forgotten"]
    EntryColumns: TypeAlias = tuple[
        str,
        str,
        str,
        str,
        Category,
        float,
        str | None,
        str,
        Origin,
        str,
        str,
        int,
        State,
        str,
        int,
        str | None,
        Sequence[str],
    ]


def entries_of(rows: Iterable[EntryColumns]) -> list[Entry]:
    """Return entries by their columns, in the order of ``Entry``, the scope as agent and anchor."""
    return [
        Entry(
            id=entry_id,
            scope=Scope(agent, anchor),
            text=text,
            category=category,
            importance=importance,
            said_at=from_text(said_at),
            stored_at=from_text(stored_at),
            origin=origin,
            session=session,
            message_id=message_id,
            ordinal=ordinal,
            state=state,
            superseded_by=superseded_by,
            seen=seen,
            last_seen=from_text(last_seen),
            links=tuple(links),
        )
        for (
            entry_id,
            agent,
            anchor,
            text,
            category,
            importance,
            said_at,
            stored_at,
            origin,
            session,
            message_id,
            ordinal,
            state,
            superseded_by,
            seen,
            last_seen,
            links,
        ) in rows
    ]
