"""Which embedding spaces a store holds, and which of them is searched.

A small table beside ``passages`` holds one record a space; a switch changes several records in one
commit, so that a kill at any moment leaves exactly one active space. The store's format version is
a record of its own.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, cast

from tercet.adapters.lancedb.library import load, retried
from tercet.adapters.lancedb.schema import KEY_METADATA
from tercet.errors import SpaceMismatchError, StoreFormatError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """Return the column of a space: every field counts, since any of them may change the vectors."""
    digest = hashlib.sha256(_to_json(space).encode()).hexdigest()
    return f"vector_{digest[:12]}"


def describe(space: Space) -> str:
    """Return a space in words, with every field that is set."""
    extras = [
        f"{field.name.replace('_', ' ')} {getattr(space, field.name)!r}"
        for field in fields(space)
        if field.name not in {"provider", "model", "dimensions"} and getattr(space, field.name)
    ]
    return f"{space.provider} {space.model} ({', '.join([f'{space.dimensions} numbers', *extras])})"


def mismatch(held: Space, wanted: Space) -> SpaceMismatchError:
    """Return the error that says which two spaces would mix, and the mend."""
    return SpaceMismatchError(
        f"The index holds vectors of {describe(held)}, the configured model makes {describe(wanted)}. "
        "Run 'tercet reembed', or set the old model again."
    )


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
            record["name"]: SpaceRecord(_from_json(record["json"]), cast("State", record["state"]))
            for record in found  # cast: only this class writes the column
            if record["name"] != _FORMAT_RECORD
        }

    def write_format(self) -> None:
        """Note the format of a store just made."""
        self._merge([{"name": _FORMAT_RECORD, "json": str(FORMAT), "state": "format"}])

    def write(self, changes: Mapping[str, SpaceRecord]) -> None:
        """Set several records in one commit."""
        self._merge(
            [{"name": name, "json": _to_json(record.space), "state": record.state} for name, record in changes.items()]
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


def _to_json(space: Space) -> str:
    # Without the defaults, so that a field that a later version adds does not rename every space.
    defaults = {field.name: field.default for field in fields(space)}
    values = {name: value for name, value in asdict(space).items() if value != defaults[name]}
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def _from_json(text: str) -> Space:
    try:
        return Space(**json.loads(text))
    except TypeError as error:
        msg = f"The vector store describes its space as {text}, which this Tercet cannot read: update Tercet."
        raise StoreFormatError(msg) from error
