"""Who extracts what of a session: leases, and the one transaction that ends an extraction."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import from_text, to_text, unix_ms
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.journal_apply import PackedEntry, apply
from tercet.adapters.sqlite.session_windows_rows import messages_of, number_of_window, recount, trim
from tercet.ports.windows import Stretch
from tercet.text.same_text import normalised

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.ports.capture import SeenAgain
    from tercet.ports.windows import ExtractedFact, Session


def claim(
    connection: sqlite3.Connection,
    session: Session,
    now: datetime,
    lease_s: float,
    most_tokens: int,
    force: bool,  # noqa: FBT001 - the port's keyword, handed through
) -> Stretch | None:
    """See ``Extractions.claim``; the caller holds the transaction."""
    window = number_of_window(connection, session)
    if window is None:
        return None
    row = connection.execute(
        "SELECT claim, lease_ms, attempts, retry_at, extracted_to, last_number FROM session_window WHERE id = ?",
        (window,),
    ).fetchone()
    number, lease_ms, attempts, retry_at, extracted_to, last = row
    if lease_ms > unix_ms(now) or (retry_at is not None and from_text(retry_at) > now and not force):
        return None
    upto = _end_of_stretch(connection, window, extracted_to, most_tokens)
    messages = messages_of(connection, window, extracted_to + 1, upto)
    if not messages:
        return None
    connection.execute(
        "UPDATE session_window SET claim = claim + 1, lease_ms = ? WHERE id = ?",
        (unix_ms(now + timedelta(seconds=lease_s)), window),
    )
    return Stretch(session, number + 1, tuple(messages), upto, attempts, is_last=upto >= last)


def _end_of_stretch(connection: sqlite3.Connection, window: int, extracted_to: int, most_tokens: int) -> int:
    """Return the number of the last message that a stretch holds: the next would be too much for it."""
    (too_far,) = connection.execute(
        "SELECT min(number) FROM (SELECT number, sum(tokens) OVER (ORDER BY number) AS together, "
        "row_number() OVER (ORDER BY number) AS place FROM window_message "
        "WHERE window_id = ? AND role <> 'tool' AND number > ?) WHERE together > ? AND place > 1",
        (window, extracted_to, most_tokens),
    ).fetchone()
    if too_far is not None:
        return int(too_far) - 1
    (last,) = connection.execute("SELECT last_number FROM session_window WHERE id = ?", (window,)).fetchone()
    return int(last)


def renew(connection: sqlite3.Connection, stretch: Stretch, now: datetime, lease_s: float) -> bool:
    """See ``Extractions.renew``; the caller holds the transaction."""
    window = _held(connection, stretch)
    connection.execute(
        "UPDATE session_window SET lease_ms = ? WHERE id = ?", (unix_ms(now + timedelta(seconds=lease_s)), window)
    )
    return window is not None


def release(connection: sqlite3.Connection, stretch: Stretch, retry_at: datetime | None, reason: str) -> None:
    """See ``Extractions.release``; the caller holds the transaction."""
    window = _held(connection, stretch)
    if retry_at is None:
        connection.execute("UPDATE session_window SET lease_ms = 0, ended = 0 WHERE id = ?", (window,))
    else:
        connection.execute(
            "UPDATE session_window SET lease_ms = 0, attempts = attempts + 1, retry_at = ?, reason = ? WHERE id = ?",
            (to_text(retry_at), reason, window),
        )


def finish(
    connection: sqlite3.Connection,
    stretch: Stretch,
    facts: tuple[ExtractedFact, ...],
    packed: Sequence[PackedEntry | SeenAgain],
    at: datetime,
    keep_tokens: int,
) -> list[str] | None:
    """See ``Extractions.finish``; ``packed`` are the facts' new entries. The caller holds the transaction."""
    window = _held(connection, stretch)
    if window is None:
        return None
    sources = _sources(connection, window)
    whole = [fact for fact in facts if all(key in sources for key in fact.evidence)]
    ids = {fact.entry_id for fact in whole}
    changes = [change for change in packed if isinstance(change, PackedEntry) and change.change.entry.id in ids]
    added = apply(connection, changes, at, ())
    _keep_facts(connection, f"{window}.{stretch.claim}", stretch, whole, sources)
    connection.execute(
        "UPDATE session_window SET extracted_to = max(extracted_to, ?1), ended = iif(?1 >= last_number, 0, ended), "
        "lease_ms = 0, attempts = 0, retry_at = NULL, reason = '', extracted_at = ?2 WHERE id = ?3",
        (stretch.upto, to_text(at), window),
    )
    trim(connection, window, keep_tokens)
    recount(connection, window)
    return added


def _held(connection: sqlite3.Connection, stretch: Stretch) -> int | None:
    """Return the window's number while nobody else has claimed or finished it since."""
    window = number_of_window(connection, stretch.session)
    row = connection.execute(
        "SELECT id FROM session_window WHERE id = ? AND claim = ? AND lease_ms > 0", (window, stretch.claim)
    ).fetchone()
    return None if row is None else window


def _sources(connection: sqlite3.Connection, window: int) -> dict[str, str]:
    """Return the id (or key) of every message of a window, by its key."""
    rows = connection.execute("SELECT key, message_id FROM window_message WHERE window_id = ?", (window,))
    return {key: message_id or key for key, message_id in rows}


def _keep_facts(
    connection: sqlite3.Connection,
    extraction: str,
    stretch: Stretch,
    facts: Sequence[ExtractedFact],
    sources: dict[str, str],
) -> None:
    """Keep what says each fact; a fact whose entry was not written after all has nothing to say."""
    known = {
        entry_id
        for (entry_id,) in connection.execute(
            "SELECT id FROM entry WHERE state <> 'forgotten' AND id IN (SELECT value FROM json_each(?))",
            (as_list(fact.entry_id for fact in facts),),
        )
    }
    scope = stretch.session.scope
    connection.executemany(
        "INSERT INTO session_fact (entry_id, topic, title, scope_id, extraction, evidence, sources) "
        "SELECT ?, ?, ?, id, ?, ?, ? FROM scope WHERE agent = ? AND anchor = ? ON CONFLICT DO NOTHING",
        [
            (
                fact.entry_id,
                normalised(fact.topic),
                fact.topic,
                extraction,
                json.dumps(fact.evidence),
                json.dumps([sources[key] for key in fact.evidence]),
                scope.agent,
                scope.anchor,
            )
            for fact in facts
            if fact.entry_id in known
        ],
    )
