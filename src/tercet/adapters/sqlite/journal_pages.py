"""Entries page by page in the order they were stored, forgotten ones among them while they can come back."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text, from_unix_ms, to_text
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.journal_rows import entries_by_id
from tercet.model import Entry, Scope
from tercet.ports.capture import Recorded

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Category, Reach
    from tercet.ports.capture import EntryState

_GIVEN = "(SELECT value FROM json_each(?))"
_STORED = "julianday(stored_at)"
"""To the millisecond, in whatever zone the time was written."""


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which entries; the arguments of ``tercet.ports.capture.Journal.page``."""

    reach: Reach
    states: tuple[EntryState, ...]
    categories: tuple[Category, ...]
    since: datetime | None
    until: datetime | None
    before: tuple[datetime, str] | None


def page_of(connection: sqlite3.Connection, wanted: PageFilter, limit: int) -> list[Recorded]:
    """Return the latest stored entries that are wanted, the latest first."""
    where, values = _condition(wanted)
    rows: list[tuple[str, str, Category, str, int | None, str]] = connection.execute(
        "SELECT entry.id, anchor, category, stored_at, purge_at_ms, "
        "(SELECT json_group_array(id) FROM (SELECT id FROM entry AS older "
        "WHERE older.superseded_by = entry.id AND older.superseded_by <> '' AND older.state <> 'forgotten' "
        "ORDER BY id)) "
        "FROM entry JOIN scope ON scope.id = scope_id WHERE entry.id IN "
        f"(SELECT entry.id FROM entry JOIN scope ON scope.id = scope_id WHERE {where} "
        f"ORDER BY {_STORED} DESC, entry.id DESC LIMIT ?) ORDER BY {_STORED} DESC, entry.id DESC",
        (*values, max(limit, 0)),
    ).fetchall()
    shown = {entry.id: entry for entry in entries_by_id(connection, [row[0] for row in rows], wanted.reach)}
    page: list[Recorded] = []
    for entry_id, anchor, category, stored_at, purge_at_ms, older in rows:
        if purge_at_ms is None:
            page.append(Recorded(shown[entry_id], tuple(json.loads(older))))
        else:
            scope = Scope(wanted.reach.agent, anchor)
            left = Entry(entry_id, scope, "", category, stored_at=from_text(stored_at), state="forgotten")
            page.append(Recorded(left, undo_until=from_unix_ms(purge_at_ms)))
    return page


def undo_until(connection: sqlite3.Connection, ids: Sequence[str], agent: str) -> dict[str, tuple[Scope, datetime]]:
    """Return whose these forgotten entries of an agent are and until when their bytes remain."""
    rows = connection.execute(
        "SELECT entry.id, anchor, purge_at_ms FROM entry JOIN scope ON scope.id = scope_id "
        f"WHERE entry.id IN {_GIVEN} AND purge_at_ms IS NOT NULL AND agent = ?",
        (as_list(ids), agent),
    )
    return {entry_id: (Scope(agent, anchor), from_unix_ms(until)) for entry_id, anchor, until in rows}


def _condition(wanted: PageFilter) -> tuple[str, list[str]]:
    """Return the condition of a page and the values bound in it."""
    parts = [
        f"agent = ? AND anchor IN {_GIVEN} AND state IN {_GIVEN}",
        "(state <> 'forgotten' OR purge_at_ms IS NOT NULL)",
    ]
    values = [wanted.reach.agent, as_list(wanted.reach.anchors), as_list(wanted.states)]
    if wanted.categories:
        parts.append(f"category IN {_GIVEN}")
        values.append(as_list(wanted.categories))
    for bound, sign in ((wanted.since, ">="), (wanted.until, "<")):
        if bound is not None:
            parts.append(f"{_STORED} {sign} julianday(?)")
            values.append(to_text(bound))
    if wanted.before is not None:
        at, entry_id = wanted.before
        parts.append(f"({_STORED}, entry.id) < (julianday(?), ?)")
        values += [to_text(at), entry_id]
    return " AND ".join(parts), values
