"""Which hits are right, and for which of a question's answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.evaluation.corpora import row_id
from tercet.evaluation.questions import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.evaluation.questions import Answer, Question
    from tercet.model import Passage


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's hits, best first, as right or wrong."""

    right: tuple[bool, ...]
    gains: tuple[int, ...]
    """How many answers each hit adds that no hit before it had."""
    gold: int
    """How many answers recall asks for, >= 1."""


def judge(question: Question, passages: Sequence[Passage]) -> Judged:
    """Compare a question's answers with the passages found, best first.

    A passage is right when its id is named, or when its path is the one named and its lines overlap.
    An acceptable answer is right as well and gains once, while gold answers are missing; so the
    gains never sum to more than the gold answers.
    """
    missing, spare = list(question.gold), list(question.also_acceptable)
    right: list[bool] = []
    gains: list[int] = []
    open_answers = len(question.gold)
    for passage in passages:
        new = [answer for answer in missing if is_answer(answer, passage)]
        other = [answer for answer in spare if is_answer(answer, passage)]
        known = any(is_answer(answer, passage) for answer in (*question.gold, *question.also_acceptable))
        missing = [answer for answer in missing if answer not in new]
        spare = [answer for answer in spare if answer not in other]
        gain = min(open_answers, len(new) or (1 if other else 0))
        open_answers -= gain
        right.append(known)
        gains.append(gain)
    return Judged(tuple(right), tuple(gains), len(question.gold))


def is_answer(answer: Answer, passage: Passage) -> bool:
    """Tell whether a passage holds this answer."""
    if isinstance(answer, Span):
        is_there = bool(passage.path) and passage.path == answer.path
        return is_there and passage.start_line <= answer.end_line and passage.end_line >= answer.start_line
    return answer in (row_id(passage), passage.id)
