"""Who says what is worth keeping: the rules, and the language model of the settings where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tercet.adapters.extractors.unusable import UnusableExtractor
from tercet.capture.digest import RuleSessionExtractor
from tercet.capture.evidence import EvidencedExtractor
from tercet.capture.selection import RuleExtractor
from tercet.errors import PermanentError
from tercet.plugins import load

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tercet.ports import Extractor, SessionExtractor
    from tercet.settings import Settings


@dataclass(frozen=True, slots=True)
class Extractors:
    """Those of one memory."""

    rules: RuleExtractor
    session_rules: RuleSessionExtractor
    messages: Extractor
    """Of single messages: a model only where ``capture.extractor`` says so."""
    sessions: SessionExtractor
    """Of stretches of a conversation."""
    close: Callable[[], Awaitable[None]]


def make_extractors(settings: Settings) -> Extractors:
    """Return the extractors of the settings; nothing is asked yet."""
    rules = RuleExtractor()
    session_rules = RuleSessionExtractor(rules)
    if settings.extraction.provider == "none":
        return Extractors(rules, session_rules, rules, session_rules, _nothing_to_close)
    model = _model(settings)
    # Whatever a model says is held to the lines it cites.
    held = EvidencedExtractor(model, model)
    messages = held if settings.capture.extractor == "model" else rules
    return Extractors(rules, session_rules, messages, held, model.close)


def _model(settings: Settings) -> Any:  # Any: an ``Extractor`` and ``SessionExtractor`` that can be closed
    given: dict[str, Any] = settings.extraction.model_dump(exclude={"provider"}, exclude_none=True)
    if settings.extraction.api_key is not None:
        given["api_key"] = settings.extraction.api_key.get_secret_value()
    try:
        return load("tercet.extractors", settings.extraction.provider)(given)
    except PermanentError as fault:
        # Trigger: a wrong model, key or provider. Outcome: the rules select, and status says what to mend.
        named = " ".join(filter(None, (settings.extraction.provider, settings.extraction.model)))
        return cast("Any", UnusableExtractor(named, fault))


async def _nothing_to_close() -> None:
    return None
