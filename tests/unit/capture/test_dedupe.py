"""Repeats merge, what changed is superseded, and whatever differs otherwise stays (U1, U2, L13, L14)."""

import json
import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from tercet.adapters.embedders import builtin
from tercet.capture.dedupe import decide
from tercet.capture.details import differ_in_detail, telling_words
from tercet.capture.neighbours import squared_l2
from tercet.capture.subjects import about_the_same, statement_of, supersedes
from tercet.model import Entry, Scope
from tercet.text.same_text import normalised, text_digest

CASES = [json.loads(line) for line in (Path(__file__).parent / "dedupe_cases.jsonl").read_text("utf-8").splitlines()]
AT = datetime(2026, 1, 5, tzinfo=UTC)
SAME = 0.0
NEAR = 1 / 0.95 - 1


def held(text: str, entry_id: str = "old", said_at: datetime = AT) -> Entry:
    return Entry(entry_id, Scope("main", "telegram:1"), text, said_at=said_at)


async def test_the_table_of_merge_supersede_and_keep_both() -> None:
    """40 repeats, 40 updates, 40 of other people, days or things, with the builtin embedder."""
    model = builtin.create({})
    vectors = np.asarray(await model.embed_documents([case[side] for case in CASES for side in ("old", "new")]))
    table: Counter[tuple[str, str]] = Counter()
    wrong = []
    for number, case in enumerate(CASES):
        old = held(case["old"])
        exact = old if text_digest(case["old"]) == text_digest(case["new"]) else None
        gap = squared_l2(vectors[2 * number], vectors[2 * number + 1])
        verdict = decide(case["new"], [(old, gap)], exact, said_at=AT + timedelta(days=1)).verdict
        outcome = {"duplicate": "merge", "supersedes": "supersede"}.get(verdict, "keep both")
        table[case.get("how", case["kind"]), outcome] += 1
        if outcome not in {"repeat": ("merge", "keep both"), "update": ("supersede", "keep both")}.get(
            case["kind"], ("keep both",)
        ):
            wrong.append((outcome, case))
    print("\n" + "\n".join(f"{kind:8} {outcome:10} {count}" for (kind, outcome), count in sorted(table.items())))  # noqa: T201 - the table is what is measured
    assert wrong == [], "a differing detail was merged, or another subject retired"
    trivial = sum(count for (kind, _), count in table.items() if kind in {"exact", "typing"})
    merged = table["exact", "merge"] + table["typing", "merge"]
    assert trivial == 30
    assert merged >= 0.9 * trivial
    assert table["update", "supersede"] >= 36
    await model.close()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I run 5 km", "I run 6 km"),
        ("I run 5 km", "I run 5 miles"),
        ("I run five km", "I run six km"),
        ("Dinner is on Friday", "Dinner is on Monday"),
        ("Due 2026-01-05", "Due 2026-01-06"),
        ("Anna's birthday is in May", "Anne's birthday is in May"),
        ("I like tea", "I don't like tea"),
        ("See https://a.example/x", "See https://a.example/y"),
        ("Tom owes Ben", "Ben owes Tom"),
        ("My left knee hurts", "My right knee hurts"),
        ("It is -5 outside", "It is 5 outside"),
        ("It costs $5", "It costs €5"),
        ("我喜欢茶", "我不喜欢茶"),
        ("我每天跑五公里", "我每天跑六公里"),
        ("我姐姐喜欢茶", "我哥哥喜欢茶"),
        ("房租三千元", "房租三千五百元"),
    ],
)
def test_what_differs_in_a_detail_never_merges_however_near(one: str, other: str) -> None:
    """U2: even where the model sees no difference at all."""
    assert decide(other, [(held(one), SAME)]).verdict != "duplicate"
    assert differ_in_detail(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm a vegetarian", "I am really a vegetarian"),
        ("I have 2 cats", "I have two cats"),
        ("我养了两只猫", "我养了2只猫"),
        ("My favorite color is red", "My favourite colour is red"),
        ("我弟弟叫小明", "我的弟弟叫小明"),
        ("I can't swim", "I cannot swim"),
    ],
)
def test_near_copies_that_say_the_same_merge_from_the_threshold_on(one: str, other: str) -> None:
    """U1: the raw similarity, whatever the entry's importance."""
    assert decide(other, [(held(one), NEAR - 1e-6)]).verdict == "duplicate"
    assert decide(other, [(held(one), NEAR + 1e-3)]).verdict != "duplicate"


def test_a_near_copy_with_another_detail_is_linked() -> None:
    decision = decide("Anne's birthday is in May", [(held("Anna's birthday is in May"), 0.01)])
    assert (decision.verdict, decision.links, decision.superseded) == ("related", ("old",), ())


CHANGES = """
I have two cats|I have three cats
I have 2 cats|We have three cats
I have two cats|I have no cats anymore
我有两只猫|我有三只猫
我養了兩隻貓|我養了三隻貓
I live in Ghent|I've moved to Lyon
I live in Ghent|I live in Lyon
My sister lives in Ghent|My sister now lives in Lyon
Anna lives in Porto|Anna moved to Madrid
我住在杭州|我搬到了成都
I like coffee|I don't like coffee anymore
I eat meat|I no longer eat meat
I don't eat meat|I eat meat again
I smoke|I stopped smoking
我喜欢咖啡|我不喜欢咖啡了
我吃肉|我不再吃肉
My dentist is Dr Okafor|My dentist is Dr Lindqvist
My dentist appointment is on Friday|My dentist appointment is on Monday
My exam is on 3 May|My exam is on 10 May
My phone number is 555-1|My phone number has changed to 555-2
My address is 12 Mill Lane|My new address is 4 Station Road
I work at Siemens|I work at Bosch now
我的牙医是陈医生|我的牙医换成了林医生
"""

