"""Questions with their right answers, read from JSON lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.errors import InvalidInputError
from tercet.evaluation.json_lines import moment_field, read_objects, text_field
from tercet.text.scripts import script_of

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from tercet.evaluation.json_lines import Fields

UNANSWERABLE_KINDS = frozenset({"unanswerable", "abstention", "adversarial"})


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file that hold an answer."""

    path: str
    start_line: int
    """1-based, like ``end_line``, which is included."""
    end_line: int


Answer = str | Span
"""What is right: the id of a passage, or lines of a file."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question with what answers it."""

    id: str
    text: str
    gold: tuple[Answer, ...]
    """All of these answer it; recall asks for each of them. Empty: nothing does."""
    also_acceptable: tuple[Answer, ...] = ()
    """Right as well, though recall does not ask for them."""
    kind: str = ""
    language: str = ""
    """As given; else the script of the text: ``latin``, ``cjk``, ``mixed`` or ``other``."""
    asked_at: datetime | None = None
    """The "now" of relative dates."""
    miss: str = ""
    """Of the unanswerable: ``foreign`` (another topic) or ``near`` (the topic is there, the fact is not)."""
    group: str = ""
    """Questions of one conversation or file share it; they are never parted into fit and check."""


def read_questions(file: Path, group: str = "") -> list[Question]:
    """Read questions; keys that are not known are passed over.

    Args:
        file: ``{id, text, gold, also_acceptable?, kind? | category?, lang?, asked_at?, adversarial?,
            miss?, conv?}`` a line. ``gold`` holds ids or ``{path, startLine, endLine}``. A question
            that is ``adversarial`` or of the kind ``unanswerable`` has no answer, whatever it names.
        group: Of questions that name no ``conv``.

    Raises:
        NotFoundError: there is no such file (permanent).
        InvalidInputError: a line is wrong, or an id stands twice (permanent).
    """
    questions: list[Question] = []
    seen: dict[str, str] = {}
    for place, fields in read_objects(file):
        question = _question(place, fields, group)
        if question.id in seen:
            msg = f"{place}: the id {question.id!r} stands already in {seen[question.id]}: ids must be unique."
            raise InvalidInputError(msg)
        seen[question.id] = place
        questions.append(question)
    if not questions:
        msg = f"{file} holds no question: write one JSON object a line."
        raise InvalidInputError(msg)
    return questions


def _question(place: str, fields: Fields, group: str) -> Question:
    text = text_field(place, fields, "text", required=True)
    kind = text_field(place, fields, "kind") or text_field(place, fields, "category")
    has_none = bool(fields.get("adversarial")) or kind.casefold() in UNANSWERABLE_KINDS
    return Question(
        id=text_field(place, fields, "id", required=True),
        text=text,
        gold=() if has_none else _answers(place, fields, "gold"),
        also_acceptable=() if has_none else _answers(place, fields, "also_acceptable"),
        kind=kind or "unnamed",
        language=text_field(place, fields, "lang") or script_of(text),
        asked_at=moment_field(place, fields, "asked_at"),
        miss=text_field(place, fields, "miss"),
        group=text_field(place, fields, "conv") or group,
    )


def _answers(place: str, fields: Fields, name: str) -> tuple[Answer, ...]:
    value: Any = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        msg = f"{place}: {name!r} is no list: give ids or {{path, startLine, endLine}}."
        raise InvalidInputError(msg)
    answers = [_answer(place, name, item) for item in value]  # pyright: ignore[reportUnknownVariableType] - from JSON
    return tuple(dict.fromkeys(answers))


def _answer(place: str, name: str, item: Any) -> Answer:  # Any: from JSON
    if isinstance(item, str) and item:
        return item
    if isinstance(item, int) and not isinstance(item, bool):
        return str(item)
    if isinstance(item, dict):
        fields: Fields = item  # pyright: ignore[reportUnknownVariableType] - JSON keys are strings
        path, start = fields.get("path"), fields.get("startLine")
        end = fields.get("endLine", start)
        if isinstance(path, str) and path and isinstance(start, int) and isinstance(end, int) and 1 <= start <= end:
            return Span(path, start, end)
    msg = (
        f"{place}: {name!r} holds {item!r}: give an id or {{path, startLine, endLine}} with 1 <= startLine <= endLine."
    )
    raise InvalidInputError(msg)
