"""Transcripts give what was said, once, and name what they leave out (L22, U5, U9)."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.capture.transcripts import read_transcript
from tercet.errors import InvalidInputError
from tercet.text.envelopes import sanitise_user_text

_SESSIONS = Path(os.environ.get("TERCET_TEST_DATA", Path(__file__).parents[4] / "shared" / "data")) / "sessions"
needs_data = pytest.mark.skipif(not _SESSIONS.exists(), reason="the shared session data is not there")


def _lines(*entries):
    return [json.dumps(entry, ensure_ascii=False) for entry in entries]


def _said(transcript, role="user"):
    return [message.text for message in transcript.messages if message.role == role]


def _v3(identity, parent, role, text, **extra):
    message = {"role": role, "content": [{"type": "text", "text": text}] if text else [], **extra}
    return {
        "type": "message",
        "id": identity,
        "parentId": parent,
        "timestamp": "2026-03-08T13:00:00Z",
        "message": message,
    }


HEADER = {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-03-08T12:00:00Z", "cwd": "/"}


def test_only_the_last_branch_of_a_tree_was_said():
    transcript = read_transcript(
        _lines(
            HEADER,
            {"type": "model_change", "id": "m", "parentId": None},
            _v3("u1", "m", "user", "I live in Rome"),
            _v3("a1", "u1", "assistant", "Fine"),
            _v3("u2", "m", "user", "I live in Oslo"),
            _v3("a2", "u2", "assistant", "Noted"),
        )
    )
    assert (transcript.format, transcript.session_id, transcript.session_key) == ("openclaw-v3", "s-1", None)
    assert _said(transcript) == ["I live in Oslo"]
    assert [(one.line, one.why) for one in transcript.skipped] == [
        (2, "model change"),
        (3, "abandoned branch"),
        (4, "abandoned branch"),
    ]


def test_a_broken_line_is_named_and_does_not_cut_the_tree():
    lines = _lines(
        HEADER, _v3("u1", None, "user", "one"), _v3("a1", "u1", "assistant", "x"), _v3("u2", "a1", "user", "two")
    )
    lines[2] = lines[2][:-20]
    transcript = read_transcript(lines)
    assert _said(transcript) == ["one", "two"]
    assert [one.line for one in transcript.skipped] == [3]
    assert transcript.skipped[0].why.startswith("not JSON")


def test_text_of_the_gateway_at_the_end_hides_nothing():
    gateway = _v3("g", None, "assistant", "restarted", provider="openclaw", model="gateway-injected")
    transcript = read_transcript(_lines(HEADER, _v3("u1", None, "user", "one"), gateway))
    assert _said(transcript) == ["one"]
    assert _said(transcript, "assistant") == []


def test_a_message_repeated_after_a_failed_reply_is_one_and_after_an_answer_two():
    failed = _v3("a1", "u1", "assistant", "", stopReason="error")
    again = _v3("u2", "a1", "user", "same")
    transcript = read_transcript(_lines(HEADER, _v3("u1", None, "user", "same"), failed, again))
    assert [(message.text, message.id) for message in transcript.messages] == [("same", "u1")]
    assert [one.why for one in transcript.skipped] == ["failed reply", "repeated after a failed reply"]
    answered = _v3("a1", "u1", "assistant", "ok", stopReason="stop")
    assert _said(read_transcript(_lines(HEADER, _v3("u1", None, "user", "same"), answered, again))) == ["same", "same"]


def test_the_time_of_the_message_is_when_it_was_said():
    entry = _v3("u1", None, "user", "x", timestamp=1772975007032)
    assert read_transcript(_lines(HEADER, entry)).messages[0].timestamp == datetime(2026, 3, 8, 13, 3, 27, 32000, UTC)
    entry["message"]["timestamp"] = 1e300
    assert read_transcript(_lines(HEADER, entry)).messages[0].timestamp == datetime(2026, 3, 8, 13, 0, tzinfo=UTC)


def test_tool_results_sub_agents_and_additions_are_no_words_of_the_user():
    base = {"type": "user", "sessionId": "c-1"}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "secret file"}
    transcript = read_transcript(
        _lines(
            {"type": "summary", "summary": "we spoke of tea", "leafUuid": "x"},
            {**base, "uuid": "1", "message": {"role": "user", "content": "I like tea"}},
            {**base, "uuid": "2", "message": {"role": "user", "content": [result]}},
            {**base, "uuid": "3", "isSidechain": True, "message": {"role": "user", "content": "go and look"}},
            {**base, "uuid": "4", "isMeta": True, "message": {"role": "user", "content": "added"}},
            {**base, "uuid": "5", "isCompactSummary": True, "message": {"role": "user", "content": "summed up"}},
            {**base, "uuid": "6", "message": "error"},
            {
                **base,
                "uuid": "7",
                "message": {"role": "user", "content": [result, {"type": "text", "text": "and coffee"}]},
            },
            {**base, "uuid": "1", "message": {"role": "user", "content": "I like tea"}},
        )
    )
    assert (transcript.format, transcript.session_id) == ("claude-code", "c-1")
    assert _said(transcript) == ["I like tea", "and coffee"]
    assert [one.why for one in transcript.skipped] == [
        "summary", "tool result", "sub-agent", "meta", "summary", "no message", "copied line",
    ]  # fmt: skip


def test_plain_lines_with_a_key_of_their_own():
    transcript = read_transcript(
        _lines(
            {"session_key": "telegram:1"},
            {"role": "system", "content": "be kind"},
            {"role": "human", "content": "I moved to Oslo", "id": "m1", "timestamp": "2026-01-02T03:04:05+02:00"},
            {"role": "AI", "content": [{"type": "text", "text": "ok"}]},
            {"role": "user", "text": "搬家了"},
        )
    )
    assert (transcript.format, transcript.session_key) == ("plain", "telegram:1")
    assert _said(transcript) == ["I moved to Oslo", "搬家了"]
    assert transcript.messages[0].timestamp.isoformat() == "2026-01-02T03:04:05+02:00"
    assert [(one.line, one.why) for one in transcript.skipped] == [(1, "no message"), (2, "role 'system'")]


@pytest.mark.parametrize(
    "lines",
    [[], ["hello"], ['{"a": 1}'], ["[1, 2]"], ['{"traceSchema": "openclaw-trajectory", "type": "session.started"}']],
)
def test_what_is_no_transcript_is_refused_in_plain_words(lines):
    with pytest.raises(InvalidInputError, match="Not a transcript"):
        read_transcript(lines)


def test_half_of_a_surrogate_pair_can_still_be_stored():
    transcript = read_transcript(['{"role": "user", "content": "tea \\ud83c"}'])
    assert transcript.messages[0].text.encode() == "tea \ufffd".encode()


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.sampled_from(["user", "message", "session", "a", "2026-01-01"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "message", "id", "parentId", "timestamp"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.one_of(_JSON.map(json.dumps), st.text(max_size=20)), max_size=8))
def test_no_file_breaks_the_reader(lines):
    try:
        transcript = read_transcript(lines)
    except InvalidInputError:
        return
    assert all(message.text.strip() for message in transcript.messages)


@needs_data
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("openclaw-v3-tui", "openclaw-v3"),
        ("openclaw-v3-discord", "openclaw-v3"),
        ("openclaw-v3-fixture", "openclaw-v3"),
        ("pi-v1-chat", "pi-v1"),
        ("pi-v1-compaction", "pi-v1"),
        ("claude-code-edge_cases", "claude-code"),
        ("claude-code-representative_messages", "claude-code"),
        ("claude-code-sample-long", "claude-code"),
        ("claude-code-sample_session", "claude-code"),
        ("claude-code-session_b", "claude-code"),
        ("claude-code-todowrite_examples", "claude-code"),
    ],
)
def test_every_real_file_gives_what_the_user_said(name, form):
    lines = (_SESSIONS / f"{name}.jsonl").read_text("utf-8").splitlines()
    transcript = read_transcript(lines)
    assert transcript.format == form
    said = [clean.text for text in _said(transcript) if (clean := sanitise_user_text(text)).text]
    assert said
    for text in said:
        for noise in ("untrusted", "relevant-memories", "tool_result", "HEARTBEAT", "local-command", "message_id:"):
            assert noise not in text


@needs_data
def test_the_repeated_message_and_the_queue_of_real_files():
    tui = read_transcript((_SESSIONS / "openclaw-v3-tui.jsonl").read_text("utf-8").splitlines())
    assert [sanitise_user_text(text).text for text in _said(tui)].count("みどりって呼んで") == 1
    discord = read_transcript((_SESSIONS / "openclaw-v3-discord.jsonl").read_text("utf-8").splitlines())
    assert "先這樣收尾\n\n以後 PR 一律先跑完整測試再請我 review" in [
        sanitise_user_text(text).text for text in _said(discord)
    ]


@needs_data
def test_the_trajectory_is_said_to_be_no_transcript():
    with pytest.raises(InvalidInputError, match="trajectory"):
        read_transcript((_SESSIONS / "openclaw-trajectory-fixture.jsonl").read_text("utf-8").splitlines())
