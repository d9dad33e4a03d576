"""Runs one ONNX text model on padded token ids."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.errors import ConfigurationError, EmbedderContractError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

_TOKENS_OUT, _POOLED_OUT = 3, 2
"""Dimensions of an output (texts, tokens, numbers), and of one that is pooled already."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """One text, or one pair of texts, as ids."""

    ids: list[int]
    types: list[int] | None = None
    """Segment of each id; None counts as all 0."""


class OnnxModel:
    """A session with the names of what it takes and gives."""

    def __init__(self, path: Path, *, threads: int, extra: str, padding: int = 0) -> None:
        """Load the model; blocking.

        Raises:
            MissingExtraError: onnxruntime is not installed (permanent).
            ConfigurationError: no usable model file (permanent).
        """
        try:
            # Any: onnxruntime carries no types.
            onnxruntime: Any = importlib.import_module("onnxruntime")
        except ImportError as error:
            msg = f"ONNX models need onnxruntime: run \"pip install 'tercet[{extra}]'\"."
            raise MissingExtraError(msg) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Idle threads that spin take the core the agent needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors share no base class
            msg = f"The model {path} cannot be loaded ({_first_line(error)}): copy it again, or mend embedding.path."
            raise ConfigurationError(msg) from error
        self.path = path
        self.inputs: list[str] = [each.name for each in self._session.get_inputs()]
        self.outputs: list[str] = [each.name for each in self._session.get_outputs()]
        self._padding = padding
        if "input_ids" not in self.inputs:
            msg = f"The model {path} takes {self.inputs}, not input_ids: it is no text model in the usual form."
            raise ConfigurationError(msg)

    def run(self, batch: Sequence[Tokens], output: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return (the named output, attention mask int64 (texts, tokens)) of one padded batch; blocking.

        Raises:
            EmbedderContractError: the model refuses this input (permanent).
        """
        import numpy as np

        longest = max(len(tokens.ids) for tokens in batch)
        ids = np.full((len(batch), longest), self._padding, dtype=np.int64)
        types = np.zeros_like(ids)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens.ids)] = tokens.ids
            mask[row, : len(tokens.ids)] = 1
            if tokens.types is not None:
                types[row, : len(tokens.types)] = tokens.types
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        unknown = [name for name in self.inputs if name not in known]
        if unknown:
            msg = (
                f"The model {self.path} asks for {unknown[0]!r}, which Tercet cannot give: export it as a text encoder."
            )
            raise EmbedderContractError(msg)
        try:
            found = self._session.run([output], {name: known[name] for name in self.inputs})[0]
        except Exception as error:  # onnxruntime's errors share no base class
            msg = f"The model {self.path} failed on {len(batch)} texts ({_first_line(error)}): check that it is whole."
            raise EmbedderContractError(msg) from error
        return np.asarray(found, dtype=np.float32), mask


def pooled(values: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> NDArray[np.float32]:
    """Return float32 (texts, numbers) of a token output; one that is pooled already passes.

    Args:
        values: (texts, tokens, numbers), or (texts, numbers).
        mask: 1 for tokens of the text, 0 for padding.
        pooling: ``mean`` over the mask, or ``cls``: the first token.

    Raises:
        EmbedderContractError: another number of dimensions (permanent).
    """
    import numpy as np

    if values.ndim == _POOLED_OUT:
        return values
    if values.ndim != _TOKENS_OUT:
        msg = f"The ONNX model gives an output of {values.ndim} dimensions: export it with its token embeddings."
        raise EmbedderContractError(msg)
    if pooling == "cls":
        return np.ascontiguousarray(values[:, 0, :])
    weights = mask[:, :, None].astype(np.float32)
    mean: NDArray[np.float32] = (values * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return mean


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
