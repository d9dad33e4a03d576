"""One tenant's index opened for one embedding space: the ground of the engine."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from tercet.adapters.postgres.space_records import drop_space, lock_spaces, read_spaces, write_space
from tercet.adapters.postgres.statements import fetch, fetch_one
from tercet.adapters.spaces import mismatch, space_name
from tercet.errors import EngineUnavailableError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.adapters.postgres.space_records import SpaceRecord
    from tercet.model import Space

T = TypeVar("T")

_EXISTS = "SELECT EXISTS (SELECT FROM passage_stores WHERE tenant = %(tenant)s)"


class PostgresStore:
    """The index of the database's tenant, and the space it was opened for.

    Several processes may hold the same one: what another one changed is seen at the next call.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.tenant = database.tenant
        self.space: Space | None = None
        """The space the engine was opened for, served or not."""
        self._is_open = False

    async def open(self, space: Space | None) -> None:
        """Open or create the index and make room for ``space``; raises as ``Engine.open`` does."""
        self._is_open = False
        await self._database.connect(unavailable=EngineUnavailableError)

        async def work(connection: Connection) -> None:
            await fetch(
                connection,
                "INSERT INTO passage_stores (tenant) VALUES (%(tenant)s) ON CONFLICT DO NOTHING",
                {"tenant": self.tenant},
            )
            if space is not None:
                await self._adopt(connection, space)

        # Also where it then refuses the space: the index is open for text.
        self.space, self._is_open = space, True
        try:
            await self._database.run(work, "open the index", unavailable=EngineUnavailableError)
        except EngineUnavailableError:
            self._is_open = False
            raise

    def close(self) -> None:
        """Let go of the index; the database is its owner's to close."""
        self._is_open = False

    @asynccontextmanager
    async def reading(self, doing: str) -> AsyncGenerator[Connection]:
        """Lend a connection that sees one state of the index at each statement.

        Raises:
            EngineUnavailableError: not open, or the server's faults that may pass.
        """
        self._check_open()
        async with self._database.transaction(doing, unavailable=EngineUnavailableError) as connection:
            yield connection

    async def write(self, work: Callable[[Connection], Awaitable[T]], doing: str) -> T:
        """Run work in one transaction, again where others undid it; raises as ``reading`` does."""
        self._check_open()
        return await self._database.run(work, doing, unavailable=EngineUnavailableError)

    @asynccontextmanager
    async def upkeep(self, doing: str) -> AsyncGenerator[Connection]:
        """Lend a connection of its own, in autocommit; raises as ``reading`` does."""
        self._check_open()
        async with self._database.session(doing, unavailable=EngineUnavailableError) as connection:
            yield connection

    async def stored_space(self, connection: Connection) -> str | None:
        """Return the name under which vectors of the configured space are kept, if they are."""
        return (await read_spaces(connection, self.tenant)).stored(self.space)

    async def serving_space(self, connection: Connection) -> SpaceRecord | None:
        """Return the space that is searched; None when the engine was opened without one.

        Raises:
            SpaceMismatchError: the active space is another one (permanent).
        """
        if self.space is None:
            return None
        active = (await read_spaces(connection, self.tenant)).active
        if active is None or active.name != space_name(self.space):
            raise mismatch(active.space if active else self.space, self.space)
        return active

    def exists(self) -> bool:
        """Say whether there is an index; where the server cannot be asked, taken as yes. Blocking."""
        return self._database.ask(_EXISTS, "passage_stores", otherwise=True)

    async def discard(self) -> None:
        """Delete the tenant's rows, vectors and spaces; ledger and journal are not touched."""
        self.close()
        await self._database.connect(unavailable=EngineUnavailableError)

        async def work(connection: Connection) -> None:
            await lock_spaces(connection, self.tenant, alone=True)
            for table in ("passages", "spaces", "passage_stores"):
                await fetch(connection, f"DELETE FROM {table} WHERE tenant = %(tenant)s", {"tenant": self.tenant})  # noqa: S608 - names of this line alone

        await self._database.run(work, "delete the index", unavailable=EngineUnavailableError)

    async def _adopt(self, connection: Connection, space: Space) -> None:
        """Make ``space`` the active one, unless rows hold vectors of another."""
        wanted = space_name(space)
        active = (await read_spaces(connection, self.tenant)).active
        if active is not None and active.name == wanted:
            return
        # Looked at again now that nobody else may change it.
        active = (await lock_spaces(connection, self.tenant, alone=True)).active
        if active is not None and active.name != wanted:
            (is_held,) = await fetch_one(
                connection,
                "SELECT EXISTS (SELECT FROM vectors WHERE tenant = %(tenant)s AND space = %(name)s)",
                {"tenant": self.tenant, "name": active.name},
            )
            if is_held:
                raise mismatch(active.space, space)
            await drop_space(connection, self.tenant, active.name)
        await write_space(connection, self.tenant, space, "active")

    def _check_open(self) -> None:
        if not self._is_open:
            msg = f"The index at {self._database.place} is not open: call open() first."
            raise EngineUnavailableError(msg)
