"""Reads a model's answer as facts, trusting nothing of its shape."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final, cast, get_args

from tercet.adapters.embedders.answers import fields, items
from tercet.adapters.embedders.vectors import clean
from tercet.model import Category
from tercet.ports.extraction import SessionFact

if TYPE_CHECKING:
    from collections.abc import Mapping

CATEGORIES: Final[tuple[str, ...]] = get_args(Category)
MOST_FACT_CHARS: Final = 1000
MOST_TOPIC_CHARS: Final = 120
_SHOWN: Final = 60
_FACT: Final[Mapping[str, object]] = {
    "text": {"type": "string"},
    "category": {"type": "string", "enum": list(CATEGORIES)},
    "importance": {"type": "number"},
    "evidence": {"type": "array", "items": {"type": "integer"}},
    "topic": {"type": "string"},
}
SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _FACT,
                "required": list(_FACT),
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
"""In the subset that every service with schemas takes: all required, nothing more, no limits."""


class UnusableAnswerError(ValueError):
    """An answer is not what was asked for; the message says why, in words for the model."""


def facts_in(answer: str) -> list[SessionFact]:
    """Return the facts of an answer: JSON, alone, in a code fence, or after what the model thought.

    Raises:
        UnusableAnswerError: no JSON, or not of ``SCHEMA``.
    """
    found = items(fields(_json_in(answer)).get("facts"))
    if found is None:
        msg = 'the object has no list "facts"'
        raise UnusableAnswerError(msg)
    return [_fact(each, f"facts[{at}]") for at, each in enumerate(found)]


def _json_in(answer: str) -> object:
    if not answer.lstrip().startswith("{"):
        answer = answer.rpartition("</think>")[2]
    start = answer.find("{")
    if start < 0:
        msg = "there is no JSON object in it"
        raise UnusableAnswerError(msg)
    try:
        value, _ = cast("tuple[object, int]", json.JSONDecoder().raw_decode(answer, start))  # typed Any
    except (ValueError, RecursionError) as error:
        msg = f"it is no JSON: {error}"
        raise UnusableAnswerError(msg) from error
    return value


def _fact(value: object, where: str) -> SessionFact:
    fact = fields(value)
    text = _text(fact, "text", where, most=MOST_FACT_CHARS)
    if not text:
        msg = f"{where}.text is empty"
        raise UnusableAnswerError(msg)
    category = fact.get("category")
    if category not in CATEGORIES:
        msg = f"{where}.category is {_shown(category)}, not one of {', '.join(CATEGORIES)}"
        raise UnusableAnswerError(msg)
    return SessionFact(
        text=text,
        category=cast("Category", category),  # just compared with all there are
        importance=_importance(fact, where),
        evidence=_evidence(fact, where),
        topic=_text(fact, "topic", where, most=MOST_TOPIC_CHARS),
    )


def _text(fact: dict[str, object], key: str, where: str, *, most: int) -> str:
    value = fact.get(key)
    if not isinstance(value, str):
        msg = f"{where}.{key} is {_shown(value)}, not a string"
        raise UnusableAnswerError(msg)
    text = " ".join(clean(value).split())
    if len(text) > most:
        msg = f"{where}.{key} is longer than {most} characters"
        raise UnusableAnswerError(msg)
    return text


def _importance(fact: dict[str, object], where: str) -> float:
    value = fact.get("importance")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        msg = f"{where}.importance is {_shown(value)}, not a number from 0 to 1"
        raise UnusableAnswerError(msg)
    return float(value)


def _evidence(fact: dict[str, object], where: str) -> tuple[int, ...]:
    values = items(fact.get("evidence"))
    numbers = [value for value in values or () if isinstance(value, int) and not isinstance(value, bool)]
    if values is None or len(numbers) != len(values):
        msg = f"{where}.evidence is {_shown(fact.get('evidence'))}, not a list of line numbers"
        raise UnusableAnswerError(msg)
    return tuple(sorted(set(numbers)))


def _shown(value: object) -> str:
    shown = "missing" if value is None else json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
