"""Entries page by page in the order they were stored, forgotten ones among them while they can come back."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text, from_unix_ms, unix_ms
from tercet.adapters.postgres.journal_rows import entries_by_id
from tercet.model import Entry, Scope
from tercet.ports.capture import Recorded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection
    from tercet.model import Category, Reach
    from tercet.ports.capture import EntryState

_OLDER = (
    "ARRAY(SELECT older.id FROM entry AS older WHERE older.superseded_by = entry.id AND older.superseded_by <> '' "
    "AND older.state <> 'forgotten' ORDER BY older.id)"
)
_WANTED = (
    "agent = %(agent)s AND anchor = ANY(%(anchors)s::text[]) AND state = ANY(%(states)s::text[]) "
    "AND (state <> 'forgotten' OR purge_at_ms IS NOT NULL) "
    "AND (%(categories)s::text[] = '{}' OR category = ANY(%(categories)s::text[])) "
    "AND (%(since)s::bigint IS NULL OR stored_ms >= %(since)s) "
    "AND (%(until)s::bigint IS NULL OR stored_ms < %(until)s) "
    "AND (%(before)s::bigint IS NULL OR (stored_ms, id) < (%(before)s, %(before_id)s::text))"
)


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which entries; the arguments of ``tercet.ports.capture.Journal.page``."""

    reach: Reach
    states: Sequence[EntryState]
    categories: Sequence[Category]
    since: datetime | None
    until: datetime | None
    before: tuple[datetime, str] | None

    def parameters(self) -> dict[str, object]:
        """Return what the condition of this module binds.

        Raises:
            InvalidInputError: a time has no zone (permanent).
        """
        before, before_id = self.before or (None, "")
        return {
            "agent": self.reach.agent,
            "anchors": list(self.reach.anchors),
            "states": list(self.states),
            "categories": list(self.categories),
            "since": None if self.since is None else unix_ms(self.since),
            "until": None if self.until is None else unix_ms(self.until),
            "before": None if before is None else unix_ms(before),
            "before_id": before_id,
        }


async def page_of(connection: Connection, wanted: PageFilter, limit: int) -> list[Recorded]:
    """Return the latest stored entries that are wanted, the latest first."""
    found = await connection.execute(
        f"SELECT id, anchor, category, stored_at, purge_at_ms, {_OLDER} FROM entry WHERE {_WANTED} "
        "ORDER BY stored_ms DESC, id DESC LIMIT %(limit)s",
        {**wanted.parameters(), "limit": max(limit, 0)},
    )
    rows: list[tuple[str, str, Category, str, int | None, list[str]]] = await found.fetchall()
    shown = {entry.id: entry for entry in await entries_by_id(connection, [row[0] for row in rows], wanted.reach)}
    page: list[Recorded] = []
    for entry_id, anchor, category, stored_at, purge_at_ms, older in rows:
        if entry_id in shown:
            page.append(Recorded(shown[entry_id], tuple(older)))
        elif purge_at_ms is not None:  # else it was forgotten between the two questions, and is left out
            scope = Scope(wanted.reach.agent, anchor)
            left = Entry(entry_id, scope, "", category, stored_at=from_text(stored_at), state="forgotten")
            page.append(Recorded(left, undo_until=from_unix_ms(purge_at_ms)))
    return page


async def undo_until(connection: Connection, ids: Sequence[str], agent: str) -> dict[str, tuple[Scope, datetime]]:
    """Return whose these forgotten entries of an agent are and until when their texts remain."""
    found = await connection.execute(
        "SELECT id, anchor, purge_at_ms FROM entry WHERE id = ANY(%s) AND purge_at_ms IS NOT NULL AND agent = %s",
        (list(ids), agent),
    )
    return {entry_id: (Scope(agent, anchor), from_unix_ms(until)) for entry_id, anchor, until in await found.fetchall()}
