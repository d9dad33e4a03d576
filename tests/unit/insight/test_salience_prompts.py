"""What a heartbeat says of an item."""

from datetime import UTC, datetime, timedelta

from tercet.insight.prompts import prompt_for
from tercet.insight.salience import Item, Question, salience

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def prompt(*questions: Question, name: str = "people/maud.md", kind: str = "topic", days: float = 12.4) -> str:
    item = Item("r", name, kind, 0.8, 10, NOW - timedelta(days=days), questions=questions)
    return prompt_for(salience(item, NOW))


def asked(text: str, times: int) -> Question:
    return Question(text, frozenset({text}), times, frozenset({"p"}))


def test_days_are_counted_in_plain_english():
    assert prompt() == "You have not looked at people/maud.md for 12 days."
    assert prompt(days=1.9) == "You have not looked at people/maud.md for 1 day."
    assert prompt(days=0.5) == "You looked at people/maud.md or changed it less than a day ago."


def test_the_question_asked_most_often_is_named():
    questions = (asked("Her birthday?", 1), asked("Where does Maud work?", 2))
    assert prompt(*questions) == (
        "You have not looked at people/maud.md for 12 days; "
        'it may bear on "Where does Maud work?", which you asked twice and did not find.'
    )
    assert prompt(asked("a", 1)).endswith('"a", which you asked once and did not find.')
    assert prompt(asked("a", 3)).endswith('"a", which you asked 3 times and did not find.')


def test_an_entry_is_quoted_on_one_line_and_cut():
    assert prompt(name="I am allergic\nto  walnuts.", kind="entry") == (
        'You have not looked at "I am allergic to walnuts." for 12 days.'
    )
    long = prompt(asked("why\n" * 100, 1), name="x" * 200, kind="entry")
    assert "\n" not in long
    assert "x" * 79 + "…" in long
    assert len(long) < 300
