"""A published failure with its numbers: auto-generated documents took all ten places.

4,316 memories; the right record is second by cosine (.428); 32 long documents of mostly empty
section headings have a BM25 of about 26 and a cosine of about .30.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tercet.model import Match, Passage, Row, Scope, TermStatistics
from tercet.ranking.bm25 import bm25
from tercet.ranking.pipeline import Ranking, candidate_count, merge_legs, rank
from tercet.ranking.presets import PRESETS
from tercet.ranking.term_table import tabulate
from tercet.text.terms import terms

if TYPE_CHECKING:
    from tercet.ranking.query import QueryAnalysis

_QUESTION = "What did Marta decide about failed message sends and why?"
_RIGHT = (
    "Marta wants undelivered messages to wait in a retry queue, five tries at most, because the carrier drops "
    "about two in a hundred on Sunday nights and people write twice when nothing arrives."
)
_SUBJECTS = ["garden", "invoice", "router", "holiday", "bicycle", "dentist", "novel", "kitchen", "server", "choir"]
_VERBS = ["bought", "moved", "cleaned", "planned", "cancelled", "described", "measured", "painted"]
_PEOPLE = ["Marta", "Jonas", "Ann", "Wei", "Somebody", "Ines", "Karl", "Ravi", "Lena", "Tom", "Mother", "Father"]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_ASIDES = ["A message came in between.", "Nobody could decide.", "The first try failed.", "They send their regards."]
_HEADINGS = [
    "What did the person decide today and why",
    "Which decisions failed and why they failed",
    "Messages that failed to send",
    "Message sends to repeat",
    "What was decided about the next message",
    "Why a send failed",
    "Open decisions of Marta",
    "People and messages",
    "What to decide tomorrow and why",
    "Lessons",
]
_DIMENSIONS = 48


@dataclass(frozen=True)
class _Store:
    rows: list[Row]
    matrix: np.ndarray
    frequency: Counter[str]

    @property
    def statistics(self) -> TermStatistics:
        return TermStatistics(len(self.rows), sum(len(r.terms) for r in self.rows), self.frequency)


def _row(ident: str, text: str, cosine: float, draw: np.random.Generator) -> Row:
    side = draw.normal(size=_DIMENSIONS)
    side[0] = 0.0
    vector = side / np.linalg.norm(side) * np.sqrt(1 - cosine**2)
    vector[0] = cosine
    return Row(Passage(ident, "entry", Scope("main"), text), tuple(terms(text)), vector.astype(np.float32))


def _reflection(number: int, pick: random.Random) -> str:
    lines = [f"# Reflection {number} of 2026-01-{number % 28 + 1:02}"]
    for _ in range(3):
        for heading in _HEADINGS:
            lines += [f"## {heading}", pick.choice(["", "- [ ]", "N/A", "none yet"]), ""]
    lines.append(f"The {pick.choice(_SUBJECTS)} went as planned.")
    return "\n".join(lines)


def _memory(number: int, pick: random.Random) -> str:
    sentences = [
        f"{pick.choice(_PEOPLE)} {pick.choice(_VERBS)} the {pick.choice(_SUBJECTS)} beside the {pick.choice(_SUBJECTS)}"
        f" on {pick.choice(_DAYS)} and was glad about the {pick.choice(_SUBJECTS)}."
        for _ in range(pick.randint(2, 4))
    ]
    return " ".join([*sentences, f"Number {number}."])


@pytest.fixture(scope="module")
def store() -> _Store:
    pick, draw = random.Random(4316), np.random.default_rng(4316)
    rows = [_row("right", _RIGHT, 0.428, draw), _row("near", "A talk on telephones in general.", 0.45, draw)]
    rows += [_row(f"junk-{n:02}", _reflection(n, pick), pick.uniform(0.28, 0.32), draw) for n in range(32)]
    for n in range(4316 - len(rows)):
        text = f"{_memory(n, pick)} {pick.choice(_ASIDES) if n % 40 == 0 else ''}".strip()
        rows.append(_row(f"other-{n:04}", text, float(np.clip(draw.normal(0.1, 0.07), -0.2, 0.29)), draw))
    return _Store(rows, np.stack([r.vector for r in rows]), Counter(t for r in rows for t in set(r.terms)))


def _answer(store: _Store, asked: QueryAnalysis, preset: str, build) -> Ranking:
    query = np.zeros((1, _DIMENSIONS), dtype=np.float32)
    query[0, 0] = 1.0
    formula = PRESETS[preset]
    k = candidate_count(formula, 10)
    table = tabulate(asked, store.rows, store.statistics)
    text = bm25(table, store.statistics, k1=1.2, b=np.full(len(store.rows), 0.75))
    cosine = store.matrix @ query[0]
    by_vector = [Match(store.rows[i], 2 - 2 * cosine[i]) for i in np.argsort(-cosine, kind="stable")[:k]]
    by_text = [Match(store.rows[i], text[i]) for i in np.argsort(-text, kind="stable")[:k]]
    return rank(
        asked, merge_legs(by_vector, by_text), store.statistics, formula, query_vectors=query, limit=10, now=build.now
    )


def test_the_store_has_the_published_numbers(store: _Store, build):
    asked = build.asks(_QUESTION)
    assert len(store.rows) == 4316
    cosine = store.matrix[:, 0]
    assert store.rows[int(np.argsort(-cosine)[1])].passage.id == "right"
    raw = bm25(tabulate(asked, store.rows, store.statistics), store.statistics, k1=1.2, b=np.full(4316, 0.75))
    assert 22 < raw[2:34].mean() < 30
    assert (np.argsort(-raw)[:32] < 34).all(), "by words alone they fill the first places"


@pytest.mark.parametrize("preset", ["hybrid", "tuned"])
def test_the_right_record_is_among_the_first_three_and_no_junk_in_the_first_ten(store: _Store, build, preset: str):
    ids = [h.row.passage.id for h in _answer(store, build.asks(_QUESTION), preset, build).hits]
    assert len(ids) == 10
    assert "right" in ids[:3]
    assert not [i for i in ids if i.startswith("junk")]


def test_classic_does_not_reach_that_by_its_formula(store: _Store, build):
    """Reported, not wanted: the share of terms found rewards the junk."""
    ranking = _answer(store, build.asks(_QUESTION), "classic", build)
    places = {h.row.passage.id: i for i, h in enumerate(ranking.hits, start=1)}
    places.update({d.id: d.position for d in ranking.dropped})
    assert places["junk-00"] < places["right"]
