"""The name in a question outweighs its frame: what the rarest terms have to say."""

from __future__ import annotations

import pytest

from tercet.model import TermStatistics
from tercet.ranking.presets import TUNED
from tercet.ranking.scoring import SIGNALS, score_pool
from tercet.ranking.sources import SOURCES

_STATISTICS = TermStatistics(1000, 20_000, {"father": 120, "navi": 80, "leav": 150, "kimmel": 2})


def _rare(build, *texts: str) -> list[float]:
    rows = [build.row(str(number), text) for number, text in enumerate(texts)]
    scored = score_pool(
        build.asks("father leave navy Kimmel"),
        rows,
        _STATISTICS,
        TUNED,
        queries=None,
        background=None,
        mode="keyword",
        now=build.now,
    )
    return scored.values[:, SIGNALS.index("rare")].tolist()


def test_a_name_weighs_more_than_three_common_words_together(build):
    name, frame, both, nothing = _rare(
        build, "Kimmel and his ships", "a father may leave the navy", "Kimmel left the navy, a father", "wine"
    )
    assert name > 0.8
    assert frame < 0.2
    assert name + frame == pytest.approx(1.0)
    assert both > name
    assert nothing == 0.0


def test_it_orders_lone_entries_and_documents_only():
    assert {source for source in SOURCES if TUNED.weights[source].rare} == {"entry"}
