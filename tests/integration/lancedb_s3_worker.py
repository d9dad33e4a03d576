"""A process of its own over a bucket: does one kind of work and says each finished step on a line.

``python lancedb_s3_worker.py HOME NAME KIND``, the bucket by the settings of the environment; it waits
for a line on its input before it begins, and ``open new`` before each of its places in the bucket.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys

from tercet.app.stores import Databases, make_engine
from tercet.config import load_settings
from tercet.testing.samples import SPACE, row, vector

BATCH, BATCHES, MEETINGS = 10, 6, 4
EAST = vector(1, 0, 0, 0)


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def engine_at(home: str, url: str):
    return make_engine(load_settings({"home": home, "store": {"url": url}}).settings, Databases())


async def write(home: str, name: str) -> None:
    """Write rows of one's own and rows that every worker writes, and tidy up every other time."""
    engine = engine_at(home, os.environ["TERCET_STORE__URL"])
    await engine.open(SPACE)
    for number in range(BATCHES):
        own = [row(f"{name}/{number:02}/{n:02}", f"word {name}", vector=EAST) for n in range(BATCH)]
        shared = [row(f"shared/{number:02}/{n:02}", f"word {name}", vector=EAST) for n in range(BATCH)]
        await engine.upsert([*own, *shared, row(f"{name}/gone", "word")])
        await engine.delete([f"{name}/gone"])
        if number % 2:
            await engine.maintain(5)
    await engine.close()
    say("written")


async def open_new(home: str, name: str) -> None:
    """Open one new store after the other, each at the same moment as the others, and write a row of one's own."""
    for number in range(MEETINGS):
        engine = engine_at(home, f"{os.environ['TERCET_STORE__URL']}-{number}")
        await engine.open(SPACE)
        await engine.upsert([row(name, "word", vector=EAST)])
        await engine.close()
        say("opened")
        sys.stdin.readline()


def main(home: str, name: str, kind: str) -> None:
    # The library is loaded before the start, so that the workers of one round truly meet.
    importlib.import_module("lancedb")
    say("ready")
    sys.stdin.readline()
    asyncio.run({"write": write, "open new": open_new}[kind](home, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
