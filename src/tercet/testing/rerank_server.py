"""A stand-in for rerank services (Jina and Cohere's shape, and Text Embeddings Inference's), on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.testing.model_server import Answer, ModelServer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Callable


class RerankServer(ModelServer):
    """Speaks ``POST /rerank``, best first, as one of the two shapes; the other one gets a 422.

    ``distort`` changes the results before they are sent: leave one out, repeat one, NaN.
    """

    def __init__(self, score: Callable[[str, str], float] | None = None, *, shape: str = "documents") -> None:
        self.score = shared_words if score is None else score
        self.shape = shape
        self.distort: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] | None = None
        """Any: JSON."""
        super().__init__()

    def answer(self, request: RecordedRequest) -> Answer:
        """Answer as a healthy reranker does."""
        if request.path != "/rerank":
            return Answer(404, {"detail": "Not Found"})
        texts: list[str] | None = request.body.get(self.shape)
        if texts is None:
            return Answer(422, {"error": f"Failed to deserialize the JSON body: missing field `{self.shape}`"})
        name = "relevance_score" if self.shape == "documents" else "score"
        results: list[dict[str, Any]] = [
            {"index": at, name: self.score(request.body["query"], text)} for at, text in enumerate(texts)
        ]
        results.sort(key=lambda each: -each[name])
        if self.distort is not None:
            results = self.distort(results)
        return Answer(json={"results": results} if self.shape == "documents" else results)


def shared_words(query: str, text: str) -> float:
    """Return the share of the query's words that the text holds, in [0, 1]."""
    asked = set(query.lower().split())
    return len(asked & set(text.lower().split())) / max(1, len(asked))
