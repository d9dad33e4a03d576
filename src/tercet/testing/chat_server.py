"""A stand-in for OpenAI-compatible chat services, on loopback, whose answers a test scripts.

``script`` gives the next requests their answers in turn; what is not scripted is answered by
``extract``, which sees the lines of the conversation as the service reads them out of the prompt.
``hold`` and ``release`` (``ModelServer``) play a service that hangs.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tercet.testing.model_server import Answer, ModelServer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Line = dict[str, Any]  # JSON
    Extract = Callable[[Sequence[Line]], list[dict[str, object]]]

_CONVERSATION = re.compile(r"<conversation>\n(.*?)\n</conversation>", re.DOTALL)

RATE_LIMITED = Answer(429, {"error": {"message": "Rate limit reached"}}, {"Retry-After": "3"})
RATE_LIMITED_FOR_LONG = Answer(429, {"error": {"message": "Rate limit reached"}}, {"Retry-After": "3600"})
QUOTA_EXHAUSTED = Answer(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
SERVER_ERROR = Answer(500, {"error": {"message": "model runner has unexpectedly stopped"}})
MODEL_NOT_PULLED = Answer(404, {"error": {"message": 'model "llama3" not found, try pulling it first'}})
UNKNOWN_MODEL = Answer(404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}})
UNAUTHORISED = Answer(401, {"error": {"message": "Incorrect API key provided: sk-secret***cret."}})
FORBIDDEN = Answer(403, {"error": {"message": "Country not supported"}})
TOO_LONG = Answer(400, {"error": {"message": "This model's maximum context length is 4096 tokens."}})
FILTERED_PROMPT = Answer(400, {"error": {"message": "The prompt triggered our content management policy."}})
NO_COMPLETION = Answer(json={"object": "list", "data": []})
HTML = Answer(raw=b"<html>Sign in to the network</html>")
_REFUSED_FIELDS = {
    "response_format": "This response_format type is unavailable now",
    "temperature": "Unsupported value: 'temperature' does not support 0 with this model.",
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
}


def completion(content: object, *, finish_reason: str = "stop", refusal: str | None = None) -> Answer:
    """Return a completion with this content, a text or a list of parts."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return Answer(json={"object": "chat.completion", "choices": [{"message": message, "finish_reason": finish_reason}]})


def fact(
    text: str, *evidence: int, category: str = "fact", importance: float = 0.7, topic: str = ""
) -> dict[str, object]:
    """Return one fact as a model writes it."""
    return {
        "text": text,
        "category": category,
        "importance": importance,
        "evidence": list(evidence),
        "topic": topic,
    }


def facts(*found: object) -> str:
    """Return these facts as the JSON of an answer."""
    return json.dumps({"facts": found}, ensure_ascii=False)


def refusal() -> Answer:
    """Return what OpenAI sends when a model will not answer in the schema."""
    return completion(None, refusal="I'm sorry, I can't help with that.")


def quoting(lines: Sequence[Line]) -> list[dict[str, object]]:
    """Return one fact for each line of the user: the line itself, cited. Never wrong, never clever."""
    return [fact(" ".join(line["text"].split())[:1000], line["line"]) for line in lines if line["by"] == "user"]


class ChatServer(ModelServer):
    """Speaks ``POST /v1/chat/completions``.

    ``refuses`` names fields of the request that it answers with a 400: ``response_format``,
    ``temperature``, ``max_tokens``.
    """

    def __init__(self, extract: Extract = quoting, *, refuses: Sequence[str] = ()) -> None:
        self.extract = extract
        self.refuses = frozenset(refuses)
        super().__init__()

    def script(self, *answers: Answer | str) -> None:
        """Give the next requests these answers, in turn; a text is the content of a completion."""
        for answer in answers:
            self.fail_with(completion(answer) if isinstance(answer, str) else answer)

    def conversations(self) -> list[list[Line]]:
        """Return the lines that each request so far held, in order."""
        return [_lines(request) for request in self.posted()]

    def answer(self, request: RecordedRequest) -> Answer:
        """Answer as a healthy service does."""
        if request.path != "/v1/chat/completions":
            return Answer(404, raw=b"404 page not found")
        for field, said in _REFUSED_FIELDS.items():
            if field in self.refuses and field in request.body:
                return Answer(400, {"error": {"message": said}})
        return completion(facts(*self.extract(_lines(request))))


def _lines(request: RecordedRequest) -> list[Line]:
    """Return the lines of the conversation that a request fences."""
    text = "\n".join(message["content"] for message in request.body["messages"] if message["role"] == "user")
    found = _CONVERSATION.search(text)
    return [json.loads(line) for line in found[1].split("\n")] if found else []
