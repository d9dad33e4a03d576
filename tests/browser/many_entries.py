"""A memory of 10,000 entries, written through the journal as its worker does, in some ten seconds."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, get_args

from tercet import build, load_settings
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.bridge import LoopThread
from tercet.capture.entry_sync import entry_record, entry_row
from tercet.model import Category, Entry, Scope
from tercet.ports.capture import Stored

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = 10_000
AT_ONCE = 1000
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
THINGS = (
    "boat",
    "harbour",
    "tea",
    "roof",
    "slate",
    "bread",
    "garden",
    "loom",
    "wheel",
    "lamp",
    "clock",
    "river",
    "bridge",
    "stone",
    "cart",
    "barn",
)


def make_home_of_many(folder: Path) -> Path:
    """Return its home, made below a folder."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    loop = LoopThread()
    try:
        loop.run(_write(home))
    finally:
        loop.close()
    with build(load_settings({"home": str(home)})) as memory:
        memory.index()
    return home


async def _write(home: Path) -> None:
    ledger, rng = await SqliteLedger.open(home), random.Random(10)
    for start in range(0, ENTRIES, AT_ONCE):
        entries = [_entry(number, rng) for number in range(start, start + AT_ONCE)]
        changes = [Stored(entry, entry_record(entry_row(entry))) for entry in entries]
        await ledger.journal.apply(changes, at=FIRST + timedelta(hours=start + AT_ONCE))
    await ledger.close()


def _entry(number: int, rng: random.Random) -> Entry:
    one, two, three = rng.sample(THINGS, 3)
    return Entry(
        id=f"many-{number:05}",
        scope=Scope("main", ""),
        text=f"The {one} number {number} stands between the {two} and the {three}.",
        category=rng.choice(get_args(Category)),
        importance=rng.choice((0.3, 0.5, 0.7, 0.9)),
        said_at=FIRST + timedelta(hours=number),
        session="agent:main:main",
        message_id=f"message-{number}",
    )
