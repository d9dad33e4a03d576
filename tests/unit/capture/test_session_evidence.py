"""Invented facts never get through; what a model says in its own words of what was said does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.capture.evidence import EvidencedExtractor, with_evidence
from tercet.capture.polarity import is_negative
from tercet.capture.support import is_supported
from tercet.errors import ExtractorUnavailableError
from tercet.ports.capture import Extracted
from tercet.ports.extraction import SessionDigest, SessionFact, SessionLine

LINES = (
    SessionLine(1, "user", "My sister Anna moved to Porto last month, she has two cats."),
    SessionLine(2, "assistant", "Lovely! Shall I note that you will visit her on 12 May?"),
    SessionLine(3, "user", "Yes, exactly."),
    SessionLine(4, "user", "I no longer eat fish, but I love mushrooms."),
    SessionLine(5, "assistant", "You could book the Hotel Lux for 200 euros."),
    SessionLine(6, "user", "thanks a lot"),
    SessionLine(7, "user", "我姐姐不吃香菜,她养了两只猫。"),
    SessionLine(9, "user", "Mail me at ann@example.org, or call 555-0134."),
)

SAID = [
    ("User's sister lives in Porto.", "My sister moved to Porto last month."),
    ("The user prefers green tea in the morning", "I'd rather have green tea than coffee before work, in the mornings"),
    ("User has a dog named Rex", "My dog Rex is 5"),
    ("User has 2 cats", "I have two cats and 3 dogs"),
    ("User does not eat fish", "I stopped eating fish"),
    ("User lives in Lisbon", "I no longer live in Porto, I live in Lisbon"),
    ("User hates coriander", "I can't stand coriander"),
    ("User dislikes the new logo", "I don't like the new logo"),
    ("User's flight leaves at 7:30 on Friday", "my flight goes at 7:30 on Friday"),
    ("User's birthday is 2026-03-04", "my birthday: 2026/3/4"),
    ("User decided to use PostgreSQL for the project.", "Let's go with PostgreSQL for the project then"),
    ("User earns 1200 euros", "They pay me 1,200 euros"),
    ("User's favourite color is green", "my favorite colour is green"),
    ("User lives in Leeds", "Don't forget that I live in Leeds"),
    ("User likes Anna's plan", "I like Anna's plan, not Tom's"),
    ("Nutzer hat eine Katze namens Mia", "Ich habe eine Katze, sie heißt Mia"),
    ("El usuario vive en Porto", "Vivo en Porto"),
    ("用户的姐姐住在波尔图", "我姐姐上个月搬到波尔图了"),
    ("用户喜欢喝茶", "我爱喝茶"),
    ("用户养了两只猫", "我有两只猫"),
    ("用户不吃鱼", "我再也不吃鱼了"),
    ("用户觉得这家店不错", "这家店不错"),
    ("ユーザーはコーヒーが好き", "コーヒーが好きです"),
    ("ผู้ใช้ชอบแมว", "ฉันชอบแมวมาก"),
]
INVENTED = [
    ("User's sister lives in Lisbon.", "My sister moved to Porto last month."),
    ("Anna lives in Porto.", "My sister moved to Porto last month."),
    ("User's sister Marie lives in Porto.", "My sister moved to Porto last month."),
    ("User has 3 cats", "I have two cats and 3 dogs"),
    ("User loves fish", "I no longer eat fish, but I love mushrooms."),
    ("User loves fish", "I love mushrooms, but I no longer eat fish."),
    ("User has two cats and a dog since 2019", "I have two cats and a dog"),
    ("User likes fish", "I don't like fish"),
    ("User does not like fish", "I like fish"),
    ("User lives in Porto", "I no longer live in Porto, I live in Lisbon"),
    ("User likes coriander", "I hate coriander"),
    ("User owns a boat", "I have two cats"),
    ("User's flight leaves at 9:30 on Friday", "my flight goes at 7:30 on Friday"),
    ("User's flight leaves at 7:30 on Monday", "my flight goes at 7:30 on Friday"),
    ("User can be mailed at ann@example.com", "mail me at ann@example.org"),
    ("User reads https://a.example/two", "I read https://a.example/one"),
    ("User's birthday is 2026-03-05", "my birthday: 2026/3/4"),
    ("张伟住在波尔图", "我姐姐上个月搬到波尔图了"),
    ("用户住在里斯本", "我姐姐上个月搬到波尔图了"),
    ("用户养了三只猫", "我有两只猫三只狗"),
    ("用户讨厌香菜", "我喜欢香菜"),
    ("用户喜欢香菜", "我不喜欢香菜"),
    ("ユーザーはワインが好き", "コーヒーが好きです"),
    ("User", "I like fish"),
    ("", "I like fish"),
]


def fact(text, *evidence, topic=""):
    return SessionFact(text, "fact", 0.7, evidence, topic)


def kept(*facts, lines=LINES):
    return with_evidence(SessionDigest(facts, "a model"), lines)


@pytest.mark.parametrize(("claim", "said"), SAID)
def test_what_was_said_in_other_words_is_supported(claim, said):
    assert is_supported(claim, said)


@pytest.mark.parametrize(("claim", "said"), INVENTED)
def test_what_was_not_said_is_not_supported(claim, said):
    assert not is_supported(claim, said)


@pytest.mark.parametrize("evidence", [(), (8,), (0,), (-1,), (1, 8), (10,)])
def test_a_fact_without_lines_or_with_lines_that_do_not_exist_is_dropped_and_counted(evidence):
    digest = kept(fact("User's sister Anna moved to Porto", *evidence), fact("User's sister Anna moved to Porto", 1))
    assert [each.evidence for each in digest.facts] == [(1,)]
    assert digest.dropped == 1


def test_what_only_the_assistant_said_is_no_fact():
    assert kept(fact("The Hotel Lux costs 200 euros", 5)).facts == ()
    assert kept(fact("The Hotel Lux costs 200 euros", 5, 6)).facts == ()


def test_a_yes_of_the_user_makes_the_question_of_the_assistant_evidence():
    assert kept(fact("User will visit Anna on 12 May", 1, 2, 3)).dropped == 0
    assert kept(fact("User will visit her on 12 May", 2, 3)).dropped == 0
    assert kept(fact("User will visit her on 12 May", 2)).dropped == 1
    assert kept(fact("You could book the Hotel Lux for 200 euros", 5, 3)).dropped == 1


def test_evidence_may_lie_in_several_lines_but_not_in_a_line_that_is_not_cited():
    assert kept(fact("User's sister Anna has two cats and does not eat 香菜", 1, 7)).dropped == 0
    assert kept(fact("User's sister Anna has two cats and does not eat 香菜", 1)).dropped == 1


def test_counts_add_up_and_the_rest_of_the_digest_stays():
    digest = SessionDigest((fact("User loves mushrooms", 4), fact("User loves fish", 4)), "a model", 3, (9,))
    checked = with_evidence(digest, LINES)
    assert [each.text for each in checked.facts] == ["User loves mushrooms"]
    assert (checked.made_by, checked.dropped, checked.unread) == ("a model", 4, (9,))


def test_a_topic_is_kept_only_where_it_is_named():
    told = "User's sister Anna moved to Porto"
    assert kept(fact(told, 1, topic=" Anna ")).facts[0].topic == "Anna"
    assert kept(fact(told, 1, topic="Anna Schmidt")).facts[0].topic == ""
    assert kept(fact(told, 1, topic="Geography")).facts[0].topic == ""
    assert kept(fact("姐姐养了两只猫", 7, topic="姐姐")).facts[0].topic == "姐姐"


WORDS = st.sampled_from(
    [
        "anna",
        "porto",
        "two",
        "cats",
        "fish",
        "not",
        "never",
        "12",
        "may",
        "user",
        "sister",
        "猫",
        "不",
        "香菜",
        "住",
        "3",
        "Lux",
        "yes",
    ]
)
CLAIMS = st.lists(WORDS, max_size=8).map(" ".join)


@settings(max_examples=60)
@given(st.lists(st.tuples(CLAIMS, st.lists(st.integers(-1, 11), max_size=4)), max_size=5))
def test_whatever_is_kept_cites_lines_that_exist_and_one_of_the_user(claims):
    facts = tuple(fact(text, *evidence) for text, evidence in claims)
    digest = kept(*facts)
    users = {line.number for line in LINES if line.role == "user"}
    assert len(digest.facts) + digest.dropped == len(facts)
    for each in digest.facts:
        assert each in facts
        assert set(each.evidence) <= {line.number for line in LINES}
        assert set(each.evidence) & users


@settings(max_examples=60)
@given(st.integers(20, 99_999), st.sampled_from(["User pays {} euros of rent", "用户每月付{}元房租"]))
def test_a_number_that_was_not_said_is_never_kept(number, pattern):
    lines = [SessionLine(1, "user", "I pay 13 euros of rent, 我每月付13元房租")]
    assert kept(fact(pattern.format(13), 1), lines=lines).dropped == 0
    assert kept(fact(pattern.format(number), 1), lines=lines).facts == ()


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("The user is not allergic to peanuts", "I'm allergic to peanuts"),
        ("The user no longer avoids gluten", "I avoid gluten"),
        ("用户对花生不过敏", "我对花生过敏"),
        ("用户不讨厌香菜", "我讨厌香菜"),
    ],
)
def test_a_denial_taken_back_is_no_support_for_the_denial(claim, said):
    assert not is_supported(claim, said)
    assert not is_supported(said, claim)


@settings(max_examples=40)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged_without_a_fault(claim, said):
    assert is_supported(claim, said) in {True, False}


@pytest.mark.parametrize(
    "text", ["I never eat it", "he quit smoking", "我不去", "我戒烟了", "allergic to nuts", "rather than tea"]
)
def test_denials_are_seen(text):
    assert is_negative(text)


@pytest.mark.parametrize(
    "text", ["not only tea", "Don't forget the milk", "这家店不错", "特别好", "别人的书", "No. 5", "I like tea"]
)
def test_what_merely_looks_like_a_denial_is_none(text):
    assert not is_negative(text)


class Model:
    identity = "a model"

    async def extract(self, text):
        if "down" in text:
            msg = "down"
            raise ExtractorUnavailableError(msg)
        return [Extracted("User lives in Porto", "fact", 0.7), Extracted("User lives in Lima", "fact", 0.7)]

    async def extract_session(self, lines):
        return SessionDigest((fact("User loves mushrooms", 4), fact("User is a pilot", 4)), self.identity)


async def test_an_extractor_is_held_to_its_evidence():
    model = Model()
    held = EvidencedExtractor(model, model)
    assert [each.text for each in await held.extract("I live in Porto")] == ["User lives in Porto"]
    digest = await held.extract_session(LINES)
    assert (len(digest.facts), digest.dropped, held.identity) == (1, 1, "a model")
    with pytest.raises(ExtractorUnavailableError):
        await held.extract("down")
