"""What every store of session windows keeps, as a test suite: subclass it and give the fixture ``open_ledger``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tercet.errors import InvalidInputError
from tercet.model import Entry, InboxItem, Reach, Scope
from tercet.ports.capture import Stored
from tercet.ports.ledger import PassageRecord
from tercet.ports.windows import ExtractedFact, Session, SessionMemoryState, SessionStatus, WindowMessage
from tercet.testing.empty_ledgers import EmptyLedgers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.ports.ledger import Ledger
    from tercet.ports.windows import Stretch, WindowRole

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
ANN = Session(Scope("main", "telegram:1"), "telegram:1")
THREAD = Session(ANN.scope, "telegram:1:thread:7")
BEN = Session(Scope("main", "telegram:12"), "telegram:12")
WORK = Session(Scope("work", "telegram:1"), "telegram:1")


def message(
    name: str,
    text: str = "",
    *,
    role: WindowRole = "user",
    tokens: int = 10,
    session: Session = ANN,
    message_id: str | None = None,
    said_at: datetime | None = AT,
) -> WindowMessage:
    """Return a message; a user's begins a turn, a tool call has no text and no tokens."""
    is_tool = role == "tool"
    return WindowMessage(
        key=f"{session.scope.agent} {session.key} {name}",
        role=role,
        text="" if is_tool else text or f"text of {name}",
        tokens=0 if is_tool else tokens,
        begins_turn=role == "user",
        message_id=name if message_id is None else message_id,
        said_at=said_at,
    )


def turn(name: str, *, tools: int = 2, session: Session = ANN) -> list[WindowMessage]:
    """Return a turn of 20 tokens: a user's message, tool calls, an answer."""
    calls = [message(f"{name}t{n}", role="tool", session=session) for n in range(tools)]
    return [message(name, session=session), *calls, message(f"{name}a", role="assistant", session=session)]


def fact_of(
    stretch: Stretch, entry_id: str, text: str, *, cites: Sequence[int] = (0,), topic: str = ""
) -> ExtractedFact:
    """Return a new entry that cites messages of a stretch by their places."""
    cited = [stretch.messages[place] for place in cites]
    session = stretch.session
    entry = Entry(entry_id, session.scope, text, said_at=AT, session=session.key, message_id=cited[0].message_id)
    stored = Stored(entry, PassageRecord(entry_id, tuple(text.casefold().split()), has_vector=False))
    return ExtractedFact(entry_id, tuple(each.key for each in cited), stored, topic)


async def status_of(ledger: Ledger, session: Session = ANN) -> SessionStatus:
    """Return how a session stands; it must be known."""
    return next(each for each in await ledger.windows.sessions(session.scope.agent) if each.session == session)


async def claimed(ledger: Ledger, session: Session = ANN, *, now: datetime = AT, most_tokens: int = 10_000) -> Stretch:
    """Return a stretch that must be there."""
    stretch = await ledger.windows.claim(session, now=now, lease_s=60, most_tokens=most_tokens)
    assert stretch is not None
    return stretch


