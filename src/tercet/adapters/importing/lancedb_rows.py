"""Rows of a LanceDB table that another program wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tercet.adapters.lancedb.library import is_library_error, load, reason_of
from tercet.errors import NotFoundError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

BATCH_ROWS = 1000
MOST_TABLES = 1000


def read_rows(place: str, table: str, columns: Sequence[str]) -> Generator[Mapping[str, object]]:
    """Yield every row of a table, with those of the columns that the table has; blocking.

    Args:
        place: Folder of the database, or its address (``s3://...``); neither is written to.
        table: Name of the table.
        columns: What to read; nothing else is, so that vectors stay on the disk.

    Raises:
        NotFoundError: there is no such table, or the library cannot read it (permanent).
    """
    if "://" not in place and not Path(place).is_dir():
        # The library would make the folder.
        msg = f"{place} is no folder: give the folder of the LanceDB database with --lancedb."
        raise NotFoundError(msg)
    try:
        opened = _opened(load("lancedb").connect(place), table)
        if opened is not None:
            yield from _rows(opened, columns)
            return
    except Exception as error:
        if not is_library_error(error):
            raise
        msg = f"The table {table!r} in {shown_url(place)} cannot be read: {reason_of(error)}. Check the folder."
        raise NotFoundError(msg) from error
    msg = f"{shown_url(place)} holds no table {table!r}: give the folder of memory-lancedb with --lancedb."
    raise NotFoundError(msg)


def _opened(connection: Any, table: str) -> Any | None:  # Any: lancedb connections and tables
    is_there = table in connection.list_tables(limit=MOST_TABLES).tables
    return connection.open_table(table) if is_there else None


def _rows(table: Any, columns: Sequence[str]) -> Generator[Mapping[str, object]]:  # Any: lancedb tables
    present = [name for name in columns if name in table.schema.names]
    for batch in table.search().select(present).to_batches(BATCH_ROWS):
        yield from cast("list[dict[str, object]]", batch.to_pylist())  # pyarrow has no types
