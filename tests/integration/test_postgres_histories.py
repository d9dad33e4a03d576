"""Any history of capture, forgetting and windows answers in PostgreSQL as it does in SQLite, step for step."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.errors import InvalidInputError
from tercet.model import Reach, Scope
from tercet.ports.capture import SeenAgain
from tercet.testing.capture_contract import AT, entry, item, stored
from tercet.testing.windows_contract import Session, fact_of, turn
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from tercet.ports.ledger import Ledger

SCOPES = [Scope("main", f"telegram:{number}") for number in range(3)]
ALL = Reach("main", tuple(scope.anchor for scope in SCOPES))
STEPS, LOOK_EVERY, KEEP = 80, 4, 60


@dataclass(frozen=True)
class Step:
    """One thing to do to a ledger, drawn once and done to each."""

    what: str
    number: int
    scope: Scope
    text: str
    topic: str
    ids: list[str]
    """Of entries that may be there."""
    forgets: str

    @property
    def at(self) -> datetime:
        return AT + timedelta(minutes=self.number)

    @property
    def session(self) -> Session:
        return Session(self.scope, self.scope.anchor)

    async def do(self, ledger: Ledger) -> object:
        try:
            return await getattr(self, self.what)(ledger)
        except InvalidInputError as error:
            return str(error)

    async def store(self, ledger: Ledger) -> object:
        new = entry(f"e{self.number}", self.text, self.scope, minutes=self.number)
        change = stored(new, supersedes=self.ids[:1], links=self.ids)
        return await ledger.journal.apply([change], at=self.at)

    async def hand_over(self, ledger: Ledger) -> object:
        held = item(f"m{self.number}", self.text, self.scope, message_id=f"e{self.number}", said_at=self.at)
        return await ledger.inbox.put([held])

    async def work_in(self, ledger: Ledger) -> object:
        claimed = await ledger.inbox.claim(2, self.at, 120)
        new = [entry(f"of {each.id}", each.text, each.scope, message=each.message_id) for each in claimed]
        return await ledger.journal.apply(
            [stored(each) for each in new], at=self.at, done=[each.id for each in claimed]
        )

    async def put_off(self, ledger: Ledger) -> object:
        claimed = [each.id for each in await ledger.inbox.claim(2, self.at, 120)]
        await ledger.inbox.release(claimed[:1], retry_at=self.at + timedelta(minutes=3), count_attempt=True)
        await ledger.inbox.bury(claimed[1:], "it was not to be")
        return claimed

    async def see_again(self, ledger: Ledger) -> object:
        return await ledger.journal.apply([SeenAgain(each, self.at) for each in self.ids], at=self.at)

    async def forget(self, ledger: Ledger) -> object:
        meant = {
            "ids": {"ids": [*self.ids, f"m{self.number - 1}", f"of m{self.number - 2}"]},
            "scope": {"anchors": [self.scope]},
            "session": {"session": ("main", self.scope.anchor)},
        }[self.forgets]
        return await ledger.journal.forget(at=self.at, purge_at=self.at + timedelta(minutes=20), **meant)

    async def undo(self, ledger: Ledger) -> object:
        return await ledger.journal.undo(await ledger.journal.last_forgotten("main"), at=self.at, agent="main")

    async def purge(self, ledger: Ledger) -> object:
        return await ledger.journal.purge(self.at)

    async def talk(self, ledger: Ledger) -> object:
        said = turn(f"e{self.number}", session=self.session)
        return await ledger.windows.put(self.session, [*said, *said[:1]], keep_tokens=KEEP)

    async def extract(self, ledger: Ledger) -> object:
        stretch = await ledger.windows.claim(self.session, now=self.at, lease_s=60, most_tokens=40)
        if stretch is None:
            return None
        fact = fact_of(stretch, f"e{self.number}", f"{self.text} {self.number}", topic=self.topic)
        await ledger.windows.put(self.session, turn(f"later{self.number}", session=self.session), keep_tokens=KEEP)
        done = await ledger.windows.finish(stretch, [fact], at=self.at, keep_tokens=KEEP)
        return stretch.messages, stretch.upto, stretch.is_last, done

    async def give_up(self, ledger: Ledger) -> object:
        stretch = await ledger.windows.claim(self.session, now=self.at, lease_s=60, most_tokens=40)
        if stretch is not None:
            await ledger.windows.release(stretch, retry_at=self.at + timedelta(minutes=5), reason="it is down")
        return stretch is None

    async def note(self, ledger: Ledger) -> object:
        topics = await ledger.windows.recurring("main", extractions=2, facts=2)
        for topic in topics:
            await ledger.windows.noted(topic)
        return topics

    async def sync(self, ledger: Ledger) -> object:
        live, gone = await ledger.journal.pending(5)
        await ledger.journal.synced([*(each.id for each in live), *gone], has_vector=True)
        return live, gone


WEIGHTS = {
    "store": 6, "hand_over": 5, "work_in": 3, "put_off": 1, "see_again": 1, "forget": 2, "undo": 2, "purge": 1,
    "talk": 4, "extract": 4, "give_up": 1, "note": 1, "sync": 2,
}  # fmt: skip


def drawn(rng: random.Random, number: int) -> Step:
    return Step(
        what=rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0],
        number=number,
        scope=rng.choice(SCOPES),
        text=f"{rng.choice('abcd')} {rng.choice('xyz')}",
        topic=rng.choice(["Marta", "MARTA ", "tom", ""]),
        ids=[f"e{rng.randrange(number + 1)}" for _ in range(rng.randrange(3))],
        forgets=rng.choice(["ids", "ids", "scope", "session"]),
    )


async def seen(ledger: Ledger) -> list[object]:
    """Everything a reader can ask of it."""
    live = await ledger.journal.live(ALL)
    return [
        live,
        [await ledger.journal.history(each.id, ALL) for each in live[:3]],
        await ledger.journal.by_text(SCOPES[0], [text_digest(each.text) for each in live]),
        await ledger.journal.anchors("main"),
        await ledger.journal.last_forgotten("main"),
        await ledger.journal.page(ALL, states=("live", "superseded", "forgotten"), limit=20),
        await ledger.journal.pending(3),
        await ledger.journal.synced_count(),
        await ledger.inbox.status(),
        await ledger.inbox.unworked(ALL, 50),
        await ledger.windows.sessions("main"),
        await ledger.windows.in_reach(ALL),
        await ledger.windows.window(Session(SCOPES[1], SCOPES[1].anchor), 30),
        await ledger.terms.statistics(ALL, list("abcdxyz")),
    ]


@pytest.mark.parametrize("seed", range(3))
async def test_two_services_in_turn_answer_as_one_file_does(postgres_server, tmp_path, seed: int) -> None:
    """L8, L10, L20, P4, P5: also what is refused, and in which words."""
    rng = random.Random(seed)
    tenant = postgres_server.new_tenant()
    services = [await PostgresLedger.open(postgres_server.url, tenant, pool_size=1) for _ in range(2)]
    reference = await SqliteLedger.open(tmp_path)
    for number in range(STEPS):
        step, service = drawn(rng, number), rng.choice(services)
        assert await step.do(service) == await step.do(reference), step
        if number % LOOK_EVERY == LOOK_EVERY - 1:
            assert await seen(service) == await seen(reference), step
    for ledger in (*services, reference):
        assert await ledger.terms.faults() == []
        await ledger.close()
