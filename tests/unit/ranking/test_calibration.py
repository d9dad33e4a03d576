"""The shown score from absolute signals, and the store's background."""

from __future__ import annotations

import numpy as np
import pytest

from tercet.ranking.calibration import BackgroundCosines, background_in_effect, calibrated, measure_background
from tercet.ranking.formula import Calibration


def _vectors(count: int, lift: float) -> np.ndarray:
    raw = np.random.default_rng(7).normal(size=(count, 64)) + lift
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)


def test_a_crowded_space_has_a_higher_background():
    sparse, crowded = measure_background(_vectors(300, 0.0)), measure_background(_vectors(300, 1.0))
    assert sparse is not None
    assert crowded is not None
    assert abs(sparse.mean) < 0.05
    assert crowded.mean > 0.3
    assert measure_background(_vectors(300, 0.0)) == sparse, "the draw is seeded"


def test_too_few_bad_or_equal_passages_have_none():
    assert measure_background(_vectors(19, 0.0)) is None
    spoilt = _vectors(30, 0.0)
    spoilt[:15] = np.nan
    assert measure_background(spoilt) is None
    assert measure_background(np.tile(_vectors(1, 0.0), (50, 1))) is None


def test_it_is_kept_as_text():
    background = BackgroundCosines(0.31, 0.08, 4000)
    assert BackgroundCosines.from_text(background.as_text()) == background
    for broken in ("", "{}", "[1]", '{"mean": 0.1, "std": 0, "pairs": 5}', '{"mean": NaN, "std": 1, "pairs": 5}'):
        assert BackgroundCosines.from_text(broken) is None


def _one(cosine: float | None, background: BackgroundCosines | None, **named: float) -> float:
    given = {"coverage": 0.0, "saturation": 0.0, "other": 0.0} | named
    return float(
        calibrated(
            Calibration(),
            cosine=None if cosine is None else np.array([cosine]),
            background=background,
            **{name: np.array([value]) for name, value in given.items()},
        )[0]
    )


def test_the_same_distance_from_the_background_means_the_same_score():
    near, far = BackgroundCosines(0.1, 0.1, 1), BackgroundCosines(0.7, 0.05, 1)
    assert _one(0.4, near) == pytest.approx(_one(0.85, far))
    assert _one(0.4, near) > _one(0.4, far)


@pytest.mark.parametrize(
    ("name", "cosine"),
    [("coverage", None), ("other", None), ("coverage", 0.4), ("saturation", 0.4), ("other", 0.4)],
)
def test_more_evidence_shows_a_higher_score(name: str, cosine: float | None):
    assert 0 < _one(cosine, None) < _one(cosine, None, **{name: 0.5}) < _one(cosine, None, **{name: 1.0}) < 1


def test_a_known_model_needs_no_sample_of_the_store():
    sample = BackgroundCosines(0.5, 0.1, 4000)
    assert background_in_effect("use-multilingual-v3", sample) is None
    assert background_in_effect("another", sample) is sample
    assert background_in_effect("another", None) is None
