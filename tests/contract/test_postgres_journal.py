"""Inbox, journal and links in PostgreSQL keep the contract, and their counts fit, also where several services write."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import numpy as np
import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.errors import InvalidInputError
from tercet.model import InboxItem, Scope
from tercet.ports.capture import SeenAgain
from tercet.ports.ledger import Ledger
from tercet.testing.browsing_contract import BrowsingContract, minutes
from tercet.testing.capture_contract import (
    ANN,
    AT,
    BEN,
    LATER,
    OF_ANN,
    OF_BEN,
    CaptureContract,
    entry,
    item,
    stored,
)
from tercet.testing.postgres_server import PostgresServer
from tercet.text.same_text import text_digest

OpenLedger = Callable[[], Awaitable[Ledger]]


class TestPostgresCapture(CaptureContract):
    @pytest.fixture
    async def open_ledger(self, postgres_server: PostgresServer) -> AsyncIterator[OpenLedger]:
        opened: list[PostgresLedger] = []

        async def open_one() -> Ledger:
            ledger = await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), pool_size=2)
            opened.append(ledger)
            return ledger

        yield open_one
        for ledger in opened:
            assert await ledger.terms.faults() == []
            await ledger.close()


class TestPostgresBrowsing(BrowsingContract):
    @pytest.fixture
    async def open_ledger(self, open_service) -> OpenLedger:
        return open_service


async def test_two_services_that_tell_the_same_store_it_once(open_service) -> None:
    """U6, X2: the unique key of a live text decides, whoever comes first."""
    one, other = await open_service(), await open_service()
    texts = [f"fact {number}" for number in range(40)]
    told = [
        ledger.journal.apply([stored(entry(f"{name}{text}", text))], at=AT)
        for text in texts
        for name, ledger in (("x", one), ("y", other))
    ]
    assert sum(map(len, await asyncio.gather(*told))) == len(texts)
    live = await one.journal.live(OF_ANN)
    assert sorted(each.text for each in live) == sorted(texts)
    assert {each.seen for each in live} == {2}
    assert await other.terms.faults() == []


async def test_two_workers_that_finish_one_message_store_its_entries_once(open_service) -> None:
    """U3: the lease ran out while the first still worked; each made entries of its own of the message."""
    one, other = await open_service(), await open_service()
    names = [f"m{number}" for number in range(20)]
    await one.inbox.put([item(name) for name in names])
    finished = [
        ledger.journal.apply([stored(entry(f"{who}{name}", f"{who} {name}", message=name))], at=AT, done=[name])
        for name in names
        for who, ledger in (("x", one), ("y", other))
    ]
    added = [entry_id for ids in await asyncio.gather(*finished) for entry_id in ids]
    assert sorted(entry_id[1:] for entry_id in added) == sorted(names)
    assert len(await one.journal.live(OF_ANN)) == len(names)
    assert (await one.inbox.status()).waiting == 0


async def test_of_two_that_supersede_the_same_entry_one_decides_again(open_service) -> None:
    """L13: both saw it live; the second must not retire what is history by now."""
    one, other = await open_service(), await open_service()
    await one.journal.apply([stored(entry("old", "two cats"))], at=AT)
    both = await asyncio.gather(
        one.journal.apply([stored(entry("x", "three cats"), supersedes=["old"])], at=AT),
        other.journal.apply([stored(entry("y", "four cats"), supersedes=["old"])], at=AT),
        return_exceptions=True,
    )
    assert sorted(type(result) is list for result in both) == [False, True]
    assert sum(isinstance(result, InvalidInputError) for result in both) == 1
    assert len(await one.journal.live(OF_ANN)) == 1
    assert await other.terms.faults() == []


async def test_forgetting_and_storing_at_once_leave_nothing_of_the_person(open_service) -> None:
    """P4: whatever a worker has in hand of a forgotten scope is stored before, and forgotten, or not at all."""
    one, other = await open_service(), await open_service()
    for turn in range(12):
        scope = Scope("main", f"telegram:{turn}")
        held = [item(f"{turn}.{n}", f"cat {n}", scope) for n in range(4)]
        await one.inbox.put(held)

        async def work_in(message, scope=scope):
            new = replace(entry(f"of {message.id}", message.text, scope), message_id=message.id, said_at=AT)
            await other.journal.apply([stored(new)], at=AT, done=[message.id])

        gone, *_ = await asyncio.gather(
            one.journal.forget(at=AT, purge_at=LATER, anchors=[scope]), *(work_in(message) for message in held)
        )
        assert {*gone.inbox_ids, *(name.removeprefix("of ") for name in gone.entry_ids)} == {each.id for each in held}
    assert await one.journal.anchors("main") == []
    assert await one.terms.faults() == []


async def test_each_forget_is_undone_for_itself_though_two_came_at_once(open_service) -> None:
    one, other = await open_service(), await open_service()
    await one.journal.apply([stored(entry("1", "two cats")), stored(entry("2", "dogs", BEN))], at=AT)
    await asyncio.gather(
        one.journal.forget(at=AT, purge_at=LATER, anchors=[ANN]),
        other.journal.forget(at=AT, purge_at=LATER, anchors=[BEN]),
    )
    last = await one.journal.last_forgotten("main")
    assert len(last) == 1
    assert await other.journal.undo(last, at=AT) == last
    assert len(await one.journal.last_forgotten("main")) == 1


async def test_what_is_brought_back_while_it_is_told_anew_stands_once(open_service) -> None:
    one, other = await open_service(), await open_service()
    for number in range(10):
        text = f"cat {number}"
        await one.journal.apply([stored(entry(f"old{number}", text))], at=AT)
        await one.journal.forget(at=AT, purge_at=LATER, ids=[f"old{number}"])
        back, added = await asyncio.gather(
            one.journal.undo([f"old{number}"], at=AT),
            other.journal.apply([stored(entry(f"new{number}", text, minutes=1))], at=AT),
        )
        assert back == [f"old{number}"]
        live = (await one.journal.by_text(ANN, [text_digest(text)]))[text_digest(text)]
        assert (live.id, live.seen) == ((f"new{number}", 1) if added else (f"old{number}", 2))
    assert await one.terms.faults() == []


async def test_seeing_again_what_another_supersedes_is_counted_or_decided_again(open_service) -> None:
    one, other = await open_service(), await open_service()
    for number in range(10):
        await one.journal.apply([stored(entry(f"old{number}", f"cat {number}"))], at=AT)
        seen, newer = await asyncio.gather(
            one.journal.apply([SeenAgain(f"old{number}", LATER)], at=LATER),
            other.journal.apply([stored(entry(f"new{number}", f"dog {number}"), supersedes=[f"old{number}"])], at=AT),
            return_exceptions=True,
        )
        assert newer == [f"new{number}"]
        (old,) = await one.journal.get([f"old{number}"], OF_ANN)
        assert (old.state, old.seen) == ("superseded", 1 if isinstance(seen, InvalidInputError) else 2)


async def test_an_anchor_that_two_link_at_once_becomes_one_name(open_service) -> None:
    one, other = await open_service(), await open_service()
    for number in range(10):
        anchors = [f"telegram:{number}", f"discord:{number}"]
        linked = await asyncio.gather(
            one.links.link("main", f"x{number}", anchors),
            other.links.link("main", f"y{number}", anchors[::-1]),
            return_exceptions=True,
        )
        assert sum(isinstance(result, InvalidInputError) for result in linked) == 1
    assert sorted(len(anchors) for anchors in (await one.links.links("main")).values()) == [2] * 10


async def test_tenants_share_tables_and_nothing_else(open_service, postgres_server) -> None:
    """S4: the same ids, scopes and texts in two homes; each forgets and counts its own."""
    ours, theirs = await open_service(), await open_service(postgres_server.new_tenant())
    for ledger in (ours, theirs):
        await ledger.inbox.put([item("a", "dogs")])
        await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT)
        await ledger.links.link("main", "ann", ["telegram:1"])
    await ours.journal.forget(at=AT, purge_at=LATER, anchors=[ANN])
    await ours.journal.purge(LATER)
    await ours.links.unlink("main", "ann")
    assert (await ours.journal.live(OF_ANN), (await ours.inbox.status()).waiting) == ([], 0)
    assert [each.id for each in await theirs.journal.live(OF_ANN)] == ["1"]
    assert [each.id for each in await theirs.inbox.claim(9, AT, 60)] == ["a"]
    assert await theirs.links.links("main") == {"ann": ("telegram:1",)}
    assert (await theirs.terms.statistics(OF_ANN, ["cats"])).document_frequency == {"cats": 1}


async def test_text_that_is_no_unicode_is_kept_and_nul_comes_back(open_service) -> None:
    ledger = await open_service()
    await ledger.inbox.put([item("a", "half \ud83d of one"), item("b", "nul \x00 of one")])
    assert [each.text for each in await ledger.inbox.claim(9, AT, 60)] == ["half \ufffd of one", "nul \x00 of one"]
    await ledger.journal.apply([stored(entry("1", "nul \x00 of one"))], at=AT)
    assert [each.text for each in await ledger.journal.live(OF_ANN)] == ["nul \x00 of one"]
    with pytest.raises(InvalidInputError, match="half a character"):
        await ledger.journal.apply([stored(entry("2", "half \ud83d of one"))], at=AT)


async def test_forgotten_words_leave_every_table_when_they_are_due(open_service, tables_with) -> None:
    """P5: no row of any table holds them any more, whoever asks; vectors of them go with the forget."""
    ledger = await open_service()
    text = "the zanzibar plan"
    await ledger.inbox.put([item("a", text), item("b", "more of zanzibar")])
    await ledger.journal.apply([stored(entry("1", text, message="a"))], at=AT, done=["a"])
    await ledger.log_query("zanzibar", ["1"], AT)
    key = hashlib.sha256(text.encode()).hexdigest()
    await ledger.cache.put("space", {key: np.ones(4, dtype=np.float32)})
    await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN])
    assert await ledger.cache.get("space", [key]) == {}
    assert await tables_with("zanzibar") == ["entry"]
    assert await ledger.journal.undo(["1"], at=AT) == ["1"]
    await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
    # A vector that was being made while its text was forgotten comes late, and goes with the text.
    await ledger.cache.put("space", {key: np.ones(4, dtype=np.float32)})
    await ledger.journal.purge(LATER)
    assert await tables_with("zanzibar") == []
    assert await ledger.cache.get("space", [key]) == {}


async def test_two_services_note_the_same_entries_as_synced(open_service) -> None:
    """Each tells its engine all that is pending, in another order."""
    one, other = await open_service(), await open_service()
    names = [f"e{number}" for number in range(200)]
    await one.journal.apply([stored(entry(name, f"text {name}")) for name in names], at=AT)
    await asyncio.gather(one.journal.pending(500), other.journal.pending(500))
    await asyncio.gather(one.journal.synced(names, has_vector=True), other.journal.synced(names[::-1], has_vector=True))
    assert await one.journal.pending(9) == ([], [])
    assert await other.journal.synced_count() == len(names)


async def test_what_one_service_changes_stays_pending_for_the_other(open_service) -> None:
    """L20: the other service's vector of a forgotten entry is taken out again."""
    one, other = await open_service(), await open_service()
    await one.journal.apply([stored(entry("1", "two cats", BEN))], at=AT)
    await one.journal.pending(9)
    await other.journal.forget(at=AT, purge_at=LATER, ids=["1"])
    assert await other.journal.pending(9) == ([], ["1"])
    await other.journal.synced(["1"], has_vector=False)
    await one.journal.synced(["1"], has_vector=True)
    assert await other.journal.pending(9) == ([], ["1"])
    assert await one.journal.live(OF_BEN) == []


