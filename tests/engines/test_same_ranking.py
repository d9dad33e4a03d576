"""One question, one order, whatever engine picks the candidates: the first hits of every question of whole sets.

The engines choose which passages are ranked, so this fails where one of them leaves out a candidate that
counts. Equal scores may stand in any order, and each vector is made once for all engines.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tercet.app import evaluating
from tercet.config import load_settings
from tercet.evaluation.evaluate import Request, ask_system, prepare_tasks
from tercet.evaluation.systems import System

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tercet.evaluation.runner import Outcome

EXAMPLES = Path(__file__).parents[2] / "examples"
FIRST, SAME_SCORE = 10, 1e-6
MOST_ASKED = int(os.environ.get("TERCET_TEST_LONG", "1")) * 60
"""Questions of a set, spread evenly over all."""
SYSTEMS = [
    System("both", "tuned", min_score=0),
    System("words", "tuned", "keyword", min_score=0),
    System("meaning", "tuned", "vector", min_score=0),
]
"""Nothing is left out for scoring low."""


@dataclass(frozen=True)
class Shown:
    """A hit: of which passage, and its score."""

    passage: str
    score: float


class SharedVectors:
    """An embedder whose vectors outlive it, so that every engine gets the very same ones."""

    documents: dict[str, NDArray[np.float32]]

    def __init__(self, inner: Any, documents: dict[str, NDArray[np.float32]]) -> None:
        self._inner = inner
        self.documents = documents

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self.documents]
        if new:
            self.documents.update(zip(new, await self._inner.embed_documents(new), strict=True))
        return np.stack([self.documents[text] for text in texts])


@pytest.fixture(autouse=True)
def shared_vectors(monkeypatch):
    documents: dict[str, NDArray[np.float32]] = {}
    made = evaluating.make_embedder
    monkeypatch.setattr(evaluating, "make_embedder", lambda given: SharedVectors(made(given), documents))


async def orders(home: Path, request: Request, store: dict[str, str]) -> dict[tuple[str, str], list[Shown]]:
    """Return what each question of the set is answered with over one store, by system and question."""
    loaded = load_settings({"home": str(home), "store": store})
    bench = await evaluating.open_bench(loaded, own_home=False)
    try:
        tasks = await prepare_tasks(bench, request)
        tasks = tasks[:: -(-len(tasks) // MOST_ASKED)]
        found: dict[tuple[str, str], list[Shown]] = {}
        for system in SYSTEMS:
            for outcome in await ask_system(bench, tasks, system, 2 * FIRST):
                found[system.name, f"{outcome.corpus} {outcome.question.id}"] = shown(outcome)
        return found
    finally:
        await bench.close()


def shown(outcome: Outcome) -> list[Shown]:
    assert outcome.degraded is None
    return [Shown(hit.passage.id, hit.score) for hit in outcome.hits]


def difference(one: Sequence[Shown], other: Sequence[Shown]) -> str | None:
    """Say where two orders part within the first hits, up to ties; None where they do not."""
    if len(one) < FIRST and len(one) != len(other):
        return f"{len(one)} hits and {len(other)}"
    for place, (mine, theirs) in enumerate(zip(one[:FIRST], other[:FIRST], strict=False), 1):
        if abs(mine.score - theirs.score) > SAME_SCORE:
            return f"place {place}: {mine} and {theirs}"
        if mine.passage not in {each.passage for each in other if abs(each.score - mine.score) <= SAME_SCORE}:
            return f"place {place}: {mine} is no equal of {theirs}"
    return None


def differences(
    one: dict[tuple[str, str], list[Shown]], other: dict[tuple[str, str], list[Shown]]
) -> dict[tuple[str, str], str]:
    assert one.keys() == other.keys()
    found = {asked: difference(one[asked], other[asked]) for asked in one}
    return {asked: what for asked, what in found.items() if what is not None}


def example_set() -> Request:
    return Request(EXAMPLES / "questions.jsonl", folder=EXAMPLES / "workspace")


def shared_set(data: Path, name: str) -> Request:
    place = data / name
    if name.startswith("workspaces"):
        return Request(place.with_name(f"{place.name}.questions.jsonl"), folder=place)
    return Request(None, corpus=place)


async def check_same(tmp_path: Path, request: Request, store: dict[str, str]) -> None:
    """Ask the set of the vector store in a folder and of another one, and compare the orders."""
    wanted = await orders(tmp_path / "local", request, {})
    assert sum(len(found) >= FIRST for found in wanted.values()) > len(wanted) / 3, "the set says too little"
    assert differences(wanted, await orders(tmp_path / "served", request, store)) == {}


async def test_the_examples_in_postgresql(postgres_server, tmp_path):
    await check_same(tmp_path, example_set(), in_postgres(postgres_server))


async def test_the_examples_in_a_bucket(s3_server, tmp_path):
    await check_same(tmp_path, example_set(), s3_server.settings(s3_server.new_uri()))


@pytest.mark.shared_data
@pytest.mark.parametrize(
    "name",
    [
        "workspaces/openclaw-zhtw",
        "workspaces/claude-memory-index",
        "benchmarks/locomo/conv-26",
        "benchmarks/beam-100k/beam-100K-01",
        "benchmarks/tcrag-micro-zhtw",
    ],
)
async def test_sets_of_other_people_in_postgresql(postgres_server, shared_data, tmp_path, name):
    await check_same(tmp_path, shared_set(shared_data, name), in_postgres(postgres_server))


def in_postgres(server: Any) -> dict[str, str]:
    return {"url": server.url, "tenant": server.new_tenant()}


def test_a_difference_is_seen_and_a_tie_is_none():
    first, second, third = (Shown(name, score) for name, score in (("a", 0.9), ("b", 0.5), ("c", 0.5)))
    assert difference([first, second, third], [first, third, second]) is None
    assert difference([first, second], [second, first]) is not None
    assert difference([first, second], [first]) is not None
    assert difference([first, second], [first, Shown("d", 0.5)]) is not None
