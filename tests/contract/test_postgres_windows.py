"""Windows of sessions in PostgreSQL keep the contract, also where several services write them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.ports.ledger import Ledger
from tercet.testing.postgres_server import PostgresServer
from tercet.testing.windows_contract import (
    ANN,
    AT,
    LATER,
    WindowsContract,
    claimed,
    fact_of,
    message,
    status_of,
    turn,
)


class TestPostgresWindows(WindowsContract):
    @pytest.fixture
    async def open_ledger(self, postgres_server: PostgresServer) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[PostgresLedger] = []

        async def open_one() -> Ledger:
            ledger = await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), pool_size=2)
            opened.append(ledger)
            return ledger

        yield open_one
        for ledger in opened:
            assert await ledger.terms.faults() == []
            await ledger.close()


async def test_a_claim_of_a_dead_service_runs_out_for_the_others(open_service) -> None:
    first, other = await open_service(), await open_service()
    await first.windows.put(ANN, turn("a"), keep_tokens=1000)
    await first.windows.end(ANN)
    lapsed = await claimed(first)
    assert await other.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99) is None
    await first.close()
    assert [each.text for each in await other.windows.window(ANN, 1000)] == ["text of a", "text of aa"]
    assert (await status_of(other)).ended
    assert (await claimed(other, now=LATER)).claim > lapsed.claim


async def test_of_many_that_claim_a_session_at_once_one_gets_it(open_service) -> None:
    services = [await open_service() for _ in range(3)]
    await services[0].windows.put(ANN, turn("a"), keep_tokens=1000)
    claims = [service.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99) for service in services for _ in range(3)]
    assert sum(stretch is not None for stretch in await asyncio.gather(*claims)) == 1


async def test_turns_that_two_services_put_at_once_are_kept_once_and_counted_once(open_service) -> None:
    """U3, U6: a host that got no answer hands the turn over again, to another service."""
    one, other = await open_service(), await open_service()
    turns = [turn(f"t{number}") for number in range(15)]
    put = [service.windows.put(ANN, each, keep_tokens=9999) for each in turns for service in (one, other)]
    assert sum(await asyncio.gather(*put)) == 4 * len(turns)
    held = await one.windows.window(ANN, 9999)
    assert len({each.number for each in held}) == len(held) == 2 * len(turns)
    state = (await status_of(other)).state
    assert (state.turns, state.tool_calls, state.tokens) == (15, 30, 300)


async def test_what_is_put_while_a_stretch_is_finished_stays_to_be_extracted(open_service) -> None:
    one, other = await open_service(), await open_service()
    await one.windows.put(ANN, turn("t0"), keep_tokens=9999)
    for number in range(1, 10):
        stretch = await claimed(one)
        finished, _ = await asyncio.gather(
            one.windows.finish(stretch, [fact_of(stretch, f"e{number}", f"fact {number}")], at=AT, keep_tokens=40),
            other.windows.put(ANN, turn(f"t{number}"), keep_tokens=40),
        )
        assert finished == [f"e{number}"]
        assert (await status_of(one)).state.turns == 1


async def test_a_window_that_was_forgotten_and_made_anew_is_not_finished_by_an_old_claim(open_service) -> None:
    ledger = await open_service()
    await ledger.windows.put(ANN, turn("a"), keep_tokens=1000)
    lapsed = await claimed(ledger)
    await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN.scope])
    await ledger.windows.put(ANN, turn("b"), keep_tokens=1000)
    current = await claimed(ledger)
    assert await ledger.windows.finish(lapsed, [], at=AT, keep_tokens=1000) is None
    assert await ledger.windows.renew(current, now=AT, lease_s=60)
    assert (await status_of(ledger)).state.turns == 1


async def test_forgetting_an_entry_while_its_session_goes_on_leaves_the_counters_right(open_service) -> None:
    one, other = await open_service(), await open_service()
    for number in range(8):
        stretch_of = f"t{number}"
        await one.windows.put(ANN, turn(stretch_of), keep_tokens=9999)
        stretch = await claimed(one)
        fact = fact_of(stretch, f"e{number}", f"fact {number}")
        await one.windows.finish(stretch, [fact], at=AT, keep_tokens=9999)
        later = [turn(f"later{number}.{n}") for n in range(4)]
        await asyncio.gather(
            *(other.windows.put(ANN, each, keep_tokens=9999) for each in later[:2]),
            one.journal.forget(at=AT, purge_at=LATER, ids=[f"e{number}"]),
            *(other.windows.put(ANN, each, keep_tokens=9999) for each in later[2:]),
        )
        status = await status_of(one)
        held = await other.windows.window(ANN, 9999)
        assert not any(each.text == f"text of {stretch_of}" for each in held)
        assert (status.messages, status.tokens) == (len(held), 10 * len(held))
        assert status.state.turns == len(later), "they were not extracted yet"
        await one.windows.finish(await claimed(one), [], at=AT, keep_tokens=9999)


async def test_forgotten_words_leave_every_window_at_once(open_service, tables_with) -> None:
    """P5: a window has no undo; the topic of its facts is gone with it too."""
    ledger = await open_service()
    await ledger.windows.put(ANN, [message("a", "the madagascar plan")], keep_tokens=1000)
    stretch = await claimed(ledger)
    fact = fact_of(stretch, "1", "an island", topic="Madagascar")
    await ledger.windows.finish(stretch, [fact], at=AT, keep_tokens=1000)
    assert await tables_with("madagascar") == ["session_fact", "window_message"]
    await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN.scope])
    assert await tables_with("madagascar") == []
