"""Which embedding spaces a tenant holds vectors of: one that is searched, one that a re-embedding fills."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tercet.adapters.postgres.statements import fetch
from tercet.adapters.spaces import space_from_json, space_name, space_to_json

if TYPE_CHECKING:
    from tercet.adapters.postgres.database import Connection
    from tercet.model import Space

State = Literal["active", "filling"]

_LOCK_CLASS = 0x7E2C01
"""Of the advisory locks, one a tenant, that writers of vectors share and a change of spaces holds alone."""


@dataclass(frozen=True, slots=True)
class SpaceRecord:
    """One space as the database knows it."""

    name: str
    space: Space
    state: State
    has_index: bool
    """Whether an HNSW index over its vectors was made."""


class SpaceRecords:
    """The records of one tenant at one moment."""

    def __init__(self, records: list[SpaceRecord]) -> None:
        self._records = records

    @property
    def active(self) -> SpaceRecord | None:
        """The space that is searched."""
        return next((record for record in self._records if record.state == "active"), None)

    @property
    def filling(self) -> SpaceRecord | None:
        """The space that a re-embedding fills."""
        return next((record for record in self._records if record.state == "filling"), None)

    def stored(self, space: Space | None) -> str | None:
        """Return the name under which vectors of ``space`` are kept; None where they are not."""
        name = None if space is None else space_name(space)
        return name if any(record.name == name for record in self._records) else None


async def read_spaces(connection: Connection, tenant: str) -> SpaceRecords:
    """Return the records as they are now."""
    found = await fetch(
        connection,
        "SELECT name, description, state, has_index FROM spaces WHERE tenant = %(tenant)s",
        {"tenant": tenant},
    )
    return SpaceRecords(
        [SpaceRecord(name, space_from_json(text), state, has_index) for name, text, state, has_index in found]
    )


async def lock_spaces(connection: Connection, tenant: str, *, alone: bool) -> SpaceRecords:
    """Return the records, and keep them so until the transaction ends.

    Args:
        connection: In a transaction.
        tenant: Whose records.
        alone: To change them, once every writer of vectors has ended; else beside other writers.
    """
    function = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    await fetch(
        connection, f"SELECT {function}(%(class)s, hashtext(%(tenant)s))", {"class": _LOCK_CLASS, "tenant": tenant}
    )
    return await read_spaces(connection, tenant)


async def write_space(connection: Connection, tenant: str, space: Space, state: State) -> None:
    """Record a space in this state; none other may be in it."""
    await fetch(
        connection,
        "INSERT INTO spaces (tenant, name, description, state)"
        " VALUES (%(tenant)s, %(name)s, %(description)s, %(state)s)"
        " ON CONFLICT (tenant, name) DO UPDATE SET state = excluded.state",
        {"tenant": tenant, "name": space_name(space), "description": space_to_json(space), "state": state},
    )


async def drop_space(connection: Connection, tenant: str, name: str) -> None:
    """Forget a space and delete its vectors."""
    values = {"tenant": tenant, "name": name}
    await fetch(connection, "DELETE FROM vectors WHERE tenant = %(tenant)s AND space = %(name)s", values)
    await fetch(connection, "DELETE FROM spaces WHERE tenant = %(tenant)s AND name = %(name)s", values)
