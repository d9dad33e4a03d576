"""R4: every option acts; changing it alone changes what comes out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tercet.ranking.calibration import BackgroundCosines
from tercet.ranking.pipeline import candidate_count, expansion, merge_pools, neighbour_places, query_texts, rank
from tercet.ranking.presets import option_names, preset_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from tercet.model import Row
    from tercet.ranking.formula import Preset

_QUERY = "gateway port 8443 Ann now zebra"

_VALUES: dict[str, float] = {
    "importance": False,
    "collapse": False,
    "focus": False,
    "date_multiplier": 1.5,
    "date_reads": 0,
    "parent_depth": 2,
    "neighbour_best": 1,
    "prf_documents": 1,
    "prf_terms": 1,
    "k_fixed": 7,
    "k_cap": 4,
    "k_per_result": 1,
    "date_days": 1.0,
    "date_days_file": 30.0,
    "newness_days": 3.0,
    "seed_vector": 0.9,
    "seed_keyword": 0.9,
    "weak_below": 0.9,
    "prf_below": 1.0,
    "min_score": 0.4,
    "keyword_min_score": 0.6,
    "keyword_power_alone": 2.0,
    "date_alone": 1.5,
    "date_alone_days": 30.0,
    "date_alone_told": 0.1,
    "template_penalty": 0.2,
    "k1": 0.4,
    "long_terms": 3,
    "keyword_power": 2.0,
    "prf_weight": 0.9,
}
_ONLY_IN_THE_SECOND_ROUND = {"prf_weight"}


def _rows(build) -> list[Row]:
    """One or more of every kind, so that each option has something to act on."""
    turn = {"session": "s", "kind": "entry", "path": "log/port.jsonl", "header": "Gateway"}
    chunk = {"kind": "chunk", "root": "r"}
    note = {"kind": "note", "root": "v"}
    empty = "# Port {}\n## Gateway port of Ann\n## Gateway decisions\n## What Ann did now\n## Mood\n"
    week, day = build.now - timedelta(days=33), build.now - timedelta(days=30)
    return [
        build.row("t1", "the gateway port is open", cosine=0.5, speaker="Ann", ordinal=1, timestamp=week, **turn),
        build.row("t2", "it is 8443 for Ann", cosine=0.4, speaker="assistant", ordinal=2, timestamp=day, **turn),
        build.row(
            "t3", "gateway gateway and a long tale of other things", cosine=0.3, speaker="Bob", ordinal=3, **turn
        ),
        build.row("c1", "gateway port 8443 here", cosine=0.6, path="gateway/2026-02-05.md", header="Port", **chunk),
        build.row(
            "c2", "gateway of another kind, longer than others are", cosine=0.2, path="gateway/2026-02-05.md", **chunk
        ),
        build.row(
            "n1", "Ann keeps 8443 and the gateway port", cosine=0.55, path="port/2026-01.md", header="Gateway", **note
        ),
        build.row("n2", "nothing much", cosine=0.35, path="port/2026-02-10.md", **note),
        build.row("e1", "gateway port 8443", cosine=0.45, header="Port now", importance=0.1, timestamp=week),
        build.row("e2", "the port gateway on day 8443 by nginx", cosine=0.5, speaker="Ann", timestamp=day),
        build.row("e3", "a port", cosine=0.1, speaker="assistant", path="notes/port.md"),
        build.row("e4", "another port", cosine=0.2, path="notes/port.md"),
        build.row("n3", "Ann and the gateway", cosine=0.35, path="port/2026-01.md", **note),
        build.row("d1", "twice told", cosine=0.3),
        build.row("d2", "twice told", cosine=0.2),
        build.row("x1", empty.format(1), cosine=0.3),
        build.row("x2", empty.format(2), cosine=0.3),
        build.row("a1", "Ann said port", cosine=0.3, speaker="assistant", ordinal=7, **turn),
        build.row("w1", "the last word", cosine=0.25, kind="chunk", speaker="assistant", path="w.md"),
        build.row("w2", "the first word", cosine=0.25, kind="note", speaker="assistant", path="w2.md"),
        build.row("w3", "more words by Ann", cosine=0.25, kind="chunk", speaker="Ann", path="w3.md"),
        build.row("f1", "gateway of the future", cosine=0.3, timestamp=build.now + timedelta(days=3)),
        build.row("f2", "port", cosine=0.3, timestamp=build.now + timedelta(days=3), ordinal=9, **turn),
        build.row("w4", "on 2026-02-08 other words by Ann", cosine=0.25, kind="note", speaker="Ann", path="w4.md"),
    ]


def _everything(build, preset: Preset) -> list[object]:
    """Return all that a user of the room sees under a preset, for several situations."""
    rows = _rows(build)
    statistics = replace(build.statistics(rows, documents=60), total_length=300)
    pool = build.candidates(rows)
    vectors = np.stack([build.unit(1.0), build.unit(0.7, 1.0), build.unit(0.5, 1.4)])
    asked = build.asks(_QUERY, asks_latest=True)
    dated = build.asks(_QUERY, intervals=[build.day(2026, 2, 8)])
    said = build.asks(_QUERY, asks_assistant=True)
    bare = build.asks("gateway", intervals=[build.day(2026, 2, 8)], date_terms=frozenset({"gateway"}))
    unknown = build.asks("zebra crossing", asks_latest=True)
    seen: list[object] = [
        candidate_count(preset, 3),
        sorted(neighbour_places(pool, preset)),
        query_texts(asked, statistics, preset),
        query_texts(build.asks("Ann opened the port. Where is the gateway now?"), statistics, preset),
    ]
    for analysis, query_vectors, background in [
        (asked, vectors, None),
        (asked, None, None),
        (dated, vectors, BackgroundCosines(0.1, 0.1, 100)),
        (said, vectors, None),
        (bare, vectors, None),
        (unknown, np.stack([build.unit(0.4, 1.3)]), None),
    ]:
        ranking = rank(
            analysis,
            pool,
            statistics,
            preset,
            query_vectors=query_vectors,
            background=background,
            limit=50,
            now=build.now,
        )
        seen.append([(h.row.passage.id, h.score, h.key) for h in ranking.hits])
        seen.append(expansion(ranking, analysis, preset))
    return seen


def _act(build, option: str) -> bool:
    value = _VALUES.get(option, -0.7 if option.endswith(("assistant", "later")) else 0.77)
    # Options that a preset leaves off need their neighbours on to have something to change.
    bases: list[Callable[[float | None], Preset]] = [
        lambda v, name=name, extra=extra: preset_with(name, extra if v is None else {**extra, option: v})
        for name, extra in [
            ("tuned", {}),
            ("classic", {}),
            ("classic", {"weak_below": 1.0}),
            ("tuned", {"newness": 0.4, "date": 0.4, "parent": 0.4}),
        ]
    ]
    return any(_everything(build, base(value)) != _everything(build, base(None)) for base in bases)


@pytest.mark.parametrize("option", sorted(set(option_names()) - _ONLY_IN_THE_SECOND_ROUND))
def test_every_option_changes_what_comes_out(build, option: str):
    assert _act(build, option)


def test_the_weight_of_expansion_terms_acts_in_the_second_round(build):
    from tercet.ranking.pipeline import rank_expanded

    rows = _rows(build)
    asked, statistics = build.asks("zebra gateway"), build.statistics(rows, documents=60)
    pool = merge_pools(build.candidates(rows), [])

    def keys(weight: float) -> list[float]:
        preset = preset_with("classic", {"prf_weight": weight})
        ranking = rank_expanded(
            asked, ["nginx"], pool, statistics, preset, query_vectors=build.query_vectors, limit=50, now=build.now
        )
        return [h.key for h in ranking.hits]

    assert keys(0.5) != keys(0.9)
