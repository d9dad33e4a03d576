"""Models run by the ``fastembed`` library, from its cache or from a folder: never fetched by Tercet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.adapters.embedders.builtin import bounded_threads
from tercet.adapters.embedders.local import LoadedModel, LocalEmbedder
from tercet.adapters.embedders.prefixes import chosen_prefixes
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import ConfigurationError, MissingExtraError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"


def create(settings: Mapping[str, object]) -> LocalEmbedder:
    """Build an embedder over a model that fastembed knows; it is loaded at its first use.

    Args:
        settings: model (a name that fastembed lists), path (a folder with its files, instead of the
            cache), document_prefix, query_prefix, batch_size, threads.

    Raises:
        ConfigurationError: a setting it does not use (permanent).
    """
    reader = ModelSettings("fastembed", settings)
    reader.allow("model", "path", "document_prefix", "query_prefix", "batch_size")
    name = reader.text("model") or DEFAULT_MODEL
    path = reader.text("path")
    prefixes = chosen_prefixes(reader, name)
    threads = bounded_threads(reader.whole("threads", 2, most=64) or 2)
    return LocalEmbedder(
        f"fastembed {name}",
        lambda: _load(name, path, prefixes, threads),
        piece_texts=reader.whole("batch_size", 32, most=4096) or 32,
    )


def open_model(kind: str, name: str, path: str | None, threads: int, section: str) -> Any:
    """Load a fastembed model of a class (``TextEmbedding`` or ``TextCrossEncoder``); blocking.

    Any: the library's classes share no typed base.

    Raises:
        MissingExtraError: fastembed is not installed (permanent).
        ConfigurationError: it does not know the model, or has no file of it (permanent).
    """
    try:
        from fastembed import TextEmbedding
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        msg = "fastembed is not installed: run \"pip install 'tercet[fastembed]'\"."
        raise MissingExtraError(msg) from error
    maker: Any = TextEmbedding if kind == "TextEmbedding" else TextCrossEncoder
    known = {str(each["model"]).lower() for each in maker.list_supported_models()}
    if name.lower() not in known:
        msg = f"fastembed knows no {kind} model {name!r}: set {section}.model to one that it lists."
        raise ConfigurationError(msg)
    # Offline at all times: without this the library waits for a hub that may not be there.
    where = {"local_files_only": True} if path is None else {"specific_model_path": path}
    try:
        return maker(model_name=name, threads=threads, **where)
    except Exception as error:  # the library, its hub client and onnxruntime raise many kinds
        module = "fastembed" if kind == "TextEmbedding" else "fastembed.rerank.cross_encoder"
        fetch = f"python -c \"from {module} import {kind}; {kind}('{name}')\""
        mend = f"fetch it once with: {fetch}" if path is None else f"copy the model's files to {path}"
        msg = f"fastembed has no usable files of {name!r} ({' '.join(str(error).split())[:120]}): {mend}"
        raise ConfigurationError(msg) from error


def _load(name: str, path: str | None, prefixes: tuple[str, str], threads: int) -> LoadedModel:
    model = open_model("TextEmbedding", name, path, threads, "embedding")

    def encode(texts: list[str], is_query: bool) -> object:  # noqa: ARG001, FBT001 - prefixes are added before
        import numpy as np

        return np.stack(list(model.embed(texts, batch_size=len(texts))))

    about = next(each for each in model.list_supported_models() if str(each["model"]).lower() == name.lower())
    space = Space(
        provider="fastembed",
        model=name,
        dimensions=int(about["dim"]),
        document_prefix=prefixes[0],
        query_prefix=prefixes[1],
        pooling="fastembed",
    )
    return LoadedModel(space, encode)
