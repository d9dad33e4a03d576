"""What a user of the ranking notices, preset by preset, and the field's known faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tercet.errors import InvalidInputError, SpaceMismatchError
from tercet.model import Passage, Row, Scope
from tercet.ranking.pipeline import Candidate, Ranking, explanation_of, rank
from tercet.ranking.presets import CLASSIC, ENTRY_SEARCH, HYBRID, PRESETS, TUNED, preset_with

if TYPE_CHECKING:
    from tercet.ranking.formula import Preset

_QUERY = "gateway port nginx proxy host"


def _ids(ranking: Ranking) -> list[str]:
    return [h.row.passage.id for h in ranking.hits]


def _rank(build, rows, preset: Preset, text: str = _QUERY, **options) -> Ranking:
    asked = options.pop("asked", None) or build.asks(text)
    statistics = options.pop("statistics", None) or build.statistics(rows, documents=1000)
    vectors = options.pop("query_vectors", build.query_vectors)
    return rank(asked, build.candidates(rows), statistics, preset, query_vectors=vectors, now=build.now, **options)


def test_worked_example_of_classic(build):
    """Two of five terms in the text, one in the heading, one in the path: .32 + .1 + .02 + .05 = .49."""
    row = build.row("a", "Its port is 8443.", cosine=0.8, kind="chunk", header="Gateway", path="network/nginx.md")
    (hit,) = _rank(build, [row], CLASSIC).hits
    assert hit.relevance == pytest.approx(0.4 * 0.8 + 0.25 * 0.4 + 0.1 * 0.2 + 0.25 * 0.2)
    assert hit.score == pytest.approx(0.85 * hit.relevance)
    assert {p.name: p.weight for p in hit.parts} == {"vector": 0.4, "keyword": 0.25, "header": 0.1, "path": 0.25}


def test_worked_example_of_classic_with_weak_keywords(build):
    """No candidate holds a tenth of the terms: .85 * .8 = .68; one term in five would be enough."""
    rows = [build.row("a", "Quite another thing.", cosine=0.8), build.row("b", "Nor this.", cosine=0.1)]
    ranking = _rank(build, rows, CLASSIC)
    assert ranking.hits[0].relevance == pytest.approx(0.68)
    assert any("vector decides" in note for note in ranking.notes)
    with_one = _rank(build, [*rows, build.row("c", "A port.", cosine=0.0)], CLASSIC)
    assert with_one.hits[0].relevance == pytest.approx(0.32)
    assert with_one.notes == ()


def test_classic_multiplies_files_of_the_date_by_three_and_keeps_strict_order(build):
    """R29: two files of the date, both beyond 1.0 after the multiplier, keep their order."""
    rows = [
        build.row("better", "gateway port nginx", cosine=0.9, kind="chunk", path="memory/2026-02-08.md"),
        build.row("good", "gateway port nginx", cosine=0.8, kind="chunk", path="memory/2026-02-08-b.md"),
        build.row("other", "gateway port nginx proxy", cosine=0.95, kind="chunk", path="memory/2026-01-01.md"),
    ]
    dated = build.asks(_QUERY, intervals=[build.day(2026, 2, 8)])
    ranking = _rank(build, rows, CLASSIC, asked=dated)
    assert _ids(ranking) == ["better", "good", "other"]
    scores = [h.score for h in ranking.hits]
    assert 1 >= scores[0] > scores[1] > scores[2] > 0
    assert dict(ranking.hits[0].multipliers)["date"] == 3.0
    assert "date" not in dict(ranking.hits[2].multipliers)
    plain = {h.row.passage.id: h.key for h in _rank(build, rows, CLASSIC).hits}
    assert ranking.hits[0].key == pytest.approx(3 * plain["better"])
    assert _ids(_rank(build, rows, CLASSIC))[0] == "other"


def test_worked_example_of_hybrid_keeps_both_weights_on_every_branch(build):
    """R18, R19: found by the text leg alone, it still gets its vector part."""
    row = build.row("a", "The gateway.", cosine=0.5)
    only_text = Candidate(row, frozenset({"keyword"}), keyword_rank=1)
    asked, statistics = build.asks(_QUERY), build.statistics([row], documents=1000)
    (hit,) = rank(asked, [only_text], statistics, HYBRID, query_vectors=build.query_vectors, now=build.now).hits
    parts = {p.name: p for p in hit.parts}
    assert parts["vector"].contribution == pytest.approx(0.35)
    assert 0 < parts["keyword"].contribution < 0.3
    assert hit.legs == ("keyword",)


@pytest.mark.parametrize("preset", [CLASSIC, HYBRID, TUNED], ids=lambda p: p.name)
def test_r1_one_shared_word_does_not_beat_the_right_passage(build, preset: Preset):
    rows = [
        build.row("right", "Requests from outside are forwarded by the front machine.", cosine=0.72),
        build.row("word", "We shall host a party.", cosine=0.05),
    ]
    assert _ids(_rank(build, rows, preset))[0] == "right"


@pytest.mark.parametrize("preset", [HYBRID, TUNED], ids=lambda p: p.name)
def test_r5_first_results_do_not_depend_on_the_limit(build, preset: Preset):
    rows = [build.row(f"{n:02}", "gateway " * (n % 4), cosine=(n * 7 % 60) / 100) for n in range(60)]
    whole = [(h.row.passage.id, h.score) for h in _rank(build, rows, preset, limit=50, min_score=0).hits]
    for limit in (1, 2, 5, 20):
        part = [(h.row.passage.id, h.score) for h in _rank(build, rows, preset, limit=limit, min_score=0).hits]
        assert part == whole[:limit]


@pytest.mark.parametrize("preset", [CLASSIC, HYBRID, TUNED, ENTRY_SEARCH], ids=lambda p: p.name)
def test_r9_importance_acts(build, preset: Preset):
    rows = [
        build.row("minor", "gateway port", cosine=0.91, importance=0.05),
        build.row("major", "gateway port now", cosine=0.9, importance=1.0),
    ]
    assert _ids(_rank(build, rows, preset, min_score=0))[0] == "major"
    assert _ids(_rank(build, rows, preset_with(preset.name, {"importance": False}), min_score=0))[0] == "minor"


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda p: p.name)
def test_r20_r21_the_threshold_is_on_the_score_returned_and_an_exact_match_passes(build, preset: Preset):
    exact = build.row("exact", _QUERY, cosine=1.0)
    (hit,) = _rank(build, [exact], preset).hits
    assert hit.score >= preset.min_score
    assert _rank(build, [exact], preset, min_score=hit.score).hits
    empty = _rank(build, [exact], preset, min_score=min(1.0, hit.score + 1e-6))
    assert not empty.hits
    assert empty.dropped[0].rule == "min_score"
    assert "below min_score" in empty.notes[-1]


def test_r17_an_exact_term_whose_vector_is_far_is_found_by_default(build):
    rows = [build.row("id", "Ticket ZX-4711 is closed.", cosine=0.02), build.row("x", "Another thing.", cosine=0.3)]
    assert _ids(_rank(build, rows, TUNED, "ZX-4711"))[0] == "id"


def test_r22_whole_terms_only(build):
    rows = [build.row("start", "start of the artisan party"), build.row("art", "modern art")]
    assert _ids(_rank(build, rows, CLASSIC, "art", query_vectors=None)) == ["art"]


def test_r31_nothing_in_common_is_no_padding(build):
    rows = [build.row("a", "gateway", cosine=0.4), build.row("b", "tulips", cosine=-0.2), build.row("c", "roses")]
    ranking = _rank(build, rows, HYBRID, min_score=0)
    assert _ids(ranking) == ["a"]
    assert {(d.id, d.rule) for d in ranking.dropped} == {("b", "zero"), ("c", "zero")}


@pytest.mark.parametrize("preset", [CLASSIC, HYBRID, TUNED], ids=lambda p: p.name)
def test_c1_c3_chinese_words_inside_longer_runs_are_found(build, preset: Preset):
    rows = [build.row("right", "我们在三月完成了数据库迁移工作"), build.row("other", "周末去公园散步")]
    ranking = _rank(build, rows, preset, "数据库 迁移", query_vectors=None, min_score=0)
    assert _ids(ranking) == ["right"]
    assert _ids(_rank(build, rows, preset, "周末散步", query_vectors=None, min_score=0))[0] == "other"


def test_r23_entry_search_on_its_published_scale(build):
    """1 / (1 + squared L2) times importance: cosine .7 is 1 / 1.6 * .85 = .531, cosine .6 is .472."""
    rows = [build.row(f"c{c}", "x" * c, cosine=c / 100) for c in (100, 95, 90, 85, 80, 75, 70, 60)]
    ranking = _rank(build, rows, ENTRY_SEARCH)
    assert _ids(ranking) == ["c100", "c95", "c90", "c85", "c80"]
    assert [h.relevance for h in ranking.hits][:2] == pytest.approx([1.0, 1 / 1.1])
    assert _ids(_rank(build, rows, ENTRY_SEARCH, limit=50))[-1] == "c70"
    unimportant = [build.row("zero", "x", cosine=0.99, importance=0.0)]
    assert not _rank(build, unimportant, ENTRY_SEARCH).hits, "importance 0 needs a raw 1.0"


def test_without_vectors_the_mode_is_keyword_and_the_scale_stays(build):
    rows = [build.row("a", _QUERY), build.row("b", "gateway")]
    ranking = _rank(build, rows, CLASSIC, query_vectors=None)
    assert ranking.mode == "keyword"
    assert ranking.hits[0].relevance == pytest.approx(0.65)
    assert _ids(ranking) == ["a", "b"]


def test_mode_vector_asks_nothing_of_the_words(build):
    rows = [build.row("near", "Quite another thing.", cosine=0.6), build.row("words", _QUERY, cosine=0.5)]
    for preset in (CLASSIC, HYBRID):
        ranking = _rank(build, rows, preset, mode="vector")
        assert _ids(ranking) == ["near", "words"]
        assert ranking.hits[0].relevance == pytest.approx(0.6)


def test_equal_passages_stand_by_place_whatever_order_they_come_in(build):
    rows = [
        build.row(i, f"gateway{'!' * n}", cosine=0.5, kind="chunk", path=path, start_line=line)
        for n, (i, path, line) in enumerate([("z", "a.md", 1), ("y", "a.md", 9), ("b", "b.md", 1), ("a", "b.md", 1)])
    ]
    for order in (rows, rows[::-1], rows[2:] + rows[:2]):
        assert _ids(_rank(build, order, HYBRID)) == ["z", "y", "a", "b"]


def test_equal_vectors_tie_wherever_they_stand(build):
    """The last bits of a dot product depend on a row's place in the matrix; an order must not."""
    draw = np.random.default_rng(1)
    same, query = draw.normal(size=(2, 384)).astype(np.float32)
    same, query = same / np.linalg.norm(same), query / np.linalg.norm(query) * np.sign(same @ query)
    for count in (3, 7, 203):
        rows = [Row(Passage(f"{n:03}", "entry", Scope("main"), f"{n}"), (), same) for n in range(count)]
        ranking = _rank(build, rows, HYBRID, query_vectors=query[None, :], limit=count)
        assert _ids(ranking) == [f"{n:03}" for n in range(count)]
        assert len({h.key for h in ranking.hits}) == 1


