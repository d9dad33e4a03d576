"""The ``/chat/completions`` request as OpenAI, Ollama, llama.cpp, vLLM and others take it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from tercet.adapters.embedders.answers import fields, items
from tercet.adapters.embedders.http import RefusedRequestError
from tercet.errors import (
    ConfigurationError,
    EmbedderContractError,
    ExtractorContractError,
    ExtractorUnavailableError,
    TercetError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.adapters.embedders.http import JsonService

_UNPROCESSABLE: Final = frozenset({400, 422})
_NOT_FOUND: Final = 404
_TOO_LARGE: Final = 413
_LENGTH: Final = ("context length", "context size", "context window", "too long", "too large", "maximum context")
_POLICY: Final = ("content management policy", "content_filter", "content filter", "safety system")
_MOST_REQUESTS: Final = 4
"""Of one completion: as it should be, and once more for each of the three things a service may not take."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered."""

    text: str
    """Empty when it used up its tokens before it said anything."""
    was_cut: bool
    """It stopped because of the limit of tokens."""


@dataclass(frozen=True, slots=True)
class _Manner:
    """What a service takes beside the messages."""

    sends_schema: bool = True
    sends_temperature: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def easier(self, refusal: RefusedRequestError) -> _Manner | None:
        """Return what to try after a refusal; None when it is about something else."""
        if refusal.status not in _UNPROCESSABLE or refusal.complains_of(*_LENGTH, *_POLICY):
            return None
        if self.limit == "max_tokens" and refusal.complains_of("max_completion_tokens"):
            return replace(self, limit="max_completion_tokens")
        if self.sends_temperature and refusal.complains_of("temperature"):
            return replace(self, sends_temperature=False)
        # Services word this in many ways, or not at all: without the schema is tried in any case.
        return replace(self, sends_schema=False) if self.sends_schema else None


class ChatApi:
    """Asks one model for JSON of one schema; learns what the service takes and keeps to it."""

    def __init__(
        self, service: JsonService, model: str, *, max_output_tokens: int, schema: Mapping[str, object], section: str
    ) -> None:
        """Take where and whom to ask.

        Args:
            service: The base address, with its time limit and tries.
            model: As the service names it.
            max_output_tokens: Of one answer.
            schema: JSON schema of the answer; without limits on numbers, which some services refuse.
            section: Settings section, for the mend in messages.
        """
        self._service = service
        self._model = model
        self._max_output_tokens = max_output_tokens
        self._schema = schema
        self._section = section
        self._manner = _Manner()

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._service.identity

    @property
    def who(self) -> str:
        """Provider, model and address in words, without secrets."""
        return f"{self._service.identity} at {self._service.shown_url}"

    async def complete(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        """Return the model's answer to these messages.

        Raises:
            ExtractorUnavailableError: down, over quota, late, or its model is not pulled (transient).
            ConfigurationError: key, model or address is wrong, or the request too long (permanent).
            ExtractorContractError: it refuses to answer, or sends something else than a completion (permanent).
        """
        return self._read(await self._ask(messages))

    async def close(self) -> None:
        """Close the connections."""
        await self._service.close()

    async def _ask(self, messages: Sequence[Mapping[str, str]]) -> object:
        manner = self._manner
        for _ in range(_MOST_REQUESTS):
            try:
                answer = await self._service.post("/chat/completions", self._body(messages, manner))
            except EmbedderContractError as error:
                raise ExtractorContractError(str(error)) from error  # the HTTP machinery speaks of embedders
            except RefusedRequestError as refusal:
                easier = manner.easier(refusal)
                if easier is None:
                    raise self._refused(refusal) from refusal
                manner = easier
            else:
                self._manner = manner
                return answer
        raise AssertionError  # pragma: no cover - there are only three concessions

    def _body(self, messages: Sequence[Mapping[str, str]], manner: _Manner) -> dict[str, object]:
        body: dict[str, object] = {"model": self._model, "messages": list(messages), "stream": False}
        body[manner.limit] = self._max_output_tokens
        if manner.sends_temperature:
            body["temperature"] = 0
        if manner.sends_schema:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "facts", "strict": True, "schema": self._schema},
            }
        return body

    def _refused(self, refusal: RefusedRequestError) -> TercetError:
        if refusal.complains_of(*_POLICY):
            return ExtractorContractError(f"{self.who} refused to read this conversation: {refusal.detail}")
        if refusal.status == _TOO_LARGE or refusal.complains_of(*_LENGTH):
            msg = f"{self.who} finds a request too long ({refusal.detail}): lower {self._section}.max_input_tokens."
            return ConfigurationError(msg)
        # Ollama's words; others say that a model does not exist.
        if refusal.status == _NOT_FOUND and refusal.complains_of("model") and refusal.complains_of("not found", "pull"):
            msg = f"{self.who} has no model {self._model!r}: run 'ollama pull {self._model}'."
            return ExtractorUnavailableError(msg)
        return refusal

    def _read(self, answer: object) -> Completion:
        choices = items(fields(answer).get("choices"))
        if not choices:
            msg = f"{self.who} sent no completion: is {self._section}.url the address that ends in /v1?"
            raise ExtractorContractError(msg)
        choice = fields(choices[0])
        message = fields(choice.get("message"))
        refusal = message.get("refusal")
        if refusal or choice.get("finish_reason") == "content_filter":
            said = " ".join(refusal.split())[:200] if isinstance(refusal, str) else "content filter"
            msg = f"{self.who} refused to read this conversation ({said}): choose another {self._section}.model."
            raise ExtractorContractError(msg)
        return Completion(_text(message.get("content")), was_cut=choice.get("finish_reason") == "length")


def _text(content: object) -> str:
    """Return the text of a message, which some services send in parts."""
    if isinstance(content, str):
        return content
    parts = (fields(part).get("text") for part in items(content) or ())
    return "".join(part for part in parts if isinstance(part, str))
