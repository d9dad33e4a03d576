"""Hits of several layers become one list: by score where scores mean the same, else by rank; each thing once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tercet.model import Explanation, Hit, Passage, Scope, SearchResult
from tercet.ranking.federation import merge

SCOPE = Scope("main")


def entry(text, score, layer="semantic", explained=False):
    passage = Passage(f"{layer}/{text}", "entry", SCOPE, text)
    explanation = Explanation("tuned", (), (), ("keyword",)) if explained else None
    return Hit(passage, score, score, layer, text, explanation)


def note(path, score, layer, line=1):
    passage = Passage(f"{layer}/{path}/{line}", "note", SCOPE, path, root="wiki", path=path, start_line=line)
    return Hit(passage, score, score, layer, path)


def shown(hits):
    return [(hit.passage.text, hit.layer, hit.score) for hit in hits]


def test_calibrated_layers_are_sorted_by_score_and_ties_keep_the_order_of_the_layers():
    answers = [SearchResult([entry("a", 0.9), entry("c", 0.5)]), SearchResult([entry("b", 0.5, "wiki")])]
    assert shown(merge(answers, 10)) == [("a", "semantic", 0.9), ("c", "semantic", 0.5), ("b", "wiki", 0.5)]
    assert shown(merge(answers, 1)) == [("a", "semantic", 0.9)]


def test_a_layer_that_cannot_calibrate_is_merged_by_rank_whatever_numbers_it_gives():
    sure = SearchResult([entry("a", 0.6), entry("b", 0.2)])
    loud = SearchResult(
        [entry("x", 1.0, "wiki"), entry("y", 1.0, "wiki"), entry("z", 0.1, "wiki")], is_calibrated=False
    )
    merged = merge([sure, loud], 10)
    assert [hit.passage.text for hit in merged] == ["a", "x", "b", "y", "z"]
    assert [hit.score for hit in merged] == [0.6, 0.6, 0.2, 0.2, 0.1]


def test_a_note_found_by_both_layers_and_in_several_chunks_stands_once_at_its_best():
    semantic = SearchResult([note("Kyoto.md", 0.8, "semantic", 9), note("Kyoto.md", 0.7, "semantic", 1)])
    wiki = SearchResult([note("Kyoto.md", 0.75, "wiki"), note("Osaka.md", 0.4, "wiki")])
    assert shown(merge([semantic, wiki], 10)) == [("Kyoto.md", "semantic", 0.8), ("Osaka.md", "wiki", 0.4)]


def test_a_chunk_of_a_private_note_is_the_note_of_the_vault():
    chunk = Passage("c1", "chunk", SCOPE, "plan", root="wiki@main@ines", path="Trip.md", start_line=3)
    merged = merge(
        [
            SearchResult([Hit(chunk, 0.6, 0.6, "semantic", "plan")]),
            SearchResult([note("private/ines/Trip.md", 0.5, "wiki")]),
        ],
        10,
    )
    assert [(hit.passage.kind, hit.passage.root, hit.passage.path) for hit in merged] == [
        ("note", "wiki", "private/ines/Trip.md")
    ]


def test_an_entry_and_the_message_it_was_made_of_stand_once_and_the_hit_says_who_else_found_it():
    semantic = SearchResult([entry("I moved to Ghent.", 0.5, explained=True)])
    active = SearchResult([entry("i moved to  Ghent", 0.4, "active")])
    merged = merge([semantic, active], 10)
    assert shown(merged) == [("I moved to Ghent.", "semantic", 0.5)]
    assert merged[0].explanation.notes == ("also found by the active layer",)


def test_a_message_that_says_little_more_than_its_entry_is_left_out():
    fact = entry("My dentist is Dr. Vos", 0.5)
    near, long = (
        "By the way: my dentist is Dr. Vos!",
        "My dentist is Dr. Vos, but what I really wanted to ask is when the boat goes out",
    )
    merged = merge([SearchResult([fact]), SearchResult([entry(near, 0.4, "active"), entry(long, 0.3, "active")])], 10)
    assert [hit.passage.text for hit in merged] == [fact.passage.text, long]
    earlier = merge([SearchResult([fact]), SearchResult([entry(near, 0.6, "active")])], 10)
    assert len(earlier) == 2


def test_what_one_layer_tells_apart_stays_apart():
    same = [entry("good morning", 0.5), entry("good morning", 0.4)]
    assert len(merge([SearchResult(same)], 10)) == 2


texts = st.sampled_from("abcdefgh")
hits = st.lists(st.tuples(texts, st.floats(0, 1)), max_size=8, unique_by=lambda pair: pair[0])


@given(st.lists(st.tuples(hits, st.booleans()), max_size=3), st.integers(1, 20))
def test_scores_never_rise_nothing_is_doubled_and_nothing_is_lost(layers, limit):
    names = ("semantic", "wiki", "active")
    answers = [
        SearchResult(
            [entry(text, score, name) for text, score in sorted(found, key=lambda pair: -pair[1])], is_calibrated=sure
        )
        for name, (found, sure) in zip(names, layers, strict=False)
    ]
    merged = merge(answers, limit)
    scores = [hit.score for hit in merged]
    assert scores == sorted(scores, reverse=True)
    things = [hit.passage.text for hit in merged]
    assert len(things) == len(set(things))
    everything = {text for found, _ in layers for text, _ in found}
    assert len(things) == min(limit, len(everything))
