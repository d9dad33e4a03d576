"""One LanceDB store opened for one embedding space: blocking, the ground of the engine."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.expressions import has_vector_sql
from tercet.adapters.lancedb.library import load, retried, translated
from tercet.adapters.lancedb.schema import TABLE, TERMS_COLUMN, presence_column, table_schema
from tercet.adapters.lancedb.spaces import SPACES_TABLE, SpaceBook, SpaceRecord, vector_column
from tercet.adapters.spaces import mismatch
from tercet.errors import EngineUnavailableError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tercet.model import Space

_OPENING_LOCK = ".opening.lock"
_NOT_FOUND = "was not found"
_REST_S = 5.0
"""How long a service that could not be asked for a store is not asked again."""
_OPENING_WAIT_S = 60.0
"""How long one process waits for another that makes or alters the tables."""


class LanceStore:
    """Tables, spaces and the configured space of one store.

    Several processes may hold the same store: what another one changed is seen at the next call.
    """

    def __init__(self, uri: str, storage_options: Mapping[str, str] | None = None, consistency_s: float = 0.0) -> None:
        self.uri = uri
        self.is_local = "://" not in uri
        self.space: Space | None = None
        """The space the engine was opened for, served or not."""
        self.commits = 0
        """Commits of this process since its last maintenance."""
        self._consistency = timedelta(seconds=consistency_s)
        self._storage_options = dict(storage_options) if storage_options else None
        self._connection: Any = None  # Any: lancedb connections
        self._fault: EngineUnavailableError | None = None
        self._rests_until = 0.0
        self._table: Any = None  # Any: lancedb tables
        self._book: SpaceBook | None = None

    @property
    def table(self) -> Any:  # Any: lancedb tables
        """The ``passages`` table.

        Raises:
            EngineUnavailableError: not opened, or its folder was taken away.
        """
        if self._table is None:
            msg = f"The vector store at {shown_url(self.uri)} is not open: call open() first."
            raise EngineUnavailableError(msg)
        return self._table

    @property
    def book(self) -> SpaceBook:
        """The spaces of the store; raises as ``table`` does."""
        if self._book is None:
            msg = f"The vector store at {shown_url(self.uri)} is not open: call open() first."
            raise EngineUnavailableError(msg)
        return self._book

    def open(self, space: Space | None) -> None:
        """Open or create the store and make room for ``space``; raises as ``Engine.open`` does."""
        self.close()
        if self._fault is not None and self._is_resting():
            raise type(self._fault)(str(self._fault))
        with translated(self.uri, "be opened"):
            if self.is_local:
                _make_private_folder(Path(self.uri))
            connection = self._connected()
            with self._alone():
                book, is_new = self._open_spaces(connection)
                self._table = self._open_passages(connection)
                self._book = book
                if is_new:
                    book.write_format()
                self.space = space
                self.tidy()
                if space is not None:
                    self._adopt(space)

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Keep other processes out of a local store while its tables are made or altered.

        Trigger: two processes that make the same table at once. Why: the library writes the second one
        over the first, with whatever that holds by then, or fails. Outcome: one makes it, the others wait
        and open it. A bucket knows no such lock: there the engine holds one of the home's meanwhile.
        """
        if not self.is_local:
            yield
            return
        from filelock import FileLock, Timeout

        lock = FileLock(Path(self.uri) / _OPENING_LOCK, mode=0o600, thread_local=False)
        try:
            lock.acquire(timeout=_OPENING_WAIT_S)
        except Timeout:
            msg = f"another process has been opening it for {_OPENING_WAIT_S:g} s"
            raise RuntimeError(msg) from None
        try:
            yield
        finally:
            lock.release()

    def close(self) -> None:
        """Let go of the tables."""
        self._connection = self._table = self._book = None

    def exists(self) -> bool:
        """Say whether there is a store; a bucket is asked, and taken as yes where it cannot be."""
        if self.is_local:
            return any(folder.exists() for folder in self._own_folders())
        if self._table is not None or self._is_resting():
            return True
        try:
            with translated(self.uri, "be opened"):
                connection = self._connected()
                return any(self._exists(connection, name) for name in (SPACES_TABLE, TABLE))
        except EngineUnavailableError as error:
            # Trigger: the service is away. Why: it must not look like a lost index, and whoever finds a store
            # opens it next. Outcome: taken as there; opening says what is wrong without waiting for it again.
            self._fault, self._rests_until = error, time.monotonic() + _REST_S
            return True

    def _is_resting(self) -> bool:
        return time.monotonic() < self._rests_until

    def catch_up(self) -> None:
        """See what other processes have written by now; in a folder every read does."""
        if not self.is_local:
            self.table.checkout_latest()

    def discard(self) -> None:
        """Delete the store, whatever state it is in."""
        self.close()
        self._rests_until = 0.0
        with translated(self.uri, "be deleted"):
            if self.is_local:
                # The tables alone: the folder is the user's choice and may hold what is not ours. The
                # record of the spaces goes last, since a store without it counts as damaged.
                for folder in self._own_folders():
                    if folder.is_dir():
                        # Renamed first, so that no reader meets half a table.
                        doomed = folder.with_name(f"{folder.name}.discarded-{os.getpid()}")
                        folder.rename(doomed)
                        shutil.rmtree(doomed)
                    else:
                        folder.unlink(missing_ok=True)
                return
            connection = self._connected()
            for name in (TABLE, SPACES_TABLE):  # in this order: see above
                if self._exists(connection, name):
                    connection.drop_table(name)

    def _connected(self) -> Any:  # Any: lancedb connections
        if self._connection is None:
            self._connection = load("lancedb").connect(
                self.uri,
                # Without it the writes of other processes stay invisible for ever.
                read_consistency_interval=self._consistency,
                storage_options=self._storage_options,
            )
        return self._connection

    def _own_folders(self) -> tuple[Path, Path]:
        return Path(self.uri) / f"{TABLE}.lance", Path(self.uri) / f"{SPACES_TABLE}.lance"

    def columns(self) -> frozenset[str]:
        """Return the names of the columns the table has now."""
        return frozenset(self.table.schema.names)

    def stored_column(self) -> str | None:
        """Return the column that vectors of the configured space are written to, if there is one."""
        if self.space is None:
            return None
        column = vector_column(self.space)
        return column if column in self.columns() else None

    def serving_column(self) -> str | None:
        """Return the column that is searched; None when the engine was opened without a space.

        Raises:
            SpaceMismatchError: the active space is another one (permanent).
        """
        book = self.book
        if self.space is None:
            return None
        column = vector_column(self.space)
        if book.active != column or column not in self.columns():
            book.reload()  # another process may have finished a re-embedding
        if book.active != column:
            held = book.records.get(book.active or "")
            raise mismatch(held.space if held else self.space, self.space)
        return column

    def tidy(self) -> None:
        """Finish what a kill left half done: add missing columns, drop those of retired spaces."""
        for name, record in list(self.book.records.items()):
            if record.state == "retired":
                self._drop_column(name)
                self.book.forget(name)
            else:
                self._add_column(name, record.space.dimensions)

    def count(self, where: str | None = None) -> int:
        """Return the number of rows, or of those that meet a test made by ``has_vector_sql``."""
        return int(self.table.count_rows(where))

    def _open_spaces(self, connection: Any) -> tuple[SpaceBook, bool]:  # Any: lancedb connections
        # In this order: spaces are made first, so whoever sees passages must then see spaces too.
        has_passages = self._exists(connection, TABLE)
        if not self._exists(connection, SPACES_TABLE):
            if has_passages:
                msg = f"it holds passages but no record of their spaces ({SPACES_TABLE}.lance is gone)"
                raise RuntimeError(msg)
            return SpaceBook(self._opened(connection, SPACES_TABLE, SpaceBook.schema())), True
        return SpaceBook(connection.open_table(SPACES_TABLE)), False

    def _open_passages(self, connection: Any) -> Any:  # Any: lancedb tables and connections
        table = self._opened(connection, TABLE, table_schema())
        ensure_text_index(table)
        return table

    def _opened(self, connection: Any, name: str, schema: Any) -> Any:  # Any: the library has no types
        """Open a table, or make it if it is not there."""

        def attempt() -> Any:  # Any: lancedb tables
            if self._exists(connection, name):
                return connection.open_table(name)
            return connection.create_table(name, schema=schema, exist_ok=True)

        return retried(attempt)

    def _exists(self, connection: Any, name: str) -> bool:  # Any: lancedb connections
        """Say whether a table is there, sound or not; a damaged one must never be created over."""
        if not self.is_local:
            return name in connection.list_tables(limit=1000).tables and _can_be_opened(connection, name)
        folder = Path(self.uri) / f"{name}.lance"
        if not folder.is_dir():
            return folder.exists()
        # A kill inside the very first commit leaves folders and a transaction, but no manifest and no data.
        return any(path.is_file() and path.parent.name != "_transactions" for path in folder.rglob("*"))

    def _adopt(self, space: Space) -> None:
        """Make ``space`` the active one, unless rows hold vectors of another."""
        wanted, active = vector_column(space), self.book.active
        if active == wanted:
            return
        changes = {wanted: SpaceRecord(space, "active")}
        if active is not None:
            held = self.book.records[active].space
            if self.count(has_vector_sql(active, present=True)):
                raise mismatch(held, space)
            changes[active] = SpaceRecord(held, "retired")
        self.book.write(changes)
        self.tidy()

    def _add_column(self, name: str, dimensions: int) -> None:
        pa = load("pyarrow")

        def commit() -> None:
            if name not in self.columns():
                vectors = pa.field(name, pa.list_(pa.float32(), dimensions))
                self.table.add_columns([vectors, pa.field(presence_column(name), pa.bool_())])

        self._altered(commit, lambda: name in self.columns())

    def _drop_column(self, name: str) -> None:
        def commit() -> None:
            if name in self.columns():
                for index in self.table.list_indices():
                    if list(index.columns) == [name]:
                        self.table.drop_index(index.name)
                self.table.drop_columns([name, presence_column(name)])

        self._altered(commit, lambda: name not in self.columns())

    def _altered(self, commit: Any, is_done: Any) -> None:  # Any: two thunks of this class
        """Change the schema; that another process made the same change meanwhile is no error."""
        try:
            retried(commit)
        except (RuntimeError, OSError, ValueError):
            if not is_done():
                raise


def _can_be_opened(connection: Any, name: str) -> bool:  # Any: lancedb connections
    """Say whether a table that a bucket lists is there; some services go on to list one that was dropped."""
    try:
        connection.open_table(name)
    except ValueError as error:
        if _NOT_FOUND in str(error):
            return False
        raise
    return True


def ensure_text_index(table: Any) -> None:  # Any: lancedb tables
    """Make the index over the terms if it is not there; rows it has not taken in are searched too."""
    index = load("lancedb.index")
    settings = index.FTS(
        base_tokenizer="whitespace",
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        max_token_length=None,
        with_position=False,
    )

    def has_index() -> bool:
        return any(list(found.columns) == [TERMS_COLUMN] for found in table.list_indices())

    if not has_index():
        try:
            retried(lambda: table.create_index(TERMS_COLUMN, config=settings, replace=False))
        except (RuntimeError, OSError, ValueError):
            if not has_index():  # another process may have made it meanwhile
                raise


def _make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents with mode 0700."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK) or not folder.is_dir():
        msg = f"{folder} is not a folder that this user may read and write"
        raise OSError(msg)
