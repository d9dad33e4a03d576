"""Cross-encoders run by the ``fastembed`` library, from its cache or from a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.embedders.builtin import bounded_threads
from tercet.adapters.embedders.fastembed import open_model
from tercet.adapters.embedders.settings import ModelSettings
from tercet.adapters.rerankers.local import LocalReranker
from tercet.adapters.rerankers.settings import chosen_scale

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEFAULT_MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"


def create(settings: Mapping[str, object]) -> LocalReranker:
    """Build a reranker over a model that fastembed knows; it is loaded at its first use.

    Args:
        settings: model (a name that fastembed lists), path (a folder with its files, instead of the
            cache), batch_size, threads, scale.

    Raises:
        ConfigurationError: a setting it does not use (permanent).
    """
    reader = ModelSettings("fastembed", settings, section="rerank")
    reader.allow("model", "path", "batch_size", "scale")
    name = reader.text("model") or DEFAULT_MODEL
    path = reader.text("path")
    threads = bounded_threads(reader.whole("threads", 2, most=64) or 2)
    return LocalReranker(
        f"fastembed {name}",
        lambda: _load(name, path, threads),
        scale=chosen_scale(reader, "logits"),
        piece=reader.whole("batch_size", 16, most=4096) or 16,
    )


def _load(name: str, path: str | None, threads: int) -> Callable[[str, list[str]], list[float]]:
    model = open_model("TextCrossEncoder", name, path, threads, "rerank")

    def score(query: str, texts: list[str]) -> list[float]:
        return [float(each) for each in model.rerank(query, texts, batch_size=len(texts))]

    return score
