"""Which topics came up how often in a scope, and what of them is in no note yet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.journal_rows import entries_by_id
from tercet.model import Reach, Scope
from tercet.ports.windows import TopicFacts

if TYPE_CHECKING:
    import sqlite3


def recurring_topics(connection: sqlite3.Connection, agent: str, extractions: int, facts: int) -> list[TopicFacts]:
    """See ``Topics.recurring``."""
    topics = connection.execute(
        "SELECT scope_id, anchor, topic FROM session_fact JOIN scope ON scope.id = scope_id "
        "WHERE agent = ? AND topic <> '' GROUP BY scope_id, topic HAVING min(noted) = 0 "
        "AND (count(DISTINCT extraction) >= ? OR count(*) >= ?) ORDER BY anchor, topic",
        (agent, extractions, facts),
    ).fetchall()
    found = [_topic(connection, number, Scope(agent, anchor), topic) for number, anchor, topic in topics]
    return [topic for topic in found if topic.entries]


def _topic(connection: sqlite3.Connection, scope_id: int, scope: Scope, topic: str) -> TopicFacts:
    rows = connection.execute(
        "SELECT entry.id, title, sources FROM session_fact JOIN entry ON entry.id = entry_id "
        "WHERE session_fact.scope_id = ? AND topic = ? AND noted = 0 AND state = 'live' ORDER BY time_ms, number",
        (scope_id, topic),
    ).fetchall()
    entries = entries_by_id(connection, [entry_id for entry_id, _, _ in rows], Reach(scope.agent, (scope.anchor,)))
    title = rows[-1][1] if rows else topic
    return TopicFacts(scope, topic, title, tuple(entries), tuple(tuple(json.loads(row[2])) for row in rows))


def note_topic(connection: sqlite3.Connection, topic: TopicFacts) -> None:
    """See ``Topics.noted``; the caller holds the transaction."""
    connection.execute(
        "UPDATE session_fact SET noted = 1 WHERE topic = ? AND entry_id IN (SELECT value FROM json_each(?)) "
        "AND scope_id = (SELECT id FROM scope WHERE agent = ? AND anchor = ?)",
        (topic.topic, as_list(entry.id for entry in topic.entries), topic.scope.agent, topic.scope.anchor),
    )
