"""What every embedder does to texts before and to vectors after its model: blanks, checks, length one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.embedders.answers import items
from tercet.errors import EmbedderContractError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_SHORTEST = 1e-12
"""Below this length a vector has no direction."""


def filled(texts: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return positions and cleaned texts of those that are not blank; only these go to a model."""
    kept = [(at, clean(text)) for at, text in enumerate(texts)]
    kept = [(at, text) for at, text in kept if text]
    return [at for at, _ in kept], [text for _, text in kept]


def clean(text: str) -> str:
    """Return a text that every model can read: stripped, without NUL, lone surrogates replaced.

    A NUL would end the text for a model written in C; a lone surrogate has no UTF-8 form.
    """
    text = text.replace("\0", " ").strip()
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def place(vectors: NDArray[np.float32], positions: Sequence[int], count: int) -> NDArray[np.float32]:
    """Return float32 (count, dimensions) with the vectors at their positions and zero rows between."""
    if len(positions) == count:
        return vectors
    import numpy as np

    placed = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    placed[list(positions)] = vectors
    return placed


def unit_rows(values: object, *, count: int, dimensions: int | None, identity: str) -> NDArray[np.float32]:
    """Check a model's answer and return it as float32 (count, dimensions) of L2 length 1.

    Args:
        values: Array or lists of numbers, one row per text sent.
        count: Texts sent, >= 1.
        dimensions: Numbers the space says; None takes what comes.
        identity: Provider and model, for messages.

    Raises:
        EmbedderContractError: wrong count, wrong or uneven length, not a number, or a zero vector
            (permanent).
    """
    import numpy as np

    sent = items(values)
    found = values if sent is None else sent
    try:
        rows: NDArray[np.float64] = np.asarray(found, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        rows = np.empty((count, 0))
    returned = rows.shape[0] if sent is None and rows.ndim else len(sent or ())
    if returned != count:
        msg = f"{identity} returned {returned} vectors for {count} texts: check the service and its version."
        raise EmbedderContractError(msg)
    if rows.ndim != 2 or rows.size == 0:  # noqa: PLR2004 - rows and columns
        msg = f"{identity} returned vectors that are empty, uneven or no numbers: check the service and its version."
        raise EmbedderContractError(msg)
    length = rows.size // count
    if dimensions is not None and length != dimensions:
        msg = (
            f"{identity} returned {length} numbers a vector, {dimensions} were expected: "
            "set the old model again, or run 'tercet reembed'."
        )
        raise EmbedderContractError(msg)
    if not np.isfinite(rows).all():
        msg = f"{identity} returned NaN or infinite numbers: check the model, or choose another one."
        raise EmbedderContractError(msg)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if (lengths < _SHORTEST).any():
        msg = f"{identity} returned a vector of zeros: check the model, or choose another one."
        raise EmbedderContractError(msg)
    unit: NDArray[np.float32] = (rows / lengths).astype(np.float32)
    return unit
