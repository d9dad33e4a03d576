"""A process of its own for the crash tests: does one kind of work and says each finished step on a line.

``python lancedb_worker.py FOLDER NAME KIND``; it waits for a line on its input before it begins.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
import sys

import numpy as np

from tercet.adapters.lancedb import LanceEngine
from tercet.errors import SpaceMismatchError
from tercet.testing.samples import OTHER_SPACE, SPACE, row, vector

BATCH, STEPS, MEETINGS = 20, 15, 25
FOLDER = sys.argv[1] if len(sys.argv) > 1 else ""
EAST, NEW_EAST = vector(1, 0, 0, 0), vector(1, 0, 0)


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def batch(name: str, number: int) -> list:
    """Rows of this worker alone, and rows that every worker writes."""
    own = [row(f"{name}/{number:04}/{n:02}", f"word {name}", vector=EAST) for n in range(BATCH)]
    return own + [row(f"shared/{n:02}", f"word {name} {number}", vector=EAST) for n in range(BATCH)]


async def write(engine: LanceEngine, name: str) -> None:
    """Upsert for ever; every fifth time tidy up as well."""
    await engine.open(SPACE)
    for number in itertools.count():
        await engine.upsert(batch(name, number))
        say(number)
        if number % 5 == 4:
            await engine.maintain(5)


async def write_once(engine: LanceEngine, name: str) -> None:
    """Make a store and write to it together with the others, three times over."""
    for number in range(3):
        meeting = LanceEngine(f"{FOLDER}{number}")
        await meeting.open(SPACE)
        for step in range(STEPS):
            await meeting.upsert([row(f"shared/{step:02}/{n:02}", name, vector=EAST) for n in range(BATCH)])
        await meeting.close()
        say("written")
        sys.stdin.readline()


async def open_new(engine: LanceEngine, name: str) -> None:
    """Open one new store after the other, each at the same moment as the others, and write a row of one's own."""
    for number in range(MEETINGS):
        meeting = LanceEngine(f"{FOLDER}{number}")
        await meeting.open(SPACE)
        await meeting.upsert([row(name, "word", vector=EAST)])
        await meeting.close()
        say("opened")
        sys.stdin.readline()


async def reembed(engine: LanceEngine, name: str) -> None:
    try:
        await engine.open(OTHER_SPACE)
    except SpaceMismatchError:
        await engine.begin_reembed(OTHER_SPACE)
    else:
        say("there")
        return
    while rows := await engine.rows_to_reembed(7):
        await engine.fill_reembed([found.passage.id for found in rows], np.stack([NEW_EAST] * len(rows)))
        say(len(rows))
    say("filled")
    await engine.finish_reembed()
    say("finished")


async def main(folder: str, name: str, kind: str) -> None:
    engine = LanceEngine(folder)
    # The library is loaded before the start, so that the workers of one round truly meet.
    importlib.import_module("lancedb")
    say("ready")
    sys.stdin.readline()
    await {"write": write, "write once": write_once, "open new": open_new, "reembed": reembed}[kind](engine, name)
    await engine.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
