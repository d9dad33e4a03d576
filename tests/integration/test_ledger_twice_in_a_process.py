"""Two memories over one home in one process, as a service has them, beside a process that comes and goes (X9)."""

from __future__ import annotations

import subprocess
import sys

from tercet.adapters.sqlite.ledger import SqliteLedger

ASK = """
import asyncio, sys
from pathlib import Path
from tercet.adapters.sqlite.ledger import SqliteLedger

async def main():
    ledger = await SqliteLedger.open(Path(sys.argv[1]))
    print(sorted(await ledger.links.links("main")))
    await ledger.close()

asyncio.run(main())
"""


def asked_elsewhere(home):
    run = subprocess.run([sys.executable, "-c", ASK, str(home)], capture_output=True, text=True, check=True)
    return run.stdout.strip()


async def test_what_is_written_after_another_process_closed_is_seen_by_the_next(home):
    first = await SqliteLedger.open(home)
    second = await SqliteLedger.open(home)
    try:
        await first.links.link("main", "one", ("telegram:1",))
        # Were the locks of this process gone, that one would take itself for the last and unlink the log.
        assert asked_elsewhere(home) == "['one']"
        await first.links.link("main", "two", ("telegram:2",))
        assert asked_elsewhere(home) == "['one', 'two']"
        assert sorted(await second.links.links("main")) == ["one", "two"]
    finally:
        await second.close()
        await first.close()
    assert asked_elsewhere(home) == "['one', 'two']"