async def test_what_a_person_said_is_worked_in_by_one_service_at_a_time(open_service) -> None:
    """L10: the newer of two messages, worked in before the older, could not take its place any more."""
    one, other = await open_service(), await open_service()
    await one.inbox.put([item("a1"), item("b1", scope=BEN), item("a2"), item("b2", scope=BEN)])
    assert [each.id for each in await one.inbox.claim(1, AT, 60)] == ["a1"]
    assert [each.id for each in await other.inbox.claim(9, AT, 60)] == ["b1", "b2"]
    assert await other.inbox.claim(9, AT, 60) == []
    await one.journal.apply([], at=AT, done=["a1"])
    assert [each.id for each in await other.inbox.claim(9, AT, 60)] == ["a2"]


async def test_what_was_given_back_or_lost_with_its_service_holds_up_nothing(open_service) -> None:
    one, other = await open_service(), await open_service()
    await one.inbox.put([item("a1"), item("b1", scope=BEN), item("a2"), item("b2", scope=BEN)])
    await one.inbox.claim(2, AT, 60)
    await one.inbox.release(["a1"], retry_at=LATER, count_attempt=True)
    assert [each.id for each in await other.inbox.claim(9, AT, 60)] == ["a2"]
    assert [each.id for each in await other.inbox.claim(9, AT + minutes(1), 60)] == ["b1", "a2", "b2"]


