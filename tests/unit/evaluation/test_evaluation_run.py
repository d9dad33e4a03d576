"""From questions to the report: what is asked how, what counts where, and the keys on the wire."""

import asyncio
from datetime import UTC, datetime

import pytest

from tercet.errors import InvalidInputError
from tercet.evaluation.evaluate import Request, check_request, evaluate
from tercet.evaluation.report import report_json
from tercet.evaluation.runner import AT_A_TIME, Latency, Task, ask_all, measure_latency, options_for
from tercet.evaluation.summary import compare, summarise
from tercet.evaluation.systems import BASELINE_NAMES, System, baseline_named
from tercet.evaluation.table import report_lines
from tercet.model import SearchResult
from tercet.ranking.presets import preset_with

LATENCY = Latency(1.0, 2.0, 3)
SYSTEM = System("hybrid", "hybrid", "hybrid", {"k1": 1.5})
METRICS = {"mrr@10", "ndcg@10", "recall@5", "recall@10", "hit@1", "hit@5", "hit@10"}


def summed(outcomes, threshold=0.0):
    return summarise(outcomes, k=10, threshold=threshold, latency=LATENCY, preset="hybrid", space="none")


def test_the_wire_form_has_exactly_these_keys(ask, outcome):
    outcomes = [outcome(ask("x"), "x"), outcome(ask("y"), "x"), outcome(ask())]
    value = report_json(summed(outcomes))
    assert list(value) == [
        "questions",
        "metrics",
        "intervals",
        "byKind",
        "byLanguage",
        "abstention",
        "latencyMs",
        "preset",
        "space",
    ]
    assert set(value["metrics"]) == set(value["intervals"]) == METRICS
    assert value["questions"] == 3
    assert value["metrics"]["mrr@10"] == 0.5
    assert set(value["latencyMs"]) == {"p50", "p95", "searches"}


def test_a_question_without_an_answer_is_in_no_mean_and_no_slice(ask, outcome):
    answered = [outcome(ask("x", kind="list"), "x")]
    with_others = [*answered, outcome(ask(kind="unanswerable"), "x"), outcome(ask(kind="unanswerable"), "x")]
    assert summed(with_others).whole == summed(answered).whole
    assert set(summed(with_others).by_kind) == {"list"}
    assert summed(with_others).abstention.unanswerable == 2


def test_kinds_languages_and_corpora_are_counted_apart(ask, outcome):
    found = summed(
        [
            outcome(ask("x", kind="table", language="en"), "x", corpus="one"),
            outcome(ask("x", kind="list", language="zh"), "y", corpus="two"),
            outcome(ask("x", kind="list", language="zh"), "x", corpus="two"),
        ]
    )
    assert {kind: part.metrics["hit@1"] for kind, part in found.by_kind.items()} == {"list": 0.5, "table": 1.0}
    assert {name: part.questions for name, part in found.by_language.items()} == {"en": 1, "zh": 2}
    assert found.whole.metrics["hit@1"] == pytest.approx(2 / 3)
    assert found.macro["hit@1"] == 0.75
    assert set(report_json(found)["byCorpus"]) == {"one", "two"}


def test_a_comparison_is_question_by_question(ask, outcome):
    mine = [outcome(ask("x"), "x") for _ in range(30)]
    other = [outcome(ask("x"), "w", "x") for _ in range(30)]
    found = compare("bm25", mine, other, 10)
    assert found.metrics["mrr@10"] == 0.5
    assert found.differences["mrr@10"].mean == 0.5
    assert found.differences["mrr@10"].p_value < 0.001
    assert found.differences["hit@10"].p_value == 1.0


def test_the_table_names_every_kind_and_the_size_of_a_hit(ask, outcome):
    found = summed([outcome(ask("x", kind="table"), "x"), outcome(ask("x", kind="list"), "x"), outcome(ask())])
    text = "\n".join(report_lines(found))
    assert "table" in text
    assert "list" in text
    assert "about 1 tokens" in text
    assert "3 questions, 2 of them with an answer" in text