def test_strong_evidence_behind_weaker_one_is_not_cut_by_the_threshold(build):
    """The order is by the unclamped key; the shown score of the first is lifted, not the second's cut."""
    dated = build.asks(_QUERY, intervals=[build.day(2026, 2, 8)])
    rows = [
        build.row("first", _QUERY, cosine=0.9, kind="chunk", path="2026-02-08.md", importance=0.0),
        build.row("second", f"the {_QUERY}", cosine=0.9, path="gateway/port/nginx/proxy/host", importance=1.0),
    ]
    ranking = _rank(build, rows, CLASSIC, asked=dated)
    assert _ids(ranking) == ["first", "second"]
    assert "order" in dict(ranking.hits[0].multipliers)
    assert ranking.hits[0].score >= ranking.hits[1].score > 0.5
    assert _ids(_rank(build, rows, CLASSIC, asked=dated, min_score=ranking.hits[1].score)) == ["first", "second"]


def test_the_assistants_words_count_less_unless_they_are_asked_for(build):
    rows = [
        build.row("user", "gateway port", cosine=0.5, session="s", ordinal=1, speaker="user"),
        build.row("answer", "gateway port 1", cosine=0.55, session="s", ordinal=9, speaker="assistant"),
    ]
    assert _ids(_rank(build, rows, TUNED, min_score=0))[0] == "user"
    asked = build.asks(_QUERY, asks_assistant=True)
    assert _ids(_rank(build, rows, TUNED, min_score=0, asked=asked))[0] == "answer"


