"""Whether what was drawn from a message says only what is kept of it."""

import pytest

from tercet.capture.retelling import retells


@pytest.mark.parametrize(
    ("fact", "kept"),
    [
        ("The user lives in Berlin", "I live in Berlin now, near the river."),
        ("User's sister Anna is a nurse", "My sister Anna is a nurse."),
        ("The user has two cats named Miso and Yuzu", "We have two cats, Miso and Yuzu."),
        ("The user is allergic to peanuts.", "I'm allergic to peanuts"),
        ("用户住在柏林", "我住在柏林，离河不远"),
        ("用户对花生过敏", "我对花生过敏。"),
    ],
)
def test_the_same_in_the_third_person_is_a_retelling(fact: str, kept: str) -> None:
    assert retells(fact, kept)


@pytest.mark.parametrize(
    ("fact", "kept"),
    [
        ("The user lives in Berlin and works as a baker", "I live in Berlin now."),
        ("The user lives in Munich", "I live in Berlin now."),
        ("The user has three cats", "We have two cats."),
        ("The user is not allergic to peanuts", "I'm allergic to peanuts"),
        ("用户住在慕尼黑", "我住在柏林"),
        ("The user", "I live in Berlin"),
    ],
)
def test_more_or_other_than_is_kept_is_none(fact: str, kept: str) -> None:
    assert not retells(fact, kept)
