"""Make the ranking table of RESULTS.md anew.

    python benchmarks/ranking.py [--embedder builtin|none|english] [--only SET ...] [--cache DIR]

The sets lie where TERCET_TEST_DATA says (default: ../shared/data beside the repository), but for
``memory-folder``, which is part of the project. Sets that are not there are left out, and said so.
What is measured is the whole way of a search, through engine, ledger and embedder.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tercet import load_settings
from tercet.app import open_bench
from tercet.evaluation.evaluate import Request, ask_system, prepare_tasks
from tercet.evaluation.summary import metric_values
from tercet.evaluation.systems import BASELINES
from tercet.evaluation.uncertainty import bootstrap_interval, paired_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.evaluation.runner import Outcome

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
DATA = Path(os.environ.get("TERCET_TEST_DATA") or HERE.parent.parent / "shared" / "data")
SYSTEMS = ("bm25", "vector", "fusion", "classic", "hybrid", "tuned")
TITLES = {"bm25": "BM25", "vector": "vector", "fusion": ".5/.5", **{n: n for n in ("classic", "hybrid", "tuned")}}
METRICS = ("mrr@10", "recall@10", "hit@5")
BEAM_KINDS = frozenset(
    {
        "information_extraction",
        "knowledge_update",
        "multi_session_reasoning",
        "temporal_reasoning",
        "contradiction_resolution",
        "preference_following",
    }
)


@dataclass(frozen=True)
class BenchmarkSet:
    name: str
    request: Request
    rows: tuple[tuple[str, Callable[[str], bool]], ...]
    """Row title, and which kinds of question it holds."""

    def is_there(self) -> bool:
        """Tell whether its files were fetched."""
        return all(
            path is None or path.exists() for path in (self.request.questions, self.request.corpus, self.request.folder)
        )


def _all(kind: str) -> bool:
    del kind
    return True


def corpus_set(name: str, folder: str, *rows: tuple[str, Callable[[str], bool]]) -> BenchmarkSet:
    return BenchmarkSet(name, Request(None, corpus=DATA / "benchmarks" / folder), rows or ((name, _all),))


def folder_set(name: str, folder: Path, questions: Path) -> BenchmarkSet:
    return BenchmarkSet(name, Request(questions, folder=folder), ((name, _all),))


def workspace(name: str) -> BenchmarkSet:
    return folder_set(name, DATA / "workspaces" / name, DATA / "workspaces" / f"{name}.questions.jsonl")


SETS = (
    corpus_set("locomo", "locomo"),
    corpus_set(
        "beam-100k",
        "beam-100k",
        ("beam-100k, six kinds", lambda kind: kind in BEAM_KINDS),
        ("beam-100k, other kinds", lambda kind: kind not in BEAM_KINDS),
    ),
    corpus_set("memdaily-zh", "memdaily-zh"),
    corpus_set("scifact", "scifact"),
    corpus_set("tcrag", "tcrag-micro-zhtw"),
    workspace("openclaw-zhtw"),
    workspace("claude-memory-index"),
    folder_set("memory-folder", HERE / "memory-folder" / "workspace", HERE / "memory-folder" / "questions.jsonl"),
)


@dataclass(frozen=True)
class Row:
    name: str
    questions: int
    values: dict[str, dict[str, list[float]]]
    """System to metric to one value a question."""


async def measure(chosen: BenchmarkSet, provider: str, cache: Path, home: Path) -> list[Row]:
    loaded = load_settings({"home": home, "embedding": {"provider": provider}})
    bench = await open_bench(loaded, own_home=True, cache=cache)
    try:
        tasks = await prepare_tasks(bench, chosen.request)
        answerable = [task for task in tasks if task.question.gold]
        found = {name: await ask_system(bench, answerable, BASELINES[name], 10) for name in _systems(provider)}
    finally:
        await bench.close()
    return [_row(title, found, holds) for title, holds in chosen.rows]


def _systems(provider: str) -> tuple[str, ...]:
    return tuple(name for name in SYSTEMS if provider != "none" or name not in {"vector", "fusion"})


def _row(title: str, found: dict[str, list[Outcome]], holds: Callable[[str], bool]) -> Row:
    values: dict[str, dict[str, list[float]]] = {}
    for name, outcomes in found.items():
        part = [outcome for outcome in outcomes if holds(outcome.question.kind)]
        values[name] = {metric: metric_values(part, metric) for metric in METRICS}
    return Row(title, len(next(iter(values.values()))[METRICS[0]]), values)


def section(rows: Sequence[Row], provider: str) -> str:
    systems = _systems(provider)
    lines = [f"### Embedder: {provider}", ""]
    for metric in METRICS:
        lines += [
            f"**{metric}**",
            "",
            f"| set | questions | {' | '.join(TITLES[name] for name in systems)} | tuned, 95 % | tuned - hybrid (p) |",
            f"|---|--:|{'--:|' * len(systems)}---|---|",
        ]
        lines += [_line(row, metric, systems) for row in rows]
        lines.append("")
    return "\n".join(lines)


def _line(row: Row, metric: str, systems: Sequence[str]) -> str:
    means = {name: sum(row.values[name][metric]) / max(1, row.questions) for name in systems}
    best = max(means.values())
    cells = [f"**{means[n]:.3f}**" if means[n] == best else f"{means[n]:.3f}" for n in systems]
    low, high = bootstrap_interval(row.values["tuned"][metric])
    difference = paired_difference(row.values["tuned"][metric], row.values["hybrid"][metric])
    against = f"{difference.mean:+.3f} ({difference.p_value:.4f})"
    return f"| {row.name} | {row.questions} | {' | '.join(cells)} | {low:.3f} to {high:.3f} | {against} |"


def write_section(text: str, provider: str) -> None:
    begin, end = f"<!-- ranking {provider}: begin -->", f"<!-- ranking {provider}: end -->"
    block = f"{begin}\n{text}\n{end}"
    old = RESULTS.read_text("utf-8") if RESULTS.exists() else "# Results\n"
    if begin in old and end in old:
        before, _, rest = old.partition(begin)
        new = before + block + rest.partition(end)[2]
    else:
        title = "" if "## Ranking" in old else "\n## Ranking\n\nMade by `python benchmarks/ranking.py`.\n"
        new = f"{old.rstrip()}\n{title}\n{block}\n"
    RESULTS.write_text(new, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", default="builtin", help="embedding provider: builtin, none, english ...")
    parser.add_argument("--only", nargs="+", choices=[each.name for each in SETS], help="these sets alone, not written")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "tercet-bench-cache", help="folder of made vectors"
    )
    given = parser.parse_args()
    rows: list[Row] = []
    for chosen in SETS:
        if given.only and chosen.name not in given.only:
            continue
        if not chosen.is_there():
            print(f"{chosen.name}: not there, left out", file=sys.stderr)
            continue
        started = time.perf_counter()
        rows += asyncio.run(measure(chosen, given.embedder, given.cache, given.cache / "settings"))
        print(f"{chosen.name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    text = section(rows, given.embedder)
    print(text)
    if not given.only:
        write_section(text, given.embedder)


if __name__ == "__main__":
    main()
