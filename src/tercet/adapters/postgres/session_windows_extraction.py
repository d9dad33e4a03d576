"""Who extracts what of a session: leases, and the one transaction that ends an extraction."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text, to_text, unix_ms
from tercet.adapters.postgres.durability import relax
from tercet.adapters.postgres.journal_apply import PreparedEntry, apply
from tercet.adapters.postgres.session_windows_rows import messages_of, recount, trim
from tercet.adapters.postgres.term_counts import lock_scopes
from tercet.ports.windows import Stretch
from tercet.text.same_text import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection
    from tercet.ports.capture import SeenAgain
    from tercet.ports.windows import ExtractedFact, Session


async def claim(
    connection: Connection, session: Session, now: datetime, lease_s: float, most_tokens: int, *, force: bool
) -> Stretch | None:
    """See ``Extractions.claim``; the caller holds the transaction."""
    # A lease lost with the power is claimed again: no need to wait for the disk.
    await relax(connection)
    found = await connection.execute(
        "SELECT id, lease_ms, attempts, retry_at, extracted_to, last_number FROM session_window "
        "WHERE agent = %s AND anchor = %s AND session = %s FOR UPDATE",
        (session.scope.agent, session.scope.anchor, session.key),
    )
    row = await found.fetchone()
    if row is None:
        return None
    window, lease_ms, attempts, retry_at, extracted_to, last = row
    if lease_ms > unix_ms(now) or (retry_at is not None and from_text(retry_at) > now and not force):
        return None
    upto = await _end_of_stretch(connection, window, extracted_to, most_tokens) or last
    messages = await messages_of(connection, window, extracted_to + 1, upto)
    if not messages:
        return None
    leased = await connection.execute(
        "UPDATE session_window SET claim = nextval('extraction_claim'), lease_ms = %s WHERE id = %s RETURNING claim",
        (unix_ms(now + timedelta(seconds=lease_s)), window),
    )
    ((number,),) = await leased.fetchall()
    return Stretch(session, number, tuple(messages), upto, attempts, is_last=upto >= last)


async def _end_of_stretch(connection: Connection, window: int, extracted_to: int, most_tokens: int) -> int | None:
    """Return the number before the first message that is too much for a stretch; None where all fit."""
    found = await connection.execute(
        "SELECT min(number) - 1 FROM (SELECT number, sum(tokens) OVER (ORDER BY number) AS together, "
        "row_number() OVER (ORDER BY number) AS place FROM window_message "
        "WHERE window_id = %s AND role <> 'tool' AND number > %s) AS rest WHERE together > %s AND place > 1",
        (window, extracted_to, most_tokens),
    )
    ((last,),) = await found.fetchall()
    return None if last is None else int(last)


async def renew(connection: Connection, stretch: Stretch, until_ms: int) -> bool:
    """See ``Extractions.renew``; the caller holds the transaction."""
    await relax(connection)
    window = await _held(connection, stretch)
    await connection.execute("UPDATE session_window SET lease_ms = %s WHERE id = %s", (until_ms, window))
    return window is not None


async def release(connection: Connection, stretch: Stretch, retry_at: datetime | None, reason: str) -> None:
    """See ``Extractions.release``; the caller holds the transaction."""
    window = await _held(connection, stretch)
    if retry_at is None:
        await connection.execute("UPDATE session_window SET lease_ms = 0, ended = false WHERE id = %s", (window,))
    else:
        await connection.execute(
            "UPDATE session_window SET lease_ms = 0, attempts = attempts + 1, retry_at = %s, reason = %s WHERE id = %s",
            (to_text(retry_at), reason, window),
        )


async def finish(
    connection: Connection,
    stretch: Stretch,
    facts: Sequence[ExtractedFact],
    prepared: Sequence[PreparedEntry | SeenAgain],
    at: datetime,
    keep_tokens: int,
) -> list[str] | None:
    """See ``Extractions.finish``; ``prepared`` are the facts' new entries. The caller holds the transaction."""
    # The scope before its window, as a forget takes them.
    await lock_scopes(connection, [stretch.session.scope])
    window = await _held(connection, stretch)
    if window is None:
        return None
    sources = await _sources(connection, window)
    whole = [fact for fact in facts if all(key in sources for key in fact.evidence)]
    ids = {fact.entry_id for fact in whole}
    changes = [change for change in prepared if isinstance(change, PreparedEntry) and change.change.entry.id in ids]
    added = await apply(connection, changes, at, ())
    await _keep_facts(connection, stretch, whole, sources)
    await connection.execute(
        "UPDATE session_window SET extracted_to = greatest(extracted_to, %(upto)s), "
        "ended = ended AND last_number > %(upto)s, lease_ms = 0, attempts = 0, retry_at = NULL, reason = '', "
        "extracted_at = %(at)s WHERE id = %(window)s",
        {"upto": stretch.upto, "at": to_text(at), "window": window},
    )
    await trim(connection, window, keep_tokens)
    await recount(connection, [window])
    return added


async def _held(connection: Connection, stretch: Stretch) -> int | None:
    """Return the window's number while nobody else has claimed or finished it since; held until the end."""
    scope = stretch.session.scope
    found = await connection.execute(
        "SELECT id FROM session_window WHERE agent = %s AND anchor = %s AND session = %s "
        "AND claim = %s AND lease_ms > 0 FOR UPDATE",
        (scope.agent, scope.anchor, stretch.session.key, stretch.claim),
    )
    row = await found.fetchone()
    return None if row is None else int(row[0])


async def _sources(connection: Connection, window: int) -> dict[str, str]:
    """Return the id (or key) of every message of a window, by its key."""
    rows = await connection.execute("SELECT key, message_id FROM window_message WHERE window_id = %s", (window,))
    return {key: message_id or key for key, message_id in await rows.fetchall()}


async def _keep_facts(
    connection: Connection, stretch: Stretch, facts: Sequence[ExtractedFact], sources: Mapping[str, str]
) -> None:
    """Keep what says each fact; a fact whose entry was not written after all has nothing to say."""
    scope = stretch.session.scope
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO session_fact (entry_id, topic, title, agent, anchor, extraction, evidence, sources) "
            "SELECT id, %s, %s, %s, %s, %s, %s::text[], %s::text[] FROM entry WHERE state <> 'forgotten' AND id = %s "
            "ON CONFLICT (tenant, entry_id, topic) DO NOTHING",
            [
                (
                    normalised(fact.topic),
                    fact.topic,
                    scope.agent,
                    scope.anchor,
                    str(stretch.claim),
                    list(fact.evidence),
                    [sources[key] for key in fact.evidence],
                    fact.entry_id,
                )
                for fact in facts
            ],
        )
