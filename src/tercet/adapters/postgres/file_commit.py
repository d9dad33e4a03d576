"""The one transaction that records files as finished: files, passages and counts move together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tercet.adapters.postgres.term_counts import CountDelta, distinct_terms
from tercet.errors import InvalidInputError, LedgerBusyError, NotFoundError, TercetError
from tercet.model import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.adapters.postgres.database import Connection
    from tercet.ports.ledger import FileRecord, PassageRecord


@dataclass(frozen=True, slots=True)
class _Passage:
    id: str
    path: str
    ordinal: int
    has_vector: bool
    length: int
    terms: list[str]
    """Distinct."""


@dataclass(frozen=True, slots=True)
class PreparedFiles:
    """Files ready to be written, with what they add to the counts of their scope."""

    files: tuple[FileRecord, ...]
    """By path: two that write the same files come to them in the same order."""
    passages: tuple[_Passage, ...]
    """By id, for the same reason."""
    length: int
    terms: Mapping[str, int]
    """How many of the passages hold each term."""


def prepare(root: str, written: Mapping[str, tuple[FileRecord, Sequence[PassageRecord]]]) -> PreparedFiles:
    """Check and order files, without a database.

    Raises:
        InvalidInputError: a passage id is there twice, or a record names another root or path.
    """
    passages: dict[str, _Passage] = {}
    for path, (record, given) in written.items():
        if (record.root, record.path) != (root, path):
            msg = f"The record of {root}:{path} names {record.root}:{record.path}: nothing was recorded."
            raise InvalidInputError(msg)
        for ordinal, each in enumerate(given):
            if each.id in passages:
                raise _twice(each.id, f"{root}:{passages[each.id].path}", f"{root}:{path}")
            terms = distinct_terms(each.terms)
            passages[each.id] = _Passage(each.id, path, ordinal, each.has_vector, len(each.terms), terms)
    return PreparedFiles(
        files=tuple(written[path][0] for path in sorted(written)),
        passages=tuple(passages[passage_id] for passage_id in sorted(passages)),
        length=sum(passage.length for passage in passages.values()),
        terms=Counter(chain.from_iterable(passage.terms for passage in passages.values())),
    )


async def commit(
    connection: Connection, root: str, scope: Scope, prepared: PreparedFiles, removed: Sequence[str]
) -> None:
    """Replace the files' former state by the prepared one, within the caller's transaction.

    Another that writes any of the files waits: whoever comes second takes back what the first counted.

    Raises:
        InvalidInputError: a passage id belongs to another file (permanent).
        NotFoundError: no such root (permanent).
        LedgerBusyError: a passage id belonged to another file a moment ago (transient).
    """
    await require_root(connection, root)
    paths = list(dict.fromkeys(chain((record.path for record in prepared.files), removed)))
    gone = set(removed).difference(record.path for record in prepared.files)
    await announce(connection, root, paths)
    await _write_files(connection, prepared.files)
    delta = CountDelta()
    former = await _take_out(connection, root, paths, delta)
    await connection.execute("DELETE FROM file WHERE root = %s AND path = ANY(%s::text[])", (root, list(gone)))
    await _write_passages(connection, root, scope, prepared.passages)
    delta.add(scope, len(prepared.passages), prepared.length, prepared.terms)
    await delta.apply(connection)
    await connection.execute("DELETE FROM announced WHERE root = %s AND path = ANY(%s::text[])", (root, paths))
    await bump_version(connection, root, passages=len(prepared.passages) - former)


async def require_root(connection: Connection, root: str) -> None:
    """Raise NotFoundError unless a folder has this label; it stays until the transaction ends."""
    found = await connection.execute("SELECT FROM root WHERE label = %s FOR KEY SHARE", (root,))
    if not found.rowcount:
        msg = f"No indexed folder is called {root!r}: add it first."
        raise NotFoundError(msg)


async def announce(connection: Connection, root: str, paths: Sequence[str]) -> None:
    """Note that files are about to change, and hold them until the transaction ends.

    Another that announces or records one of them waits: an announcement that falls into a commit
    outlives it. Those that come with several files come to them in the same order.
    """
    await connection.execute(
        "INSERT INTO announced (root, path) SELECT %s, path FROM unnest(%s::text[]) AS path ORDER BY path "
        "ON CONFLICT (tenant, root, path) DO UPDATE SET path = excluded.path",
        (root, list(set(paths))),
    )


async def bump_version(connection: Connection, root: str, *, passages: int = 0) -> None:
    """Note that the files of a root changed, and how many more passages they have."""
    await connection.execute(
        "UPDATE root SET version = nextval('manifest_version'), passages = passages + %s WHERE label = %s",
        (passages, root),
    )


async def _write_files(connection: Connection, files: Sequence[FileRecord]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO file (root, path, size, mtime_ns, sha256, indexed_at_ns, warning) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (tenant, root, path) DO UPDATE SET size = excluded.size, "
            "mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256, indexed_at_ns = excluded.indexed_at_ns, "
            "warning = excluded.warning",
            [
                (each.root, each.path, each.size, each.mtime_ns, each.sha256, each.indexed_at_ns, each.warning)
                for each in files
            ],
        )


async def _take_out(connection: Connection, root: str, paths: list[str], delta: CountDelta) -> int:
    """Delete the passages that these files, which are held, had, and return how many they were."""
    found = await connection.execute(
        "DELETE FROM passage WHERE root = %s AND path = ANY(%s::text[]) RETURNING agent, anchor, length, terms",
        (root, paths),
    )
    rows = await found.fetchall()
    for agent, anchor, length, terms in rows:
        delta.take_back(Scope(agent, anchor), length, terms)
    return len(rows)


async def _write_passages(connection: Connection, root: str, scope: Scope, passages: Sequence[_Passage]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO passage (id, root, path, ordinal, has_vector, agent, anchor, length, terms) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s::text[]) ON CONFLICT (tenant, id) DO NOTHING",
            [
                (p.id, root, p.path, p.ordinal, p.has_vector, scope.agent, scope.anchor, p.length, p.terms)
                for p in passages
            ],
        )
        if passages and cursor.rowcount < len(passages):
            raise await _held_elsewhere(connection, root, passages)


async def _held_elsewhere(connection: Connection, root: str, passages: Sequence[_Passage]) -> TercetError:
    """Return the error for passages that were not written since another file has, or had, their ids."""
    found = await connection.execute(
        "SELECT id, root, path FROM passage WHERE id = ANY(%s::text[]) ORDER BY id", ([p.id for p in passages],)
    )
    path_of = {p.id: p.path for p in passages}
    for passage_id, other_root, other_path in await found.fetchall():
        if (other_root, other_path) != (root, path_of[passage_id]):
            return _twice(passage_id, f"{other_root}:{other_path}", f"{root}:{path_of[passage_id]}")
    return LedgerBusyError(f"Another process moved passages into and out of {root!r} meanwhile: try again.")


def _twice(passage_id: str, first: str, second: str) -> InvalidInputError:
    return InvalidInputError(
        f"The passage id {passage_id!r} comes from {first} and from {second}: ids must be unique; nothing was recorded."
    )
