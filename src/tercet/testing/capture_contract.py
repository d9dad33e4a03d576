"""What every inbox, journal and set of links keeps, as a test suite: subclass it and give ``open_ledger``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import Entry, InboxItem, Reach, Scope
from tercet.ports.capture import SeenAgain, Stored
from tercet.ports.ledger import PassageRecord
from tercet.testing.empty_ledgers import EmptyLedgers
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.ports.capture import Change
    from tercet.ports.ledger import Ledger

ANN = Scope("main", "telegram:1")
BEN = Scope("main", "telegram:12")
WORK = Scope("work", "telegram:1")
OF_ANN, OF_BEN, OF_WORK = (Reach(scope.agent, (scope.anchor,)) for scope in (ANN, BEN, WORK))
AT = datetime(2026, 1, 5, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)


def item(item_id: str, text: str = "x", scope: Scope = ANN, **more: object) -> InboxItem:
    """Return an inbox item whose message id is its own."""
    return replace(InboxItem(item_id, scope, scope.anchor, item_id, text, AT, AT), **more)  # type: ignore[arg-type] # fields by name


def entry(entry_id: str, text: str, scope: Scope = ANN, *, minutes: int = 0, message: str = "") -> Entry:
    """Return an entry that was said some minutes after ``AT``."""
    said_at = AT + timedelta(minutes=minutes) if not message else AT
    return Entry(entry_id, scope, text, said_at=said_at, session=scope.anchor, message_id=message or entry_id)


def stored(what: Entry, *, supersedes: Sequence[str] = (), links: Sequence[str] = ()) -> Stored:
    """Return the change that stores an entry, its words as terms."""
    record = PassageRecord(what.id, tuple(what.text.casefold().split()), has_vector=False)
    return Stored(what, record, tuple(supersedes), tuple(links))


class CaptureContract(EmptyLedgers):
    """Behaviour of ``tercet.ports.capture``; the fixture gives an empty ledger at each call."""

    async def test_a_message_waits_once_however_often_it_is_put(self, ledger: Ledger) -> None:
        """U3, U6: a provider's retry is the same message."""
        assert await ledger.inbox.put([item("a"), item("b"), item("a")]) == 2
        assert await ledger.inbox.put([item("a"), item("c")]) == 1
        assert [each.id for each in await ledger.inbox.claim(9, AT, 60)] == ["a", "b", "c"]

    async def test_a_claimed_message_is_as_it_was_put(self, ledger: Ledger) -> None:
        put = item("a", "我有\n两只猫 ", said_at=AT.astimezone(), keep_all=True, message_id="")
        await ledger.inbox.put([put])
        assert await ledger.inbox.claim(1, AT, 60) == [put]

    async def test_a_claim_is_a_lease_that_runs_out(self, ledger: Ledger) -> None:
        await ledger.inbox.put([item("a"), item("b")])
        assert [each.id for each in await ledger.inbox.claim(1, AT, 60)] == ["a"]
        assert [each.id for each in await ledger.inbox.claim(9, AT, 60)] == ["b"]
        assert await ledger.inbox.claim(9, AT + timedelta(seconds=59), 60) == []
        assert [each.id for each in await ledger.inbox.claim(9, AT + timedelta(seconds=60), 60)] == ["a", "b"]

    async def test_released_messages_come_back_in_order_when_their_time_comes(self, ledger: Ledger) -> None:
        await ledger.inbox.put([item("a"), item("b")])
        await ledger.inbox.claim(9, AT, 60)
        await ledger.inbox.release(["b"], retry_at=AT, count_attempt=False)
        await ledger.inbox.release(["a"], retry_at=LATER, count_attempt=True)
        assert [each.id for each in await ledger.inbox.claim(9, AT, 60)] == ["b"]
        assert [(each.id, each.attempts) for each in await ledger.inbox.claim(9, LATER, 60)] == [("a", 1), ("b", 0)]

    async def test_dead_letters_are_counted_and_not_tried_again(self, ledger: Ledger) -> None:
        await ledger.inbox.put([item("a"), item("b", scope=WORK, received_at=LATER)])
        await ledger.inbox.bury(["a"], "it would not be read")
        status = await ledger.inbox.status()
        assert (status.waiting, status.oldest, status.dead) == (1, LATER, 1)
        assert (await ledger.inbox.status("main")).oldest is None
        assert [each.id for each in await ledger.inbox.claim(9, LATER, 60)] == ["b"]
        assert await ledger.inbox.put([item("a")]) == 0

    async def test_what_waits_is_seen_in_its_scope_only(self, ledger: Ledger) -> None:
        """S4: ``telegram:1`` does not see ``telegram:12``."""
        await ledger.inbox.put([item("a"), item("b", scope=BEN), item("c", scope=WORK), item("d")])
        await ledger.inbox.claim(1, AT, 60)
        assert [each.id for each in await ledger.inbox.waiting(OF_ANN, 9)] == ["d", "a"]
        assert [each.id for each in await ledger.inbox.waiting(OF_WORK, 9)] == ["c"]
        assert await ledger.inbox.waiting(Reach("main", ()), 9) == []

    async def test_an_entry_and_its_message_are_written_together(self, ledger: Ledger) -> None:
        await ledger.inbox.put([item("a")])
        new = entry("1", "two cats", message="a")
        assert await ledger.journal.apply([stored(new)], at=AT, done=["a"]) == ["1"]
        assert (await ledger.inbox.status()).waiting == 0
        assert await ledger.inbox.put([item("a")]) == 0
        (kept,) = await ledger.journal.live(OF_ANN)
        assert kept == replace(new, stored_at=AT, last_seen=AT)
        assert await ledger.journal.live(OF_BEN) == await ledger.journal.live(OF_WORK) == []

    async def test_a_replay_changes_nothing(self, ledger: Ledger) -> None:
        """U3: the worker died after the commit, another works the message in again."""
        await ledger.inbox.put([item("a")])
        await ledger.journal.apply([stored(entry("1", "two cats", message="a"))], at=AT, done=["a"])
        again: list[Change] = [stored(entry("2", "a cat", message="a")), SeenAgain("1", AT)]
        assert await ledger.journal.apply(again, at=AT, done=["a"]) == []
        assert await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT) == []
        assert [(each.id, each.seen) for each in await ledger.journal.live(OF_ANN)] == [("1", 1)]

    async def test_the_same_text_in_one_scope_is_one_entry(self, ledger: Ledger) -> None:
        """U6, U8: two workers decided at once; in another scope it is another entry."""
        await ledger.journal.apply([stored(entry("1", "Two cats"))], at=AT)
        assert await ledger.journal.apply([stored(entry("2", "two  cats.", minutes=5))], at=AT) == []
        assert await ledger.journal.apply([stored(entry("3", "two cats", BEN))], at=AT) == ["3"]
        (kept,) = await ledger.journal.live(OF_ANN)
        assert (kept.id, kept.seen, kept.last_seen) == ("1", 2, AT + timedelta(minutes=5))
        found = await ledger.journal.by_text(ANN, [text_digest("TWO cats!"), text_digest("dogs")])
        assert {digest: each.id for digest, each in found.items()} == {text_digest("two cats"): "1"}

    async def test_a_superseded_entry_is_history_and_its_counts_are_gone(self, ledger: Ledger) -> None:
        """L10, L15, L23: and telling the old fact again stores it again."""
        await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT)
        newer = stored(entry("2", "three cats", minutes=1), supersedes=["1"])
        assert await ledger.journal.apply([newer], at=AT) == ["2"]
        assert [each.id for each in await ledger.journal.live(OF_ANN)] == ["2"]
        chain = await ledger.journal.history("2", OF_ANN)
        assert [(each.id, each.state, each.superseded_by) for each in chain] == [
            ("1", "superseded", "2"),
            ("2", "live", ""),
        ]
        assert await ledger.journal.history("1", OF_ANN) == chain
        assert await ledger.journal.history("1", OF_BEN) == []
        counts = await ledger.terms.statistics(OF_ANN, ["two", "three", "cats"])
        assert (counts.documents, counts.total_length, dict(counts.document_frequency)) == (
            1,
            2,
            {"three": 1, "cats": 1},
        )
        assert await ledger.journal.apply([stored(entry("3", "two cats", minutes=2))], at=AT) == ["3"]

    @pytest.mark.parametrize("target", ["of ben", "gone", "none"])
    async def test_what_is_not_live_in_the_scope_is_not_superseded(self, ledger: Ledger, target: str) -> None:
        """L8, L13: and nothing of the transaction is written."""
        await ledger.inbox.put([item("a")])
        await ledger.journal.apply([stored(entry("of ben", "cats", BEN)), stored(entry("gone", "cats"))], at=AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["gone"])
        changes = [stored(entry("1", "dogs", message="a")), stored(entry("2", "birds"), supersedes=[target])]
        with pytest.raises(InvalidInputError):
            await ledger.journal.apply(changes, at=AT, done=["a"])
        with pytest.raises(InvalidInputError):
            await ledger.journal.apply([SeenAgain("gone", AT)], at=AT, done=["a"])
        assert await ledger.journal.live(OF_ANN) == []
        assert (await ledger.inbox.status()).waiting == 1
        assert (await ledger.terms.statistics(OF_ANN, [])).documents == 0

    async def test_linked_entries_name_each_other_until_one_is_forgotten(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "ann 3 may"))], at=AT)
        await ledger.journal.apply([stored(entry("2", "anna 3 may"), links=["1"])], at=AT)
        assert [each.links for each in await ledger.journal.get(["1", "2"], OF_ANN)] == [("2",), ("1",)]
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert [each.links for each in await ledger.journal.get(["1", "2"], OF_ANN)] == [()]

    async def test_entries_come_in_the_order_asked_for_and_newest_first(self, ledger: Ledger) -> None:
        for number in (2, 1, 3):
            await ledger.journal.apply([stored(entry(str(number), f"fact {number}", minutes=number))], at=AT)
        assert [each.id for each in await ledger.journal.get(["3", "x", "1", "3"], OF_ANN)] == ["3", "1"]
        assert [each.id for each in await ledger.journal.live(OF_ANN)] == ["3", "2", "1"]
        since = AT + timedelta(minutes=2)
        assert [each.id for each in await ledger.journal.live(OF_ANN, since=since, limit=1)] == ["3"]
        assert await ledger.journal.live(OF_ANN, since=LATER) == []

    async def test_forgetting_is_at_once_and_only_what_is_meant(self, ledger: Ledger) -> None:
        """L8, L20, P5: rows, counts and waiting messages of that person; no one else's."""
        await ledger.inbox.put([item("a"), item("b", scope=BEN), item("c", scope=WORK)])
        for number, scope in enumerate((ANN, BEN, WORK)):
            await ledger.journal.apply([stored(entry(str(number), "two cats", scope))], at=AT)
        await ledger.log_query("cats", ["1", "0"], AT)
        await ledger.log_query("dogs", ["1"], AT)
        gone = await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN])
        assert (gone.entry_ids, gone.inbox_ids, gone.purge_at) == (("0",), ("a",), LATER)
        assert gone.told == ((ANN, "two cats"),)
        assert await ledger.journal.live(OF_ANN) == await ledger.journal.get(["0"], OF_ANN) == []
        assert await ledger.inbox.waiting(OF_ANN, 9) == []
        assert (await ledger.terms.statistics(OF_ANN, ["cats"])).document_frequency == {}
        assert [each.id for each in await ledger.journal.live(OF_BEN)] == ["1"]
        assert [each.id for each in await ledger.journal.live(OF_WORK)] == ["2"]
        assert [each.id for each in await ledger.inbox.claim(9, AT, 60)] == ["b", "c"]
        assert await ledger.logged_queries(9) == [("dogs", ["1"])]
        assert (await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN])).entry_ids == ()
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert await ledger.journal.anchors("main") == [BEN.anchor], "a message of his waits"
        await ledger.log_query("deer", ["b"], AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["b"])
        assert (await ledger.journal.anchors("main"), await ledger.logged_queries(9)) == ([], [])

    async def test_a_session_is_forgotten_for_its_agent_only(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "cats")), stored(entry("2", "cats", WORK))], at=AT)
        await ledger.inbox.put([item("a"), item("b", session="telegram:1:thread:2")])
        gone = await ledger.journal.forget(at=AT, purge_at=LATER, session=("main", "telegram:1"))
        assert (gone.entry_ids, gone.inbox_ids) == (("1",), ("a",))
        assert [each.id for each in await ledger.journal.live(OF_WORK)] == ["2"]

    async def test_what_is_in_flight_when_forgotten_does_not_come_back(self, ledger: Ledger) -> None:
        """P4: its worker ends after the forget; telling it later stores it."""
        await ledger.inbox.put([item("a", "two cats"), item("b", "dogs")])
        await ledger.inbox.claim(9, AT, 60)
        gone = await ledger.journal.forget(at=AT, purge_at=LATER, ids=["a"])
        assert gone.inbox_ids == ("a",)
        both = [stored(entry("1", "two cats", message="a")), stored(entry("2", "dogs", message="b"))]
        assert await ledger.journal.apply(both[:1], at=AT, done=["a"]) == []
        assert await ledger.journal.apply(both, at=AT, done=["a", "b"]) == ["2"]
        assert await ledger.inbox.put([item("a", "two cats"), item("later", "two cats")]) == 1
        assert await ledger.journal.apply([stored(entry("3", "two cats", message="later"))], at=AT, done=["later"]) == [
            "3"
        ]

    async def test_a_repeat_that_waits_is_forgotten_with_the_entry(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT)
        await ledger.inbox.put([item("a", "Two cats!"), item("b", "two cats", scope=BEN), item("c", "dogs")])
        assert (await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])).inbox_ids == ("a",)

    async def test_undo_brings_back_the_last_forget_until_the_bytes_are_gone(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "two cats")), stored(entry("2", "dogs"))], at=AT)
        await ledger.journal.apply([stored(entry("3", "three cats", minutes=1), supersedes=["1"])], at=AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["2"])
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1", "3"])
        assert (await ledger.journal.last_forgotten("main"), await ledger.journal.last_forgotten("work")) == (
            ["1", "3"],
            [],
        )
        assert await ledger.journal.undo(["1", "3"], at=AT, agent="work") == []
        assert await ledger.journal.undo(["1", "3"], at=AT, agent="main") == ["1", "3"]
        assert [(each.id, each.state) for each in await ledger.journal.get(["1", "3"], OF_ANN)] == [
            ("1", "superseded"),
            ("3", "live"),
        ]
        assert (await ledger.terms.statistics(OF_ANN, ["cats"])).document_frequency == {"cats": 1}
        assert await ledger.journal.last_forgotten("main") == ["2"]
        assert (
            await ledger.journal.purge(AT),
            await ledger.journal.purge(LATER),
            await ledger.journal.purge(LATER),
        ) == (0, 1, 0)
        assert await ledger.journal.undo(["2"], at=LATER) == await ledger.journal.last_forgotten("main") == []
        assert await ledger.journal.apply([stored(entry("2", "dogs"))], at=LATER) == []

    async def test_undo_of_what_was_told_anew_leaves_one_live(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        await ledger.journal.apply([stored(entry("2", "two cats", minutes=1))], at=AT)
        assert await ledger.journal.undo(["1"], at=AT) == ["1"]
        assert [each.id for each in await ledger.journal.live(OF_ANN)] == ["2"]
        assert [each.id for each in await ledger.journal.history("2", OF_ANN)] == ["1", "2"]

    async def test_the_engine_is_told_what_it_lacks_and_what_is_gone(self, ledger: Ledger) -> None:
        journal = ledger.journal
        await journal.apply([stored(entry("1", "two cats")), stored(entry("2", "dogs"))], at=AT)
        assert ([each.id for each in (await journal.pending(9))[0]], await journal.synced_count()) == (["1", "2"], 0)
        await journal.synced(["1", "2"], has_vector=True)
        assert (await journal.pending(9), await journal.synced_count()) == (([], []), 2)
        await journal.apply([stored(entry("3", "three cats"), supersedes=["1"])], at=AT)
        await journal.forget(at=AT, purge_at=LATER, ids=["2"])
        live, gone = await journal.pending(9)
        assert ([each.id for each in live], sorted(gone)) == (["3"], ["1", "2"])
        await journal.synced([*gone, "3"], has_vector=False)
        await journal.reset_sync()
        assert ([each.id for each in (await journal.pending(9))[0]], await journal.synced_count()) == (["3"], 0)

    async def test_what_changed_while_the_engine_was_told_stays_pending(self, ledger: Ledger) -> None:
        """P4, L20: forgotten between the embedding and its writing."""
        await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT)
        await ledger.journal.pending(9)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        await ledger.journal.synced(["1"], has_vector=True)
        assert await ledger.journal.pending(9) == ([], ["1"])

    async def test_ordinals_are_of_one_session_in_one_scope(self, ledger: Ledger) -> None:
        for number, scope in ((3, ANN), (9, BEN)):
            placed = replace(entry(str(number), "cats", scope), session="s", ordinal=number)
            await ledger.journal.apply([stored(placed)], at=AT)
        assert await ledger.journal.last_ordinal(ANN, "s") == 3
        assert await ledger.journal.last_ordinal(ANN, "other") == 0

    async def test_files_and_entries_are_counted_apart(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "two cats"))], at=AT)
        assert await ledger.manifest.passage_count() == 0
        await ledger.manifest.reset()
        assert (await ledger.terms.statistics(OF_ANN, ["two"])).document_frequency == {"two": 1}

    async def test_an_anchor_belongs_to_one_name_of_an_agent(self, ledger: Ledger) -> None:
        await ledger.links.link("main", "owner", ["telegram:1", "discord:2"])
        await ledger.links.link("main", "owner", ["telegram:1"])
        await ledger.links.link("work", "boss", ["telegram:1"])
        with pytest.raises(InvalidInputError):
            await ledger.links.link("main", "friend", ["signal:3", "discord:2"])
        assert await ledger.links.links("main") == {"owner": ("discord:2", "telegram:1")}
        with pytest.raises(NotFoundError):
            await ledger.links.unlink("main", "owner", ["discord:2", "signal:3"])
        await ledger.links.unlink("main", "owner", ["discord:2"])
        assert await ledger.links.links("main") == {"owner": ("telegram:1",)}
        await ledger.links.unlink("main", "owner")
        with pytest.raises(NotFoundError):
            await ledger.links.unlink("main", "owner")
        assert (await ledger.links.links("main"), await ledger.links.links("work")) == ({}, {"boss": ("telegram:1",)})

    @pytest.mark.parametrize("seed", range(4))
    async def test_counts_fit_what_is_live_after_any_history(self, ledger: Ledger, seed: int) -> None:
        """Each scope's live entries are those told and not retired since; no text stands twice."""
        rng = random.Random(seed)  # noqa: S311 - a seeded history
        for number in range(60):
            scope = rng.choice((ANN, BEN))
            live = [each.id for each in await ledger.journal.live(Reach("main", (scope.anchor,)))]
            step = rng.random()
            if live and step < 0.2:
                await ledger.journal.forget(at=AT, purge_at=AT + timedelta(minutes=number), ids=rng.sample(live, 1))
            elif step < 0.3:
                await ledger.journal.undo(await ledger.journal.last_forgotten("main"), at=AT)
            elif step < 0.35:
                await ledger.journal.purge(AT + timedelta(minutes=number - 10))
            else:
                text = f"{rng.choice('abcd')} {rng.choice('xyz')}"
                held = await ledger.journal.by_text(scope, [text_digest(text)])
                retired = rng.sample(live, 1) if live and not held and step > 0.8 else ()
                await ledger.journal.apply([stored(entry(str(number), text, scope), supersedes=retired)], at=AT)
            for reach in (OF_ANN, OF_BEN):
                texts = [each.text for each in await ledger.journal.live(reach)]
                assert len(set(texts)) == len(texts)
                counts = await ledger.terms.statistics(reach, list("abcdxyz"))
                assert (counts.documents, counts.total_length) == (len(texts), 2 * len(texts))
                assert all(counts.document_frequency.get(w, 0) == sum(w in t for t in texts) for w in "abcdxyz")
