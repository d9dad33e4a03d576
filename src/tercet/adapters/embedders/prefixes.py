"""The words that well-known models want before a document and before a question.

Sources: the models' own cards. A name that is not listed gets none; ``embedding.document_prefix``
and ``embedding.query_prefix`` override the table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.adapters.embedders.settings import ModelSettings

_SEARCH_PASSAGES = "Represent this sentence for searching relevant passages: "
_KNOWN: tuple[tuple[str, str, str], ...] = (
    (r"nomic-embed-text", "search_document: ", "search_query: "),
    (r"embeddinggemma", "title: none | text: ", "task: search result | query: "),
    (r"mxbai-embed-large", "", _SEARCH_PASSAGES),
    (r"bge-(small|base|large)-en", "", _SEARCH_PASSAGES),
    (r"(?<!nano)e5-(small|base|large)(-v2)?$", "passage: ", "query: "),
)


def known_prefixes(model: str) -> tuple[str, str]:
    """Return (document prefix, query prefix) of a model by its name, with or without owner and tag."""
    name = model.rpartition("/")[2].partition(":")[0].lower()
    for pattern, document, query in _KNOWN:
        if re.search(pattern, name):
            return document, query
    return "", ""


def chosen_prefixes(settings: ModelSettings, model: str) -> tuple[str, str]:
    """Return the prefixes that the settings say, else those of the table."""
    document, query = known_prefixes(model)
    own_document, own_query = settings.prefix("document_prefix"), settings.prefix("query_prefix")
    return document if own_document is None else own_document, query if own_query is None else own_query
