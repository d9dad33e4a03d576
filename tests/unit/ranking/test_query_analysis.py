"""What a query is read as, and its focused text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tercet.model import TermStatistics
from tercet.ranking.presets import CLASSIC, TUNED
from tercet.ranking.query import analyse_query, focused_text, query_texts, with_expansion


def test_terms_pairs_and_numbers(build):
    read = analyse_query("What is the gateway port 8443 of router R2?", build.now)
    assert "what" not in read.terms
    assert "the" in read.words
    assert {"8443", "r2"} <= read.numbers
    assert ("gateway", "port") in read.pairs


def test_a_named_day_is_an_interval_and_small_talk_is_not(build):
    (day,) = analyse_query("What did I write on 2026-02-08?", build.now).intervals
    assert day.start is not None
    assert day.start.date().isoformat() == "2026-02-08"
    assert analyse_query("What should I cook, any ideas for today?", build.now).intervals == ()


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("What did you suggest for the bathroom?", True),
        ("What was your advice on the lease?", True),
        ("你之前推荐的餐厅是哪家？", True),
        ("您的建議是什麼", True),
        ("What colours have you already recommended?", True),
        ("你给出的三个方案是什么", True),
        ("What would you suggest for the bathroom?", False),
        ("Do you recommend a colour?", False),
        ("你建议我穿什么", False),
        ("What did Ann suggest for the bathroom?", False),
        ("Do you know my passport number?", False),
        ("我的护照号码", False),
    ],
)
def test_whether_the_assistants_words_are_asked_for(build, text: str, asks: bool):
    assert analyse_query(text, build.now).asks_assistant is asks


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("How many trips did I make?", {"count"}),
        ("我去过几次东京", {"count"}),
        ("List all routers", {"list"}),
        ("有哪些路由器", {"list"}),
        ("What is my current address?", {"latest"}),
        ("目前的地址", {"latest"}),
        ("Where is the key?", set()),
    ],
)
def test_kinds_of_answer(build, text: str, kinds: set[str]):
    read = analyse_query(text, build.now)
    flags = {
        "count": read.asks_count,
        "list": read.asks_list,
        "latest": read.asks_latest,
    }
    assert {name for name, on in flags.items() if on} == kinds


def _statistics(**share: float) -> TermStatistics:
    return TermStatistics(1000, 50_000, {term: int(1000 * part) for term, part in share.items()})


def test_focus_drops_common_words_and_keeps_function_words(build):
    read = analyse_query("What did Caroline say about the adoption agency?", build.now)
    common = _statistics(carolin=0.6, caroline=0.6, say=0.1, adopt=0.01, agenc=0.01)
    assert focused_text(read, common) == "What did say about the adoption agency?"


def test_focus_is_the_query_itself_when_nothing_is_left_or_nothing_is_common(build):
    read = analyse_query("What did Caroline adopt?", build.now)
    small = TermStatistics(49, 1, {"carolin": 49, "caroline": 49})
    for statistics in (_statistics(carolin=0.9, caroline=0.9, adopt=0.9), _statistics(), small):
        assert focused_text(read, statistics) == read.text
    assert focused_text(read, replace(small, documents=60)) == "What did adopt?"


def test_focus_keeps_a_chinese_run_unless_all_of_it_is_common(build):
    read = analyse_query("数据库 迁移", build.now)
    assert focused_text(read, _statistics(数据=0.5, 据库=0.01, 迁移=0.01)) == read.text
    assert focused_text(read, _statistics(数据=0.5, 据库=0.5, 迁移=0.01)) == "迁移"


def test_only_a_preset_with_focus_embeds_two_texts(build):
    read = analyse_query("What did Caroline say about adoption?", build.now)
    common = _statistics(carolin=0.6, caroline=0.6)
    assert query_texts(read, common, CLASSIC) == [read.text]
    assert query_texts(read, common, TUNED) == [read.text, "What did say about adoption?"]


def test_expansion_weighs_less_and_never_repeats(build):
    read = with_expansion(analyse_query("gateway port", build.now), ["nginx", "port", "nginx"], 0.5)
    assert read.terms == ("gateway", "port", "nginx")
    assert read.term_weights == {"nginx": 0.5}
