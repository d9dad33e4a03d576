"""Which topics came up how often in a scope, and what of them is in no note yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.postgres.journal_rows import entries_by_id
from tercet.model import Reach, Scope
from tercet.ports.windows import TopicFacts

if TYPE_CHECKING:
    from tercet.adapters.postgres.database import Connection


async def recurring_topics(connection: Connection, agent: str, extractions: int, facts: int) -> list[TopicFacts]:
    """See ``Topics.recurring``."""
    found = await connection.execute(
        "SELECT anchor, topic FROM session_fact WHERE agent = %s AND topic <> '' GROUP BY anchor, topic "
        "HAVING NOT bool_and(noted) AND (count(DISTINCT extraction) >= %s OR count(*) >= %s) ORDER BY anchor, topic",
        (agent, extractions, facts),
    )
    topics = [await _topic(connection, Scope(agent, anchor), topic) for anchor, topic in await found.fetchall()]
    return [topic for topic in topics if topic.entries]


async def _topic(connection: Connection, scope: Scope, topic: str) -> TopicFacts:
    found = await connection.execute(
        "SELECT entry.id, title, sources FROM session_fact AS fact JOIN entry ON entry.id = fact.entry_id "
        "WHERE (fact.agent, fact.anchor, topic) = (%s, %s, %s) AND NOT noted AND state = 'live' "
        "ORDER BY time_ms, number",
        (scope.agent, scope.anchor, topic),
    )
    rows = await found.fetchall()
    entries = await entries_by_id(
        connection, [entry_id for entry_id, _, _ in rows], Reach(scope.agent, (scope.anchor,))
    )
    title = rows[-1][1] if rows else topic
    return TopicFacts(scope, topic, title, tuple(entries), tuple(tuple(sources) for _, _, sources in rows))


async def note_topic(connection: Connection, topic: TopicFacts) -> None:
    """See ``Topics.noted``; the caller holds the transaction."""
    await connection.execute(
        "UPDATE session_fact SET noted = true WHERE (agent, anchor, topic) = (%s, %s, %s) AND entry_id = ANY(%s)",
        (topic.scope.agent, topic.scope.anchor, topic.topic, [entry.id for entry in topic.entries]),
    )
