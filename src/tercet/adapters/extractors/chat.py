"""Extracts facts by a chat model behind any OpenAI-compatible service (``POST {base}/chat/completions``).

The cost of a session is bounded: at most ``max_requests`` stretches of at most ``max_input_tokens``,
each asked once and, when the answer is unusable, once more.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from tercet.adapters.embedders.http import JsonService, RetryPolicy
from tercet.adapters.embedders.settings import ModelSettings
from tercet.adapters.extractors.completions import ChatApi
from tercet.adapters.extractors.facts import SCHEMA, UnusableAnswerError, facts_in
from tercet.adapters.extractors.prompt import SYSTEM, requests_for
from tercet.errors import ConfigurationError, ExtractorContractError, ExtractorUnavailableError
from tercet.ports.capture import Extracted
from tercet.ports.extraction import SessionDigest, SessionLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from tercet.adapters.extractors.completions import Completion
    from tercet.adapters.extractors.prompt import Requests
    from tercet.ports.extraction import SessionFact

DEFAULT_URL: Final = "https://api.openai.com/v1"
SECTION: Final = "extraction"
_LEAST_INPUT_TOKENS: Final = 500
_SHOWN_BACK_CHARS: Final = 4000
"""Of an unusable answer, when the model is asked to repair it."""
_RETRY: Final = RetryPolicy(tries=3, slow_tries=1, first_wait_s=1.0, longest_retry_after_s=20.0)
"""An answer that ran out of time was paid for: it is not asked for again at once."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one session or message may cost."""

    max_input_tokens: int = 6000
    """Estimated tokens of one request, the task included."""
    max_requests: int = 8
    """Stretches of one session or message."""


class ChatExtractor:
    """An ``Extractor`` and a ``SessionExtractor`` over one chat model.

    It checks the shape of what the model says, not whether it is so: hold it to its evidence
    (``capture.evidence``).
    """

    def __init__(self, api: ChatApi, bounds: Bounds | None = None) -> None:
        self._api = api
        self._bounds = bounds or Bounds()

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._api.identity

    async def extract(self, text: str) -> list[Extracted]:
        """Return what to keep of one message of the user; raises as ``extract_session`` does.

        A message over the bounds is an ExtractorContractError, so that the rules read all of it.
        """
        requests = self._requests([SessionLine(1, "user", text)])
        if not requests.is_whole:
            most = self._bounds.max_requests * self._bounds.max_input_tokens
            msg = f"A message is longer than {self.identity} may read (about {most} tokens): the rules read it instead."
            raise ExtractorContractError(msg)
        facts = [fact for request in requests.texts for fact in await self._facts(request)]
        return [
            Extracted(fact.text, fact.category, fact.importance, fact.topic) for fact in facts if fact.evidence == (1,)
        ]

    async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
        """Return what to keep of a session; lines over the bounds are named as unread.

        Raises:
            ExtractorUnavailableError: down, over quota, late, or its model is not pulled (transient).
            ConfigurationError: key, model or address is wrong, or the request too long (permanent).
            ExtractorContractError: it refuses, or its answer is unusable also when asked again (permanent).
        """
        requests = self._requests(lines)
        facts = [fact for request in requests.texts for fact in await self._facts(request)]
        return SessionDigest(tuple(facts), self.identity, unread=requests.unread)

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _requests(self, lines: Sequence[SessionLine]) -> Requests:
        return requests_for(
            lines, max_input_tokens=self._bounds.max_input_tokens, max_requests=self._bounds.max_requests
        )

    async def _facts(self, request: str) -> list[SessionFact]:
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": request}]
        first = await self._api.complete(messages)
        try:
            return facts_in(first.text)
        except UnusableAnswerError as fault:
            messages += _repair(first, fault)
        second = await self._api.complete(messages)
        try:
            return facts_in(second.text)
        except UnusableAnswerError as fault:
            mend = f"raise {SECTION}.max_output_tokens" if second.was_cut else f"choose another {SECTION}.model"
            msg = f"{self._api.who} gave no usable answer, also when asked again ({_reason(second, fault)}): {mend}."
            raise ExtractorContractError(msg) from fault


def _repair(completion: Completion, fault: UnusableAnswerError) -> list[dict[str, str]]:
    """Return the messages that show a model its answer and what is wrong with it."""
    asked = f"This answer cannot be used: {_reason(completion, fault)}. Answer again, with the whole JSON object alone."
    shown = completion.text[:_SHOWN_BACK_CHARS] or "(nothing)"
    return [{"role": "assistant", "content": shown}, {"role": "user", "content": asked}]


def _reason(completion: Completion, fault: UnusableAnswerError) -> str:
    return f"it was cut off, give fewer and shorter facts ({fault})" if completion.was_cut else str(fault)


def create(
    settings: Mapping[str, object], *, wait: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> ChatExtractor:
    """Build an extractor over one model of an OpenAI-compatible service; nothing is asked before its first use.

    Args:
        settings: model, url (with or without ``/v1``), api_key, timeout_s (one request),
            max_output_tokens (one answer), max_input_tokens (one request), max_requests (one session).
        wait: Waits between tries.

    Raises:
        ConfigurationError: no model, a setting is wrong or not used here, or OpenAI's own service
            without a key (permanent).
    """
    reader = ModelSettings("openai", settings, section=SECTION)
    reader.allow("model", "url", "api_key", "max_output_tokens", "max_input_tokens", "max_requests")
    model = reader.text("model")
    if model is None:
        msg = f"Provider 'openai' needs {SECTION}.model: set the name of a chat model of the service."
        raise ConfigurationError(msg)
    url = _base(reader.url("url", DEFAULT_URL))
    key = reader.secret("api_key")
    if key is None and url == DEFAULT_URL:
        msg = f"OpenAI needs a key: set {SECTION}.api_key, or {SECTION}.url to a service of your own."
        raise ConfigurationError(msg)
    service = JsonService(
        f"openai {model}",
        url,
        api_key=key,
        section=SECTION,
        timeout_s=reader.seconds("timeout_s", 60.0),
        unavailable=ExtractorUnavailableError,
        retry=_RETRY,
        wait=wait,
    )
    usual = Bounds()
    bounds = Bounds(
        reader.whole("max_input_tokens", None, least=_LEAST_INPUT_TOKENS) or usual.max_input_tokens,
        reader.whole("max_requests", None, most=100) or usual.max_requests,
    )
    max_output_tokens = reader.whole("max_output_tokens", 1024, least=64) or 1024
    return ChatExtractor(
        ChatApi(service, model, max_output_tokens=max_output_tokens, schema=SCHEMA, section=SECTION), bounds
    )


def _base(url: str) -> str:
    """Return the base address: ``/v1`` is added where the address has no path at all."""
    url = url.removesuffix("/chat/completions").rstrip("/")
    return url if urlsplit(url).path.strip("/") else f"{url}/v1"
