"""When feedback is due, and which terms it gives."""

from __future__ import annotations

import pytest

from tercet.ranking.feedback import feedback_terms, is_feedback_due
from tercet.ranking.presets import CLASSIC, HYBRID, TUNED, preset_with


@pytest.mark.parametrize(("best", "due"), [(0.0, True), (0.449, True), (0.45, False), (0.9, False)])
def test_the_published_trigger(build, best: float, due: bool):
    assert is_feedback_due(best, build.asks("gateway port"), CLASSIC) is due


def test_no_feedback_when_a_date_is_named_or_the_preset_has_none(build):
    dated = build.asks("gateway port", intervals=[build.day(2026, 2, 8)])
    assert not is_feedback_due(0.1, dated, CLASSIC)
    assert not is_feedback_due(0.1, build.asks("gateway port"), HYBRID)
    assert not is_feedback_due(0.1, build.asks("gateway port"), TUNED)


def test_terms_are_frequent_ones_of_the_first_results_and_not_the_querys_own(build):
    rows = [
        build.row("a", "The gateway listens behind nginx and nginx proxies to the gateway of the house 12."),
        build.row("b", "Restart nginx with systemctl."),
        build.row("c", "Something of gardens."),
        build.row("d", "tulips tulips tulips"),
    ]
    preset = preset_with("classic", {"prf_terms": 3})
    found = feedback_terms(rows, build.asks("gateway port"), preset)
    assert found[0] == "nginx"
    assert len(found) == 3
    assert not {"gateway", "port", "the", "of", "12", "tulip"} & set(found)
    assert found == feedback_terms(rows, build.asks("gateway port"), preset)
