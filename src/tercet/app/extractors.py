"""Who says what is worth keeping: the rules, and the language model of the settings where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    fault: str | None = None
    """What is wrong with the model of the settings; None when nothing is, as far as is known."""


def make_extractors(settings: Settings) -> Extractors:
    """Return the extractors of the settings; nothing is asked yet."""
    rules = RuleExtractor()
    session_rules = RuleSessionExtractor(rules)
    if settings.extraction.provider == "none":
        return Extractors(rules, session_rules, rules, session_rules, _nothing_to_close)
    model, fault = _model(settings)
    # Whatever a model says is held to the lines it cites.
    held = EvidencedExtractor(model, model)
    messages = held if settings.capture.extractor == "model" else rules
    return Extractors(rules, session_rules, messages, held, model.close, fault)


def _model(settings: Settings) -> tuple[Any, str | None]:  # Any: both kinds of extractor in one, with ``close``
    """Return the model, and what is wrong with it."""
    given: dict[str, Any] = settings.extraction.model_dump(exclude={"provider"}, exclude_none=True)
    if settings.extraction.api_key is not None:
        given["api_key"] = settings.extraction.api_key.get_secret_value()
    try:
        return load("tercet.extractors", settings.extraction.provider)(given), None
    except PermanentError as fault:
        # Trigger: a wrong model, key or provider. Outcome: the rules select, and status says what to mend.
        named = " ".join(filter(None, (settings.extraction.provider, settings.extraction.model)))
        return UnusableExtractor(named, fault), str(fault)


async def _nothing_to_close() -> None:
    return None