class WindowsContract(EmptyLedgers):
    """Behaviour of ``tercet.ports.windows``; the fixture gives an empty ledger at each call."""

    async def test_a_message_is_kept_once_however_often_it_is_put(self, ledger: Ledger) -> None:
        """U3, U6: a provider's retry is the same message, and is counted once."""
        assert await ledger.windows.put(ANN, turn("a"), keep_tokens=1000) == 4
        assert await ledger.windows.put(ANN, [*turn("a"), *turn("b")], keep_tokens=1000) == 4
        assert (await status_of(ledger)).state == SessionMemoryState(tokens=40, tool_calls=4, turns=2)
        assert [each.text for each in await ledger.windows.window(ANN, 1000)] == [
            "text of a",
            "text of aa",
            "text of b",
            "text of ba",
        ]

    async def test_a_message_comes_back_as_it_was_put(self, ledger: Ledger) -> None:
        put = message("a", "我有\n两只猫 🐈 ", said_at=AT.astimezone(), message_id="")
        await ledger.windows.put(ANN, [put], keep_tokens=1000)
        (held,) = await ledger.windows.window(ANN, 10)
        assert (held.text, held.said_at, held.message_id, held.number) == (put.text, AT, "", 1)
        assert held.begins_turn

    async def test_a_time_without_a_zone_is_refused_and_nothing_is_kept(self, ledger: Ledger) -> None:
        naive = message("b", said_at=datetime(2026, 1, 1))  # noqa: DTZ001 - that is what is refused
        with pytest.raises(InvalidInputError, match="zone"):
            await ledger.windows.put(ANN, [message("a"), naive], keep_tokens=1000)
        assert await ledger.windows.window(ANN, 1000) == []

    async def test_the_window_holds_the_latest_messages_within_its_budget(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, [message(name) for name in "abc"], keep_tokens=1000)
        for budget, held in ((30, "abc"), (29, "bc"), (10, "c"), (9, "")):
            assert [each.text[-1] for each in await ledger.windows.window(ANN, budget)] == list(held)
        assert await ledger.windows.window(BEN, 1000) == []

    async def test_sessions_and_tenants_are_kept_apart(self, ledger: Ledger) -> None:
        """S4: ``telegram:1`` does not see ``telegram:12``, and no agent another's windows."""
        for session in (ANN, THREAD, BEN, WORK):
            await ledger.windows.put(session, [message("a", f"of {session.key}", session=session)], keep_tokens=100)
        assert [each.text for each in await ledger.windows.window(THREAD, 100)] == ["of telegram:1:thread:7"]
        found = await ledger.windows.in_reach(Reach("main", ("", "telegram:1")))
        assert [(session, each.text) for session, each in found] == [
            (ANN, "of telegram:1"),
            (THREAD, "of telegram:1:thread:7"),
        ]
        assert [each.session for each in await ledger.windows.sessions("main")] == [ANN, THREAD, BEN]
        assert await ledger.windows.in_reach(Reach("main", ())) == []

    async def test_what_is_not_extracted_stays_and_what_is_leaves_beyond_the_bound(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, [*turn("a"), *turn("b")], keep_tokens=15)
        assert (await status_of(ledger)).messages == 4
        await ledger.windows.finish(await claimed(ledger), [], at=AT, keep_tokens=15)
        # The message in which the border lies stays whole.
        assert [each.text for each in await ledger.windows.window(ANN, 100)] == ["text of b", "text of ba"]
        await ledger.windows.put(ANN, [message("c", tokens=5)], keep_tokens=15)
        assert [each.text for each in await ledger.windows.window(ANN, 100)] == ["text of ba", "text of c"]
        assert await ledger.windows.put(ANN, turn("a"), keep_tokens=15) == 0

    async def test_finishing_resets_the_counters_by_what_was_extracted(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, turn("a", tools=3), keep_tokens=1000)
        stretch = await claimed(ledger)
        assert ([each.role for each in stretch.messages], stretch.is_last) == (["user", "assistant"], True)
        await ledger.windows.put(ANN, turn("b", tools=1), keep_tokens=1000)
        assert await ledger.windows.finish(stretch, [fact_of(stretch, "e1", "two cats")], at=AT, keep_tokens=0) == [
            "e1"
        ]
        status = await status_of(ledger)
        assert status.state == SessionMemoryState(tokens=20, tool_calls=1, turns=1)
        assert status.extracted_at == AT
        assert [each.text for each in await ledger.journal.live(Reach("main", ("telegram:1",)))] == ["two cats"]
        assert [each.text for each in (await claimed(ledger)).messages] == ["text of b", "text of ba"]

    async def test_one_session_is_claimed_by_one_at_a_time(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, turn("a"), keep_tokens=1000)
        await ledger.windows.put(BEN, turn("a", session=BEN), keep_tokens=1000)
        stretch = await claimed(ledger)
        assert await ledger.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99, force=True) is None
        await claimed(ledger, BEN)
        await ledger.windows.finish(stretch, [], at=AT, keep_tokens=1000)
        assert await ledger.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99) is None

    async def test_a_lease_runs_out_unless_it_is_renewed(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, turn("a"), keep_tokens=1000)
        lapsed = await claimed(ledger)
        assert await ledger.windows.renew(lapsed, now=AT + timedelta(seconds=30), lease_s=60)
        assert await ledger.windows.claim(ANN, now=AT + timedelta(seconds=89), lease_s=60, most_tokens=99) is None
        again = await claimed(ledger, now=AT + timedelta(seconds=90))
        assert not await ledger.windows.renew(lapsed, now=LATER, lease_s=60)
        await ledger.windows.release(lapsed, retry_at=LATER, reason="late")
        assert await ledger.windows.finish(lapsed, [fact_of(lapsed, "x", "x")], at=AT, keep_tokens=1000) is None
        assert (await status_of(ledger)).attempts == 0
        assert await ledger.windows.finish(again, [fact_of(again, "y", "y")], at=AT, keep_tokens=1000) == ["y"]
        assert await ledger.windows.finish(again, [fact_of(again, "z", "z")], at=AT, keep_tokens=1000) is None
        assert [each.id for each in await ledger.journal.live(Reach("main", ("telegram:1",)))] == ["y"]

    async def test_a_failed_attempt_keeps_the_counters_and_waits(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, turn("a"), keep_tokens=1000)
        await ledger.windows.release(await claimed(ledger), retry_at=LATER, reason="the model is down")
        status = await status_of(ledger)
        assert (status.attempts, status.retry_at, status.reason) == (1, LATER, "the model is down")
        assert status.state == SessionMemoryState(tokens=20, tool_calls=2, turns=1)
        assert await ledger.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99) is None
        forced = await ledger.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99, force=True)
        assert forced is not None
        assert forced.attempts == 1
        await ledger.windows.finish(forced, [], at=AT, keep_tokens=1000)
        assert ((await status_of(ledger)).attempts, (await status_of(ledger)).reason) == (0, "")

    async def test_a_long_session_is_claimed_in_stretches(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, [*turn("a"), message("big", tokens=500), *turn("b")], keep_tokens=1000)
        seen: list[tuple[list[str], bool]] = []
        for _ in range(3):
            stretch = await claimed(ledger, most_tokens=20)
            seen.append(([each.message_id for each in stretch.messages], stretch.is_last))
            await ledger.windows.finish(stretch, [], at=AT, keep_tokens=1000)
        assert seen == [(["a", "aa"], False), (["big"], False), (["b", "ba"], True)]
        assert (await status_of(ledger)).state == SessionMemoryState()

    async def test_an_end_is_remembered_until_it_was_looked_at(self, ledger: Ledger) -> None:
        await ledger.windows.end(ANN)
        await ledger.windows.put(ANN, turn("a"), keep_tokens=1000)
        await ledger.windows.end(ANN)
        assert (await status_of(ledger)).ended
        await ledger.windows.release(await claimed(ledger))
        status = await status_of(ledger)
        assert (status.ended, status.attempts, status.state.turns) == (False, 0, 1)
        await ledger.windows.end(ANN)
        await ledger.windows.finish(await claimed(ledger), [], at=AT, keep_tokens=1000)
        assert not (await status_of(ledger)).ended

    async def test_entries_of_a_sessions_messages_are_told(self, ledger: Ledger) -> None:
        held = [message("a"), message("b", message_id="", said_at=LATER), message("c")]
        await ledger.windows.put(ANN, held, keep_tokens=1000)
        scope, key = ANN.scope, ANN.key
        entries = [
            Entry("1", scope, "one", said_at=AT, session=key, message_id="a"),
            Entry("2", scope, "two", said_at=LATER, session=key),
            Entry("3", scope, "three", said_at=AT, session="telegram:1:thread:9", message_id="a"),
            Entry("4", scope, "four", said_at=AT, session=key, message_id="other"),
            Entry("5", WORK.scope, "five", said_at=AT, session=key, message_id="a"),
        ]
        await ledger.journal.apply(
            [Stored(each, PassageRecord(each.id, (each.text,), has_vector=False)) for each in entries], at=AT
        )
        assert [each.id for each in await ledger.windows.told(ANN, held)] == ["1", "2"]
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert [each.id for each in await ledger.windows.told(ANN, held)] == ["2"]

    async def test_forgetting_a_scope_or_session_takes_its_windows(self, ledger: Ledger) -> None:
        """P5: nothing of it is read, searched or extracted any more, not even by what is under way."""
        for session in (ANN, THREAD, BEN, WORK):
            await ledger.windows.put(session, turn("a", session=session), keep_tokens=1000)
        stretch = await claimed(ledger, THREAD)
        await ledger.journal.forget(at=AT, purge_at=LATER, session=("main", THREAD.key))
        assert [each.session for each in await ledger.windows.sessions("main")] == [ANN, BEN]
        assert await ledger.windows.finish(stretch, [fact_of(stretch, "x", "x")], at=AT, keep_tokens=1000) is None
        await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[BEN.scope])
        assert [each.session for each in await ledger.windows.sessions("main")] == [ANN]
        assert [each.session for each in await ledger.windows.sessions("work")] == [WORK]
        assert await ledger.windows.put(THREAD, turn("a", session=THREAD), keep_tokens=1000) == 0

    async def test_forgetting_an_entry_takes_the_turn_that_told_it(self, ledger: Ledger) -> None:
        """The session's own extraction would bring it back, and the answer repeats it."""
        await ledger.windows.put(ANN, [*turn("a"), *turn("b"), *turn("c")], keep_tokens=1000)
        entry = Entry("1", ANN.scope, "something else", said_at=AT, session=ANN.key, message_id="b")
        await ledger.journal.apply([Stored(entry, PassageRecord("1", ("b",), has_vector=False))], at=AT)
        stretch = await claimed(ledger)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert [each.message_id for each in await ledger.windows.window(ANN, 1000)] == ["a", "aa", "c", "ca"]
        assert (await status_of(ledger)).state == SessionMemoryState(tokens=40, tool_calls=4, turns=2)
        facts = [fact_of(stretch, "2", "of a"), fact_of(stretch, "3", "of a and b", cites=(0, 2))]
        assert await ledger.windows.finish(stretch, facts, at=AT, keep_tokens=1000) == ["2"]

    async def test_forgetting_what_waits_takes_the_turn_that_told_it(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, [*turn("a"), *turn("b")], keep_tokens=1000)
        await ledger.inbox.put([InboxItem("i", ANN.scope, ANN.key, "a", "raw words", AT, AT)])
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["i"])
        assert [each.message_id for each in await ledger.windows.window(ANN, 1000)] == ["b", "ba"]

    async def test_forgetting_what_was_extracted_takes_the_messages_it_cites(self, ledger: Ledger) -> None:
        await ledger.windows.put(ANN, [*turn("a"), *turn("b")], keep_tokens=1000)
        stretch = await claimed(ledger)
        await ledger.windows.finish(stretch, [fact_of(stretch, "1", "two cats", cites=(0, 2))], at=AT, keep_tokens=1000)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert await ledger.windows.window(ANN, 1000) == []

    async def test_a_topic_recurs_after_two_extractions_or_three_facts(self, ledger: Ledger) -> None:
        async def extract(name: str, *facts: tuple[str, str], session: Session = ANN) -> None:
            await ledger.windows.put(session, turn(name, session=session), keep_tokens=1000)
            stretch = await claimed(ledger, session)
            new = [fact_of(stretch, f"{name}{n}", text, topic=topic) for n, (text, topic) in enumerate(facts)]
            await ledger.windows.finish(stretch, new, at=AT, keep_tokens=1000)

        async def recurring() -> list[tuple[str, list[str]]]:
            found = await ledger.windows.recurring("main", extractions=2, facts=3)
            return [(each.title, [entry.text for entry in each.entries]) for each in found]

        await extract("a", ("she has two cats", "Marta"), ("she plays chess", "marta"), ("it rains", ""))
        await extract("b", ("he sails", "Tom"), session=BEN)
        assert await recurring() == []
        await extract("c", ("she moved to Lisbon", "Marta"))
        await extract("d", ("he likes tea", "Tom"))
        assert await recurring() == [("Marta", ["she has two cats", "she plays chess", "she moved to Lisbon"])]
        (topic,) = await ledger.windows.recurring("main", extractions=2, facts=3)
        assert (topic.scope, topic.evidence) == (ANN.scope, (("a",), ("a",), ("c",)))
        await ledger.windows.noted(topic)
        assert await recurring() == []
        await extract("e", ("she paints", "MARTA"), ("he reads", "Tom"))
        assert await recurring() == [("MARTA", ["she paints"]), ("Tom", ["he likes tea", "he reads"])]
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["e0", "d0"])
        assert await recurring() == []
