"""From a model's raw numbers to one number in [0, 1] per text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tercet.errors import EmbedderContractError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scale = Literal["auto", "logits", "probabilities"]
_RAW_LIMIT = 60.0
"""Beyond it the sigmoid is 0 or 1 in float32 anyhow, and exp() stays finite."""


def unit_scores(values: object, *, count: int, scale: Scale, identity: str) -> NDArray[np.float32]:
    """Return float32 (count,) in [0, 1], in the order given.

    Args:
        values: One number per text.
        count: Texts sent.
        scale: ``logits`` go through a sigmoid, ``probabilities`` pass; ``auto`` takes the answer for
            logits when any number lies outside [0, 1].
        identity: Provider and model, for messages.

    Raises:
        EmbedderContractError: wrong count, not a number, or probabilities outside [0, 1] (permanent).
    """
    import numpy as np

    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        numbers = np.empty((0,))
    if numbers.shape != (count,):
        msg = f"{identity} returned {numbers.size} scores for {count} texts: check the service and its version."
        raise EmbedderContractError(msg)
    if not np.isfinite(numbers).all():
        msg = f"{identity} returned NaN or infinite scores: check the model, or choose another one."
        raise EmbedderContractError(msg)
    outside = bool(((numbers < 0) | (numbers > 1)).any())
    if scale == "logits" or (scale == "auto" and outside):
        return (1.0 / (1.0 + np.exp(-np.clip(numbers, -_RAW_LIMIT, _RAW_LIMIT)))).astype(np.float32)
    if outside:
        msg = f"{identity} returned scores outside [0, 1]: set rerank.scale to 'logits'."
        raise EmbedderContractError(msg)
    return numbers.astype(np.float32)
