"""The digest without a model: quotes of the user, each with its line, the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.capture.digest import RuleSessionExtractor, topic_of
from tercet.capture.evidence import with_evidence
from tercet.capture.selection import RuleExtractor
from tercet.ports.extraction import SessionLine

SESSION = (
    SessionLine(1, "user", "hey, how are you?"),
    SessionLine(2, "assistant", "Fine! I live in the cloud and my favourite colour is blue."),
    SessionLine(3, "user", "My sister lives in Porto. What is the weather there?"),
    SessionLine(4, "user", "我姐姐的生日是5月3日。"),
    SessionLine(7, "user", "Remember that the rent is 900 euros. My sister lives in Porto."),
)


async def test_sentences_of_the_user_are_quoted_with_their_lines():
    digest = await RuleSessionExtractor().extract_session(SESSION)
    assert [(fact.text, fact.evidence) for fact in digest.facts] == [
        ("My sister lives in Porto.", (3, 7)),
        ("我姐姐的生日是5月3日。", (4,)),
        ("the rent is 900 euros.", (7,)),
    ]
    assert [fact.topic for fact in digest.facts] == ["My sister", "我姐姐", ""]
    assert digest.facts[2].importance == 0.9


async def test_it_says_that_no_model_made_it():
    extractor = RuleSessionExtractor()
    assert (await extractor.extract_session(SESSION)).made_by == extractor.identity
    assert "no model" in extractor.identity


async def test_small_talk_and_the_assistant_alone_give_nothing():
    lines = [
        SessionLine(1, "user", "hello!"),
        SessionLine(2, "assistant", "I live in Porto."),
        SessionLine(3, "user", "ok thanks"),
    ]
    digest = await RuleSessionExtractor().extract_session(lines)
    assert digest.facts == ()
    assert (await RuleSessionExtractor().extract_session([])).facts == ()


async def test_the_rules_of_the_settings_count_here_too():
    rules = RuleExtractor(triggers=["project falcon"])
    digest = await RuleSessionExtractor(rules).extract_session([SessionLine(5, "user", "Can project falcon wait?")])
    assert [fact.evidence for fact in digest.facts] == [(5,)]


def test_the_digest_stands_the_test_of_evidence():
    digest = RuleSessionExtractor().digest(SESSION)
    checked = with_evidence(digest, SESSION)
    assert checked == digest


PARTS = st.sampled_from(
    [
        "My sister lives in Porto.",
        "hi",
        "I have two cats.",
        "我不吃香菜。",
        "what time is it?",
        "```\nx = 1\n```",
        "Anna's phone number is 555-0134.",
    ]
)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.lists(PARTS, max_size=4).map(" ".join)), max_size=6)
)
def test_every_fact_is_a_quote_of_each_line_it_cites(said):
    lines = [SessionLine(number, role, text) for number, (role, text) in enumerate(said, start=1)]
    by_number = {line.number: line for line in lines}
    digest = RuleSessionExtractor().digest(lines)
    for fact in digest.facts:
        assert fact.evidence
        assert all(by_number[number].role == "user" and fact.text in by_number[number].text for number in fact.evidence)
    assert len({fact.text for fact in digest.facts}) == len(digest.facts)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("I have two cats", ""),
        ("Anna lives in Lisbon.", "Anna"),
        ("So my boss's birthday is 5 March", "My boss"),
        ("小李住在上海", "小李"),
        ("我住在上海", ""),
        ("It rained all day and nobody came.", ""),
    ],
)
def test_the_topic_is_who_a_statement_is_about(text, topic):
    assert topic_of(text) == topic
