"""Capture behind the agent's back: each message once, to the service or into the spool."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tercet.adapters.spool import TurnSpool
from tercet.app import build
from tercet.config import load_settings
from tercet.testing.embedding_server import SERVER_ERROR


def line(number, text, role="user", **more):
    entry = {
        "type": role,
        "uuid": f"u{number}",
        "isSidechain": False,
        "timestamp": f"2026-03-01T09:00:{number:02}Z",
        "message": {"role": role, "content": text},
    }
    return json.dumps({**entry, **more}, ensure_ascii=False) + "\n"


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text(line(1, "I moved to Ghent in May.") + line(2, "Noted.", "assistant"), "utf-8")
    return path


def add(path, text):
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def texts(service):
    return [each["text"] for each in service.told()]


@pytest.mark.parametrize("name", ["Stop", "SessionEnd", "PreCompact"])
def test_what_was_said_is_handed_over_and_nothing_is_printed(hook, service, event, transcript, name):
    ran = hook(name, event(name, transcript_path=str(transcript)))
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    asked = service.posted()[0]
    assert (asked.path, asked.authorization) == ("/v1/capture", "Bearer t0ken")
    assert asked.body == {
        "session_key": "main",
        "messages": [
            {"role": "user", "text": "I moved to Ghent in May.", "id": "u1", "timestamp": "2026-03-01T09:00:01+00:00"},
            {"role": "assistant", "text": "Noted.", "id": "u2", "timestamp": "2026-03-01T09:00:02+00:00"},
        ],
    }


def test_the_agent_does_not_wait(hook, service, event, transcript):
    service.hold()
    raw = json.dumps(event("Stop", transcript_path=str(transcript))).encode()
    ran = hook.start("Stop", raw)  # returns while the service has not even said that it lives
    assert (ran.code, ran.out, service.posted()) == (0, b"", [])
    service.release()
    ran.wait()
    assert texts(service)[0] == "I moved to Ghent in May."


def test_only_what_is_new_is_told(hook, service, event, transcript):  # L22
    payload = event("Stop", transcript_path=str(transcript))
    hook("Stop", payload)
    hook("Stop", payload)
    assert len(service.posted()) == 1
    add(transcript, line(3, "And to Bruges in June."))
    hook("SessionEnd", payload)
    assert texts(service) == ["I moved to Ghent in May.", "Noted.", "And to Bruges in June."]


def test_a_line_that_is_still_being_written_waits(hook, service, event, transcript):
    whole = line(3, "And to Bruges in June.")
    add(transcript, whole[:40])
    hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert len(texts(service)) == 2
    add(transcript, whole[40:])
    hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert texts(service)[2:] == ["And to Bruges in June."]


def test_sub_agents_tools_and_summaries_are_not_told(hook, service, event, transcript):  # U9
    add(transcript, line(3, "Look into the folder.", isSidechain=True))
    add(transcript, line(4, "This session continues an earlier one.", isCompactSummary=True))
    add(transcript, line(5, [{"type": "tool_result", "tool_use_id": "t", "content": "secret.txt"}]))
    add(transcript, json.dumps({"type": "file-history-snapshot"}) + "\n" + "not JSON\n")
    hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert len(texts(service)) == 2


def test_a_transcript_that_was_written_anew_is_read_from_its_beginning(hook, service, event, transcript):
    payload = event("Stop", transcript_path=str(transcript))
    hook("Stop", payload)
    transcript.write_text(line(9, "Hi."), "utf-8")
    hook("Stop", payload)
    assert texts(service)[2:] == ["Hi."]


def test_a_long_session_goes_in_several_requests(hook, service, event, transcript):
    transcript.write_text("".join(line(n % 60, f"{n} " + "x" * 30_000) for n in range(20)), "utf-8")
    hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert [each.split()[0] for each in texts(service)] == [str(n) for n in range(20)]
    assert max(len(each) for each in texts(service)) == 20_000
    assert all(len(json.dumps(request.body)) < 200_000 for request in service.posted())


def waiting(home, agent="main"):
    folder = home / "spool" / agent
    return list(folder.glob("*.json")) if folder.is_dir() else []


@pytest.mark.parametrize("fault", ["no file", "dead", "failing"])
async def test_without_the_service_the_turn_waits_in_the_spool(hook, service, event, transcript, home, fault):
    if fault == "no file":
        (home / "service.json").unlink()
    elif fault == "dead":
        service.close()
    else:
        service.fail_with(SERVER_ERROR, None)
    add(transcript, line(3, "My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789."))
    payload = event("Stop", transcript_path=str(transcript))
    assert hook("Stop", payload).code == 0
    (file,) = waiting(home)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert b"AbCdEfGhIjKl" not in file.read_bytes()
    ((_, turn, received_at),) = await TurnSpool(file.parent).waiting()
    assert turn.session_key == "main"
    assert [(m.role, m.id) for m in turn.messages] == [("user", "u1"), ("user", "u3")]
    assert turn.messages[0].timestamp == datetime(2026, 3, 1, 9, 0, 1, tzinfo=UTC)
    assert received_at.tzinfo is not None
    hook("Stop", payload)
    assert len(waiting(home)) == 1


def test_the_worker_takes_in_what_was_spooled(hook, event, transcript, home):
    hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert len(waiting(home)) == 1
    with build(load_settings({"home": str(home), "embedding": {"provider": "none"}})) as memory:
        assert memory.status().capture.spooled == 1
        memory.flush()
        assert [hit.passage.text for hit in memory.search("Ghent")] == ["I moved to Ghent in May."]
    assert waiting(home) == []


def test_the_spool_is_that_of_the_agent(hook, event, transcript, home):
    home.mkdir()
    (home / "tercet.toml").write_text('agent = "coder"\n')
    hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert len(waiting(home, "coder")) == 1
    hook.environment = {"TERCET_AGENT": "../../elsewhere"}
    hook("Stop", event("Stop", transcript_path=str(transcript), session_id="another"))
    assert not (home.parent / "elsewhere").exists()
    assert len(list(home.rglob("*.json"))) == 2  # one turn, one cursor: what no agent may have is told later


def test_cursors_are_private_and_named_after_no_path(hook, service, event, transcript, home):
    hook("Stop", event("Stop", transcript_path=str(transcript), session_id="../../../evil"))
    folder = home / "hooks" / "claude-code"
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 2
    assert names[1] == "lock"
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    assert not (home.parent / "evil.json").exists()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"transcript": 1, "offset": "x"}', b'{"offset": -5}'])
def test_a_damaged_cursor_tells_all_again(hook, service, event, transcript, home, damage):
    payload = event("Stop", transcript_path=str(transcript))
    hook("Stop", payload)
    (home / "hooks" / "claude-code" / f"{payload['session_id']}.json").write_bytes(damage)
    hook("Stop", payload)
    assert texts(service) == ["I moved to Ghent in May.", "Noted."] * 2  # the same ids: kept once


@pytest.mark.parametrize("path", ["", "/nowhere/t.jsonl", "/dev/null", "/"])
def test_no_transcript_is_silence(hook, service, event, path):
    ran = hook("Stop", event("Stop", transcript_path=path))
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert service.posted() == []


def test_a_home_that_may_not_be_written_is_silence(hook, event, transcript, home):
    home.write_text("a file, where the home should be")
    ran = hook("Stop", event("Stop", transcript_path=str(transcript)))
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
