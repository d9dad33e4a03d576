"""What the settings name is found among what is installed, and made: models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.adapters.embedders.unusable import UnusableEmbedder
from tercet.adapters.rerankers.unusable import UnusableReranker
from tercet.errors import PermanentError
from tercet.layers.semantic.reranking import Reranking
from tercet.plugins import load

if TYPE_CHECKING:
    from tercet.ports import Embedder, Reranker
    from tercet.settings import EmbeddingSettings, RerankSettings


def make_embedder(settings: EmbeddingSettings) -> Embedder | None:
    """Return the embedder of the settings, None where they want words alone; loads no model yet."""
    if settings.provider == "none":
        return None
    given: dict[str, Any] = settings.model_dump(exclude={"provider"}, exclude_none=True)
    if settings.api_key is not None:
        given["api_key"] = settings.api_key.get_secret_value()
    try:
        embedder: Embedder = load("tercet.embedders", settings.provider)(given)
    except PermanentError as fault:
        # Trigger: a wrong model, key or provider. Why: words need none of them. Outcome: answers by
        # words alone that say what to mend, as status and doctor do.
        return UnusableEmbedder(_in_words(settings), fault)
    return embedder


def make_reranking(settings: RerankSettings) -> Reranking | None:
    """Return the reranker of the settings with how it is used, or None."""
    if settings.provider == "none":
        return None
    ours = {"provider", "depth", "weight", "timeout_s"}
    given: dict[str, Any] = settings.model_dump(exclude=ours, exclude_none=True)
    if settings.api_key is not None:
        given["api_key"] = settings.api_key.get_secret_value()
    fault: str | None = None
    try:
        reranker: Reranker = load("tercet.rerankers", settings.provider)(given)
    except PermanentError as error:
        reranker, fault = UnusableReranker(_in_words(settings), error), str(error)
    return Reranking(reranker, settings.depth, settings.weight, settings.timeout_s, fault)


def _in_words(settings: EmbeddingSettings | RerankSettings) -> str:
    return " ".join(each for each in (settings.provider, settings.model) if each)