async def test_at_most_so_many_searches_run_side_by_side_and_outcomes_keep_their_order(ask, hit, entry):
    running = peak = 0

    async def search(query, options):
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        for _ in range(int(query) % 3 + 1):
            await asyncio.sleep(0)
        running -= 1
        return SearchResult([hit(entry(query))])

    tasks = [Task(ask(str(i), text=str(i), id=str(i))) for i in range(40)]
    found = await ask_all(search, tasks, SYSTEM, limit=10, threshold=0.0, progress=None)
    assert peak == AT_A_TIME
    assert [each.hits[0].passage.id for each in found] == [str(i) for i in range(40)]
    assert all(each.judged.right == (True,) for each in found)


async def test_hits_below_the_threshold_do_not_count_but_their_score_is_kept(ask, hit, entry, answering):
    search = answering({"a question": [hit(entry("w"), 0.6), hit(entry("x"), 0.4)]})
    (found,) = await ask_all(search, [Task(ask("x"))], SYSTEM, limit=10, threshold=0.5, progress=None)
    assert [each.passage.id for each in found.hits] == ["w"]
    assert found.best_score == 0.6
    assert found.judged.right == (False,)


def test_a_question_is_asked_at_its_own_time_else_at_that_of_its_corpus(ask):
    early, late = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)
    assert options_for(Task(ask("x", asked_at=early), now=late), SYSTEM, 10).now == early
    assert options_for(Task(ask("x"), now=late), SYSTEM, 10).now == late
    options = options_for(Task(ask("x")), SYSTEM, 10)
    assert (options.preset, options.mode, options.weights, options.min_score) == ("hybrid", "hybrid", {"k1": 1.5}, 0.0)


async def test_latency_is_measured_one_search_at_a_time(ask, hit, entry):
    running = 0

    async def search(query, options):
        nonlocal running
        running += 1
        assert running == 1
        await asyncio.sleep(0)
        running -= 1
        return SearchResult([])

    found = await measure_latency(search, [Task(ask("x", id=str(i))) for i in range(120)], SYSTEM, limit=10)
    assert found.searches == 50
    assert found.p50 <= found.p95


def test_every_baseline_is_a_preset_with_constants_it_knows():
    for name in BASELINE_NAMES:
        system = baseline_named(name, SYSTEM)
        preset_with(system.preset, system.constants)
    assert baseline_named("keyword", SYSTEM).constants == {"k1": 1.5}
    assert baseline_named("keyword", SYSTEM).mode == "keyword"
    with pytest.raises(InvalidInputError, match="Unknown baseline"):
        baseline_named("magic", SYSTEM)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"k": 0}, "k is 0"),
        ({"questions": None}, "no questions"),
        ({"corpus": "c", "folder": "f"}, "one of them"),
        ({"baseline": "magic"}, "Unknown baseline"),
        ({"by_conversation": True}, "--corpus"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_before_anything_is_made(tmp_path, changes, word):
    given = {"questions": tmp_path / "q.jsonl", **changes}
    with pytest.raises(InvalidInputError, match=word):
        check_request(Request(**given), SYSTEM)


def test_without_an_answerable_question_there_is_no_figure(ask, outcome):
    found = summed([outcome(ask(kind="unanswerable"), "x")])
    value = report_json(found)
    assert set(value["metrics"].values()) == set(value["intervals"].values()) == {None}
    (row,) = [line for line in report_lines(found) if line.startswith("all")]
    assert "0.000" not in row
    assert row.count("-") == len(METRICS)


def test_a_constant_the_preset_does_not_know_is_refused():
    with pytest.raises(InvalidInputError, match="no_such"):
        check_request(Request(None, corpus="c"), System("x", "hybrid", "hybrid", {"no_such": 1.0}))


async def test_ids_as_gold_need_a_corpus(tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": "q", "text": "t", "gold": ["x"]}', "utf-8")

    class Bench:
        agent = "main"

        async def space(self):
            return "none"

    with pytest.raises(InvalidInputError, match="--corpus"):
        await evaluate(Bench(), Request(file), SYSTEM)
