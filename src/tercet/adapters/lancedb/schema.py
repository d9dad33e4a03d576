"""The columns of the ``passages`` table, and rows to and from Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tercet.adapters.lancedb.library import load
from tercet.adapters.passage_values import join_terms, milliseconds_of, place_of, timestamp_of, utc_offset_of
from tercet.model import Passage, Row, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.model import Origin, PassageKind, Vector

TABLE = "passages"
TERMS_COLUMN = "toks"
KEY_METADATA = {b"lance-schema:unenforced-primary-key": b"true"}
"""Without it two processes that merge the same new ids both insert them (reference/storage.md 2.2)."""

_TAG_MARK = "\x1f"


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    value: Callable[[Row], object]
    nullable: bool = False


_COLUMNS = (
    _Column("id", "string", lambda row: row.passage.id),
    _Column("agent", "string", lambda row: row.passage.scope.agent),
    _Column("anchor", "string", lambda row: row.passage.scope.anchor),
    _Column("kind", "string", lambda row: row.passage.kind),
    _Column("root", "string", lambda row: row.passage.root),
    _Column("path", "string", lambda row: row.passage.path),
    _Column("start_line", "int64", lambda row: row.passage.start_line),
    _Column("end_line", "int64", lambda row: row.passage.end_line),
    _Column("timestamp_ms", "int64", lambda row: milliseconds_of(row.passage.timestamp), nullable=True),
    _Column("utc_offset_s", "int32", lambda row: utc_offset_of(row.passage.timestamp), nullable=True),
    _Column("importance", "float64", lambda row: row.passage.importance, nullable=True),
    _Column("category", "string", lambda row: row.passage.category),
    _Column("origin", "string", lambda row: row.passage.origin),
    _Column("speaker", "string", lambda row: row.passage.speaker),
    _Column("session", "string", lambda row: row.passage.session),
    _Column("ordinal", "int64", lambda row: row.passage.ordinal),
    _Column("place", "string", lambda row: place_of(row.passage)),
    _Column("tags", "string", lambda row: encode_tags(row.passage.tags)),
    _Column("header", "string", lambda row: row.passage.header),
    _Column("context", "string", lambda row: row.passage.context),
    _Column("text", "string", lambda row: row.passage.text),
    _Column(TERMS_COLUMN, "string", lambda row: join_terms(row.terms)),
)
COLUMN_NAMES = tuple(column.name for column in _COLUMNS)


def presence_column(vector_column: str) -> str:
    r"""Return the column that says whether a row has a vector there.

    The library's expressions know no null test, and the strings that do must never carry a
    caller's text: ``Expr.to_sql`` renders ``\'`` and ``''`` so that they end or change a literal.
    """
    return vector_column.replace("vector_", "has_", 1)


def table_schema() -> Any:  # Any: pyarrow has no types
    """Return the Arrow schema of the table before any space is known."""
    pa = load("pyarrow")
    types = {"string": pa.string(), "int64": pa.int64(), "int32": pa.int32(), "float64": pa.float64()}
    return pa.schema(
        [
            pa.field(
                column.name,
                types[column.type],
                nullable=column.nullable,
                metadata=KEY_METADATA if column.name == "id" else None,
            )
            for column in _COLUMNS
        ]
    )


def encode_tags(tags: Sequence[str]) -> str:
    """Write tags as one text in which every tag stands between marks.

    The library's expressions can ask a text for a part, but not a list for a member.
    """
    return "".join(tag_key(tag) for tag in tags)


def tag_key(tag: str) -> str:
    """Return one tag between its marks; a mark inside the tag is escaped, so that keys never overlap."""
    escaped = tag.replace("%", "%25").replace(_TAG_MARK, "%1F")
    return f"{_TAG_MARK}{escaped}{_TAG_MARK}"


def decode_tags(text: str) -> tuple[str, ...]:
    """Read tags back from their column."""
    keys = text.split(_TAG_MARK)[1::2]
    return tuple(key.replace("%1F", _TAG_MARK).replace("%25", "%") for key in keys)


def rows_to_arrow(rows: Sequence[Row], schema: Any, vector_column: str | None) -> Any:  # Any: pyarrow has no types
    """Return rows as an Arrow table of exactly ``schema``.

    Vectors go to ``vector_column``; the columns of every other space are null, so that a changed
    text never keeps a vector of its former one.
    """
    pa = load("pyarrow")
    arrays: list[Any] = []  # Any: pyarrow has no types
    values = {column.name: column.value for column in _COLUMNS}
    for field in schema:
        if field.name in values:
            arrays.append(pa.array([values[field.name](row) for row in rows], field.type))
        elif field.name == vector_column:
            arrays.append(vectors_to_arrow([row.vector for row in rows], field.type.list_size))
        elif vector_column is not None and field.name == presence_column(vector_column):
            arrays.append(pa.array([row.vector is not None for row in rows], pa.bool_()))
        else:
            arrays.append(pa.nulls(len(rows), field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def vectors_to_arrow(vectors: Sequence[Vector | None], dimensions: int) -> Any:  # Any: pyarrow has no types
    """Return vectors as a fixed-size list array; None becomes null."""
    import numpy as np

    pa = load("pyarrow")
    matrix = np.zeros((len(vectors), dimensions), dtype=np.float32)
    missing = np.zeros(len(vectors), dtype=np.bool_)
    for index, vector in enumerate(vectors):
        if vector is None:
            missing[index] = True
        else:
            matrix[index] = vector
    return pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), dimensions, mask=pa.array(missing))


def arrow_to_rows(table: Any, vector_column: str | None) -> list[Row]:  # Any: pyarrow has no types
    """Return the rows of an Arrow table that holds at least ``COLUMN_NAMES``."""
    columns = {name: table.column(name).to_pylist() for name in COLUMN_NAMES}
    vectors = _vectors(table, vector_column)
    records = zip(*(columns[name] for name in COLUMN_NAMES), strict=True)
    return [
        _row(dict(zip(COLUMN_NAMES, record, strict=True)), vector)
        for record, vector in zip(records, vectors, strict=True)
    ]


def _vectors(table: Any, vector_column: str | None) -> list[Vector | None]:  # Any: pyarrow has no types
    if vector_column is None or vector_column not in table.column_names:
        return [None] * table.num_rows
    array = load("pyarrow").concat_arrays(table.column(vector_column).chunks) if table.num_rows else None
    if array is None:
        return []
    present = array.is_valid().to_pylist()
    matrix = array.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, array.type.list_size)
    filled = iter(cast("list[Vector]", list(matrix)))  # cast: pyarrow has no types
    return [next(filled) if is_present else None for is_present in present]


def _row(record: dict[str, Any], vector: Vector | None) -> Row:  # Any: one value a column, checked by its Arrow type
    passage = Passage(
        id=record["id"],
        kind=cast("PassageKind", record["kind"]),  # cast: only upsert writes the column
        scope=Scope(record["agent"], record["anchor"]),
        text=record["text"],
        header=record["header"],
        context=record["context"],
        root=record["root"],
        path=record["path"],
        start_line=record["start_line"],
        end_line=record["end_line"],
        timestamp=timestamp_of(record["timestamp_ms"], record["utc_offset_s"]),
        importance=record["importance"],
        category=record["category"],
        origin=cast("Origin", record["origin"]),  # cast: only upsert writes the column
        speaker=record["speaker"],
        session=record["session"],
        ordinal=record["ordinal"],
        tags=decode_tags(record["tags"]),
    )
    return Row(passage, tuple(record[TERMS_COLUMN].split(" ")) if record[TERMS_COLUMN] else (), vector)
