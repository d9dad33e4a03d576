"""A cross-encoder folder on disk (``model.onnx`` and its tokeniser), run by onnxruntime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.embedders.builtin import bounded_threads
from tercet.adapters.embedders.model_folder import ModelFolder
from tercet.adapters.embedders.onnx_session import OnnxModel
from tercet.adapters.embedders.settings import ModelSettings
from tercet.adapters.rerankers.local import LocalReranker
from tercet.adapters.rerankers.settings import chosen_scale
from tercet.errors import ConfigurationError, EmbedderContractError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

_PREFERRED_OUTPUT = "logits"


def create(settings: Mapping[str, object]) -> LocalReranker:
    """Build a reranker over ``rerank.path``; the folder is read at its first use.

    Args:
        settings: path, model (a name for messages), batch_size, threads, scale (``logits`` unless
            the model ends in a sigmoid of its own).

    Raises:
        ConfigurationError: no path, or a setting it does not use (permanent).
    """
    reader = ModelSettings("onnx", settings, section="rerank")
    reader.allow("path", "model", "batch_size", "scale")
    path = reader.text("path")
    if path is None:
        msg = "Provider 'onnx' needs rerank.path: set the folder that holds model.onnx."
        raise ConfigurationError(msg)
    folder = ModelFolder.named(path)
    threads = bounded_threads(reader.whole("threads", 2, most=64) or 2)
    return LocalReranker(
        f"onnx {reader.text('model') or folder.directory.name}",
        lambda: _load(folder, threads),
        scale=chosen_scale(reader, "logits"),
        piece=reader.whole("batch_size", 16, most=4096) or 16,
    )


def _load(folder: ModelFolder, threads: int) -> Callable[[str, list[str]], NDArray[np.float32]]:
    path = folder.model_file()
    tokenizer = folder.tokenizer()
    model = OnnxModel(path, threads=threads, extra="onnx", padding=tokenizer.padding)
    output = _PREFERRED_OUTPUT if _PREFERRED_OUTPUT in model.outputs else model.outputs[0]
    max_tokens = folder.max_tokens()

    def score(query: str, texts: list[str]) -> NDArray[np.float32]:
        values, _ = model.run([tokenizer.encode_pair(query, text, max_tokens) for text in texts], output)
        if values.size != len(texts):
            msg = (
                f"The model {path} gives {values.shape[1:]} numbers a pair: a reranker gives one, choose another model."
            )
            raise EmbedderContractError(msg)
        return values.reshape(-1)

    return score
