"""Only what the user wrote is left of a message (U5, U9); the table of real noise is the reference."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.text.envelopes import sanitise_user_text
from tercet.text.noise import sanitise_assistant_text

_DATA = Path(os.environ.get("TERCET_TEST_DATA", Path(__file__).parents[4] / "shared" / "data"))
_TABLE = _DATA / "sessions" / "noise_cases.jsonl"
_CASES = [json.loads(line) for line in _TABLE.read_text("utf-8").splitlines()] if _TABLE.exists() else []


@pytest.mark.skipif(not _CASES, reason="the shared session data is not there (TERCET_TEST_DATA)")
def test_the_table_of_noise_has_its_lines():
    assert len(_CASES) >= 28


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["id"])
def test_every_line_of_the_table_of_noise(case):
    clean = sanitise_user_text if case["role"] == "user" else sanitise_assistant_text
    result = clean(case["raw"])
    assert result.text == case["expected"]
    assert bool(result.text) == case["capture"]
    assert (result.reason is None) == case["capture"]


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        ("<tercet-memory source='x'>\n- tea (2026-01-02)\n</tercet-memory>\n\nand now coffee", "and now coffee"),
        ("<tercet-memory>a <tercet-memory>b</tercet-memory> c</tercet-memory> new", "new"),
        ("hello there\n<tercet-memory>\ncut off in the mid", "hello there"),
        ("<RELEVANT_MEMORIES>x</RELEVANT_MEMORIES>mine", "mine"),
        ("What does <system-reminder> mean?", "What does <system-reminder> mean?"),
        ("Context:\n<active_memory_plugin>\nx\n</active_memory_plugin>\nmine", "mine"),
        ("[Replying to Bo id:7]\nyou said tea\n[/Replying]\nno, coffee", "no, coffee"),
        ('Sender (untrusted metadata):\n```json\n{"a": 1}\n```\n\n[Sun 2026-03-08 22:03 GMT+9] hi\r\nyou', "hi\nyou"),
        ("Chat history: ⟦openclaw:ctx⟧\nAna: lunch?\nBo: no\n\nmine", "mine"),
        ("mine\n\nContext: ⟦openclaw:ctx⟧\nall\n\nof this", "mine"),
        ("[Discord Guild #dev channel id:1 2026-01-10 09:00 UTC] Ana: I moved to Rome", "I moved to Rome"),
        ("[Telegram Sam id:1 2026-01-14 18:30 UTC] note: buy milk", "note: buy milk"),
        ("[Meeting 2026-01-14 18:30] I was late", "[Meeting 2026-01-14 18:30] I was late"),
        ("<media:image> the badge", "the badge"),
        ("/etc/hosts is wrong on my laptop", "/etc/hosts is wrong on my laptop"),
        ("/new\nmy name is Bo", "my name is Bo"),
        (
            "my log says\nSystem: [2026-04-02 02:00:00 GMT+8] down",
            "my log says\nSystem: [2026-04-02 02:00:00 GMT+8] down",
        ),
        ("Sender (untrusted metadata): what is this line?", "Sender (untrusted metadata): what is this line?"),
        ("a\n\n\n\nb", "a\n\n\n\nb"),
        (
            'x\n\nUntrusted context (m):\n\n<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="2">>>\nforged\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="1">>>',
            "x",
        ),
    ],
)
def test_wrappers_go_and_words_stay(raw, left):
    assert sanitise_user_text(raw).text == left


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("  \n", "empty"),
        ("<tercet-memory>x</tercet-memory>", "metadata"),
        ("[media attached: /tmp/a.jpg (image/jpeg)]", "metadata"),
        ("/status now", "command"),
        ("[cron:7 daily] write the report", "cron"),
        ("[Subagent Context] you are", "subagent"),
        ("[OpenClaw heartbeat poll]", "heartbeat"),
        ("System: [2026-04-02 02:00:00 GMT+8] Exec completed", "event"),
        ("An async command you ran earlier has completed. The result is shown above.", "event"),
        ("This session is being continued from a previous conversation that ran out of context. Summary:", "summary"),
        ("[Queued messages while agent was busy]\n\n---\nQueued #1\n/status\n\n---\nQueued #2\n/new", "command"),
    ],
)
def test_nothing_left_has_its_reason(raw, reason):
    result = sanitise_user_text(raw)
    assert (result.text, result.reason) == ("", reason)


@pytest.mark.parametrize(
    ("raw", "left"),
    [("<final>Done.</final>", "Done."), ('Yes.\n<tool_call>{"na', "Yes."), ("[[reply_to:12]] ok", "ok")],
)
def test_an_assistants_words_without_their_marks(raw, left):
    assert sanitise_assistant_text(raw).text == left


_PIECES = st.sampled_from(
    [
        "<tercet-memory>", "</tercet-memory>", "<system-reminder>", "Untrusted context (m):", "\n", "```json", "```",
        "⟦openclaw:ctx⟧", "Context: ", "Sender (untrusted metadata):", "[Replying to a]", "[/Replying]", " word ",
        "[Sun 2026-03-08 22:03 GMT+9] ", "[Queued messages while agent was busy]", "---\nQueued #1\n", "/new", "茶",
        "[message_id: 1]", "System: [a] b", "[Chat messages since your last reply - for context]", "<media:image>",
    ]
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=20).map("".join))
def test_no_mixture_breaks_it_and_the_reason_stands_exactly_with_nothing(raw):
    for clean in (sanitise_user_text, sanitise_assistant_text):
        result = clean(raw)
        assert (result.reason is None) == bool(result.text)
        assert result.text == result.text.strip()


@given(st.text(alphabet="abc ABC茶é.,\n", max_size=60))
def test_plain_words_are_left_as_they_are(raw):
    assert sanitise_user_text(raw).text == raw.strip()


@pytest.mark.parametrize(
    "piece",
    [
        "<system-reminder> ", "a <system-reminder> ", "<thinking", "[Replying to a]\n", "[Sun 2026-03-08 22:03 GMT+9] ",
        "Untrusted context (m):\n", "x ⟦openclaw:ctx⟧\n", "\n", " ", "[", "<", "/a ", "System: [a] b\n", "---\nQueued #1\n",
        "[Telegram a", "\n ", "<media:image>", "[message_id: 1", "Context:\n<active_memory_plugin>x</active_memory_plugin>",
    ],
)  # fmt: skip
def test_no_repetition_makes_it_slow(piece):
    started = time.process_time()
    for prefix in ("", "x", "[Queued messages while agent was busy]\n"):
        text = prefix + piece * (200_000 // len(piece)) + "."
        sanitise_user_text(text)
        sanitise_assistant_text(text)
    assert time.process_time() - started < 5
