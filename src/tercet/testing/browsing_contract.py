"""What every ledger shows of itself to who looks in, as a test suite: subclass it and give ``open_ledger``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tercet.model import Entry, Reach, Scope
from tercet.ports.capture import Recorded, Unworked
from tercet.ports.ledger import FileRecord, PassageRecord, PassageState, RootRecord
from tercet.testing.capture_contract import ANN, AT, BEN, LATER, OF_ANN, OF_BEN, OF_WORK, WORK, entry, item, stored
from tercet.testing.empty_ledgers import EmptyLedgers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.ports.capture import EntryState
    from tercet.ports.ledger import Ledger

ALL: tuple[EntryState, ...] = ("live", "superseded", "forgotten")
OF_BOTH = Reach("main", (ANN.anchor, BEN.anchor))


def minutes(count: float) -> timedelta:
    """Return a duration."""
    return timedelta(minutes=count)


def ids(page: Sequence[Recorded]) -> list[str]:
    """Return the ids of a page, in its order."""
    return [each.entry.id for each in page]


class BrowsingContract(EmptyLedgers):
    """Behaviour of the lookups of ``Inbox``, ``Journal`` and ``Manifest`` that no search needs."""

    async def test_a_page_holds_the_latest_stored_first_whenever_they_were_said(self, ledger: Ledger) -> None:
        for number, said in ((1, 9), (2, 3), (3, 6)):
            await ledger.journal.apply(
                [stored(entry(str(number), f"fact {number}", minutes=said))], at=AT + minutes(number)
            )
        page = await ledger.journal.page(OF_ANN, states=ALL)
        assert ids(page) == ["3", "2", "1"]
        assert page[0] == Recorded((await ledger.journal.get(["3"], OF_ANN))[0])

    async def test_entries_stored_at_once_stand_by_their_ids(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry(each, f"fact {each}")) for each in "bca"], at=AT)
        assert ids(await ledger.journal.page(OF_ANN, states=ALL)) == ["c", "b", "a"]

    async def test_order_is_of_the_moment_in_whatever_zone_it_was_written(self, ledger: Ledger) -> None:
        west, east = timezone(timedelta(hours=-9)), timezone(timedelta(hours=9))
        for number, zone in ((1, west), (2, east), (3, west)):
            at = (AT + timedelta(milliseconds=number)).astimezone(zone)
            await ledger.journal.apply([stored(entry(str(number), f"fact {number}"))], at=at)
        assert ids(await ledger.journal.page(OF_ANN, states=ALL)) == ["3", "2", "1"]
        later = AT + timedelta(milliseconds=2)
        assert ids(await ledger.journal.page(OF_ANN, states=ALL, since=later.astimezone(west))) == ["3", "2"]
        assert ids(await ledger.journal.page(OF_ANN, states=ALL, until=later.astimezone(east))) == ["1"]
        assert ids(await ledger.journal.page(OF_ANN, states=ALL, before=(later.astimezone(west), "2"))) == ["1"]

    @pytest.mark.parametrize("seed", range(3))
    async def test_pages_together_are_the_whole_each_entry_once(self, ledger: Ledger, seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311 - a seeded history
        for number in range(40):
            at = AT + minutes(rng.randrange(6))
            await ledger.journal.apply(
                [stored(entry(f"{rng.random()}", f"fact {number}", rng.choice((ANN, BEN))))], at=at
            )
        whole = ids(await ledger.journal.page(OF_BOTH, states=ALL, limit=100))
        assert len(whole) == len(set(whole)) == 40
        size = rng.randrange(1, 9)
        found: list[str] = []
        page = await ledger.journal.page(OF_BOTH, states=ALL, limit=size)
        while page:
            found += ids(page)
            last = page[-1].entry
            assert last.stored_at is not None
            page = await ledger.journal.page(OF_BOTH, states=ALL, before=(last.stored_at, last.id), limit=size)
        assert found == whole

    async def test_the_next_page_is_the_same_when_the_last_entry_shown_is_gone(self, ledger: Ledger) -> None:
        for number in range(3):
            await ledger.journal.apply([stored(entry(str(number), f"fact {number}"))], at=AT + minutes(number))
        await ledger.journal.forget(at=LATER, purge_at=LATER, ids=["1"])
        await ledger.journal.purge(LATER)
        assert ids(await ledger.journal.page(OF_ANN, states=ALL, before=(AT + minutes(1), "1"))) == ["0"]

    async def test_a_page_is_of_its_reach_states_and_categories_only(self, ledger: Ledger) -> None:
        """S4: ``telegram:1`` does not see ``telegram:12``."""
        await ledger.journal.apply([stored(replace(entry("1", "two cats"), category="fact"))], at=AT)
        newer = stored(replace(entry("2", "three cats", minutes=1), category="decision"), supersedes=["1"])
        await ledger.journal.apply([newer], at=AT + minutes(1))
        await ledger.journal.apply([stored(entry("3", "cats", BEN)), stored(entry("4", "cats", WORK))], at=AT)
        journal = ledger.journal
        assert ids(await journal.page(OF_ANN, states=ALL)) == ["2", "1"]
        assert ids(await journal.page(OF_BEN, states=ALL)) == ["3"]
        assert ids(await journal.page(OF_WORK, states=ALL)) == ["4"]
        assert await journal.page(Reach("main", ()), states=ALL) == []
        assert ids(await journal.page(OF_ANN, states=["superseded"])) == ["1"]
        assert await journal.page(OF_ANN, states=[]) == []
        assert ids(await journal.page(OF_ANN, states=ALL, categories=["decision", "other"])) == ["2"]
        assert await journal.page(OF_ANN, states=ALL, limit=0) == []

    async def test_a_page_names_what_an_entry_retired_unless_that_is_forgotten(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "two cats")), stored(entry("2", "a cat"))], at=AT)
        newer = stored(entry("3", "three cats", minutes=1), supersedes=["2", "1"])
        await ledger.journal.apply([newer], at=AT + minutes(1))
        page = await ledger.journal.page(OF_ANN, states=ALL)
        assert [(each.entry.id, each.supersedes) for each in page] == [("3", ("1", "2")), ("2", ()), ("1", ())]
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert (await ledger.journal.page(OF_ANN, states=["live"]))[0].supersedes == ("2",)

    async def test_a_forgotten_entry_shows_no_word_and_only_until_it_is_erased(self, ledger: Ledger) -> None:
        """P5: neither text, nor session, nor what it was linked with."""
        told = replace(entry("1", "two cats"), category="preference", importance=0.9)
        await ledger.journal.apply([stored(told), stored(entry("2", "two dogs"), links=["1"])], at=AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        left = Entry("1", ANN, "", "preference", stored_at=AT, state="forgotten")
        assert await ledger.journal.page(OF_ANN, states=["forgotten"]) == [Recorded(left, undo_until=LATER)]
        assert ids(await ledger.journal.page(OF_ANN, states=["live", "superseded"])) == ["2"]
        assert await ledger.journal.page(OF_BEN, states=ALL) == []
        await ledger.journal.purge(LATER)
        assert ids(await ledger.journal.page(OF_ANN, states=ALL)) == ["2"]

    async def test_until_when_undo_works_is_known_of_what_it_can_bring_back(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "cats")), stored(entry("2", "dogs", BEN))], at=AT)
        await ledger.journal.apply([stored(entry("3", "cats", WORK)), stored(entry("4", "birds"))], at=AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1", "3"])
        await ledger.journal.forget(at=AT, purge_at=LATER + minutes(1), ids=["2"])
        asked = ["1", "2", "3", "4", "none"]
        of_main = {"1": (ANN, LATER), "2": (BEN, LATER + minutes(1))}
        assert await ledger.journal.undo_until(asked, "main") == of_main
        await ledger.journal.undo(["2"], at=AT)
        await ledger.journal.purge(LATER)
        assert await ledger.journal.undo_until(asked, "main") == {}

    async def test_what_is_unworked_waits_or_was_given_up_with_its_reason(self, ledger: Ledger) -> None:
        put = [item(each, f"words of {each}") for each in "abcd"]
        await ledger.inbox.put(put)
        await ledger.inbox.release(["b", "c"], retry_at=LATER, count_attempt=True)
        await ledger.inbox.bury(["c"], "it would not be read")
        await ledger.journal.apply([], at=AT, done=["d"])
        assert await ledger.inbox.unworked(OF_ANN, 9) == [
            Unworked(replace(put[2], attempts=1), is_dead=True, reason="it would not be read"),
            Unworked(replace(put[1], attempts=1), is_dead=False, not_before=LATER),
            Unworked(put[0], is_dead=False),
        ]
        assert [each.item.id for each in await ledger.inbox.unworked(OF_ANN, 1)] == ["c"]
        await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN])
        assert await ledger.inbox.unworked(OF_ANN, 9) == []

    async def test_what_is_unworked_is_seen_in_its_scope_only(self, ledger: Ledger) -> None:
        """S4, dead letters too."""
        await ledger.inbox.put([item("a"), item("b", scope=BEN), item("c", scope=WORK), item("d", scope=BEN)])
        await ledger.inbox.bury(["a", "d"], "unreadable")
        assert [each.item.id for each in await ledger.inbox.unworked(OF_ANN, 9)] == ["a"]
        assert [each.item.id for each in await ledger.inbox.unworked(OF_BEN, 9)] == ["d", "b"]
        assert [each.item.id for each in await ledger.inbox.unworked(OF_WORK, 9)] == ["c"]
        assert await ledger.inbox.unworked(Reach("main", ()), 9) == []

    async def test_a_file_s_passages_are_told_in_line_order_with_what_they_lack(self, ledger: Ledger) -> None:
        manifest = ledger.manifest
        passages = [
            PassageRecord("z", ("a", "b", "a"), has_vector=True),
            PassageRecord("m", ("c",), has_vector=False),
            PassageRecord("a", (), has_vector=False),
        ]
        for label in ("notes", "other"):
            await manifest.add_root(RootRecord(label, f"/{label}", Scope("main")))
        record = FileRecord("notes", "a.md", 3, 1, "ab" * 32, 1)
        none: list[PassageRecord] = []
        files = {"a.md": (record, passages), "empty.md": (replace(record, path="empty.md"), none)}
        await manifest.commit_files(Scope("main"), files, (), "notes")
        assert await manifest.passage_states("notes", "a.md") == [
            PassageState("z", has_vector=True, length=3),
            PassageState("m", has_vector=False, length=1),
            PassageState("a", has_vector=False, length=0),
        ]
        assert await manifest.file_counts("notes") == {"a.md": (3, 2)}
        await manifest.mark_embedded(["m"])
        assert await manifest.file_counts("notes") == {"a.md": (3, 1)}
        assert await manifest.passage_states("other", "a.md") == await manifest.passage_states("notes", "b.md") == []
        assert await manifest.file_counts("other") == {}
