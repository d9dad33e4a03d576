"""What a vector must be before an engine sees it: LanceDB takes infinity, and answers NaN with nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model import Row, Vector


def check_rows(rows: Iterable[Row], dimensions: int | None) -> None:
    """Check the vectors of rows about to be written.

    Args:
        rows: Rows with or without a vector.
        dimensions: Length each vector must have; None when no space is known.

    Raises:
        InvalidInputError: a vector is NaN, infinite, zero or of another length.
    """
    for row in rows:
        if row.vector is not None:
            check_vector(row.vector, dimensions, f"The vector of {row.passage.id!r}")
            _check_not_zero(row.vector, row.passage.id)


def check_matrix(ids: Iterable[str], vectors: NDArray[np.float32], dimensions: int) -> None:
    """Check vectors given as one matrix, a row an id; raises as ``check_rows`` does."""
    count = len(list(ids))
    if vectors.shape != (count, dimensions):
        msg = f"Vectors of shape {vectors.shape} for {count} ids: give ({count}, {dimensions})."
        raise InvalidInputError(msg)
    for identifier, vector in zip(ids, vectors, strict=True):
        check_vector(vector, dimensions, f"The vector of {identifier!r}")
        _check_not_zero(vector, identifier)


def check_vector(vector: Vector, dimensions: int | None, what: str = "The query vector") -> Vector:
    """Return a vector as float32 after checking length and finiteness.

    Raises:
        InvalidInputError: it is NaN, infinite or of another length.
    """
    import numpy as np

    if vector.ndim != 1 or (dimensions is not None and vector.shape[0] != dimensions):
        msg = f"{what} has the shape {vector.shape}, the index holds {dimensions} numbers: use the index's own model."
        raise InvalidInputError(msg)
    numbers = np.ascontiguousarray(vector, dtype=np.float32)
    if not bool(np.isfinite(numbers).all()):
        msg = f"{what} holds NaN or infinity: the model that made it is broken or its answer was cut."
        raise InvalidInputError(msg)
    return numbers


def _check_not_zero(vector: Vector, identifier: str) -> None:
    if not vector.any():
        msg = f"The vector of {identifier!r} is all zero: leave it out and store the row without a vector."
        raise InvalidInputError(msg)
