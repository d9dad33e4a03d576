"""Everything a ledger holds, as tables of plain values that any other ledger can take over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["text", "integer", "real", "flag", "list", "bytes"]
Value: TypeAlias = "str | int | float | bool | bytes | list[str] | None"
Record: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class PortableTable:
    """One table: its columns in order with what they hold, and how many of the first are its key."""

    name: str
    columns: tuple[tuple[str, Kind], ...]
    key: int
    """Records come in the order of these columns, and no two are alike in them."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(name for name, _ in self.columns)


def _table(name: str, key: int, columns: str) -> PortableTable:
    kinds: dict[str, Kind] = {"t": "text", "i": "integer", "r": "real", "f": "flag", "l": "list", "b": "bytes"}
    pairs = (each.split(":") for each in columns.split())
    return PortableTable(name, tuple((column, kinds[kind]) for column, kind in pairs), key)


PORTABLE_TABLES: Final = (
    _table("scope", 2, "agent:t anchor:t documents:i total_length:i"),
    _table("term_count", 3, "agent:t anchor:t term:t documents:i"),
    _table("root", 1, "label:t directory:t agent:t anchor:t"),
    _table(
        "file",
        2,
        "root:t path:t agent:t anchor:t size:i mtime_ns:i sha256:t indexed_at_ns:i warning:t",
    ),
    _table("passage", 1, "id:t root:t path:t ordinal:i has_vector:f agent:t anchor:t length:i terms:l"),
    _table("announced", 2, "root:t path:t"),
    _table("named_value", 1, "key:t value:t"),
    _table(
        "inbox",
        1,
        "number:i id:t agent:t anchor:t source:t session:t message_id:t text:t digest:t said_at:t received_at:t "
        "due_ms:i attempts:i keep_all:f state:t reason:t",
    ),
    _table(
        "entry",
        1,
        "number:i id:t agent:t anchor:t text:t digest:t category:t importance:r said_at:t stored_at:t time_ms:i "
        "origin:t session:t message_id:t ordinal:i state:t superseded_by:t seen:i last_seen:t length:i terms:l "
        "synced:f has_vector:f revision:i state_before:t forgotten_in:i purge_at_ms:i",
    ),
    _table("entry_link", 2, "entry_id:t other_id:t"),
    _table("journal_event", 1, "number:i entry_id:t what:t other_id:t at_ms:i"),
    _table("identity_link", 2, "agent:t anchor:t name:t"),
    _table(
        "session_window",
        1,
        "id:i agent:t anchor:t session:t last_number:i extracted_to:i tokens:i tool_calls:i turns:i messages:i "
        "kept_tokens:i kept_bytes:i ended:f claim:i lease_ms:i attempts:i retry_at:t reason:t extracted_at:t",
    ),
    _table(
        "window_message",
        2,
        "window_id:i number:i key:t role:t tokens:i bytes:i begins_turn:f message_id:t said_at:t digest:t text:t",
    ),
    _table("window_key", 1, "key:t"),
    _table(
        "session_fact",
        2,
        "entry_id:t topic:t title:t agent:t anchor:t extraction:t evidence:l sources:l noted:f",
    ),
    _table("query_log", 1, "number:i query:t hit_ids:l at_ms:i best:r agent:t anchors:l"),
    _table("access", 1, "number:i item:t kind:t at_ms:i"),
    _table("embedding", 2, "key:t space:t number:i vector:b"),
)
"""In an order in which each stands behind those that it refers to."""


class PortableLedger(Protocol):
    """A ledger whose whole content can be read and replaced, for a move to another store."""

    async def read_records(self, table: PortableTable, after: Record | None, limit: int) -> list[Record]:
        """Return records in the order of their key, those behind ``after`` (a key), at most ``limit``."""
        ...

    async def write_records(self, table: PortableTable, records: Sequence[Record]) -> None:
        """Add records whose key is not there yet, in one transaction."""
        ...

    async def clear_records(self, table: PortableTable) -> None:
        """Take every record of a table out; those that refer to them are out already."""
        ...

    async def settle_records(self) -> None:
        """Bring what is derived from the tables (sums, next numbers) up to what they hold now."""
        ...