def test_a_named_speaker_is_preferred_and_a_role_is_no_name(build):
    rows = [
        build.row("ann", "the garden", cosine=0.5, session="s", ordinal=1, speaker="Ann"),
        build.row("bob", "the garden too", cosine=0.55, session="s", ordinal=9, speaker="Bob"),
    ]
    assert _ids(_rank(build, rows, TUNED, "What does Ann grow?", min_score=0))[0] == "ann"
    roles = [build.row("u", "the garden", cosine=0.5, session="s", speaker="user")]
    (hit,) = _rank(build, roles, TUNED, "Which user is it?", min_score=0).hits
    assert not next((p.value for p in hit.parts if p.name == "speaker"), 0.0)


def test_a_row_that_waits_for_its_vector_or_holds_a_bad_one_is_ranked_by_words(build):
    bad = Row(
        Passage("bad", "entry", Scope("main"), "gateway port"), ("gateway", "port"), np.full(4, np.nan, np.float32)
    )
    rows = [build.row("waits", "gateway port host"), bad]
    for preset in (CLASSIC, HYBRID, TUNED):
        ranking = _rank(build, rows, preset, min_score=0)
        assert sorted(_ids(ranking)) == ["bad", "waits"]
        assert all(p.value == 0 for h in ranking.hits for p in h.parts if p.name == "vector")


