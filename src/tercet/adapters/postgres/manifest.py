"""Which folders and files are indexed, which passages they gave, and the counts over them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tercet.adapters.postgres.file_commit import announce, bump_version, commit, prepare, require_root
from tercet.adapters.postgres.term_counts import recount
from tercet.errors import InvalidInputError
from tercet.model import Scope
from tercet.ports.ledger import FileRecord, PassageRecord, PassageState, RootRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tercet.adapters.postgres.database import Connection, Database

_FILE = "root, path, size, mtime_ns, sha256, indexed_at_ns, warning"


class PostgresManifest:
    """Folders, files and passages in the shared database; see ``tercet.ports.ledger.Manifest``.

    Whoever records files takes rows in one order, files by path, then scopes, then terms, then the root:
    no two wait for each other. Those that change different files of one folder wait only at the end.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, tuple[int, dict[str, FileRecord]]] = {}
        """Each root's files as of a version of the root: every search asks for them."""

    async def roots(self, agent: str | None) -> list[RootRecord]:
        """Return the indexed folders of an agent, or with None of all, by label."""
        async with self._database.transaction("list folders") as connection:
            found = await connection.execute(
                "SELECT label, directory, agent, anchor FROM root WHERE agent = coalesce(%s, agent) ORDER BY label",
                (agent,),
            )
            rows = await found.fetchall()
        return [RootRecord(label, directory, Scope(owner, anchor)) for label, directory, owner, anchor in rows]

    async def add_root(self, root: RootRecord) -> None:
        """Remember a folder; the same again is no error.

        Raises:
            InvalidInputError: the label belongs to another folder or scope (permanent).
        """
        await self._database.run(lambda connection: _add_root(connection, root), "add a folder")

    async def remove_root(self, label: str) -> None:
        """Forget a folder, and what was announced of it; an unknown label is no error.

        Raises:
            InvalidInputError: files of it are still recorded: commit their removal first (permanent).
        """
        await self._database.run(lambda connection: _remove_root(connection, label), "remove a folder")

    async def files(self, root: str) -> dict[str, FileRecord]:
        """Return the finished files of a root by path: not those announced and not committed."""
        async with self._database.transaction("list files") as connection:
            known = await _files(connection, root, self._known.get(root))
        if known is None:
            return {}
        self._known[root] = known
        return dict(known[1])

    async def passages(self, root: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return passage ids by path, in line order, of unfinished files too; paths without any are absent."""
        async with self._database.transaction("list passages") as connection:
            found = await connection.execute(
                "SELECT path, array_agg(id ORDER BY ordinal) FROM passage "
                "WHERE root = %s AND path = ANY(%s::text[]) GROUP BY path",
                (root, list(paths)),
            )
            return dict(await found.fetchall())

    async def paths_with(self, root: str, terms: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return which of these terms the passages of each file hold; files with none are absent."""
        async with self._database.transaction("look for terms in files") as connection:
            found = await connection.execute(
                "SELECT path, array_agg(DISTINCT term) FROM passage, unnest(terms) AS term "
                "WHERE root = %(root)s AND terms && %(terms)s::text[] AND term = ANY(%(terms)s::text[]) GROUP BY path",
                {"root": root, "terms": list(set(terms))},
            )
            return {path: frozenset(held) for path, held in await found.fetchall()}

    async def announce(self, root: str, paths: Sequence[str]) -> None:
        """Note durably that these files are about to change in the engine.

        Raises:
            NotFoundError: no such root (permanent).
        """
        if paths:
            await self._database.run(lambda connection: _announce(connection, root, paths), "announce files")

    async def unfinished(self, root: str) -> list[str]:
        """Return the paths announced and never committed, sorted."""
        async with self._database.transaction("list unfinished files") as connection:
            found = await connection.execute("SELECT path FROM announced WHERE root = %s ORDER BY path", (root,))
            return [path for (path,) in await found.fetchall()]

    async def commit_files(
        self,
        scope: Scope,
        written: Mapping[str, tuple[FileRecord, Sequence[PassageRecord]]],
        removed: Sequence[str],
        root: str,
    ) -> None:
        """Record files as finished, in one transaction with the term statistics.

        Term counts of the files' former passages are taken back in the scope they were counted in,
        those of the new ones are added to ``scope``. A path removed and written is written. Of two
        processes that commit a file at once, the later one's passages stay, and are counted alone.

        Raises:
            InvalidInputError: a passage id is there already or twice, or a record names another
                root or path; nothing is changed (permanent).
            NotFoundError: no such root (permanent).
        """
        # Counting is most of the work here; other calls of this process need not wait for it.
        prepared = await asyncio.to_thread(prepare, root, written)
        await self._database.run(lambda connection: commit(connection, root, scope, prepared, removed), "record files")

    async def touch_files(self, files: Sequence[FileRecord]) -> None:
        """Renew the records of files whose bytes turned out unchanged; one that is gone stays gone."""
        if files:
            await self._database.run(lambda connection: _touch(connection, files), "renew records of files")

    async def mark_embedded(self, ids: Iterable[str]) -> None:
        """Note that these passages now have their vector; unknown ids are no error."""
        marked = list(ids)

        async def mark(connection: Connection) -> None:
            await connection.execute(
                "UPDATE passage SET has_vector = true WHERE id = ANY(%s::text[]) AND NOT has_vector", (marked,)
            )

        await self._database.run(mark, "note vectors")

    async def waiting(self, limit: int) -> list[str]:
        """Return ids of passages that still wait for a vector, in id order."""
        async with self._database.transaction("list passages without vectors") as connection:
            found = await connection.execute(
                "SELECT id FROM passage WHERE NOT has_vector ORDER BY id LIMIT %s", (max(limit, 0),)
            )
            return [passage_id for (passage_id,) in await found.fetchall()]

    async def counts(self, root: str) -> tuple[int, int, int]:
        """Return (files, passages, passages that wait for a vector) of a root, unfinished files too."""
        async with self._database.transaction("count files") as connection:
            found = await connection.execute(
                "SELECT (SELECT count(*) FROM file WHERE root = %(root)s), "
                "coalesce((SELECT passages FROM root WHERE label = %(root)s), 0), "
                "(SELECT count(*) FROM passage WHERE root = %(root)s AND NOT has_vector)",
                {"root": root},
            )
            files, passages, waiting = await found.fetchone() or (0, 0, 0)
        return files, passages, waiting

    async def passage_states(self, root: str, path: str) -> list[PassageState]:
        """Return the passages of one file in line order, of an unfinished one too; none for an unknown file."""
        async with self._database.transaction("list passages") as connection:
            found = await connection.execute(
                "SELECT id, has_vector, length FROM passage WHERE root = %s AND path = %s ORDER BY ordinal",
                (root, path),
            )
            return [PassageState(*row) for row in await found.fetchall()]

    async def file_counts(self, root: str) -> dict[str, tuple[int, int]]:
        """Return (passages, passages that wait for a vector) by path; files without passages are absent."""
        async with self._database.transaction("count passages") as connection:
            found = await connection.execute(
                "SELECT path, count(*), count(*) FILTER (WHERE NOT has_vector) FROM passage "
                "WHERE root = %s GROUP BY path",
                (root,),
            )
            return {path: (passages, waiting) for path, passages, waiting in await found.fetchall()}

    async def passage_count(self) -> int:
        """Return how many passages are recorded over all roots; reads one number a root."""
        async with self._database.transaction("count passages") as connection:
            found = await connection.execute("SELECT coalesce(sum(passages), 0)::bigint FROM root")
            count: int
            (count,) = await found.fetchone() or (0,)
        return count

    async def reset(self) -> None:
        """Forget every file, passage, announcement and count, keeping the roots: for a rebuild."""
        await self._database.run(_reset, "forget every file")


async def _add_root(connection: Connection, root: RootRecord) -> None:
    mine = (root.directory, root.scope.agent, root.scope.anchor)
    await connection.execute(
        "INSERT INTO root (label, directory, agent, anchor) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (tenant, label) DO NOTHING",
        (root.label, *mine),
    )
    found = await connection.execute("SELECT directory, agent, anchor FROM root WHERE label = %s", (root.label,))
    held = await found.fetchone()
    if held is not None and held != mine:
        directory, agent, anchor = held
        msg = (
            f"The label {root.label!r} belongs to {directory} (agent {agent!r}, anchor {anchor!r}): "
            "choose another label, or remove that folder first."
        )
        raise InvalidInputError(msg)


async def _remove_root(connection: Connection, label: str) -> None:
    # Held first: nobody else records files of it between the look and the removal.
    await connection.execute("SELECT FROM root WHERE label = %s FOR UPDATE", (label,))
    found = await connection.execute("SELECT count(*) FROM file WHERE root = %s", (label,))
    (files,) = await found.fetchone() or (0,)
    if files:
        msg = f"The folder {label!r} still has {files} recorded files: remove them first."
        raise InvalidInputError(msg)
    await connection.execute("DELETE FROM root WHERE label = %s", (label,))


async def _files(
    connection: Connection, root: str, known: tuple[int, dict[str, FileRecord]] | None
) -> tuple[int, dict[str, FileRecord]] | None:
    # The version first: a change between the two statements is read, and read again at the next call.
    found = await connection.execute("SELECT version FROM root WHERE label = %s", (root,))
    row = await found.fetchone()
    if row is None:
        return None
    if known is not None and known[0] == row[0]:
        return known
    files = await connection.execute(
        f"SELECT {_FILE} FROM file WHERE root = %(root)s "  # noqa: S608 - a constant of this module
        "AND path NOT IN (SELECT path FROM announced WHERE root = %(root)s) ORDER BY path",
        {"root": root},
    )
    return row[0], {each[1]: FileRecord(*each) for each in await files.fetchall()}


async def _announce(connection: Connection, root: str, paths: Sequence[str]) -> None:
    await require_root(connection, root)
    await announce(connection, root, paths)
    await bump_version(connection, root)


async def _touch(connection: Connection, files: Sequence[FileRecord]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "UPDATE file SET size = %s, mtime_ns = %s, sha256 = %s, indexed_at_ns = %s, warning = %s "
            "WHERE root = %s AND path = %s",
            [
                (each.size, each.mtime_ns, each.sha256, each.indexed_at_ns, each.warning, each.root, each.path)
                for each in sorted(files, key=lambda each: (each.root, each.path))
            ],
        )
    for root in sorted({each.root for each in files}):
        await bump_version(connection, root)


async def _reset(connection: Connection) -> None:
    # Whoever records files holds their root until it is done.
    await connection.execute("SELECT FROM root ORDER BY label FOR UPDATE")
    await connection.execute("DELETE FROM passage")
    await connection.execute("DELETE FROM file")
    await connection.execute("DELETE FROM announced")
    await recount(connection)
    await connection.execute("UPDATE root SET version = nextval('manifest_version'), passages = 0")
