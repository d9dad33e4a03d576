"""A fit that holds is offered with its constants; noise is refused and the weights stay."""

import random

import numpy as np
import pytest

from tercet.evaluation.runner import Task
from tercet.evaluation.signal_table import DEPTH, FITTED, SignalTable
from tercet.evaluation.systems import System
from tercet.evaluation.tuning import MIN_QUESTIONS, fit, fit_table, folds, tune
from tercet.model import SearchResult
from tercet.ranking.presets import preset_with

CANDIDATES = 12
HYBRID = System("hybrid", "hybrid")


@pytest.fixture
def world(ask, entry, hit):
    """Questions with candidates whose signals are drawn: ``keyword_tells`` or nothing does."""

    def make(count, *, keyword_tells, seed=5, weights=(0.7, 0.3)):
        draw = random.Random(seed)
        answers, tasks = {}, []
        for number in range(count):
            right = draw.randrange(CANDIDATES)
            hits = []
            for place in range(CANDIDATES):
                keyword = draw.random() * 0.5 + (0.4 if keyword_tells and place == right else 0.0)
                parts = (("vector", draw.random(), weights[0]), ("keyword", keyword, weights[1]))
                score = sum(value * weight for _, value, weight in parts)
                hits.append(hit(entry(f"{number}-{place}"), score=score, parts=parts))
            hits.sort(key=lambda each: -each.score)
            answers[f"question {number}"] = hits
            tasks.append(Task(ask(f"{number}-{right}", text=f"question {number}", id=str(number))))

        async def search(query, options):
            assert options.explain
            return SearchResult(answers[query])

        return search, tasks

    return make


async def test_a_signal_that_tells_gains_weight_and_the_constants_can_be_pasted(world):
    search, tasks = world(80, keyword_tells=True)
    found = await tune(search, tasks, HYBRID, 10, None)
    assert found.accepted, found.reason
    assert found.fitted > found.default + 0.1
    assert found.difference.p_value < 0.05
    pasted = preset_with("hybrid", found.constants).weights["entry"]
    assert pasted.keyword > 0.5 > pasted.vector
    assert pasted.keyword + pasted.vector == pytest.approx(1.0, abs=0.002)
    assert '"entry.keyword"' in "\n".join(found.as_lines())


@pytest.mark.parametrize("seed", range(4))
async def test_noise_is_refused_and_said_so(world, seed):
    search, tasks = world(60, keyword_tells=False, seed=seed)
    found = await tune(search, tasks, HYBRID, 10, None)
    assert not found.accepted
    assert found.constants == {}
    assert "keep the weights you have" in found.reason
    assert "[retrieval.constants]" not in found.as_lines()


def noise(count, seed):
    draw = np.random.default_rng(seed)
    addends, rest = np.zeros((count, DEPTH, len(FITTED))), np.full((count, DEPTH), -np.inf)
    drawn = draw.random((count, CANDIDATES, len(FITTED))) * [0.4, 0.25, 0.1, 0.25, 0.0, 0.0]
    order = np.argsort(-drawn.sum(axis=2), axis=1)
    addends[:, :CANDIDATES] = np.take_along_axis(drawn, order[:, :, None], axis=1)
    rest[:, :CANDIDATES] = 0.0
    right = np.zeros((count, DEPTH), dtype=np.bool_)
    right[np.arange(count), draw.integers(0, CANDIDATES, count)] = True
    return SignalTable(addends, rest, right, tuple(str(i) for i in range(count)), ("chunk",))


def test_a_fit_that_only_looks_good_on_its_own_questions_is_refused():
    looked_good = 0
    for seed in range(12):
        table = noise(60, seed)
        own = table.reciprocal_ranks(table.rest + table.addends @ fit(table)).mean()
        looked_good += own > table.reciprocal_ranks(table.rest + table.addends.sum(axis=2)).mean() + 0.02
        assert not fit_table(table, preset_with("classic", {}), 10, {}).accepted, seed
    assert looked_good >= 6


async def test_multipliers_that_only_shape_the_shown_score_leave_the_order_alone(ask, entry, hit):
    # By key the order is a, b, c; by what the scale makes of them it would be c, b, a.
    hits = [
        hit(entry(name), parts=(("vector", value, 0.7),), multipliers=(("template", 1.0), ("scale", scale)))
        for name, value, scale in (("a", 0.9, 0.1), ("b", 0.5, 1.0), ("c", 0.2, 9.0))
    ]

    async def search(query, options):
        return SearchResult(hits)

    found = await tune(search, [Task(ask("a", id=str(i))) for i in range(MIN_QUESTIONS)], HYBRID, 10, None)
    assert found.default == 1.0


async def test_too_few_questions_are_refused_without_a_fit(world):
    search, tasks = world(MIN_QUESTIONS - 1, keyword_tells=True)
    found = await tune(search, tasks, HYBRID, 10, None)
    assert not found.accepted
    assert "too few" in found.reason


async def test_questions_without_an_answer_are_not_fitted_to(world, ask):
    search, tasks = world(MIN_QUESTIONS - 1, keyword_tells=True)
    found = await tune(search, [*tasks, Task(ask(text="question 0"))], HYBRID, 10, None)
    assert found.questions == MIN_QUESTIONS - 1


async def test_a_weight_that_a_rule_changed_is_not_fitted(world):
    # Without vectors the keyword signal carries both weights: there are no proportions to fit.
    search, tasks = world(60, keyword_tells=True, weights=(0.5, 1.0))
    found = await tune(search, tasks, HYBRID, 10, None)
    assert not found.accepted
    assert found.fitted == found.default


async def test_the_same_questions_give_the_same_fit(world):
    search, tasks = world(40, keyword_tells=True)
    first = await tune(search, tasks, HYBRID, 10, None)
    assert first == await tune(search, tasks, HYBRID, 10, None)


def test_folds_keep_groups_whole_and_hold_everything_once():
    groups = [f"conv-{i % 7}" for i in range(50)]
    parts = folds(groups)
    assert sorted(np.concatenate(parts).tolist()) == list(range(50))
    for part in parts:
        others = [i for i in range(50) if i not in set(part.tolist())]
        assert {groups[i] for i in part} & {groups[i] for i in others} == set()


def test_one_group_is_parted_by_question():
    parts = folds(["the same"] * 25)
    assert [len(part) for part in parts] == [5] * 5