async def test_who_comes_too_late_does_not_disturb_the_service_that_has_the_message_by_now(open_service) -> None:
    late, other = await open_service(), await open_service()
    await late.inbox.put([item("a"), item("b")])
    await late.inbox.claim(9, AT, 60)
    assert len(await other.inbox.claim(9, AT + minutes(1), 60)) == 2
    await late.inbox.release(["a"], retry_at=AT, count_attempt=True)
    await late.inbox.bury(["b"], "it would not be read")
    assert await late.inbox.claim(9, AT + minutes(1), 60) == []
    assert await other.journal.apply([stored(entry("1", "two cats", message="b"))], at=AT, done=["a", "b"]) == ["1"]
    assert (await late.inbox.status()).dead == 0


async def test_messages_of_each_person_are_finished_in_their_order_however_many_services(open_service) -> None:
    services = [await open_service() for _ in range(3)]
    scopes = [Scope("main", f"telegram:{number}") for number in range(5)]
    await services[0].inbox.put([item(f"m{number:03}", scope=scopes[number % 5]) for number in range(100)])
    finished: list[InboxItem] = []

    async def work(service) -> None:
        while (await service.inbox.status()).waiting:
            for message in await service.inbox.claim(4, AT, 60):
                await service.journal.apply([], at=AT, done=[message.id])
                finished.append(message)

    await asyncio.gather(*(work(service) for service in services))
    assert len(finished) == 100
    for scope in scopes:
        done = [message.id for message in finished if message.scope == scope]
        assert done == sorted(done)
