"""What is looked up in memory and what cannot need it (R34)."""

import pytest

from tercet.recall.gate import skip_reason

SKIPPED = [
    ("hi", "greeting"),
    ("Hello!", "greeting"),
    ("hello, good morning :)", "greeting"),
    ("Thanks a lot!!", "greeting"),
    ("ok, thanks", "greeting"),
    ("Great, thank you 🙏", "greeting"),
    ("你好", "greeting"),
    ("早上好！", "greeting"),
    ("好的，谢谢", "greeting"),
    ("👍", "greeting"),
    ("...", "greeting"),
    ("", "blank"),
    (" \n\t", "blank"),
    ("/status", "command"),
    ("/model opus", "command"),
    ("[OpenClaw heartbeat poll]", "heartbeat"),
    ("Read HEARTBEAT.md if it exists and follow it.", "heartbeat"),
    ("[cron:12ab backup] run the backup", "heartbeat"),
]

ASKED = [
    "find my passport number",
    "git branch policy we agreed on",
    "2026",
    "make a packing list",
    "cat",
    "hi, when is my dentist appointment",
    "hello? where did we park",
    "thanks, and what was the code again",
    "ok so which flat did we choose",
    "ls",
    "docker",
    "/etc/hosts entry for the NAS",
    "good restaurants we liked",
    "morning run route",
    "what did I say yesterday?",
    "你好，我的护照号码是多少",
    "好的那家餐厅叫什么",
    "妈妈的生日",
    "谢谢，另外上次那个密码是什么",
    "ok?",
    "nice places in Ghent",
]


@pytest.mark.parametrize(("message", "reason"), SKIPPED)
def test_only_what_cannot_need_memory_is_skipped(message, reason):
    assert skip_reason(message) == reason


@pytest.mark.parametrize("message", ASKED)
def test_a_question_is_never_skipped_whatever_it_begins_with(message):
    assert skip_reason(message) is None
