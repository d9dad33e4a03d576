"""Any query over a real store: never an error, the laws kept, and the same answer twice."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import build, load_settings
from tercet.interfaces.wire import result_json
from tercet.ranking.presets import PRESETS

LONG = int(os.environ.get("TERCET_TEST_LONG", "1"))
"""Multiplies the number of examples; the suite's own runs are short."""

ODD = [
    "the of and to",
    "???!!! ... ---",
    '"',
    '"unfinished phrase',
    "(boat OR tea) AND NOT NEAR/3 *",
    "title:boat^2 ~ [a TO b] {x}",
    "'; DROP TABLE passages; --",
    "\x00\x01\x02 boat",
    "\u202eboat\u200b\ufeff",
    "é" * 50_000,
    "boat " * 20_000,
    "妈" * 100_000,
    "😀" * 3000,
    "a" * 100_000,
    "1" * 5000,
    "C++ .env v2.1 snake_case camelCase",
    "\ud800 lone surrogate",
    "%s %d {0} $1 \\",
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz") / "notes"
    folder.mkdir()
    (folder / "boat.md").write_text("# Boat\n\nThe boat Albatros lies at berth 47, code ZX-9918.\n", encoding="utf-8")
    (folder / "2026-01-09.md").write_text("# Friday\n\nMet the roofer, title: slates.\n", encoding="utf-8")
    (folder / "备忘.md").write_text("# 备忘\n\n妈妈的生日是三月初八。\n", encoding="utf-8")
    with build(load_settings({"home": str(tmp_path_factory.mktemp("fuzz-home"))})) as opened:
        opened.index([str(folder)])
        yield opened


def keeps_the_laws(memory, query, preset, limit=10):
    options = replace(memory.default_options, preset=preset, limit=limit, explain=True)
    first, second = memory.search(query, options), memory.search(query, options)
    assert len(first) <= limit
    assert all(0.0 <= hit.score <= 1.0 and 0.0 <= hit.relevance <= 1.0 for hit in first)
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)
    as_bytes = [json.dumps(result_json(result)["results"], ensure_ascii=True) for result in (first, second)]
    assert as_bytes[0] == as_bytes[1]


@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "entry"])
def test_odd_queries_are_answered_and_never_raise(memory, query, preset):
    keeps_the_laws(memory, query, preset)


@settings(max_examples=15 * LONG, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(min_size=1, max_size=300).filter(lambda text: bool(text.strip())), limit=st.integers(1, 50))
def test_any_text_is_a_query(memory, query, limit):
    keeps_the_laws(memory, query, "tuned", limit)
