"""From a turn to the items of the inbox: whose they are, and when two are the same."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tercet.errors import IdentityError, InvalidInputError
from tercet.handover import turn_items, with_ids, without_secrets
from tercet.model import Message, Scope, Turn

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def items(*messages, key="telegram:123", at=NOW, **options):
    return turn_items(Turn(key, messages), "main", at, **options)


def said(text, **fields):
    return Message("user", text, **fields)


def test_only_what_the_user_said_is_handed_on():
    found = items(
        Message("system", "you are kind"),
        said("I moved"),
        Message("assistant", "Where to?"),
        Message("tool", "ok"),
        said(" "),
    )
    assert [(item.text, item.scope, item.session) for item in found] == [
        ("I moved", Scope("main", "telegram:123"), "telegram:123")
    ]
    assert found[0].said_at == NOW


def test_every_form_of_a_key_is_one_place_and_a_thread_a_session_of_its_own():
    long = items(said("x", id="1"), key="agent:main:telegram:direct:123")[0]
    thread = items(said("x", id="1"), key="agent:main:discord:channel:9:thread:7")[0]
    assert long == items(said("x", id="1"))[0]
    assert (thread.scope.anchor, thread.session) == ("discord:channel:9", "discord:channel:9:thread:7")


def test_a_retry_is_the_same_item_and_a_telling_anew_is_another():
    later = NOW + timedelta(days=1)
    first = items(said("tea", id="m1"))[0]
    assert items(said("tea", id="m1"), at=later)[0].id == first.id
    assert items(said("tea", id="m2"))[0].id != first.id
    assert items(said("tea", timestamp=NOW))[0].id == items(said("tea", timestamp=NOW), at=later)[0].id
    assert items(said("tea"))[0].id != items(said("tea"), at=later)[0].id
    assert len({item.id for item in items(said("tea"), said("tea"))}) == 2


def test_two_people_who_say_the_same_are_two():
    keys = ["telegram:1", "telegram:12", "discord:1", "telegram:work:direct:1", "discord:channel:1"]
    assert len({items(said("tea", id="m"), key=key)[0].id for key in keys}) == len(keys)


def test_lines_of_a_file_without_ids_are_the_same_again():
    lines = [said("tea"), said("tea"), said("milk", id="own")]
    once = with_ids(lines)
    assert once == with_ids(lines)
    assert len({message.id for message in once}) == 3
    assert once[2].id == "own"
    assert with_ids([said("coffee")])[0].id != once[0].id


@pytest.mark.parametrize("key", ["", "agent:main", "agent:other:main", "telegram", "telegram:undefined"])
def test_a_malformed_key_is_refused(key):
    with pytest.raises(IdentityError):
        items(said("x"), key=key)


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(InvalidInputError, match="zone"):
        items(replace(said("x"), timestamp=NOW.replace(tzinfo=None)))


def test_what_may_lie_on_a_disk_is_the_users_alone_and_without_secrets():
    turn = Turn(
        "telegram:1",
        (
            Message("tool", "TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
            said("my password is Tr0ub4dor&3xyz, keep it", id="m1", timestamp=NOW),
            Message("assistant", "Noted: Tr0ub4dor&3xyz"),
            said(" "),
        ),
    )
    safe = without_secrets(turn)
    assert safe.messages == (said("my password is [redacted: password], keep it", id="m1", timestamp=NOW),)
    assert without_secrets(safe) == safe
