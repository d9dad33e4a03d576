"""Notes are ordered by what their fields hold of the query; disputed ones stand lower."""

from hypothesis import given
from hypothesis import strategies as st

from tercet.layers.wiki.ranking import DISPUTE, WEIGHTS, rank_notes
from tercet.ports.note_index import NoteCandidate, NoteStatistics
from tercet.text.terms import query_terms, terms


def candidate(path, query, *, title="", aliases=(), tags="", headings="", body="", dispute=0.0):
    fields = [terms(text) for text in (title, "\n".join(aliases), tags, headings, body)]
    counts = tuple(tuple(field.count(term) for term in query_terms(query)) for field in fields)
    return NoteCandidate(path, (title, *aliases), dispute, counts, tuple(map(len, fields)))


def statistics(documents=100, **frequency):
    return NoteStatistics(documents, (300, 0, 0, 0, 20_000), {"boat": 10, "berth": 3, **frequency})


def order(query, *candidates):
    return [note.path for note in rank_notes(query, query_terms(query), candidates, statistics())]


def test_a_title_says_more_than_the_body():
    query = "boat"
    told = candidate("body", query, title="log", body="the boat lay still for some days")
    named = candidate("title", query, title="boat", body="it lay still for some days there")
    assert order(query, told, named) == ["title", "body"]


def test_an_alias_says_as_much_as_a_title():
    query = "albatros berth"
    by_title = candidate("a", query, title="Albatros", body="x")
    by_alias = candidate("b", query, title="boat", aliases=("Albatros",), body="x")
    by_text = candidate("c", query, title="boat", body="albatros x")
    assert order(query, by_text, by_alias, by_title)[-1] == "c"


def test_a_whole_name_in_the_question_beats_part_of_a_longer_one():
    query = "what is the berth of the boat Albatros"
    whole = candidate("whole", query, title="Albatros", body="berth boat")
    part = candidate("part", query, title="Albatros society minutes", body="berth boat")
    (first, second) = rank_notes(query, query_terms(query), [part, whole], statistics())
    assert first.path == "whole"
    assert first.value("named") > 0
    assert second.value("named") == 0


def test_a_name_that_is_all_of_the_question_counts_whole():
    query = "Albatros"
    (note,) = rank_notes(query, query_terms(query), [candidate("a", query, title="albatros")], statistics())
    assert note.value("named") == 1
    assert note.value("coverage") == 1


def test_a_rare_term_counts_more_than_a_common_one():
    query = "boat berth"
    assert order(query, candidate("a", query, body="boat x"), candidate("b", query, body="berth x")) == ["b", "a"]


def test_a_long_note_needs_more_to_say_the_same():
    query = "berth"
    short, long = candidate("short", query, body="berth x"), candidate("long", query, body="berth " + "x " * 3000)
    assert order(query, long, short) == ["short", "long"]


def test_of_equal_notes_the_disputed_one_is_lower_by_its_share():
    query = "berth"
    sure = candidate("sure", query, body="berth")
    half = candidate("half", query, body="berth", dispute=0.5)
    whole = candidate("all", query, body="berth", dispute=1.0)
    ranked = rank_notes(query, query_terms(query), [whole, half, sure], statistics())
    assert [note.path for note in ranked] == ["sure", "half", "all"]
    assert ranked[2].key == ranked[0].key * (1 - DISPUTE)


def test_ties_stand_by_path_and_nothing_ranks_nothing():
    query = "berth"
    assert order(query, *(candidate(path, query, body="berth") for path in "cab")) == ["a", "b", "c"]
    assert rank_notes(query, [], [candidate("a", query)], statistics()) == []
    assert rank_notes(query, ["berth"], [], statistics()) == []


def test_the_weights_are_shares():
    assert sum(WEIGHTS.values()) == 1


@given(
    st.lists(
        st.tuples(st.text("boat berthx ", max_size=40), st.text("boat berthx ", max_size=40), st.floats(0, 1)),
        min_size=1,
        max_size=6,
    )
)
def test_keys_lie_in_0_to_1_and_fall_and_parts_add_up(notes):
    query = "boat berth"
    given_notes = [
        candidate(f"{n}", query, title=title, body=body, dispute=dispute)
        for n, (title, body, dispute) in enumerate(notes)
    ]
    ranked = rank_notes(query, query_terms(query), given_notes, statistics())
    keys = [note.key for note in ranked]
    assert keys == sorted(keys, reverse=True)
    assert all(0 <= key <= 1 for key in keys)
    assert all(abs(sum(part.contribution for part in note.parts) - note.relevance) < 1e-12 for note in ranked)


@given(st.integers(0, 5), st.integers(1, 4))
def test_one_more_mention_never_ranks_a_note_lower(mentions, more):
    query = "berth"
    note = candidate("a", query, body="berth " * mentions + "x " * (20 - mentions))
    richer = candidate("a", query, body="berth " * (mentions + more) + "x " * (20 - mentions - more))
    (before,), (after,) = (rank_notes(query, ["berth"], [each], statistics()) for each in (note, richer))
    assert after.key >= before.key
