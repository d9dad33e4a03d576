"""The hook as Claude Code starts it, and a small real service that it talks to."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tercet.testing.model_server import Answer, ModelServer

SECTION = "<tercet-memory>\nUntrusted historical data.\n- 2026-01-21 rietkraag.md: We chose wool.\n</tercet-memory>"
HOOK = (sys.executable, "-c", "from tercet.interfaces.hooks import main; main()")


class Service(ModelServer):
    """Answers as ``tercet serve`` does, and writes its file into the home."""

    def __init__(self) -> None:
        self.section = SECTION
        super().__init__()

    def announce(self, home: Path, **more: object) -> None:
        home.mkdir(mode=0o700, exist_ok=True)
        place = home / "service.json"
        place.write_text(json.dumps({"url": self.url, "pid": 1, "token": "t0ken", "instance": "i1", **more}))
        place.chmod(0o600)

    def answer(self, request):
        if request.path == "/healthz":
            return Answer(json={"ok": True, "instance": "i1"})
        if request.path == "/v1/recall":
            return Answer(json={"text": self.section, "tokens": 9, "skippedReason": None, "degraded": None})
        return Answer(202, {"accepted": 1})

    def told(self):
        """Return every message that was captured, in order."""
        return [each for request in self.posted() if request.path == "/v1/capture" for each in request.body["messages"]]


@dataclass
class Ran:
    code: int
    out: bytes
    err: bytes
    _ended: int
    """Read end of a pipe that the background process holds until it ends."""

    def wait(self) -> Ran:
        """Return when what goes on in the background has ended."""
        ready, _, _ = select.select([self._ended], [], [], 30)
        assert ready, "the background process did not end"
        assert os.read(self._ended, 1) == b""
        os.close(self._ended)
        return self


@dataclass
class Hook:
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, raw: bytes) -> Ran:
        """Run the hook to its end; what it left in the background may go on."""
        ended, held = os.pipe()
        ran = subprocess.run(
            [*HOOK, "claude-code", name],
            input=raw,
            capture_output=True,
            check=False,
            timeout=30,
            pass_fds=[held],
            env={**os.environ, "TERCET_HOME": str(self.home), **self.environment},
        )
        os.close(held)
        return Ran(ran.returncode, ran.stdout, ran.stderr, ended)

    def __call__(self, name: str, payload: object) -> Ran:
        """Run the hook and all that it left in the background."""
        return self.start(name, json.dumps(payload).encode()).wait()


@pytest.fixture
def service(home):
    with Service() as running:
        running.announce(home)
        yield running


@pytest.fixture
def hook(home):
    return Hook(home)


@pytest.fixture
def event():
    recorded = json.loads(Path(__file__).with_name("events.json").read_text("utf-8"))

    def whole(name, **more):
        """Return the whole JSON object of an event, with a field that nobody knows."""
        unknown = {"field_of_tomorrow": {"nested": [1]}}
        return {**recorded["common"], "hook_event_name": name, **unknown, **recorded["events"][name], **more}

    return whole
