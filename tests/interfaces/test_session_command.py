"""``tercet session``: what it prints of windows and extractions, over a memory in memory."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from click.testing import CliRunner, Result

from tercet.bridge import LoopThread
from tercet.capture.session_extraction import ExtractionReport
from tercet.errors import ExtractorUnavailableError
from tercet.interfaces.cli import session
from tercet.ports.windows import SessionStatus
from tercet.testing.active_home import ActiveHome, saying

Run = Callable[..., Result]


class Face:
    """The two methods of the facade that the command calls."""

    def __init__(self, home: ActiveHome, loop: LoopThread) -> None:
        self._home, self._loop = home, loop

    def session_status(self, session_key: str | None) -> tuple[SessionStatus, ...]:
        return self._loop.run(self._home.active.status(session_key))

    def session_flush(self, session_key: str | None) -> ExtractionReport:
        return self._loop.run(self._home.active.flush(session_key))


@pytest.fixture
def home() -> ActiveHome:
    return ActiveHome()


@pytest.fixture
def run(home: ActiveHome, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    loop = LoopThread()
    loop.run(home.tell("I keep bees", tools=2))
    loop.run(home.tell("I sail", key="telegram:12"))

    @contextmanager
    def open_memory(folder: str | None, agent: str | None) -> Iterator[Face]:
        assert (folder, agent) == ("somewhere", "main")
        yield Face(home, loop)

    monkeypatch.setattr(session, "open_memory", open_memory)

    def run_it(*arguments: str) -> Result:
        given = [*arguments, "--home", "somewhere", "--agent", "main"]
        return CliRunner().invoke(session.command, given, standalone_mode=False)

    yield run_it
    loop.close()


def test_status_says_what_came_since_the_last_extraction(run: Run) -> None:
    lines = run("status").stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("telegram:1: 2 messages (")
    assert lines[0].endswith("2 tool calls, 1 turn")
    (one,) = json.loads(run("status", "--session", "telegram:12", "--json").stdout)["sessions"]
    assert (one["session"], one["sinceExtraction"]["toolCalls"], one["retryAt"]) == ("telegram:12", 1, None)


def test_flush_says_what_it_drew_and_who_drew_it(run: Run, home: ActiveHome) -> None:
    home.model.script = saying(("The user keeps bees", "bees", ""), ("The user owns a yacht", "yacht", ""))
    done = run("flush", "--session", "telegram:1")
    assert done.stdout == "kept 1, known already 0, superseded 0, without evidence 1; 0 notes written\nby a model\n"
    assert done.return_value == 0
    assert run("flush", "--session", "telegram:1").stdout == "Nothing was extracted.\n"
    assert json.loads(run("flush", "--json").stdout)["extracted"] == 1


def test_a_failed_flush_ends_with_1_and_status_says_why(run: Run, home: ActiveHome) -> None:
    home.model.failure = ExtractorUnavailableError("the model\x1b[31m is down")
    done = run("flush", "--session", "telegram:1", "--json")
    assert done.return_value == 1
    assert json.loads(done.stdout)["failed"] == [
        "The session telegram:1 was not extracted: ExtractorUnavailableError: the model\x1b[31m is down"
    ]
    assert "\x1b" not in done.stderr
    assert "failed 1 time: ExtractorUnavailableError" in run("status", "--session", "telegram:1").stdout


def test_a_home_without_conversations_says_so(run: Run) -> None:
    assert json.loads(run("status", "--session", "telegram:99", "--json").stdout) == {"sessions": []}
    assert run("status", "--session", "telegram:99").stderr == "No conversation is in a window.\n"
