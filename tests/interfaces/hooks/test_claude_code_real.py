"""The plug-in in the real Claude Code, against a stand-in for the model.

It runs where ``TERCET_TEST_CLAUDE`` names the program (``npm install @anthropic-ai/claude-code``).
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.testing.model_server import Answer, ModelServer

PLUGIN = Path(__file__).parents[3] / "integrations" / "claude-code"
CLAUDE = os.environ.get("TERCET_TEST_CLAUDE", "")
HOOK = ("from tercet.interfaces.hooks import main", "main()")
QUESTION = "Which absorber did we choose for the hall?"

pytestmark = pytest.mark.skipif(not CLAUDE, reason="TERCET_TEST_CLAUDE names no Claude Code")


class Model(ModelServer):
    """Answers every message with the same words, in the stream that Claude Code reads."""

    def answer(self, request):
        message = {"id": "m1", "type": "message", "role": "assistant", "model": "x", "content": [], "stop_reason": None}
        usage = {"input_tokens": 1, "output_tokens": 1}
        events = [
            {"type": "message_start", "message": {**message, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Sheep's wool."}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
            {"type": "message_stop"},
        ]
        lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events]
        return Answer(raw="".join(lines).encode(), headers={"Content-Type": "text/event-stream"})


@pytest.fixture
def claude(tmp_path, home):
    with Model() as model:
        environment = {
            "PATH": f"{tmp_path / 'bin'}:{os.defpath}",
            "HOME": str(tmp_path),
            "TERCET_HOME": str(home),
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        project = tmp_path / "hall"
        project.mkdir()
        ended = place_hook(tmp_path / "bin" / "tercet-hook")

        def run(*arguments):
            ran = subprocess.run(
                [CLAUDE, *arguments],
                cwd=project,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr
            return ran.stdout

        run("plugin", "marketplace", "add", str(PLUGIN))
        run("plugin", "install", "tercet-memory@tercet")

        def wait():
            """Return when no hook, nor what it left in the background, holds the pipe any more."""
            assert select.select([ended], [], [], 30)[0], "a hook did not end"

        run.model, run.wait = model, wait
        yield run
        os.close(ended)


def place_hook(place: Path) -> int:
    """Put the hook on the path; it holds a named pipe, whose read end is returned, until all of it has ended."""
    place.parent.mkdir()
    pipe = place.with_name("pipe")
    os.mkfifo(pipe)
    lines = (f"#!{sys.executable}", "import os", f"os.open({str(pipe)!r}, os.O_WRONLY)", *HOOK)
    place.write_text("\n".join(lines) + "\n")
    place.chmod(0o755)
    return os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)


def test_it_is_valid(claude):
    assert "Validation passed" in claude("plugin", "validate", str(PLUGIN), "--strict")


def test_a_turn_gets_its_memories_and_is_captured(claude, service):
    assert "Sheep's wool." in claude("-p", QUESTION)
    sent = [json.dumps(request.body["messages"]) for request in claude.model.posted() if "messages" in request.path]
    assert any("We chose wool." in each and QUESTION in each for each in sent)
    recalled = [request.body["message"] for request in service.posted() if request.path == "/v1/recall"]
    assert recalled == ["hall: decisions, preferences, what was done last", QUESTION]
    claude.wait()
    assert [each["text"] for each in service.told()] == [QUESTION, "Sheep's wool."]


def test_without_the_service_the_turn_completes_and_waits(claude, home):
    assert "Sheep's wool." in claude("-p", QUESTION)
    claude.wait()
    (file,) = (home / "spool" / "main").glob("*.json")
    assert QUESTION in file.read_text()