def test_duplicates_and_the_rest_are_named_with_their_rule_and_position(build):
    rows = [
        build.row(i, text, cosine=c)
        for i, text, c in [("a", "gateway", 0.9), ("b", "gateway", 0.8), ("c", "port", 0.5)]
    ]
    ranking = _rank(build, rows, TUNED, limit=1, min_score=0)
    assert _ids(ranking) == ["a"]
    assert [(d.id, d.rule, d.position) for d in ranking.dropped] == [("b", "duplicate", 2), ("c", "limit", 3)]


def test_an_explanation_carries_what_the_hit_is_made_of(build):
    (hit,) = _rank(build, [build.row("a", "gateway", cosine=0.5)], TUNED).hits
    told = explanation_of(hit, "tuned")
    assert (told.preset, told.parts, told.multipliers, told.legs) == ("tuned", hit.parts, hit.multipliers, ("vector",))


def test_only_focused_kinds_of_source_are_compared_with_the_mean_of_both_texts(build):
    rows = [
        build.row("turn", "a", cosine=0.9, session="s"),
        build.row("chunk", "b", cosine=0.9, kind="chunk", path="b.md"),
    ]
    both = np.stack([build.unit(1.0), build.unit(0.0)])
    values = {
        h.row.passage.id: h.parts[0].value for h in _rank(build, rows, TUNED, query_vectors=both, min_score=0).hits
    }
    mean = (build.unit(1.0) + build.unit(0.0)) / np.sqrt(2)
    assert values["chunk"] == pytest.approx(0.9, abs=1e-5)
    assert values["turn"] == pytest.approx(float(mean @ build.unit(0.9)), abs=1e-5)
    unfocused = preset_with("tuned", {"focus": False})
    plain = {
        h.row.passage.id: h.parts[0].value for h in _rank(build, rows, unfocused, query_vectors=both, min_score=0).hits
    }
    assert plain["turn"] == pytest.approx(0.9, abs=1e-5)


def test_no_candidates_is_an_empty_answer_with_a_reason(build):
    ranking = _rank(build, [], TUNED)
    assert (ranking.hits, ranking.best_score) == ((), 0.0)
    assert "Nothing in reach" in ranking.notes[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"limit": 0}, "at least 1"),
        ({"min_score": float("nan")}, "from 0 to 1"),
        ({"min_score": 1.5}, "from 0 to 1"),
        ({"mode": "semantic"}, "hybrid, vector, keyword"),
        ({"query_vectors": np.full((1, 4), np.nan, dtype=np.float32)}, "not finite"),
        ({"query_vectors": np.zeros((0, 4), dtype=np.float32)}, "empty"),
    ],
)
def test_bad_options_are_refused_with_the_mend(build, options: dict[str, object], says: str):
    with pytest.raises(InvalidInputError, match=says):
        _rank(build, [build.row("a", "gateway", cosine=0.5)], TUNED, **options)


def test_vectors_of_two_lengths_are_never_compared(build):
    with pytest.raises(SpaceMismatchError, match="reembed"):
        _rank(build, [build.row("a", "x", cosine=0.5)], TUNED, query_vectors=np.ones((1, 3), dtype=np.float32))