OTHERS = """
I live in Ghent|My parents live in Lyon
I live in Ghent|I live in Belgium
I live in Ghent|I live in a small flat
I live in Ghent|I moved to Vim
I live in Ghent|I moved to Lyon in 2019
I lived in Ghent in 2019|I lived in Lyon in 2021
I have two cats|I have two black cats
I have two cats|I have two dogs
I have two sisters|I have one brother
I don't like jazz|I like jazz festivals
I'm allergic to nuts|I'm not allergic to cats
I have a meeting at 3|I have a meeting at 5
My sister's birthday is 3 May|My brother's birthday is 9 June
My exam is on 3 May|My exam is at 9:00
My son is nine years old|My son is six years old
My job is teaching|My job is boring
My car is a Golf|My car is broken now
My wife is Anna|My wife is German
My budget is 500 for the trip|My budget is 200 for the chair
His phone number is 555-1|His phone number is 555-2
I work at Siemens|I work at Bosch
I go to the gym on Mondays|I now also go to the gym on Thursdays
I like jazz|I now like opera
I take 5 mg of A in the morning|I now take 10 mg of B in the morning
My old phone number is 555-1|My new phone number is 555-2
My first exam is on 3 May|My second exam is on 10 May
My red bike has 3 gears|My blue bike has 7 gears now
Do I have two cats?|I have three cats
I have two meetings today|I have three meetings today
I don't work today|I work today
My flight to Oslo leaves tomorrow at 9:15|My flight to Oslo leaves tomorrow at 11:40
我今天有两个会|我今天有三个会
I live in Ghent|I might move to Lyon
I have two cats|I have three cats. My sister has one.
我的车是大众|我的车现在坏了
我住在杭州|我住在五楼
小王住在杭州|小王住在杭州西湖区
小王住在杭州|小李住在成都
我有一个哥哥|我有两个妹妹
我不吃猪肉|我吃牛肉
"""


def pairs(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().splitlines()]


@pytest.mark.parametrize(("old", "new"), pairs(CHANGES))
def test_a_single_value_that_changed_retires_the_old(old: str, new: str) -> None:
    """L15: whatever the model thinks of the distance."""
    decision = decide(new, [(held(old), math.inf)], said_at=AT + timedelta(days=1))
    assert (decision.verdict, decision.superseded) == ("supersedes", ("old",))


@pytest.mark.parametrize(("old", "new"), pairs(OTHERS))
def test_what_is_about_something_else_or_unclear_retires_nothing(old: str, new: str) -> None:
    """L13: however near it is."""
    assert decide(new, [(held(old), 0.01)], said_at=AT + timedelta(days=1)).verdict == "related"


def test_what_was_said_earlier_retires_nothing_that_was_said_later() -> None:
    """A transcript of last year comes in after this year's."""
    later = held("I have three cats")
    assert decide("I have two cats", [(later, 0.1)], said_at=AT - timedelta(days=1)).verdict == "related"


def test_only_the_owner_may_retire() -> None:
    """P1, P3: a pasted page says "I no longer eat meat"."""
    decision = decide("I no longer eat meat", [(held("I eat meat"), 0.1)], may_supersede=False)
    assert decision.superseded == ()


def test_the_user_may_say_what_is_superseded() -> None:
    nearest = [(held("We meet at the lake", "a"), 0.5), (held("We meet at the station", "b"), 0.5)]
    assert decide("We meet at the café", nearest, told_to_supersede=["a"]).superseded == ("a",)
    exact = held("We meet at the café", "c")
    assert decide("We meet at the café", nearest, exact, told_to_supersede=["a"]).superseded == ("a", "c")


def test_owner_and_attribute_of_simple_statements() -> None:
    cats = statement_of("By the way, I have two cats.")
    assert cats is not None
    assert (cats.owner, cats.attribute, cats.value) == ("i", "have cat", ("2",))
    home = statement_of("我姐姐现在住在成都")
    assert home is not None
    assert (home.owner, home.attribute) == ("我姐姐", "home")
    assert statement_of("She lives in Porto") is None
    assert not supersedes("", "")


def test_normalised_text_folds_typing_and_nothing_else() -> None:
    assert normalised(" The  CAFE\u0301 …") == "the café"
    assert normalised("我有猫。") == normalised("我有猫")
    assert normalised("?!") == "?!"
    assert text_digest("C++") != text_digest("C")
    assert telling_words("二〇二六年") == telling_words("2026年")


def test_pieces_of_a_long_message_are_not_read_for_a_statement_each_against_each(monkeypatch):
    def never(text):
        pytest.fail(text)

    monkeypatch.setattr("tercet.capture.subjects.telling_words", never)
    one, other = ("I live in " + f"{town} and I moved again to " * 40 for town in ("Ghent", "Lyon"))
    assert not supersedes(one, other)
    assert not about_the_same(one, other)
