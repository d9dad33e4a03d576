"""What a search leaves open comes from the settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.model import SearchOptions
    from tercet.settings import RetrievalSettings


def with_settings(given: SearchOptions, retrieval: RetrievalSettings) -> SearchOptions:
    """Return options with the settings' values where they leave something open."""
    named = {"vector": retrieval.vector_weight, "keyword": retrieval.keyword_weight}
    constants = {
        **retrieval.constants,
        **{name: weight for name, weight in named.items() if weight is not None},
        **given.weights,
    }
    return replace(
        given,
        preset=given.preset or retrieval.preset,
        mode=given.mode or retrieval.mode,
        min_score=retrieval.min_score if given.min_score is None else given.min_score,
        weights=constants,
    )
