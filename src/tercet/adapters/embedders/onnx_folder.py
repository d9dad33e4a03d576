"""A sentence-transformers folder on disk, run by onnxruntime: nothing is ever downloaded.

Read: ``model.onnx`` or ``onnx/model.onnx``; ``tokenizer.json`` (by the ``tokenizers`` library) or
``vocab.txt`` (by our WordPiece); ``1_Pooling/config.json``; ``sentence_bert_config.json``;
``config_sentence_transformers.json`` for the prefixes the model's makers named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.embedders.builtin import bounded_threads
from tercet.adapters.embedders.integrity import file_sha256
from tercet.adapters.embedders.local import LoadedModel, LocalEmbedder
from tercet.adapters.embedders.model_folder import ModelFolder
from tercet.adapters.embedders.onnx_session import OnnxModel, pooled
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import ConfigurationError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

_PREFERRED_OUTPUTS = ("sentence_embedding", "last_hidden_state", "token_embeddings")


def create(settings: Mapping[str, object]) -> LocalEmbedder:
    """Build an embedder over ``embedding.path``; the folder is read at its first use.

    Raises:
        ConfigurationError: no path, or a setting it does not use (permanent).
    """
    reader = ModelSettings("onnx", settings)
    reader.allow("path", "model", "document_prefix", "query_prefix", "batch_size")
    path = reader.text("path")
    if path is None:
        msg = "Provider 'onnx' needs embedding.path: set the folder that holds model.onnx."
        raise ConfigurationError(msg)
    folder = ModelFolder.named(path)
    name = reader.text("model") or folder.directory.name
    threads = bounded_threads(reader.whole("threads", 2, most=64) or 2)
    return LocalEmbedder(
        f"onnx {name}",
        lambda: _load(folder, name, threads, (reader.prefix("document_prefix"), reader.prefix("query_prefix"))),
        piece_texts=reader.whole("batch_size", 32, most=4096) or 32,
    )


def _load(folder: ModelFolder, name: str, threads: int, prefixes: tuple[str | None, str | None]) -> LoadedModel:
    path = folder.model_file()
    tokenizer = folder.tokenizer()
    model = OnnxModel(path, threads=threads, extra="onnx", padding=tokenizer.padding)
    output = next((each for each in _PREFERRED_OUTPUTS if each in model.outputs), model.outputs[0])
    pooling = folder.pooling()
    max_tokens = folder.max_tokens()

    def encode(texts: list[str], is_query: bool) -> NDArray[np.float32]:  # noqa: ARG001, FBT001 - prefixes are added before
        values, mask = model.run([tokenizer.encode(text, max_tokens) for text in texts], output)
        return pooled(values, mask, pooling)

    document_prefix, query_prefix = folder.prefixes(name)
    space = Space(
        provider="onnx",
        model=name,
        dimensions=encode(["memory"], False).shape[-1],  # noqa: FBT003 - the shape of LoadedModel
        revision=file_sha256(path),
        document_prefix=document_prefix if prefixes[0] is None else prefixes[0],
        query_prefix=query_prefix if prefixes[1] is None else prefixes[1],
        pooling=pooling,
        max_tokens=max_tokens,
    )
    return LoadedModel(space, encode)
