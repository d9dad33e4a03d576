"""What a search costs on each engine beside the engine's own two queries, and how it grows.

    nice python benchmarks/engines.py                   # every line, then the table
    nice python benchmarks/engines.py --write           # and put it into RESULTS.md
    python benchmarks/engines.py lancedb 100000         # one line, as JSON

Every line is a process of its own, so that its memory is its own. Each question is asked four ways in turns,
each time in another order: the engine's own queries (SQL, or the library's), this program's vector leg,
its text leg, and the whole search with a vector that is there already. A busy machine slows all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from engine_homes import Filled, RawPostgres, Tenant, lancedb_home, postgres_home
from tables import Table, write_tables

from tercet.filters import Filter, In
from tercet.model import Reach, SearchOptions
from tercet.ranking import pipeline
from tercet.ranking.presets import DEFAULT_PRESET, preset_named

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from engine_corpus import Question

LINES = (("lancedb", 10_000), ("lancedb", 100_000), ("lancedb", 1_000_000), ("postgresql", 100_000))
TENANTS = 100
ASKED = 200
HITS = 10
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RESULTS = Path(__file__).with_name("RESULTS.md")
WAYS = ("raw vector", "raw text", "vector", "text", "search")


def measure(lines: tuple[tuple[str, int], ...] = LINES) -> Table:
    """Return the table: one line an engine and size."""
    return table([_in_own_process(engine, passages) for engine, passages in lines])


def table(found: list[dict[str, float | str]]) -> Table:
    """Return figures as a table."""
    header = (
        "engine", "passages", "own vector query", "vector leg", "own text query", "text leg", "own two",
        "whole search", "search / own two", "search / two legs", "recall@10", "disk", "memory", "written", "indexed",
    )  # fmt: skip
    return Table(
        "engines",
        f"Engines: {TENANTS} tenants, {ASKED} questions (p50 / p95 in ms)",
        header,
        tuple(_cells(figures) for figures in found),
    )


def _in_own_process(engine: str, passages: int) -> dict[str, float | str]:
    run = subprocess.run([sys.executable, __file__, engine, str(passages)], check=True, stdout=subprocess.PIPE)
    figures: dict[str, float | str] = json.loads(run.stdout.splitlines()[-1])
    return figures


def _cells(figures: dict[str, float | str]) -> tuple[str, ...]:
    memory = f"{figures['memory']:,.0f} MB"
    if "server" in figures:
        memory += f" and the server {figures['server']:,.0f} MB"
    return (
        str(figures["engine"]),
        f"{figures['passages']:,}",
        *(_both(figures, way) for way in ("raw vector", "vector", "raw text", "text", "raw", "search")),
        f"{figures['ratio']:.2f}",
        f"{figures['ratio to legs']:.2f}",
        f"{figures['recall']:.3f}",
        f"{figures['disk']:,.0f} MB",
        memory,
        f"{figures['rows per second']:,.0f} rows/s",
        f"{figures['maintain']:,.0f} s",
    )


def _both(figures: dict[str, float | str], way: str) -> str:
    return f"{figures[f'{way} p50']:.1f} / {figures[f'{way} p95']:.1f}"


async def measure_line(engine: str, passages: int, asked: int = ASKED) -> dict[str, float | str]:
    """Fill one engine, ask it, and return its figures: times in ms, sizes in MB."""
    async with _home(engine, passages, asked) as filled:
        pairs = [(tenant, question) for tenant in filled.tenants for question in tenant.questions]
        pairs = [pairs[number * 7 % len(pairs)] for number in range(len(pairs))]  # in turns over the tenants
        for tenant, question in pairs[: ASKED // 4]:
            await _asked(filled, tenant, question, 0)  # connections, plans and pages come once
        gc.collect()
        times = [await _asked(filled, tenant, question, number) for number, (tenant, question) in enumerate(pairs)]
        figures: dict[str, float | str] = {"engine": engine, "passages": passages, **_summary(times)}
        figures["recall"] = statistics.fmean([await _recall(tenant, question) for tenant, question in pairs])
        figures["disk"], figures["memory"] = filled.bytes_on_disk / 1e6, _resident()
        if isinstance(filled.raw, RawPostgres) and (server := filled.raw.server_memory()) is not None:
            figures["server"] = server / 1e6
        figures["rows per second"], figures["maintain"] = passages / filled.write_s, filled.maintain_s
    return figures


@asynccontextmanager
async def _home(engine: str, passages: int, asked: int) -> AsyncGenerator[Filled]:
    if engine == "lancedb":
        with tempfile.TemporaryDirectory() as scratch:
            async with lancedb_home(Path(scratch), passages, TENANTS, asked) as filled:
                yield filled
        return
    from tercet.testing.postgres_server import running_server

    with running_server() as server:
        server.administer("ALTER SYSTEM SET shared_buffers = '1GB'", "ALTER SYSTEM SET max_wal_size = '4GB'")
        server.stop()
        server.resume()
        async with postgres_home(server, passages, TENANTS, asked) as filled:
            yield filled


async def _asked(filled: Filled, tenant: Tenant, question: Question, turn: int) -> dict[str, float]:
    """Return how many milliseconds each way took, in an order that depends on the turn."""
    filled.embedder.vector = question.vector
    reach = Reach(question.agent)
    roots = await tenant.ledger.manifest.roots(question.agent)
    where = Filter(reach, (In("root", ("", *(root.label for root in roots))),))
    preset = preset_named(DEFAULT_PRESET)
    k = pipeline.candidate_count(preset, HITS)
    analysis = pipeline.analyse_query(question.text, NOW)
    terms = pipeline.keyword_leg_terms(analysis, await tenant.ledger.terms.statistics(reach, analysis.terms))
    options = SearchOptions(limit=HITS, now=NOW)

    async def raw_vector() -> int:
        return filled.raw.by_vector(tenant.name, question.agent, question.vector, k)

    async def raw_text() -> int:
        return filled.raw.by_terms(tenant.name, question.agent, terms, k)

    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "raw vector": raw_vector,
        "raw text": raw_text,
        "vector": lambda: tenant.engine.vector_topk(question.vector, k, where),
        "text": lambda: tenant.engine.text_topk(terms, k, where),
        "search": lambda: tenant.retriever.search(question.text, options, reach),
    }
    times: dict[str, float] = {}
    for place in range(len(WAYS)):
        way = WAYS[(place + turn) % len(WAYS)]
        started = time.perf_counter()
        answer = await ways[way]()
        times[way] = (time.perf_counter() - started) * 1000
        del answer  # freeing the rows is no part of the next way
    return times


def _summary(times: list[dict[str, float]]) -> dict[str, float]:
    columns = {way: [each[way] for each in times] for way in WAYS}
    columns["raw"] = [each["raw vector"] + each["raw text"] for each in times]
    columns["legs"] = [each["vector"] + each["text"] for each in times]
    figures: dict[str, float] = {}
    for way, values in columns.items():
        figures[f"{way} p50"], figures[f"{way} p95"] = np.percentile(values, (50, 95)).tolist()
    figures["ratio"] = statistics.median(columns["search"]) / statistics.median(columns["raw"])
    figures["ratio to legs"] = statistics.median(columns["search"]) / statistics.median(columns["legs"])
    return figures


async def _recall(tenant: Tenant, question: Question) -> float:
    """Return the share of the ten exactly nearest that a search of ten finds."""
    where = Filter(Reach(question.agent))
    found = await tenant.engine.vector_topk(question.vector, HITS, where)
    exact = await tenant.engine.vector_topk(question.vector, HITS, where, exact=True)
    ids = {match.row.passage.id for match in exact}
    return len(ids & {match.row.passage.id for match in found}) / len(ids)


def _resident() -> float:
    """Return this process's memory in MB; nan where the system does not tell."""
    try:
        found = re.search(r"^VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    except OSError:
        return float("nan")
    return int(found.group(1)) / 1000 if found else float("nan")


def main() -> None:
    """Measure one line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", nargs="?", choices=sorted({engine for engine, _ in LINES}))
    parser.add_argument("passages", nargs="?", type=int)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    given = parser.parse_args()
    if given.engine is not None:
        print(json.dumps(asyncio.run(measure_line(given.engine, given.passages or 100_000))))
        return
    made = measure()
    print(made.as_markdown())
    if given.write:
        write_tables(RESULTS, [made])


if __name__ == "__main__":
    main()
