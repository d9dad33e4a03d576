"""Which words link what: wikilinks, names, days, chains of supersession."""

from datetime import UTC, datetime

import pytest

from tercet.insight.crossref import same_days, same_entities, superseded, told_days, wikilinks
from tercet.insight.items import items_of, representatives
from tercet.model import Passage, Row, Scope
from tercet.text.terms import terms

SCOPE = Scope("main")


def row(path, text, *, line=1, root="ws", header="", entry_id="", said=None, vector=None):
    passage_id = entry_id or f"{root}:{path}#{line}"
    kind = "entry" if entry_id else "chunk"
    passage = Passage(
        passage_id, kind, SCOPE, text, header=header, root=root, path=path, start_line=line, timestamp=said
    )
    return Row(passage, tuple(terms(text)), vector)


def entry(entry_id, text, said=None):
    return row("", text, root="", entry_id=entry_id, said=said)


def pairs(links):
    return {(one, two, evidence.detail) for one, two, evidence in links}


def test_a_wikilink_links_to_the_file_it_names_and_tells_its_line():
    items = items_of(
        [
            row("people/bram.md", "# Bram\nA cook."),
            row("MEMORY.md", "x\nAsk [[people/bram|him]], ![[photo.png]] and [[nobody]].", line=8),
        ]
    )
    [(one, two, evidence)] = wikilinks(items)
    assert (one, two, evidence.kind, evidence.one_line) == ("ws:MEMORY.md", "ws:people/bram.md", "wikilink", 9)


def test_a_wikilink_stays_in_its_folder():
    items = items_of([row("a.md", "[[b]]", root="one"), row("b.md", "B", root="two")])
    assert list(wikilinks(items)) == []


def test_notes_of_the_vault_are_called_as_answers_call_them():
    items = items_of([row("a.md", "x", root="wiki@main"), row("b.md", "x", root="wiki@main@telegram_1")])
    assert [item.ref for item in items] == ["wiki:a.md", "wiki:private/telegram_1/b.md"]


def test_who_names_a_person_is_linked_to_their_file_and_not_to_each_other():
    items = items_of(
        [
            row("people/bram.md", "A cook."),
            row("soup.md", "Bram makes it."),
            row("garden.md", "Planted by Bram."),
            row("car.md", "Needs oil."),
            entry("e1", "Bram turns forty"),
        ]
    )
    assert pairs(same_entities(items)) == {
        (ref, "ws:people/bram.md", "Bram") for ref in ("ws:soup.md", "ws:garden.md", "e1")
    }


def test_a_name_in_everybody_s_mouth_links_nobody_and_a_rare_one_more_than_a_frequent_one():
    texts = ["Home is where Maud is. Bram came."] + ["Home is where Maud is."] * 2 + ["Home."] * 9
    files = [row(f"x{number}x/file{number}.md", text) for number, text in enumerate(texts)]
    items = items_of([*files, row("home.md", "x"), row("maud.md", "x"), row("bram.md", "x")])
    weights = {evidence.detail: evidence.weight for _, _, evidence in same_entities(items)}
    assert weights.keys() == {"Maud", "Bram"}
    assert 0 < weights["Maud"] < weights["Bram"] <= 1


def test_a_single_word_is_a_name_with_its_capital_and_several_are_one_without():
    items = items_of(
        [
            row("park.md", "x", header="Park"),
            row("out-of-control.md", "x", header="Out of Control"),
            row("walk.md", "A walk in the park, out of control."),
            row("call.md", "Call Park."),
        ]
    )
    assert pairs(same_entities(items)) == {
        ("ws:call.md", "ws:park.md", "Park"),
        ("ws:walk.md", "ws:out-of-control.md", "Out of Control"),
    }


@pytest.mark.parametrize("name", ["x", "7", "2026-02-08", "README"])
def test_a_letter_a_number_a_date_and_a_tool_s_file_are_nobody_s_name(name):
    items = items_of([row(f"{name}.md", "x"), row("other.md", f"About {name}.")])
    assert list(same_entities(items)) == []


def test_a_chinese_name_of_two_characters_is_one():
    items = items_of([row("家人.md", "x"), row("other.md", "我的家人很好")])
    assert pairs(same_entities(items)) == {("ws:other.md", "ws:家人.md", "家人")}


def test_what_is_of_a_day_or_names_it_is_linked_to_the_day_s_file():
    items = items_of(
        [
            row("2026-02-08.md", "A walk."),
            row("2026-02-08-call.md", "Farid called."),
            row("plan.md", "We met on 8 February 2026.", line=4),
            row("vague.md", "We met on 8 February."),
            row("2026-02-09.md", "Rain."),
            entry("e1", "I sail", datetime(2026, 2, 8, 21, tzinfo=UTC)),
        ]
    )
    links = [
        (one, two, evidence.one_line)
        for one, two, evidence in same_days(items, {item.ref: told_days(item) for item in items})
        if one != two
    ]
    first = "ws:2026-02-08-call.md"
    assert sorted(links) == [("e1", first, 0), ("ws:2026-02-08.md", first, 0), ("ws:plan.md", first, 4)]


def test_a_chain_links_each_to_the_one_it_replaced():
    assert [(one, two) for one, two, _ in superseded(["a", "b", "c"])] == [("b", "a"), ("c", "b")]


def test_representatives_are_the_passages_that_tell_most_not_the_longest():
    vector = [1.0]
    long = row("a.md", "the boat and the boat and the boat and the boat and the boat", line=1, vector=vector)
    rich = row("a.md", "Albatros berth 47", line=2, vector=vector)
    waiting = row("a.md", "quaint zebra xylophone harbour", line=3)
    others = [row("a.md", f"the boat and the sail{n}", line=4 + n, vector=vector) for n in range(6)]
    [item] = items_of([long, rich, waiting, *others])
    assert representatives(item) == [1, 3, 4, 5, 6]


def test_at_most_five_represent_a_file_and_what_does_changes_with_the_file_alone():
    rows = [row("a.md", f"word{n}", line=n, vector=[1.0]) for n in range(1, 9)]
    [item] = items_of(rows)
    assert representatives(item) == [0, 1, 2, 3, 4]
