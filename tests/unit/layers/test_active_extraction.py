"""From a session to entries and notes, over ports in memory, with a scripted model."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tercet.capture.digest import IDENTITY
from tercet.capture.entry_sync import entry_record, entry_row
from tercet.errors import ExtractorContractError, VaultUnavailableError
from tercet.filters import Filter
from tercet.model import Entry
from tercet.ports.capture import Stored
from tercet.ports.extraction import SessionDigest, SessionFact, SessionLine
from tercet.testing.active_home import ANN, AT, OF_ANN, ActiveHome, Model, saying


@pytest.fixture
def home() -> ActiveHome:
    return ActiveHome()


async def test_what_was_extracted_is_an_entry_with_its_source_and_is_searchable(home: ActiveHome) -> None:
    home.model.script = saying(("The user keeps bees", "bees", ""))
    await home.tell("hello there", "I keep bees")
    await home.active.extract_due()
    (entry,) = await home.ledger.journal.live(OF_ANN)
    assert (entry.text, entry.category, entry.importance) == ("The user keeps bees", "fact", 0.8)
    assert (entry.session, entry.message_id, entry.said_at) == ("telegram:1", "m2", AT + timedelta(minutes=2))
    assert [row.passage.text for row in await home.engine.scan(Filter(OF_ANN))] == ["The user keeps bees"]
    assert home.lock.held == 0


async def test_invented_evidence_never_gets_through(home: ActiveHome) -> None:
    home.model.script = saying(
        ("The user keeps bees", "bees", ""), ("The user owns a yacht", "yacht", ""), ("The user is 40", "bees", "")
    )
    await home.tell("I keep bees")
    report = await home.active.extract_due()
    assert (report.kept, report.dropped, await home.live()) == (1, 2, ["The user keeps bees"])


async def test_what_is_kept_of_the_message_already_is_not_kept_twice(home: ActiveHome) -> None:
    """Neither in the same words nor in the third person."""
    await home.tell("I live in Lisbon, near the river.", "My sister Anna is a nurse.")
    await home.capture("I live in Lisbon, near the river.", "m1")
    raw = await home.capture("My sister Anna is a nurse.", "m2", minute=2)
    home.model.script = saying(
        ("The user lives in Lisbon", "Lisbon", ""),
        ("My sister Anna is a nurse.", "Anna", "Anna"),
    )
    report = await home.active.extract_due()
    assert (report.kept, report.folded) == (0, 2)
    assert sorted(await home.live()) == ["I live in Lisbon, near the river.", "My sister Anna is a nurse."]
    (seen,) = await home.ledger.journal.get([raw.id], OF_ANN)
    assert seen.seen == 1  # told once, whoever read it


async def test_what_was_retired_meanwhile_does_not_come_back(home: ActiveHome) -> None:
    """The old address is still a sentence of the session; the new one took its place."""
    await home.tell("I live in Lisbon.", "I live in Porto now.")
    old = await home.capture("I live in Lisbon.", "m1")
    new = Entry(
        "new", ANN, "I live in Porto now.", said_at=AT + timedelta(minutes=2), session="telegram:1", message_id="m2"
    )
    await home.ledger.journal.apply([Stored(new, entry_record(entry_row(new)), supersedes=(old.id,))], at=AT)
    home.model.failure = ExtractorContractError("refused")
    report = await home.active.extract_due()
    assert (report.kept, report.folded) == (0, 1)
    assert await home.live() == ["I live in Porto now."]


async def test_a_topic_that_recurs_gets_its_lines_into_its_note_once(home: ActiveHome) -> None:
    home.model.script = saying(("Marta has two cats", "cats", "Marta"))
    await home.tell("Marta has two cats")
    assert (await home.active.extract_due()).notes == 0
    home.model.script = saying(("Marta moved to Lisbon", "Lisbon", "marta"))
    await home.tell("Marta moved to Lisbon")
    home.clock.at = AT + timedelta(days=1)
    assert (await home.active.extract_due()).notes == 1
    lines = ["Marta has two cats", "Marta moved to Lisbon"]
    assert home.notes.written == [("marta", "2026-03-03", lines, ["m1", "m2"], ANN)]
    assert (await home.active.extract_due()).notes == 0


async def test_a_vault_that_is_down_costs_no_entry_and_is_written_later(home: ActiveHome) -> None:
    home.model.script = saying(
        ("Marta has two cats", "cats", "Marta"), ("Marta sails", "sails", "Marta"), ("Marta paints", "paints", "Marta")
    )
    home.notes.failure = VaultUnavailableError("read-only")
    await home.tell("Marta has two cats", "Marta sails", "Marta paints")
    report = await home.active.extract_due()
    assert (report.kept, report.notes, report.failed) == (3, 0, ["The note 'Marta' was not written: read-only"])
    home.notes.failure = None
    assert (await home.active.extract_due()).notes == 1
    assert home.notes.written[0][2] == ["Marta has two cats", "Marta sails", "Marta paints"]


async def test_what_is_forgotten_while_the_model_thinks_is_not_written(home: ActiveHome) -> None:
    await home.tell("I keep bees", "I sail")
    raw = await home.capture("I keep bees", "m1")

    async def forget() -> None:
        await home.ledger.journal.forget(at=AT, purge_at=AT + timedelta(hours=1), ids=[raw.id])

    class Forgetful(Model):
        async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
            await forget()
            return await super().extract_session(lines)

    home.model = Forgetful(saying(("The user keeps bees", "bees", ""), ("The user sails", "sail", "")))
    assert (await home.active.extract_due()).kept == 1
    assert await home.live() == ["The user sails"]


async def test_what_a_model_did_not_read_stays_and_is_given_to_it_again(home: ActiveHome) -> None:
    """A session that costs too much for one go is read in several; none of it is skipped."""

    class Sparing(Model):
        async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
            digest = await super().extract_session(lines[:2])
            return replace(digest, unread=tuple(line.number for line in lines[2:]))

    home.model = Sparing(saying(("The user keeps bees", "bees", ""), ("The user sails", "sail", "")))
    await home.tell("I keep bees", "I sail")
    report = await home.active.extract_due()
    assert (report.sessions, report.kept) == (2, 2)
    assert home.model.asked == [["I keep bees", "Noted, thank you."], ["I sail", "Noted, thank you."]]


async def test_a_model_that_reads_nothing_leaves_it_to_the_rules(home: ActiveHome) -> None:
    class Blind(Model):
        async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
            return SessionDigest((), self.identity, unread=tuple(line.number for line in lines))

    home.model = Blind()
    await home.tell("I live in Lisbon.")
    assert (await home.active.extract_due()).made_by == [IDENTITY]
    assert await home.live() == ["I live in Lisbon."]


async def test_what_several_messages_correct_together_takes_the_place_of_the_first(home: ActiveHome) -> None:
    await home.tell("I live in Lisbon.", "Porto, I mean.")
    old = await home.capture("I live in Lisbon.", "m1")
    home.model.script = lambda lines: [SessionFact("I live in Porto.", "fact", 0.8, (lines[0].number, lines[2].number))]
    report = await home.active.extract_due()
    assert (report.kept, report.superseded) == (1, 1)
    assert await home.live() == ["I live in Porto."]
    (retired,) = await home.ledger.journal.get([old.id], OF_ANN)
    assert retired.state == "superseded"
