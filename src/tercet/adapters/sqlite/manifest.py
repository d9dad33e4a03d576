"""Which folders and files are indexed, which passages they gave, and the counts over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.file_commit import bump_version, commit, prepare, require_root
from tercet.adapters.sqlite.term_counts import forget_counts, scope_number, unpack_terms
from tercet.errors import InvalidInputError
from tercet.model import Scope
from tercet.ports.ledger import FileRecord, PassageRecord, PassageState, RootRecord

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from tercet.adapters.sqlite.connection import Database


class SqliteManifest:
    """Folders, files and passages in the ledger file; see ``tercet.ports.ledger.Manifest``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, tuple[int, dict[str, FileRecord]]] = {}
        """Each root's files as of a version of the manifest: every search asks for them."""

    async def roots(self, agent: str | None) -> list[RootRecord]:
        """Return the indexed folders of an agent, or with None of all, by label."""
        return await self._database.read(_roots, agent)

    async def add_root(self, root: RootRecord) -> None:
        """Remember a folder; the same again is no error.

        Raises:
            InvalidInputError: the label belongs to another folder or scope (permanent).
        """
        await self._database.write(_add_root, root)

    async def remove_root(self, label: str) -> None:
        """Forget a folder, and what was announced of it; an unknown label is no error.

        Raises:
            InvalidInputError: files of it are still recorded: commit their removal first (permanent).
        """
        await self._database.write(_remove_root, label)

    async def files(self, root: str) -> dict[str, FileRecord]:
        """Return the finished files of a root by path: not those announced and not committed."""
        version, files = await self._database.read(_files, root, self._known.get(root))
        self._known[root] = (version, files)
        return dict(files)

    async def passages(self, root: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return passage ids by path, in line order, of unfinished files too; paths without any are absent."""
        return await self._database.read(_passages, root, tuple(paths))

    async def paths_with(self, root: str, terms: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return which of these terms the passages of each file hold; files with none are absent."""
        return await self._database.read(_paths_with, root, frozenset(terms)) if terms else {}

    async def announce(self, root: str, paths: Sequence[str]) -> None:
        """Note durably that these files are about to change in the engine.

        Raises:
            NotFoundError: no such root (permanent).
        """
        if paths:
            await self._database.write(_announce, root, tuple(paths))

    async def unfinished(self, root: str) -> list[str]:
        """Return the paths announced and never committed, sorted."""
        return await self._database.read(_unfinished, root)

    async def commit_files(
        self,
        scope: Scope,
        written: Mapping[str, tuple[FileRecord, Sequence[PassageRecord]]],
        removed: Sequence[str],
        root: str,
    ) -> None:
        """Record files as finished, in one transaction with the term statistics.

        Term counts of the files' former passages are taken back in the scope they were counted in,
        those of the new ones are added to ``scope``. A path removed and written is written.

        Raises:
            InvalidInputError: a passage id is there already or twice, or a record names another
                root or path; nothing is changed (permanent).
            NotFoundError: no such root (permanent).
        """
        # Packing is most of the work; another writer need not wait for it.
        prepared = await self._database.aside(prepare, root, written)
        await self._database.write(commit, root, scope, prepared, tuple(removed))

    async def touch_files(self, files: Sequence[FileRecord]) -> None:
        """Renew the records of files whose bytes turned out unchanged; one that is gone stays gone."""
        if files:
            await self._database.write(_touch, tuple(files))

    async def mark_embedded(self, ids: Iterable[str]) -> None:
        """Note that these passages now have their vector; unknown ids are no error."""
        await self._database.write(_mark_embedded, [(passage_id,) for passage_id in ids])

    async def waiting(self, limit: int) -> list[str]:
        """Return ids of passages that still wait for a vector, in id order."""
        return await self._database.read(_waiting, limit)

    async def counts(self, root: str) -> tuple[int, int, int]:
        """Return (files, passages, passages that wait for a vector) of a root, unfinished files too."""
        return await self._database.read(_counts, root)

    async def passage_states(self, root: str, path: str) -> list[PassageState]:
        """Return the passages of one file in line order, of an unfinished one too; none for an unknown file."""
        return await self._database.read(_passage_states, root, path)

    async def file_counts(self, root: str) -> dict[str, tuple[int, int]]:
        """Return (passages, passages that wait for a vector) by path; files without passages are absent."""
        return await self._database.read(_file_counts, root)

    async def passage_count(self) -> int:
        """Return how many passages are recorded over all roots; reads one number a scope."""
        return await self._database.read(_passage_count)

    async def reset(self) -> None:
        """Forget every file, passage, announcement and count, keeping the roots: for a rebuild."""
        await self._database.write(_reset)


def _roots(connection: sqlite3.Connection, agent: str | None) -> list[RootRecord]:
    rows = connection.execute(
        "SELECT label, directory, agent, anchor FROM root JOIN scope ON scope.id = scope_id "
        "WHERE agent = coalesce(?, agent) ORDER BY label",
        (agent,),
    )
    return [RootRecord(label, directory, Scope(owner, anchor)) for label, directory, owner, anchor in rows]


def _add_root(connection: sqlite3.Connection, root: RootRecord) -> None:
    held = connection.execute(
        "SELECT directory, agent, anchor FROM root JOIN scope ON scope.id = scope_id WHERE label = ?", (root.label,)
    ).fetchone()
    if held == (root.directory, root.scope.agent, root.scope.anchor):
        return
    if held is not None:
        directory, agent, anchor = held
        msg = (
            f"The label {root.label!r} belongs to {directory} (agent {agent!r}, anchor {anchor!r}): "
            "choose another label, or remove that folder first."
        )
        raise InvalidInputError(msg)
    connection.execute(
        "INSERT INTO root VALUES (?, ?, ?)", (root.label, root.directory, scope_number(connection, root.scope))
    )


def _remove_root(connection: sqlite3.Connection, label: str) -> None:
    (files,) = connection.execute("SELECT count(*) FROM file WHERE root = ?", (label,)).fetchone()
    if files:
        msg = f"The folder {label!r} still has {files} recorded files: remove them first."
        raise InvalidInputError(msg)
    connection.execute("DELETE FROM root WHERE label = ?", (label,))
    bump_version(connection)


def _files(
    connection: sqlite3.Connection, root: str, known: tuple[int, dict[str, FileRecord]] | None
) -> tuple[int, dict[str, FileRecord]]:
    version: int
    (version,) = connection.execute("SELECT number FROM manifest_version").fetchone()
    if known is not None and known[0] == version:
        return known
    rows = connection.execute(
        "SELECT root, path, size, mtime_ns, sha256, indexed_at_ns, warning FROM file WHERE root = ? "
        "AND path NOT IN (SELECT path FROM announced WHERE root = ?) ORDER BY path",
        (root, root),
    )
    return version, {row[1]: FileRecord(*row) for row in rows}


def _passages(connection: sqlite3.Connection, root: str, paths: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, passage_id in connection.execute(
        "SELECT path, passage.id FROM file JOIN passage ON file_id = file.id "
        "WHERE root = ? AND path IN (SELECT value FROM json_each(?)) ORDER BY file_id, ordinal",
        (root, as_list(paths)),
    ):
        found.setdefault(path, []).append(passage_id)
    return found


def _paths_with(connection: sqlite3.Connection, root: str, terms: frozenset[str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for path, packed in connection.execute(
        "SELECT path, terms FROM file JOIN passage ON file_id = file.id WHERE root = ?", (root,)
    ):
        if held := terms.intersection(unpack_terms(packed)):
            found[path] = found.get(path, frozenset()) | held
    return found


def _announce(connection: sqlite3.Connection, root: str, paths: tuple[str, ...]) -> None:
    require_root(connection, root)
    connection.executemany(
        "INSERT INTO announced VALUES (?, ?) ON CONFLICT DO NOTHING", [(root, path) for path in paths]
    )
    bump_version(connection)


def _unfinished(connection: sqlite3.Connection, root: str) -> list[str]:
    return [path for (path,) in connection.execute("SELECT path FROM announced WHERE root = ? ORDER BY path", (root,))]


def _touch(connection: sqlite3.Connection, files: tuple[FileRecord, ...]) -> None:
    connection.executemany(
        "UPDATE file SET size = ?, mtime_ns = ?, sha256 = ?, indexed_at_ns = ?, warning = ? "
        "WHERE root = ? AND path = ?",
        [
            (file.size, file.mtime_ns, file.sha256, file.indexed_at_ns, file.warning, file.root, file.path)
            for file in files
        ],
    )
    bump_version(connection)


def _mark_embedded(connection: sqlite3.Connection, ids: list[tuple[str]]) -> None:
    connection.executemany("UPDATE passage SET has_vector = 1 WHERE id = ? AND has_vector = 0", ids)


def _waiting(connection: sqlite3.Connection, limit: int) -> list[str]:
    rows = connection.execute("SELECT id FROM passage WHERE has_vector = 0 ORDER BY id LIMIT ?", (max(limit, 0),))
    return [passage_id for (passage_id,) in rows]


def _counts(connection: sqlite3.Connection, root: str) -> tuple[int, int, int]:
    (files,) = connection.execute("SELECT count(*) FROM file WHERE root = ?", (root,)).fetchone()
    passages, embedded = connection.execute(
        "SELECT count(*), coalesce(sum(has_vector), 0) FROM file JOIN passage ON file_id = file.id WHERE root = ?",
        (root,),
    ).fetchone()
    return files, passages, passages - embedded


def _passage_states(connection: sqlite3.Connection, root: str, path: str) -> list[PassageState]:
    rows = connection.execute(
        "SELECT passage.id, has_vector, length FROM file JOIN passage ON file_id = file.id "
        "WHERE root = ? AND path = ? ORDER BY ordinal",
        (root, path),
    )
    return [PassageState(passage_id, bool(has_vector), length) for passage_id, has_vector, length in rows]


def _file_counts(connection: sqlite3.Connection, root: str) -> dict[str, tuple[int, int]]:
    rows = connection.execute(
        "SELECT path, count(*), sum(has_vector = 0) FROM file JOIN passage ON file_id = file.id "
        "WHERE root = ? GROUP BY file_id",
        (root,),
    )
    return {path: (passages, waiting) for path, passages, waiting in rows}


def _passage_count(connection: sqlite3.Connection) -> int:
    count: int
    (count,) = connection.execute("SELECT coalesce(sum(documents - entries), 0) FROM scope").fetchone()
    return count


def _reset(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM passage")
    connection.execute("DELETE FROM file")
    connection.execute("DELETE FROM announced")
    forget_counts(connection)
    bump_version(connection)
