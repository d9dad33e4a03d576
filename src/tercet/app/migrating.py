"""Carries a whole home from one store to another, and compares both sides before it says that it is done."""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from tercet.app.providers import make_embedder
from tercet.app.stores import Databases, Stores, ledger_url, open_stores
from tercet.errors import ConfigurationError, InvalidInputError, StoreFormatError
from tercet.filters import Filter
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.resting_embedder import RestingEmbedder
from tercet.model import Reach
from tercet.ports.portable import PORTABLE_TABLES
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence

    from tercet.config import LoadedSettings
    from tercet.model import Row
    from tercet.ports import Engine, WriterLock
    from tercet.ports.portable import PortableLedger, PortableTable, Record
    from tercet.settings import Settings

MARK: Final = "migration.from"
"""Named value of a target that is not whole yet: the source it is filled from."""
ROWS_MARK: Final = "migration.rows"
"""Where rows alone move: the target they are on their way to."""
RECORDS_AT_ONCE: Final = 1000
ROWS_AT_ONCE: Final = 500
LOCK_WAIT_S: Final = 10.0
ROWS: Final = "rows"


@dataclass(frozen=True, slots=True)
class Carried:
    """One table (or the rows of the index) on both sides."""

    table: str
    records: int
    digest: str
    """SHA-256 of all records in order, the same on both sides."""
    was_there: bool
    """An earlier run had carried it already."""


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What a migration carried."""

    source: str
    target: str
    tables: tuple[Carried, ...]


async def migrate(
    loaded: LoadedSettings,
    to_url: str,
    *,
    to_tenant: str | None = None,
    dry_run: bool = False,
    progress: Callable[[str, int], None] | None = None,
) -> MigrationReport:
    """Copy everything of a home but its files to another store; again goes on where an earlier run ended.

    The source is only read. Nobody may write it meanwhile: its locks are held, and services must be
    stopped.

    Args:
        loaded: Settings of the source.
        to_url: As ``store.url``: ``postgresql://``, ``s3://``, or a folder, whose ledger is then that of the home.
        to_tenant: As ``store.tenant`` of the target; None is that of the settings.
        dry_run: Only count.
        progress: Called with the name of a table and the records carried so far.

    Raises:
        ConfigurationError, InvalidInputError: the target is the source, or holds another memory (permanent).
        StoreFormatError: what arrived differs from what was sent (permanent).
        TransientError: a side is away, or somebody writes; run it again.
    """
    settings = loaded.settings
    wanted = _target_of(settings, to_url, to_tenant)
    async with _opened(settings) as source:
        if dry_run:
            return MigrationReport(_place(settings), _place(wanted), tuple([each async for each in _counted(source)]))
        async with _opened(wanted) as target, _alone(source, target):
            carried = await _carried(source, target, _place(settings), _place(wanted), progress)
    return MigrationReport(_place(settings), _place(wanted), tuple(carried))


@dataclass(frozen=True, slots=True)
class _Side:
    """A store, opened."""

    stores: Stores
    access: EngineAccess
    shares_ledger_with: str
    """Where its ledger lies: two sides with one ledger carry the rows alone."""

    @property
    def ledger(self) -> PortableLedger:
        portable: PortableLedger | None = getattr(self.stores.ledger, "portable", None)
        if portable is None:
            msg = "This ledger cannot be copied as a whole: it offers no portable tables."
            raise ConfigurationError(msg)
        return portable


def _target_of(settings: Settings, url: str, tenant: str | None) -> Settings:
    changed: dict[str, Any] = {"url": url, "tenant": tenant or settings.store.tenant}
    wanted = settings.model_copy(update={"store": settings.store.model_copy(update=changed)})
    if _place(wanted) == _place(settings):
        msg = f"The target {_place(wanted)} is where the memory lies already: give another --to or --to-tenant."
        raise InvalidInputError(msg)
    return wanted


def _place(settings: Settings) -> str:
    url = settings.store.url or str(settings.home / "lancedb")
    return f"{shown_url(url)} (tenant {settings.store.tenant})" if url.startswith("postgres") else shown_url(url)


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncGenerator[_Side]:
    databases = Databases()
    try:
        stores = await open_stores(settings, databases)
        try:
            embedder = make_embedder(settings.embedding)
            resting = RestingEmbedder(embedder) if embedder is not None else None
            access = EngineAccess(stores.engine, resting, stores.ledger)
            ledger = ledger_url(settings.store)
            yield _Side(stores, access, f"{ledger}#{settings.store.tenant}" if ledger else str(settings.home))
        finally:
            await stores.engine.close()
            await stores.ledger.close()
    finally:
        await databases.close()


@asynccontextmanager
async def _alone(source: _Side, target: _Side) -> AsyncGenerator[None]:
    """Hold the locks of both sides."""
    sides = [source] if source.shares_ledger_with == target.shares_ledger_with else [source, target]
    held: list[WriterLock] = []
    try:
        for side in sides:
            for lock in (side.stores.locks.index(LOCK_WAIT_S), side.stores.locks.entries(LOCK_WAIT_S, alone=True)):
                await lock.acquire()
                held.append(lock)
        yield
    finally:
        for lock in reversed(held):
            lock.release()


async def _carried(
    source: _Side, target: _Side, name: str, to_name: str, progress: Callable[[str, int], None] | None
) -> list[Carried]:
    half = await source.stores.ledger.get_value(MARK)
    if half is not None:
        msg = f"The source is only half filled from {half}: finish that migration first."
        raise InvalidInputError(msg)
    ledger = target.stores.ledger
    if source.shares_ledger_with == target.shares_ledger_with:
        carried = [await _carry_rows(source, target, ROWS_MARK, to_name, progress)]
        await ledger.set_value(ROWS_MARK, None)
        return carried
    await _check_free(target, name)
    carried = await _carry_ledger(source.ledger, target.ledger, name, progress)
    carried.append(await _carry_rows(source, target, MARK, name, progress))
    await _check_unchanged(source.ledger, carried)
    await ledger.set_value(MARK, None)
    return carried


async def _check_unchanged(source: PortableLedger, carried: Sequence[Carried]) -> None:
    """Refuse to call a move whole during which somebody wrote: the locks keep no turn from being accepted."""
    sent = {each.table: (each.records, each.digest) for each in carried}
    for table in PORTABLE_TABLES:
        if await _digest_of(source, table) != sent[table.name]:
            msg = f"The source was written meanwhile (table {table.name}): stop whoever uses it, then run it again."
            raise InvalidInputError(msg)


async def _check_free(target: _Side, name: str) -> None:
    """Refuse a target that holds a memory which no unfinished run of this migration brought."""
    begun = await target.stores.ledger.get_value(MARK)
    if begun is None:
        for table in PORTABLE_TABLES:
            if table.name not in {"named_value", "embedding"} and await target.ledger.read_records(table, None, 1):
                msg = "The target holds a memory already: give an empty --to, or another --to-tenant."
                raise InvalidInputError(msg)
    elif begun != name:
        msg = f"The target is being filled from {begun}: finish that, or give another --to-tenant."
        raise InvalidInputError(msg)
    await target.stores.ledger.set_value(MARK, name)


async def _carry_ledger(
    source: PortableLedger, target: PortableLedger, name: str, progress: Callable[[str, int], None] | None
) -> list[Carried]:
    wanted = {table.name: await _digest_of(source, table) for table in PORTABLE_TABLES}
    there = {table.name: await _digest_of(target, table) for table in PORTABLE_TABLES}
    whole = {name for name, digest in wanted.items() if there[name] == digest}
    # From the first that differs on everything is sent anew: later tables refer to earlier ones.
    first = next((place for place, table in enumerate(PORTABLE_TABLES) if table.name not in whole), None)
    if first is not None:
        for table in reversed(PORTABLE_TABLES[first:]):
            await target.clear_records(table)
            if table.name == "named_value":
                await target.write_records(table, [(MARK, name)])
        for table in PORTABLE_TABLES[first:]:
            await _carry_table(source, target, table, progress)
    await target.settle_records()
    carried: list[Carried] = []
    for place, table in enumerate(PORTABLE_TABLES):
        count, digest = wanted[table.name]
        arrived = await _digest_of(target, table)
        if arrived != (count, digest):
            msg = f"Of table {table.name} {arrived[0]} of {count} records arrived alike: run the migration again."
            raise StoreFormatError(msg)
        carried.append(Carried(table.name, count, digest, first is None or place < first))
    return carried


async def _carry_table(
    source: PortableLedger,
    target: PortableLedger,
    table: PortableTable,
    progress: Callable[[str, int], None] | None,
) -> None:
    done = 0
    async for records in _batches(source, table):
        kept = [record for record in records if not _is_mark(table, record)]
        await target.write_records(table, kept)
        done += len(kept)
        if progress is not None:
            progress(table.name, done)


async def _batches(ledger: PortableLedger, table: PortableTable) -> AsyncIterator[list[Record]]:
    after: Record | None = None
    while records := await ledger.read_records(table, after, RECORDS_AT_ONCE):
        yield records
        after = records[-1][: table.key]


async def _digest_of(ledger: PortableLedger, table: PortableTable) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    async for records in _batches(ledger, table):
        for record in records:
            if not _is_mark(table, record):
                digest.update(repr(record).encode("utf-8", "backslashreplace"))
                count += 1
    return count, digest.hexdigest()


def _is_mark(table: PortableTable, record: Record) -> bool:
    return table.name == "named_value" and record[0] == MARK


async def _carry_rows(
    source: _Side, target: _Side, mark: str, name: str, progress: Callable[[str, int], None] | None
) -> Carried:
    """Carry the rows of the index with their vectors: nothing is embedded again.

    A target with rows must hold exactly these already, or be marked as begun by an earlier run.
    """
    from_engine = await source.access.ready(even_if_empty=True)
    to_engine = await target.access.ready(even_if_empty=True)
    for side in (source, target):
        if side.access.mismatch is not None:
            msg = f"{side.access.mismatch} Run 'tercet reembed' first, then migrate."
            raise ConfigurationError(msg)
    wanted = await _digest_of_rows(from_engine, source)
    was_there = await _digest_of_rows(to_engine, source) == wanted
    done = 0
    if not was_there:
        begun = await target.stores.ledger.get_value(mark)
        if begun != name and (await to_engine.stats()).rows:
            msg = "The target holds rows of another memory: give an empty --to, or another --to-tenant."
            raise InvalidInputError(msg)
        await target.stores.ledger.set_value(mark, name)
        async for rows in _rows_of(from_engine, source):
            await to_engine.upsert(rows)
            done += len(rows)
            if progress is not None:
                progress(ROWS, done)
    arrived = await _digest_of_rows(to_engine, source)
    if arrived != wanted:
        msg = f"Of the index {arrived[0]} of {wanted[0]} rows arrived alike: run the migration again."
        raise StoreFormatError(msg)
    return Carried(ROWS, *wanted, was_there)


async def _rows_of(engine: Engine, source: _Side) -> AsyncIterator[list[Row]]:
    scopes = next(table for table in PORTABLE_TABLES if table.name == "scope")
    async for records in _batches(source.ledger, scopes):
        for agent, anchor, *_ in records:
            after = ""
            where = Filter(Reach(str(agent), (str(anchor),)))
            while rows := await engine.scan(where, after=after, limit=ROWS_AT_ONCE):
                yield rows
                after = rows[-1].passage.id


async def _digest_of_rows(engine: Engine, source: _Side) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    async for rows in _rows_of(engine, source):
        for row in rows:
            vector = row.vector.tobytes() if row.vector is not None else b""
            told = repr((replace(row.passage, timestamp=None), row.terms)).encode("utf-8", "backslashreplace")
            digest.update(told + vector)
            count += 1
    return count, digest.hexdigest()


async def _counted(source: _Side) -> AsyncIterator[Carried]:
    for table in PORTABLE_TABLES:
        count, digest = await _digest_of(source.ledger, table)
        yield Carried(table.name, count, digest, was_there=False)
    count, digest = await _digest_of_rows(await source.access.ready(even_if_empty=True), source)
    yield Carried(ROWS, count, digest, was_there=False)
