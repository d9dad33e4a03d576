"""Which representatives are compared: all of a few, and of many those that could be alike."""

import numpy as np
import pytest

from tercet.insight import cells
from tercet.insight.cells import comparisons

TOPICS, A_TOPIC, DIMENSIONS = 150, 20, 64


@pytest.fixture(scope="module")
def vectors():
    draw = np.random.default_rng(11)
    centres = np.repeat(draw.standard_normal((TOPICS, DIMENSIONS)), A_TOPIC, axis=0)
    made = (centres + 0.55 * draw.standard_normal(centres.shape)).astype(np.float32)
    made = made[draw.permutation(len(made))]
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def compared(vectors, asked):
    found = np.zeros((len(vectors), len(vectors)), dtype=np.int64)
    for ones, twos in comparisons(vectors, asked):
        found[np.ix_(ones, twos)] += 1
    return found


def test_of_many_a_part_is_compared_and_nearly_all_that_are_alike_meet(vectors):
    found = compared(vectors, np.arange(len(vectors)))
    alike = np.triu(vectors @ vectors.T >= 0.75, 1)
    met = ((found + found.T) > 0)[alike]
    assert found.max() == 1
    assert found.sum() < 0.25 * found.size
    assert met.mean() >= 0.99
    assert alike.sum() > 10_000


def test_the_same_vectors_are_compared_in_the_same_way(vectors):
    everything = np.arange(len(vectors))
    assert (compared(vectors, everything) == compared(vectors, everything)).all()


def test_a_few_are_compared_with_all(vectors):
    asked = np.array([3, 700])
    found = compared(vectors, asked)
    assert (found[asked] == 1).all()
    assert found.sum() == found[asked].sum()


@pytest.mark.parametrize("probes", [1, 8])
def test_more_probes_compare_more(vectors, probes, monkeypatch):
    monkeypatch.setattr(cells, "PROBES", probes)
    share = compared(vectors, np.arange(len(vectors))).mean()
    assert share == pytest.approx(probes / 54, rel=0.35)


def test_vectors_that_are_all_the_same_still_meet(monkeypatch):
    monkeypatch.setattr(cells, "FEW_PAIRS", 0)
    same = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (40, 1))
    assert compared(same, np.arange(40)).all()


def test_nothing_is_compared_where_nothing_is():
    nothing = np.zeros((0, 0), dtype=np.float32)
    assert list(comparisons(nothing, np.zeros(0, dtype=np.int64))) == []
