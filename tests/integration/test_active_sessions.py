"""Active memory over SQLite and a real HTTP service: one home, several processes, one capture beside it."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from tercet.adapters.counters import Counters
from tercet.adapters.extractors import chat
from tercet.adapters.lock import WriterLock
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.capture.digest import RuleSessionExtractor
from tercet.capture.selection import RuleExtractor
from tercet.capture.session_extraction import FIRST_BACKOFF_S, SessionExtraction, SessionExtractionParts
from tercet.capture.worker import CaptureWorker, WorkerParts
from tercet.handover import turn_items
from tercet.layers.active.gate import ExtractionGate
from tercet.layers.active.memory import ActiveMemory, ActiveParts
from tercet.model import Message, Turn
from tercet.testing.active_home import AT, OF_ANN, ActiveHome, StandingClock
from tercet.testing.chat_server import SERVER_ERROR, ChatServer, fact, facts, refusal

TOLD = (
    "I live in Lisbon.",
    "My sister Anna is a nurse.",
    "I'm allergic to peanuts.",
    "We have two cats, Miso and Yuzu.",
)


class Process:
    """One process of a home: its own connection and its own client of the service."""

    def __init__(self, home: Path, ledger: SqliteLedger, server: ChatServer, clock: StandingClock) -> None:
        self.ledger = ledger
        store = ActiveHome()
        self.clock = clock
        lock = WriterLock(home, file="entries.lock")

        async def wait(seconds: float) -> None:
            del seconds

        model = chat.create({"url": server.url, "model": "some-model"}, wait=wait)
        self.close_model = model.close
        rules = RuleExtractor()
        self.worker = CaptureWorker(WorkerParts(ledger, store.open_engine, store.embed, rules, rules, clock))
        parts = SessionExtractionParts(
            ledger=ledger,
            engine=store.open_engine,
            embed=store.embed,
            extractor=model,
            rules=RuleSessionExtractor(),
            selector=rules,
            lock=lock,
            clock=clock,
            events=Counters(),
            window_tokens=20,
        )
        gate = ExtractionGate(min_tokens=20, min_tool_calls=8, min_turns=4)
        self.active = ActiveMemory(
            ActiveParts("main", ledger.windows, SessionExtraction(parts), clock, Counters(), gate)
        )

    async def tell(self, *texts: str, tools: int = 2, first: int = 1) -> None:
        """Hand turns over as the loop does: to the inbox, then to the window."""
        for number, text in enumerate(texts, start=first):
            at = AT + timedelta(minutes=number)
            calls = [Message("tool", "a long result", f"t{number}.{n}", at) for n in range(tools)]
            answer = Message("assistant", "Good to know.", f"a{number}", at)
            turn = Turn("telegram:1", (Message("user", text, f"m{number}", at), *calls, answer))
            await self.ledger.inbox.put(turn_items(turn, "main", at))
            await self.active.remember_turn(turn, at)

    async def live(self) -> list[str]:
        return sorted(entry.text for entry in await self.ledger.journal.live(OF_ANN))


class Home:
    """Opens processes over one folder."""

    def __init__(self, folder: Path, server: ChatServer, stack: AsyncExitStack) -> None:
        self._folder, self._server, self._stack = folder, server, stack
        self.clock = StandingClock()

    async def process(self) -> Process:
        ledger = await SqliteLedger.open(self._folder)
        self._stack.push_async_callback(ledger.close)
        process = Process(self._folder, ledger, self._server, self.clock)
        self._stack.push_async_callback(process.close_model)
        return process


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
async def home(tmp_path: Path, server: ChatServer) -> AsyncIterator[Home]:
    async with AsyncExitStack() as stack:
        yield Home(tmp_path, server, stack)


async def test_a_session_is_extracted_once_by_whichever_process_comes_first(home: Home, server: ChatServer) -> None:
    one, other = await home.process(), await home.process()
    server.extract = lambda lines: [fact("The user is learning Finnish", _line_of(lines, "Finnish"))]
    await one.tell("I am learning Finnish", "Hello", "Hello", "Hello")
    reports = await asyncio.gather(*(process.active.extract_due() for process in (one, other)))
    assert sum(report.sessions for report in reports) == 1
    assert len(server.posted()) == 1
    assert await other.live() == ["The user is learning Finnish"]


async def test_what_the_capture_keeps_and_the_session_says_again_is_there_once(home: Home) -> None:
    """The service quotes every line; the rules kept each of them already."""
    process = await home.process()
    await process.tell(*TOLD)
    await process.worker.drain()
    assert await process.live() == sorted(TOLD)
    report = await process.active.extract_due()
    assert (report.sessions, report.kept, report.folded) == (1, 0, 4)
    assert await process.live() == sorted(TOLD)
    assert {entry.seen for entry in await process.ledger.journal.live(OF_ANN)} == {1}


async def test_the_session_adds_what_only_several_lines_say(home: Home, server: ChatServer) -> None:
    process = await home.process()
    await process.tell("Is the flat in Porto?", "Yes, Porto", "and it has a garden", "I signed the lease on 3 March")
    server.script(
        facts(
            fact("The user's flat in Porto has a garden", 1, 3, 5, topic="Flat in Porto"),
            fact("The user signed the lease on 3 March", 7),
            fact("The user signed the lease on 5 March", 7),
            fact("The user has a dog", 99),
        )
    )
    report = await process.active.extract_due()
    assert (report.kept, report.dropped) == (2, 2)
    assert await process.live() == ["The user signed the lease on 3 March", "The user's flat in Porto has a garden"]


async def test_a_service_that_is_down_is_caught_up_with_by_the_next_process(home: Home, server: ChatServer) -> None:
    process = await home.process()
    await process.tell(*TOLD)
    server.script(*[SERVER_ERROR] * 6)
    report = await process.active.extract_due()
    assert (report.sessions, len(report.failed)) == (0, 1)
    server.recover()
    later = await home.process()
    assert (await later.active.extract_due()).sessions == 0
    home.clock.at += timedelta(seconds=FIRST_BACKOFF_S)
    assert (await later.active.extract_due()).kept == len(TOLD)
    (status,) = await later.active.status("telegram:1")
    assert (status.attempts, status.state.turns) == (0, 0)
    window = await later.ledger.windows.window(status.session, 10_000)
    assert 0 < len(window) < 2 * len(TOLD)  # bounded again, once extracted


async def test_a_service_that_refuses_leaves_it_to_the_rules(home: Home, server: ChatServer) -> None:
    process = await home.process()
    await process.tell(*TOLD)
    server.script(refusal())
    report = await process.active.extract_due()
    assert "no model" in report.made_by[0]
    assert await process.live() == sorted(TOLD)


async def test_secrets_and_what_a_memory_recalled_never_reach_the_service(home: Home, server: ChatServer) -> None:
    """P4, U5."""
    process = await home.process()
    key = "sk-proj-" + "a1B2" * 12
    recalled = "<relevant-memories>\n- the user hates opera\n</relevant-memories>\nmy door code is in the drawer"
    await process.tell(f"my key is {key}", recalled, "Hello", "Hello")
    await process.active.extract_due()
    sent = str([request.body for request in server.posted()])
    assert "door code" in sent
    assert key not in sent
    assert "opera" not in sent


def _line_of(lines: Sequence[dict[str, object]], words: str) -> int:
    return next(int(str(line["line"])) for line in lines if words in str(line["text"]))
