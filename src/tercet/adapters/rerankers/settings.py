"""The settings that every reranker shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import ConfigurationError

if TYPE_CHECKING:
    from tercet.adapters.embedders.settings import ModelSettings
    from tercet.adapters.rerankers.scores import Scale


def chosen_scale(settings: ModelSettings, default: Scale) -> Scale:
    """Return what the model's raw numbers are.

    Raises:
        ConfigurationError: another word (permanent).
    """
    match settings.text("scale"):
        case None:
            return default
        case "auto" | "logits" | "probabilities" as scale:
            return scale
        case other:
            msg = f"{settings.section}.scale is {other!r}: set auto, logits or probabilities."
            raise ConfigurationError(msg)
