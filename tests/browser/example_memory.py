"""The example workspace as a memory that was lived in: notes, entries of several people, what waits."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tercet import Message, Turn, build, load_settings
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.bridge import LoopThread
from tercet.model import InboxItem, Scope

if TYPE_CHECKING:
    from tercet import Memory

WORKSPACE = Path(__file__).resolve().parents[2] / "examples" / "workspace"
SPOKEN = datetime(2026, 3, 2, 9, tzinfo=UTC)
WAITING = "Please remember that the piano tuner comes on the first Tuesday of May."
DEAD = "Remember: the spare key lies under the blue pot."
REPLACED = "The workshop is rented until the end of 2026."
REPLACING = "The workshop is rented until the end of 2028."
FORGOTTEN = "The old alarm code of the workshop ends in 44."
MAUD = "telegram:4711"
MAUDS = "I am allergic to walnuts, please remember that."
SAID = (
    "Remember that I prefer the train over the plane for anything under 1000 km.",
    "We decided to use black walnut for the canteen tables.",
    "我妈妈的生日是三月初八，请记住。",
    "My favourite chisel is the 12 mm one from the green box.",
)
NOTES = (
    (
        "Farid",
        "person",
        "Runs the machine room. Works with [[Reverb plan]] and [[Maud]].\n\n- prefers calls before ten\n",
    ),
    ("Maud", "person", "Paints. Sister of Bram, see [[Farid]] and [[Nobody yet]].\n"),
    (
        "Reverb plan",
        "project",
        "Absorbers for the hall.\n\n| place | panels |\n|---|---:|\n| stage | 12 |\n| balcony | 30 |\n\n```text\nRT60 1.4 s\n```\n",
    ),
    ("麻婆豆腐", "topic", "妈妈的做法：先炒豆瓣酱，再放豆腐。另见 [[Maud]]。\n"),
)


def make_example_home(folder: Path) -> Path:
    """Return the home of such a memory, made below a folder; about ten seconds."""
    home, workspace = folder / "home", folder / "workspace"
    shutil.copytree(WORKSPACE, workspace)
    home.mkdir(mode=0o700)
    with build(load_settings({"home": str(home)})) as memory:
        memory.index([str(workspace)])
        _tell(memory)
        for title, kind, body in NOTES:
            memory.wiki.new(title, body=body, type=kind, tags=["example"])
        memory.index()
        memory.graph.build()
    _leave_waiting(home)
    return home


def _tell(memory: Memory) -> None:
    for number, text in enumerate(SAID):
        at = SPOKEN + timedelta(days=number)
        memory.agent_end(Turn("main", (Message("user", text, f"owner-{number}", at),)))
    memory.agent_end(Turn(MAUD, (Message("user", MAUDS, "maud-1", SPOKEN),)))
    memory.flush()
    old = memory.remember(REPLACED, category="decision", importance=0.9)
    memory.remember(REPLACING, category="decision", importance=0.9, supersedes=[old.id])
    memory.forget([memory.remember(FORGOTTEN).id])


def _leave_waiting(home: Path) -> None:
    """Put one message into the inbox that is to be tried much later, and one that was given up."""

    async def put() -> None:
        ledger = await SqliteLedger.open(home)
        now, whose = datetime.now(UTC), Scope("main", "")
        for number, text in enumerate((WAITING, DEAD)):
            item = InboxItem(f"waits-{number}", whose, "agent:main:main", f"waits-{number}", text, now, now)
            await ledger.inbox.put([item])
        await ledger.inbox.claim(2, now, 60.0)
        await ledger.inbox.release(["waits-0"], retry_at=now + timedelta(days=1), count_attempt=True)
        await ledger.inbox.bury(["waits-1"], "the embedder answered with 3 numbers, the index holds 384")
        await ledger.close()

    loop = LoopThread()
    try:
        loop.run(put())
    finally:
        loop.close()
