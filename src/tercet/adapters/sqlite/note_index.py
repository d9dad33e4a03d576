"""The full-text index of one agent's vault, in an SQLite file of its own with FTS5."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound
from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, TypeVar

from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.sqlite.connection import Database, as_list
from tercet.adapters.sqlite.fault import DamagedFileError
from tercet.adapters.sqlite.named_values import read_value, write_value
from tercet.adapters.sqlite.note_index_format import RANK, TABLE_NAMES, TABLES, any_of, note_index_format, within
from tercet.adapters.sqlite.note_index_rows import note_from, put, take_out
from tercet.ports.note_index import NOTE_FIELDS, FileState, NoteCandidate, NoteStatistics

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tercet.model import Note, Reach
    from tercet.ports.note_index import IndexedNote, NoteFilter

T = TypeVar("T")

DEFAULT_BUSY_TIMEOUT_S = 10.0
_RECIPE = "recipe"


class SqliteNoteIndex:
    """A ``NoteIndex`` over ``wiki-<agent>.sqlite``.

    Any number of processes may have it open. A file that cannot be read is thrown away when it is
    opened; damage that shows later is the caller's to ``discard``.
    """

    def __init__(self, directory: Path, agent: str, *, busy_timeout_s: float = DEFAULT_BUSY_TIMEOUT_S) -> None:
        """Name the file; nothing is opened yet.

        Args:
            directory: Where it lies, made when it is missing.
            agent: A checked agent id.
            busy_timeout_s: Seconds a write waits for another process, > 0.
        """
        self._agent = agent
        self._format = note_index_format(agent)
        self._path = directory / self._format.file_name
        self._database = Database(directory, self._format, durable=False, busy_timeout_s=busy_timeout_s, readers=2)
        self._recipe = ""
        self._files: tuple[int, dict[str, FileState]] | None = None

    async def open(self, recipe: str) -> None:
        """Make or open the file; one made by another recipe begins empty.

        Raises:
            StoreFormatError: another program's database lies there; it is left as it is (permanent).
            ConfigurationError: the place may not be written (permanent).
            LedgerBusyError: another process holds it too long (transient).
        """
        self._recipe = recipe
        try:
            await self._database.open()
            await self._database.write(_keep_recipe, recipe)
        except DamagedFileError:
            # Trigger: the file cannot be read. Why: it holds nothing that is not in the notes.
            # Outcome: an empty index, filled by the next search.
            await self.discard()

    async def discard(self) -> None:
        """Throw the file away and begin an empty one."""
        self._files = None
        await self._database.start_anew()
        await self._database.drop_set_aside()
        await self._database.write(_keep_recipe, self._recipe)

    async def files(self) -> Mapping[str, FileState]:
        """Return the state of every indexed file by path."""
        known = self._files
        version, files = await self._database.read(_files, known[0] if known else None)
        if files is None:
            return known[1] if known else {}
        self._files = version, files
        return files

    async def apply(self, changed: Sequence[IndexedNote], gone: Sequence[str] = ()) -> None:
        """Put notes in place of older ones of the same path, and take paths out, in one step."""
        await self._database.write(_apply, tuple(changed), tuple(gone))

    async def touch(self, states: Mapping[str, FileState]) -> None:
        """Record that files were looked at and hold what is indexed of them."""
        await self._database.write(_touch, dict(states))

    async def statistics(self, terms: Sequence[str], reach: Reach) -> NoteStatistics:
        """Return the counts of the reach."""
        return await self._database.read(_statistics, tuple(terms), self._anchors(reach))

    async def candidates(self, terms: Sequence[str], where: NoteFilter, limit: int) -> list[NoteCandidate]:
        """Return the notes that hold any of the terms, at most ``limit``, best first by FTS5's own weighing."""
        if not terms:
            return []
        return await self._database.read(_candidates, tuple(terms), where, self._anchors(where.reach), limit)

    async def keyed(self, keys: Sequence[str], reach: Reach) -> dict[str, list[str]]:
        """Return the paths of the notes in reach that have each key."""
        return await self._database.read(_keyed, tuple(keys), self._anchors(reach))

    async def notes(self, paths: Sequence[str] | None = None) -> list[Note]:
        """Return notes by path, all with None, each without its body."""
        return await self._database.read(_notes, self._agent, paths)

    async def texts(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the files' texts as indexed."""
        return await self._database.read(_texts, tuple(paths))

    async def size_bytes(self) -> int:
        """Return what the file and its write-ahead log take."""
        return await asyncio.to_thread(self._size)

    async def close(self) -> None:
        """Let running calls end and close the file; may be called twice."""
        await self._database.close()

    def _anchors(self, reach: Reach) -> tuple[str, ...]:
        return reach.anchors if reach.agent == self._agent else ()

    def _size(self) -> int:
        places = (self._path.with_name(self._path.name + end) for end in ("", "-wal", "-shm"))
        return sum(place.stat().st_size for place in places if place.exists())


def _keep_recipe(connection: sqlite3.Connection, recipe: str) -> None:
    if read_value(connection, _RECIPE) == recipe:
        return
    for name in TABLE_NAMES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in TABLES:
        connection.execute(statement)
    write_value(connection, _RECIPE, recipe)


def _files(connection: sqlite3.Connection, known: int | None) -> tuple[int, dict[str, FileState] | None]:
    (version,) = connection.execute("SELECT number FROM index_version").fetchone()
    if version == known:
        return version, None
    rows = connection.execute("SELECT path, size, mtime_ns, sha256, indexed_at_ns FROM note")
    return version, {path: FileState(*state) for path, *state in rows}


def _apply(connection: sqlite3.Connection, changed: tuple[IndexedNote, ...], gone: tuple[str, ...]) -> None:
    for path in (*gone, *(indexed.note.path for indexed in changed)):
        take_out(connection, path)
    for indexed in changed:
        put(connection, indexed)
    _advance(connection)


def _touch(connection: sqlite3.Connection, states: dict[str, FileState]) -> None:
    connection.executemany(
        "UPDATE note SET size = ?, mtime_ns = ?, indexed_at_ns = ? WHERE path = ? AND sha256 = ?",
        [(s.size, s.mtime_ns, s.indexed_at_ns, path, s.sha256) for path, s in states.items()],
    )
    _advance(connection)


def _advance(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE index_version SET number = number + 1")


def _statistics(connection: sqlite3.Connection, terms: tuple[str, ...], anchors: tuple[str, ...]) -> NoteStatistics:
    sums = ", ".join(f"sum({field}_length)" for field in NOTE_FIELDS)
    per_anchor = connection.execute(f"SELECT anchor, count(*), {sums} FROM note GROUP BY anchor").fetchall()
    seen = [row for row in per_anchor if row[0] in anchors]
    if not seen:
        return NoteStatistics(0, (0,) * len(NOTE_FIELDS), {})
    is_everything = len(seen) == len(per_anchor)
    frequency = {term: _frequency(connection, term, None if is_everything else anchors) for term in terms}
    documents, *lengths = (sum(column) for column in list(zip(*seen, strict=True))[1:])
    return NoteStatistics(documents, tuple(lengths), frequency)


def _frequency(connection: sqlite3.Connection, term: str, anchors: tuple[str, ...] | None) -> int:
    """Return how many notes hold a term; with None those of every anchor, which needs no match."""
    if anchors is None:
        found = connection.execute("SELECT doc FROM note_vocabulary WHERE term = ?", (term,)).fetchone()
    else:
        matching = "SELECT count(*) FROM note_terms WHERE note_terms MATCH ?"
        found = connection.execute(matching, (within(anchors, any_of([term])),)).fetchone()
    return int(found[0]) if found else 0


def _candidates(
    connection: sqlite3.Connection, terms: tuple[str, ...], where: NoteFilter, anchors: tuple[str, ...], limit: int
) -> list[NoteCandidate]:
    if not anchors:
        return []
    conditions, values = _conditions(where)
    picked = connection.execute(
        f"SELECT note_terms.rowid FROM note_terms {conditions} ORDER BY {RANK}, note_terms.rowid LIMIT ?",
        (within(anchors, any_of(terms)), *values, limit),
    ).fetchall()
    numbers = [number for (number,) in picked]
    columns = ", ".join((*NOTE_FIELDS, *(f"{field}_length" for field in NOTE_FIELDS)))
    rows = connection.execute(
        f"SELECT note.number, path, names, dispute, {columns} "
        "FROM note JOIN note_terms ON note_terms.rowid = note.number "
        "WHERE note.number IN (SELECT value FROM json_each(?))",
        (json.dumps(numbers),),
    )
    by_number = {number: _candidate(terms, *row) for number, *row in rows}
    return [by_number[number] for number in numbers]


def _conditions(where: NoteFilter) -> tuple[str, list[str | int]]:
    """Return join and conditions; the note's row is looked at only where the filter asks for it."""
    conditions, values = ["note_terms MATCH ?"], list[str | int]()
    if where.types:
        conditions.append("note.type IN (SELECT value FROM json_each(?))")
        values.append(as_list(where.types))
    wanted = where.time_range
    if wanted is not None:
        conditions.append("note.timestamp_ms IS NOT NULL")
        if wanted.start is not None:
            conditions.append("note.timestamp_ms >= ?")
            values.append(unix_ms(wanted.start))
        if wanted.end is not None:
            conditions.append("note.timestamp_ms < ?")
            values.append(unix_ms(wanted.end))
    join = "JOIN note ON note.number = note_terms.rowid " if len(conditions) > 1 else ""
    return f"{join}WHERE {' AND '.join(conditions)}", values


def _candidate(terms: tuple[str, ...], path: str, names: str, dispute: float, *columns: str | int) -> NoteCandidate:
    texts, lengths = columns[: len(NOTE_FIELDS)], columns[len(NOTE_FIELDS) :]
    padded = [f" {term} " for term in terms]
    counts = tuple(tuple(map(str(text).count, padded)) for text in texts)
    return NoteCandidate(path, tuple(json.loads(names)), dispute, counts, tuple(map(int, lengths)))


def _keyed(connection: sqlite3.Connection, keys: tuple[str, ...], anchors: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    rows = connection.execute(
        "SELECT key, path FROM note_key JOIN note USING (number) WHERE key IN (SELECT value FROM json_each(?)) "
        "AND anchor IN (SELECT value FROM json_each(?)) ORDER BY path",
        (as_list(keys), as_list(anchors)),
    )
    for key, path in rows:
        found.setdefault(key, []).append(path)
    return found


def _notes(connection: sqlite3.Connection, agent: str, paths: Sequence[str] | None) -> list[Note]:
    wanted = "" if paths is None else "WHERE path IN (SELECT value FROM json_each(?))"
    rows = connection.execute(
        f"SELECT anchor, path, fields FROM note JOIN note_content USING (number) {wanted} ORDER BY path",
        () if paths is None else (as_list(paths),),
    )
    return [note_from(agent, anchor, path, fields) for anchor, path, fields in rows]


def _texts(connection: sqlite3.Connection, paths: tuple[str, ...]) -> dict[str, str]:
    return dict(
        connection.execute(
            "SELECT path, text FROM note JOIN note_content USING (number) "
            "WHERE path IN (SELECT value FROM json_each(?))",
            (as_list(paths),),
        )
    )
