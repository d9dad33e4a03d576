"""Which embedding spaces a store holds, and which of them is searched.

A small table beside ``passages`` holds one record a space; a switch changes several records in one
commit, so that a kill at any moment leaves exactly one active space. The store's format version is
a record of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from tercet.adapters.lancedb.library import load, retried
from tercet.adapters.lancedb.schema import KEY_METADATA
from tercet.adapters.spaces import space_from_json, space_name, space_to_json
from tercet.errors import StoreFormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.model import Space

SPACES_TABLE = "spaces"
FORMAT = 1
"""Version of the tables' layout; a store with a greater one is left alone."""

_FORMAT_RECORD = "#format"
State = Literal["active", "filling", "retired"]
"""Searched now; being filled by a re-embedding; its column is to be dropped."""


@dataclass(frozen=True, slots=True)
class SpaceRecord:
    """One space as the store knows it."""

    space: Space
    state: State


def vector_column(space: Space) -> str:
    """Return the column of a space."""
    return f"vector_{space_name(space)}"


class SpaceBook:
    """The records of one store, as last read; blocking."""

    def __init__(self, table: Any) -> None:  # Any: lancedb tables
        self._table = table
        self.records: dict[str, SpaceRecord] = {}
        """By vector column."""
        self.reload()

    @staticmethod
    def schema() -> Any:  # Any: pyarrow has no types
        """Return the Arrow schema of the table."""
        pa = load("pyarrow")
        return pa.schema(
            [
                pa.field("name", pa.string(), nullable=False, metadata=KEY_METADATA),
                pa.field("json", pa.string(), nullable=False),
                pa.field("state", pa.string(), nullable=False),
            ]
        )

    @property
    def active(self) -> str | None:
        """Column of the space that is searched; None before any space was known."""
        return self._first("active")

    @property
    def filling(self) -> str | None:
        """Column of the space a re-embedding fills."""
        return self._first("filling")

    def reload(self) -> None:
        """Read the records again.

        Raises:
            StoreFormatError: a newer Tercet wrote the store (permanent).
        """
        found = self._table.search().select(["name", "json", "state"]).limit(1000).to_list()
        for record in found:
            if record["name"] == _FORMAT_RECORD and int(record["json"]) > FORMAT:
                msg = f"The vector store has format {record['json']}, this Tercet reads up to {FORMAT}: update Tercet."
                raise StoreFormatError(msg)
        self.records = {
            record["name"]: SpaceRecord(space_from_json(record["json"]), cast("State", record["state"]))
            for record in found  # cast: only this class writes the column
            if record["name"] != _FORMAT_RECORD
        }

    def write_format(self) -> None:
        """Note the format of a store just made."""
        self._merge([{"name": _FORMAT_RECORD, "json": str(FORMAT), "state": "format"}])

    def write(self, changes: Mapping[str, SpaceRecord]) -> None:
        """Set several records in one commit."""
        self._merge(
            [
                {"name": name, "json": space_to_json(record.space), "state": record.state}
                for name, record in changes.items()
            ]
        )
        self.reload()

    def forget(self, name: str) -> None:
        """Drop the record of a space whose column is gone."""
        expr = load("lancedb.expr")
        retried(lambda: self._table.delete(expr.col("name") == expr.lit(name)))
        self.reload()

    def _merge(self, records: list[dict[str, str]]) -> None:
        data = load("pyarrow").Table.from_pylist(records, schema=self.schema())
        merge = self._table.merge_insert("name").when_matched_update_all().when_not_matched_insert_all()
        retried(lambda: merge.execute(data))

    def _first(self, state: State) -> str | None:
        return next((name for name, record in self.records.items() if record.state == state), None)
