"""``tercet-hook claude-code EVENT``: what each event asks of the service, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tercet.testing.embedding_server import SERVER_ERROR, UNAUTHORISED, half_of
from tercet.testing.model_server import Answer

EVENTS = json.loads(Path(__file__).with_name("events.json").read_text("utf-8"))["events"]
PROMPT = "Which absorber did we choose for the hall?"


def context(ran):
    """Return the context of an answer, after a look at its form."""
    assert (ran.code, ran.err) == (0, b"")
    output = json.loads(ran.out)["hookSpecificOutput"]
    assert set(output) == {"hookEventName", "additionalContext"}
    return output["additionalContext"]


def silent(ran):
    return (ran.code, ran.out, ran.err) == (0, b"", b"")


def test_a_prompt_gets_what_is_recalled_for_it(hook, service, event):
    ran = hook("UserPromptSubmit", event("UserPromptSubmit"))
    assert context(ran) == service.section
    assert json.loads(ran.out)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    asked = service.posted()[0]
    assert (asked.path, asked.authorization) == ("/v1/recall", "Bearer t0ken")
    assert asked.body == {"message": PROMPT, "session_key": "main", "budget_tokens": 1200}


def test_a_session_begins_with_what_is_known_of_its_project(hook, service, event):
    assert context(hook("SessionStart", event("SessionStart"))) == service.section
    message = service.posted()[0].body["message"]
    assert message == "rietkraag Reverb of the hall: decisions, preferences, what was done last"


@pytest.mark.parametrize("source", ["startup", "clear", "compact", "resume", "fork"])
def test_a_session_that_goes_on_has_its_memories_already(hook, service, event, source):
    ran = hook("SessionStart", event("SessionStart", source=source))
    assert silent(ran) is (source in {"resume", "fork"})


@pytest.mark.parametrize("source", ["user", "sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_only_what_somebody_wrote_is_recalled_for(hook, service, event, source):
    ran = hook("UserPromptSubmit", event("UserPromptSubmit", source=source))
    assert bool(ran.out) is (source in {"user", "sdk"})


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_with_every_field_ends_well_and_only_two_print(hook, service, event, name, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"type": "summary", "summary": "x"}\n')
    ran = hook(name, event(name, transcript_path=str(transcript)))
    assert (ran.code, ran.err) == (0, b"")
    assert bool(ran.out) is (name in {"SessionStart", "UserPromptSubmit"})
    assert len(service.posted()) == bool(ran.out)


@pytest.mark.parametrize("name", sorted(EVENTS))
@pytest.mark.parametrize(
    "raw",
    [b"", b"{}", b"[]", b"null", b"{", b'"x"', b"\xff\xfe", b'{"prompt": 3, "cwd": null, "transcript_path": []}'],
)
def test_rubbish_is_silence(hook, service, name, raw):
    assert silent(hook.start(name, raw).wait())
    assert service.posted() == []


def test_a_sub_agent_is_let_be(hook, service, event):
    for name in ("UserPromptSubmit", "SessionStart", "Stop"):
        assert silent(hook(name, event(name, agent_id="a1")))
    assert service.requests == []


def test_optional_fields_may_be_absent(hook, service):
    assert hook("UserPromptSubmit", {"prompt": PROMPT}).out
    assert hook("SessionStart", {"cwd": "/x/boat/"}).out
    assert service.posted()[1].body["message"].startswith("boat: ")


@pytest.mark.parametrize(
    "answer",
    [
        SERVER_ERROR,
        UNAUTHORISED,
        Answer(json=[1, 2]),
        Answer(raw=b"{"),
        Answer(json={"text": None, "skippedReason": "small_talk"}),
        Answer(json={"text": "", "skippedReason": "nothing_relevant"}),
        half_of(Answer(json={"text": "half of this"})),
        Answer(raw=b"x" * 1_200_000),
    ],
)
def test_whatever_the_service_answers_the_agent_goes_on(hook, service, event, answer):
    service.fail_with(answer)
    assert silent(hook("UserPromptSubmit", event("UserPromptSubmit")))


def test_no_service_is_silence(hook, event, service, home):
    service.close()
    assert silent(hook("UserPromptSubmit", event("UserPromptSubmit")))
    (home / "service.json").unlink()
    assert silent(hook("UserPromptSubmit", event("UserPromptSubmit")))


@pytest.mark.parametrize("fault", ["open to others", "another machine", "not http", "a stranger", "no JSON", "a list"])
def test_the_token_goes_to_the_service_alone(hook, event, service, home, fault):
    place = home / "service.json"
    if fault == "open to others":
        place.chmod(0o640)
    elif fault == "another machine":
        service.announce(home, url="http://192.0.2.1:80")
    elif fault == "not http":
        service.announce(home, url=service.url.replace("http:", "file:"))
    elif fault == "a stranger":
        service.announce(home, instance="of another service")
    else:
        place.write_text("[]" if fault == "a list" else "{")
    assert silent(hook("UserPromptSubmit", event("UserPromptSubmit")))
    assert all(request.authorization is None for request in service.requests)


def test_a_long_section_is_cut_at_a_line_and_closed(hook, service, event):
    lines = [f"- 2026-01-{n % 28 + 1:02} notes.md: fact number {n} of many" for n in range(400)]
    service.section = "\n".join(["<tercet-memory>", *lines, "</tercet-memory>"])
    got = context(hook("UserPromptSubmit", event("UserPromptSubmit")))
    assert 8_000 < len(got) <= 9_000
    assert got.endswith("\n</tercet-memory>")
    assert got.split("\n")[1:-1] == lines[: len(got.split("\n")) - 2]


def test_it_may_be_told_whose_memory_it_is(hook, service, event):
    hook.environment = {"TERCET_SESSION": "telegram:123", "TERCET_AGENT": "coder"}
    hook("UserPromptSubmit", event("UserPromptSubmit"))
    body = service.posted()[0].body
    assert (body["session_key"], body["agent"]) == ("telegram:123", "coder")


def test_chinese_and_half_characters_arrive(hook, service, event):
    service.section = "<tercet-memory>\n- 妈妈的生日是三月初八。\n</tercet-memory>"
    assert context(hook("UserPromptSubmit", event("UserPromptSubmit", prompt="妈妈的生日 \ud83c"))) == service.section
    assert service.posted()[0].body["message"].startswith("妈妈的生日")
