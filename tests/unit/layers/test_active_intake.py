"""What of a turn goes into a window."""

from datetime import UTC, datetime

import pytest

from tercet.errors import IdentityError
from tercet.layers.active.intake import session_of, window_turn
from tercet.model import Message, Scope, Turn
from tercet.ports.windows import Session
from tercet.text.token_count import token_count

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def taken(*messages: Message, key: str = "telegram:1", received_at: datetime = AT) -> list[tuple[str, str, bool]]:
    turn = window_turn(Turn(key, messages), "main", received_at)
    return [(each.role, each.text, each.begins_turn) for each in turn.messages]


def test_both_sides_are_kept_and_tool_calls_only_counted() -> None:
    said = (Message("user", "where is it?"), Message("tool", "a long listing"), Message("assistant", "In the attic."))
    assert taken(*said) == [("user", "where is it?", True), ("tool", "", False), ("assistant", "In the attic.", False)]
    tokens = [each.tokens for each in window_turn(Turn("telegram:1", said), "main", AT).messages]
    assert tokens == [token_count("where is it?"), 0, token_count("In the attic.")]


def test_messages_that_are_answered_together_are_one_turn() -> None:
    said = [Message("user", "one"), Message("user", "two"), Message("assistant", "ok"), Message("user", "three")]
    assert [begins for _, _, begins in taken(*said)] == [True, False, False, True]


def test_what_no_person_said_is_left_out() -> None:
    """U5: neither what a memory recalled nor what a host or tool wrote comes back as the user's."""
    recalled = "<relevant-memories>\nuser is allergic to nuts\n</relevant-memories>\nwhat can I eat?"
    assert taken(Message("user", recalled)) == [("user", "what can I eat?", True)]
    assert taken(Message("user", "/new"), Message("system", "be kind")) == []
    thought = "<thinking>they seem sad</thinking>Here you are."
    assert taken(Message("assistant", thought)) == [("assistant", "Here you are.", False)]


def test_a_heartbeat_and_its_tool_calls_count_for_nothing() -> None:
    beat = Message("user", "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.")
    assert taken(beat, Message("tool", "x"), Message("assistant", "HEARTBEAT_OK")) == []
    told = [role for role, _, _ in taken(beat, Message("tool", "x"), Message("user", "hi"), Message("tool", "y"))]
    assert told == ["user", "tool"]


def test_secrets_are_blacked_out_before_anything_is_stored() -> None:
    key = "sk-proj-" + "a1B2" * 12
    for role in ("user", "assistant"):
        ((_, text, _),) = taken(Message(role, f"the key is {key}"))
        assert key not in text
        assert "redacted" in text


def test_a_key_depends_on_the_session_and_the_messages_own_id_or_time() -> None:
    def keys(message: Message, key: str = "telegram:1", received_at: datetime = AT) -> list[str]:
        return [each.key for each in window_turn(Turn(key, (message,)), "main", received_at).messages]

    later = AT.replace(hour=10)
    named, timed, bare = Message("user", "hi", "m1"), Message("user", "hi", timestamp=AT), Message("user", "hi")
    assert keys(named) == keys(named, received_at=later) != keys(named, "telegram:12")
    assert keys(timed) == keys(timed, received_at=later) != keys(Message("user", "ho", timestamp=AT))
    assert keys(bare) == keys(bare) != keys(bare, received_at=later)
    assert keys(named) != keys(named, "agent:main:telegram:group:1:thread:7")


def test_a_thread_is_a_session_of_its_own_in_its_parents_scope() -> None:
    session = session_of("agent:main:telegram:group:-5:topic:7", "main")
    assert session == Session(Scope("main", "telegram:group:-5"), "telegram:group:-5:thread:7")


def test_a_malformed_key_is_refused() -> None:
    with pytest.raises(IdentityError):
        taken(Message("user", "hi"), key="no key")
