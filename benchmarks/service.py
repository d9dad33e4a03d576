"""Recall through ``tercet serve`` beside the same in process, the first recall after a start, and the hook.

One folder of 10,000 passages is indexed with the builtin model. Both memories are open at the same
time over the same home, and each question is asked of both, in turns, so that what else the machine
does weighs on both alike.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from folders import make_folder
from tables import Table

from tercet import build_async, load_settings
from tercet.interfaces.client.opening import open_memory_async
from tercet.interfaces.client.service_client import ServiceClient

if TYPE_CHECKING:
    from collections.abc import Generator

    from tercet import AsyncMemory, LoadedSettings

FILES, SECTIONS, LINES = 2500, 4, 3
PASSAGES = FILES * SECTIONS
QUERIES = 200
WARMING = 10
HOOK_ROUNDS = 25
STARTS = 3


@dataclass(slots=True)
class Times:
    """Milliseconds of the same thing done again and again."""

    ms: list[float] = field(default_factory=list)

    @property
    def p50(self) -> float:
        """The median."""
        return statistics.median(self.ms)

    @property
    def p95(self) -> float:
        """What nineteen of twenty do not exceed."""
        return statistics.quantiles(self.ms, n=20)[-1]


def measure() -> Table:
    """Return milliseconds of a recall, of the first one, and of the hook, with their ratios."""
    with tempfile.TemporaryDirectory(prefix="tercet-service-") as scratch:
        folder, home = Path(scratch) / "notes", Path(scratch) / "home"
        make_home(folder, home)
        return measure_home(folder, home)


def make_home(folder: Path, home: Path) -> None:
    """Write the folder and index it; about a minute of one core."""
    make_folder(folder, FILES, sections=SECTIONS, lines=LINES)
    home.mkdir(mode=0o700)
    # What is slow is to be measured, not cut off.
    (home / "tercet.toml").write_text("[recall]\ndeadline_s = 60.0\n", "utf-8")
    passages = asyncio.run(_index(load_settings({"home": str(home)}), folder))
    _require(passages == PASSAGES, f"{passages} passages are indexed")


def measure_home(folder: Path, home: Path) -> Table:
    """Measure over a home that is made already."""
    loaded = load_settings({"home": str(home)})
    questions = _questions(folder)
    with _served(home):
        own, served = asyncio.run(_side_by_side(loaded, questions))
        bare, hook = _hook(home, questions)
    firsts = [_first_recall(loaded, home, questions[0]) for _ in range(STARTS)]
    rows = (
        ("recall in process", f"{own.p50:.0f} ms", f"{own.p95:.0f} ms", "1.0", ""),
        _compared("recall through the service", served, own, "<= 1.3"),
        (
            "first recall, asked with the service's first line",
            f"{statistics.median(firsts):.0f} ms",
            f"{max(firsts):.0f} ms (slowest of {STARTS})",
            "",
            "",
        ),
        ("python -c pass, elapsed", f"{bare.elapsed.p50:.0f} ms", f"{bare.elapsed.p95:.0f} ms", "1.0", ""),
        _compared("tercet-hook UserPromptSubmit, elapsed", hook.elapsed, bare.elapsed, ""),
        ("python -c pass, CPU", f"{bare.cpu.p50:.0f} ms", f"{bare.cpu.p95:.0f} ms", "1.0", ""),
        _compared("tercet-hook UserPromptSubmit, CPU", hook.cpu, bare.cpu, "< 60 ms"),
    )
    title = f"The service at {PASSAGES:,} passages ({QUERIES} questions, in turns with the memory in process)"
    return Table("service", title, ("what", "p50", "p95", "p50 / the line it is beside", "wanted"), rows)


def _require(condition: bool, otherwise: str) -> None:  # noqa: FBT001 - an assertion that -O keeps
    if not condition:
        raise RuntimeError(otherwise)


def _compared(what: str, times: Times, base: Times, wanted: str) -> tuple[str, ...]:
    return what, f"{times.p50:.0f} ms", f"{times.p95:.0f} ms", f"{times.p50 / base.p50:.2f}", wanted


async def _index(loaded: LoadedSettings, folder: Path) -> int:
    memory = await build_async(loaded)
    try:
        return (await memory.index([str(folder)])).chunks
    finally:
        await memory.close()


def _questions(folder: Path) -> list[str]:
    """Return questions in the words of one line each, all different."""
    rng = random.Random(5)
    files = sorted(folder.rglob("*.md"))
    questions: dict[str, None] = {}
    while len(questions) < QUERIES + WARMING:
        lines = [line for line in rng.choice(files).read_text("utf-8").splitlines() if line.startswith("- ")]
        words = rng.choice(lines)[2:].split()[:8]
        questions[f"What did we note about {' '.join(words)}?"] = None
    return list(questions)


async def _side_by_side(loaded: LoadedSettings, questions: list[str]) -> tuple[Times, Times]:
    memory = await build_async(loaded)
    client = await _client(loaded)
    own, served = Times(), Times()
    try:
        await memory.prepare()
        for number, question in enumerate(questions):
            pair = [(memory, own), (client, served)]
            for asked, times in pair if number % 2 else reversed(pair):
                took = await _recall_ms(asked, question)
                if number >= WARMING:
                    times.ms.append(took)
    finally:
        await client.close()
        await memory.close()
    return own, served


async def _client(loaded: LoadedSettings) -> ServiceClient:
    client = await open_memory_async(loaded)
    if not isinstance(client, ServiceClient):
        msg = "no service runs with the settings of the home"
        raise TypeError(msg)
    return client


async def _recall_ms(memory: AsyncMemory | ServiceClient, question: str) -> float:
    started = time.perf_counter()
    section = await memory.recall(question)
    took = (time.perf_counter() - started) * 1000
    _require(section.degraded is None, str(section.degraded))
    return took


def _first_recall(loaded: LoadedSettings, home: Path, question: str) -> float:
    """Return how long the first recall takes that is asked as soon as the service says where it is."""

    async def asked() -> float:
        client = await _client(loaded)
        try:
            return await _recall_ms(client, question)
        finally:
            await client.close()

    with _served(home):
        return asyncio.run(asked())


@contextmanager
def _served(home: Path) -> Generator[None]:
    command = [sys.executable, "-m", "tercet.interfaces.cli", "serve", "--port", "0", "--json", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            _require(process.stdout is not None and "url" in process.stdout.readline(), "the service did not start")
            yield
        finally:
            process.terminate()
            process.wait()


@dataclass(slots=True)
class Runs:
    """A command run again and again."""

    elapsed: Times = field(default_factory=Times)
    cpu: Times = field(default_factory=Times)

    def add(self, command: list[str], given: str, environment: dict[str, str]) -> str:
        """Run once and return what it printed."""
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        run = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.elapsed.ms.append((time.perf_counter() - started) * 1000)
        self.cpu.ms.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000)
        return run.stdout


def _hook(home: Path, questions: list[str]) -> tuple[Runs, Runs]:
    """Return a bare interpreter's runs and the hook's, in turns; every prompt of the hook gets its memories."""
    bare, hook = Runs(), Runs()
    environment = {**os.environ, "TERCET_HOME": str(home)}
    program = Path(sys.executable).with_name("tercet-hook")
    for question in questions[:HOOK_ROUNDS]:
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": question}
        bare.add([sys.executable, "-c", "pass"], "", environment)
        printed = hook.add([str(program), "claude-code", "UserPromptSubmit"], json.dumps(event), environment)
        _require("additionalContext" in printed, f"nothing was recalled for {question!r}")
    return bare, hook


if __name__ == "__main__":
    print(measure().as_markdown())
