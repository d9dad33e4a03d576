"""Notes of a large vault against SQLite's FTS5 alone: search, what a look for changes costs, rebuild."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from folders import NOTES
from tables import Table

from tercet.adapters.clock import SystemClock
from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.layers.wiki.layer import WikiLayer, WikiParts
from tercet.model import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

VAULT_NOTES = 10_000
QUERIES = 60
ROUNDS = 3
LINES_A_NOTE = 12


def measure() -> Table:
    """Return seconds of a rebuild and p95 of a search, with those of FTS5 over the same texts, and their ratios."""
    return asyncio.run(_measure())


async def _measure() -> Table:
    pick = random.Random(11)
    lines = _lines()
    with tempfile.TemporaryDirectory() as scratch:
        vault = Path(scratch) / "vault"
        _write(vault, lines, pick)
        queries = [" ".join(pick.choice(lines).split()[:6])[:60] for _ in range(QUERIES)]
        plain, plain_build_s = _plain(vault, Path(scratch) / "plain.sqlite")
        layer = WikiLayer(
            WikiParts("main", FolderVault(vault, "main"), SqliteNoteIndex(Path(scratch), "main"), SystemClock())
        )
        started = time.perf_counter()
        await layer.search(queries[0], SearchOptions())  # without a deadline it waits for all of the vault
        build_s = time.perf_counter() - started
        searches = [_p95(_timed_plain(plain, queries)) for _ in range(ROUNDS)]
        ours = [_p95(await _timed(layer, queries)) for _ in range(ROUNDS)]
        looks = [_p95(await _timed_looks(layer)) for _ in range(ROUNDS)]
        plain.close()
        await layer.close()
    rows = (
        _row("search, p95", statistics.median(ours), statistics.median(searches)),
        _row("of it the look for changes, p95", statistics.median(looks), statistics.median(searches)),
        _row("rebuild", build_s, plain_build_s),
    )
    header = ("", "wiki layer", "FTS5 alone", "ratio")
    return Table("wiki", f"A vault of {VAULT_NOTES:,} notes", header, rows)


def _row(what: str, ours_s: float, plain_s: float) -> tuple[str, ...]:
    return (what, f"{ours_s * 1000:,.0f} ms", f"{plain_s * 1000:,.0f} ms", f"{ours_s / plain_s:.1f}")


def _lines() -> list[str]:
    return [
        line.strip()
        for path in sorted(NOTES.rglob("*.md"))
        for line in path.read_text("utf-8").splitlines()
        if len(line.strip()) > 40
    ]


def _write(vault: Path, lines: Sequence[str], pick: random.Random) -> None:
    for number in range(VAULT_NOTES):
        title = f"{' '.join(pick.choice(lines).split()[:3])} {number}".replace('"', "")
        body = "\n".join(pick.choice(lines) for _ in range(LINES_A_NOTE))
        front = f'id: n{number}\ntitle: "{title}"\ntype: concept\ntags: [t{number % 50}]\ncreated: 2026-01-0{1 + number % 9}'
        path = vault / f"{number % 100:02}" / f"note {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{front}\n---\n# {title}\n\n{body}\n\nSee [[note {number // 2}]].\n", "utf-8")


def _plain(vault: Path, place: Path) -> tuple[sqlite3.Connection, float]:
    """Read the files into one FTS5 table as SQLite's own words; return it and the seconds."""
    started = time.perf_counter()
    connection = sqlite3.connect(place)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE VIRTUAL TABLE note USING fts5 (path, body)")
    with connection:
        connection.executemany(
            "INSERT INTO note VALUES (?, ?)",
            ((str(path), path.read_text("utf-8")) for path in sorted(vault.rglob("*.md"))),
        )
    return connection, time.perf_counter() - started


def _timed_plain(connection: sqlite3.Connection, queries: Sequence[str]) -> list[float]:
    times: list[float] = []
    for query in queries:
        words = " OR ".join(f'"{word}"' for word in query.replace('"', " ").split())
        started = time.perf_counter()
        connection.execute("SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank LIMIT 10", (words,)).fetchall()
        times.append(time.perf_counter() - started)
    return times


async def _timed(layer: WikiLayer, queries: Sequence[str]) -> list[float]:
    times: list[float] = []
    for query in queries:
        started = time.perf_counter()
        await layer.search(query, SearchOptions(limit=10))
        times.append(time.perf_counter() - started)
    return times


async def _timed_looks(layer: WikiLayer) -> list[float]:
    times: list[float] = []
    for _ in range(QUERIES // 4):
        started = time.perf_counter()
        await layer.status()
        times.append(time.perf_counter() - started)
    return times


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[round(0.95 * (len(times) - 1))]
