import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.text.terms import query_terms, terms
from tercet.text.word_forms import MAX_TERM_LENGTH

TEXTS = st.text(alphabet="aAbB19 ._-/@:'#+,\n数据の한éअि", max_size=60)


def test_words_are_folded_and_stemmed_alike_everywhere() -> None:
    assert terms("Running RUNS ran") == ["run", "run", "ran"]
    assert terms("ＡＢＣ ﬁne Ærø") == ["abc", "fine", "ærø"]
    assert terms("naïve cafés") == ["naïve", "cafés"]


@pytest.mark.parametrize("word", ["AI", "Go", "C++", "C#", "F#", ".NET", ".env", "R&D", "v2", "5"])
def test_short_names_are_searchable_r26(word: str) -> None:
    document = terms(f"We use {word}, since 2020.")
    assert set(query_terms(word)) & set(document)
    assert set(query_terms(f"what about {word}?")) <= set(document)


def test_a_symbol_that_carries_meaning_tells_languages_apart() -> None:
    assert "c++" in terms("C++ and C")
    assert "c#" in terms("(C#)")
    assert "c++" not in terms("C# or C")
    assert terms("issue#12") == ["issu", "12"]


@pytest.mark.parametrize(
    ("token", "whole", "parts"),
    [
        ("snake_case_name", "snake_case_name", {"snake", "case", "name"}),
        ("kebab-case", "kebab-case", {"kebab", "case"}),
        ("config.toml", "config.toml", {"config", "toml"}),
        ("a.b.c", "a.b.c", {"a", "b", "c"}),
        ("v2.1", "v2.1", {"2.1"}),
        ("getUserName", "getusernam", {"get", "user", "name"}),
        ("HTTPServer", "httpserver", {"http", "server"}),
        ("notes/plan.md", "notes/plan.md", {"plan.md", "plan", "note"}),
        (".claude/skills/SKILL.md", ".claude/skills/skill.md", {".claude", "claud", "skill.md", "md"}),
        (".env", ".env", {"env"}),
        ("bob.smith@example.com", "bob.smith@example.com", {"bob.smith", "example.com", "smith"}),
        ("ABC-123", "abc-123", {"abc", "123"}),
        ("500MB", "500mb", {"500", "mb"}),
        ("2024-05-01", "2024-05-01", {"2024", "5", "1"}),
        ("telegram:123", "telegram:123", {"telegram", "123"}),
        ("std::vector", "std::vector", {"std", "vector"}),
        ("U.S.A.", "u.s.a", {"usa"}),
    ],
)
def test_a_compound_gives_its_whole_first_and_its_parts(token: str, whole: str, parts: set[str]) -> None:
    found = terms(f"see {token} there")[1:-1]
    assert found[0] == whole
    assert parts <= set(found)
    # The whole outranks its parts: only a text that has it holds every term of the query.
    in_parts = set(terms(" ".join(parts)))
    assert not set(query_terms(token)) <= in_parts


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("1,234", "1234"),
        ("1,234.50", "1234.50"),
        ("Alice's", "alice"),
        ("don’t", "dont"),
        ("GitHub", "github"),
        ("05", "5"),
    ],
)
def test_two_ways_to_write_one_thing(written: str, asked: str) -> None:
    assert set(query_terms(asked)) <= set(terms(written))


def test_lists_of_numbers_are_not_one_number() -> None:
    assert terms("1,2,3") == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("明日は東京で会議です", "東京 会議"),  # C1
        ("我们讨论了数据库的迁移计划", "数据库 迁移"),  # C3
        ("他在清华大学读书", "清华"),  # C3
        ("上周末散步去了公园", "周末散步"),  # C3
        ("서울시청에서 만나요", "서울시청"),  # C10
    ],
)
def test_cjk_is_found_inside_longer_runs_c1_c3_c10(document: str, query: str) -> None:
    assert set(query_terms(query)) <= set(terms(document))


def test_one_foreign_run_does_not_hide_the_others_c2() -> None:
    assert set(query_terms("数据库 外星人")) & set(terms("数据库迁移"))


def test_a_cjk_run_is_bigrams_and_a_single_character_itself_c11() -> None:
    assert terms("数据库") == ["数据", "据库"]
    assert terms("猫") == ["猫"]
    assert terms("AI助手v2") == ["ai", "助手", "v2", "v", "2"]


@settings(max_examples=150)
@given(TEXTS)
def test_terms_can_be_stored_and_queries_find_their_own_text(text: str) -> None:
    document = terms(text)
    assert all(term and not any(map(str.isspace, term)) for term in document)
    assert all(len(term) <= MAX_TERM_LENGTH for term in document)
    assert set(query_terms(text)) <= set(document)
    assert bool(query_terms(text)) == bool(document)
    assert terms(text) == document


@pytest.mark.parametrize("unit", ["a", "a.", "a_", "aA", "1,234.", "'a", "数", "-a1", "/a"])
def test_an_endless_word_gives_few_terms_in_linear_time(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    begin = time.process_time()
    found = terms(text)
    assert time.process_time() - begin < 1
    assert len(found) < 100 or unit in {"数", "1,234."}
    assert all(len(term) <= MAX_TERM_LENGTH for term in found)


def test_a_token_of_many_parts_gives_a_bounded_number_of_terms() -> None:
    assert len(terms(".".join(f"{chr(97 + number % 26)}w{number}q" for number in range(200)))) <= 60


def test_documents_keep_stop_words() -> None:
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
