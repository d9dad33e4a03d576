"""One writer of an index per home."""

import asyncio
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.adapters.lock import WriterLock
from tercet.errors import LedgerBusyError

HOLDER = """
import sys
from pathlib import Path
from tercet.adapters.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
print(lock.try_acquire(), flush=True)
sys.stdin.read()
"""


async def test_a_second_writer_waits_no_longer_than_told_and_names_the_lock(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with WriterLock(home) as held:
        assert stat.S_IMODE(held.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        with pytest.raises(LedgerBusyError, match=r"home/index\.lock"):
            await WriterLock(home, timeout_s=0).acquire()
        assert not held.try_acquire()
    async with WriterLock(home, timeout_s=0):
        pass


@pytest.mark.parametrize("shared", [True, False])
async def test_two_tasks_of_one_process_take_turns(tmp_path: Path, shared: bool) -> None:
    """X9: a queue in the process, not an error."""
    inside: list[int] = []
    together: list[int] = []
    lock = WriterLock(tmp_path, timeout_s=30)

    async def work(number: int) -> None:
        async with lock if shared else WriterLock(tmp_path, timeout_s=30):
            inside.append(number)
            together.append(len(inside))
            await asyncio.sleep(0)
            inside.remove(number)

    await asyncio.gather(*map(work, range(5)))
    assert together == [1] * 5


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    """X4: what a killed process leaves behind stops nobody."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not WriterLock(tmp_path).try_acquire()
        holder.kill()
    lock = WriterLock(tmp_path)
    assert lock.try_acquire()
    lock.release()
    lock.release()


async def test_an_old_or_empty_lock_file_stops_nobody(tmp_path: Path) -> None:
    """X4."""
    for left in (b"", b"99999999\nhost"):
        (tmp_path / "index.lock").write_bytes(left)
        async with WriterLock(tmp_path, timeout_s=0):
            pass


async def test_a_cancelled_wait_takes_nothing(tmp_path: Path) -> None:
    first = WriterLock(tmp_path)
    await first.acquire()
    waiting = asyncio.ensure_future(WriterLock(tmp_path).acquire())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    first.release()
    assert WriterLock(tmp_path).try_acquire()
