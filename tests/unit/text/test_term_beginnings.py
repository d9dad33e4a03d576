"""What is passed over at a glance never holds a term: the glance may only be too careful."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tercet.text.term_beginnings import beginnings, may_hold
from tercet.text.terms import query_terms, terms

LETTERS = "abdeilmostuyABIRSTUY0159.-_/'’:#@+& "
WORDS = ("dying", "lying", "tying", "skies", "idly", "U.S.A", "don't", "gpt-4", "gpt4", "v2.1", ".env", "C++", "C#", "05", "1,234.5", "snake_case", "camelCase", "HTTPServer", "2025-11-14.md", "y'all", "x/y/z.md", "it's", "I'm")  # fmt: skip

texts = st.one_of(st.text(LETTERS, max_size=40), st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join))


@given(texts, texts)
@example("notes/dying.md", "die")
@example("u.s.a.md", "USA")
@example("05.md", "5")
@example("dont.md", "don't")
def test_a_text_that_holds_a_term_is_never_passed_over(text, query):
    wanted = query_terms(query)
    if set(wanted) & set(terms(text)):
        assert may_hold(text, beginnings(wanted))


@given(texts)
def test_a_text_may_always_hold_its_own_terms(text):
    for term in terms(text):
        assert may_hold(text, beginnings([term]))


def test_a_path_without_the_letters_is_passed_over_and_chinese_is_read():
    wanted = beginnings(query_terms("heating of the new house"))
    assert not may_hold("123/note-4711.md", wanted)
    assert may_hold("2026/heating.md", wanted)
    assert may_hold("家人.md", wanted)
    assert not may_hold("plain.md", beginnings(query_terms("妈妈的生日")))
