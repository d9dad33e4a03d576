"""What a heartbeat says of a salient item: one English sentence for the agent to bring up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.text.counted import counted

if TYPE_CHECKING:
    from tercet.insight.salience import Question, Salient

MOST_NAME_CHARACTERS = 80
TIMES = {1: "once", 2: "twice"}


def prompt_for(salient: Salient) -> str:
    """Return the sentence: what was not looked at for how long, and the question it may answer.

    Of several questions the one asked most often is named. Names and questions are cut and put on
    one line, so that nothing in them can look like a sentence of its own.
    """
    item = salient.item
    name = f'"{_line(item.name)}"' if item.kind == "entry" else _line(item.name)
    days = int(salient.days_unseen)
    if days:
        sentence = f"You have not looked at {name} for {counted(days, 'day')}"
    else:
        sentence = f"You looked at {name} or changed it less than a day ago"
    if item.questions:
        asked = max(item.questions, key=lambda question: (question.times, question.text))
        sentence += f'; it may bear on "{_line(asked.text)}", which you asked {_times(asked)} and did not find'
    return f"{sentence}."


def _times(question: Question) -> str:
    return TIMES.get(question.times, f"{question.times} times")


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_NAME_CHARACTERS else f"{line[: MOST_NAME_CHARACTERS - 1].rstrip()}…"
