"""A search's look for changed files waits for its own process's run, and for nobody else's."""

from __future__ import annotations

import asyncio

from tercet.adapters.lock import WriterLock
from tercet.layers.semantic.turns import WritingTurns


async def test_a_look_waits_for_the_run_of_its_own_process_and_then_looks(tmp_path):
    turns = WritingTurns(WriterLock(tmp_path))
    async with turns.writing(None):
        look = asyncio.create_task(turns.try_begin())
        await asyncio.sleep(0)
        assert not look.done()
    assert await look
    turns.end()


async def test_a_look_does_not_wait_for_another_process(tmp_path):
    other = WriterLock(tmp_path)
    assert other.try_acquire()
    assert not await WritingTurns(WriterLock(tmp_path)).try_begin()
    other.release()
    turns = WritingTurns(WriterLock(tmp_path))
    assert await turns.try_begin()
    turns.end()


async def test_a_run_that_must_wait_for_another_process_says_so(tmp_path):
    other, said = WriterLock(tmp_path), []
    assert other.try_acquire()

    def told(sentence):
        said.append(sentence)
        other.release()

    async with WritingTurns(WriterLock(tmp_path)).writing(told):
        assert said == ["Another process is indexing; waiting for it."]
