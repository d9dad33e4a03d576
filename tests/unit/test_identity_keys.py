"""Session keys in every form lead to one anchor, and never two identities to the same (S1, S2, S4, S5, S8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import IdentityError
from tercet.identity import SessionKey, parse_session_key


@pytest.mark.parametrize(
    ("key", "anchor"),
    [
        ("telegram:123", "telegram:123"),
        ("Telegram:123", "telegram:123"),
        ("telegram:direct:123", "telegram:123"),
        ("telegram:dm:123", "telegram:123"),
        ("agent:main:telegram:direct:123", "telegram:123"),
        ("AGENT:Main:Telegram:DM:123", "telegram:123"),
        ("agent:main:telegram:123", "telegram:123"),
        ("discord:u_456", "discord:u_456"),
        ("agent:main:telegram:work:direct:123", "telegram:work:direct:123"),
        ("telegram:work:direct:123", "telegram:work:direct:123"),
        ("agent:main:direct:123", "direct:123"),
        ("agent:main:main", "agent:main:main"),
        ("main", "agent:main:main"),
        ("agent:main:main:thread:7", "agent:main:main"),
        ("agent:main:test", "agent:main:test"),
        ("agent:main:discord:channel:9", "discord:channel:9"),
        ("discord:channel:9:thread:4", "discord:channel:9"),
        ("agent:main:telegram:group:-100:topic:5", "telegram:group:-100"),
        ("agent:main:slack:t1:channel:C9", "slack:t1:channel:c9"),
        ("telegram:-100", "telegram:group:-100"),
        ("whatsapp:1@g.us", "whatsapp:group:1@g.us"),
        ("agent:main:cron:job-1", "cron:job-1"),
        ("cron:job-1:run:77", "cron:job-1"),
        ("hook:AB-12", "hook:ab-12"),
        ("agent:main:subagent:5", "subagent:5"),
        ("matrix:@Bob:Example.org", "matrix:@bob:example.org"),
        ("agent:main:matrix:direct:@bob:example.org", "matrix:@bob:example.org"),
        ("agent:main:matrix:channel:!AbC:Example.org", "matrix:channel:!AbC:Example.org"),
        ("matrix:!AbC:Example.org", "matrix:channel:!AbC:Example.org"),
        ("signal:group:aBc+/d==", "signal:group:aBc+/d=="),
        ("signal:AB", "signal:ab"),
    ],
)
def test_every_form_leads_to_its_anchor(key, anchor):
    assert parse_session_key(key, "main").anchor == anchor


@pytest.mark.parametrize(
    "key",
    [
        "",
        " ",
        "telegram",
        "telegram:",
        ":123",
        "telegram::123",
        "telegram:123 ",
        " telegram:123",
        "telegram:12\n",
        "telegram:１２３",
        "t\u0435legram:123",
        "telegram:undefined",
        "telegram:null",
        "discord:channel:None",
        "agent",
        "agent:",
        "agent:main",
        "agent:main:",
        "agent::main",
        "agent:main:telegram:direct",
        "agent:main:direct",
        "agent:main:telegram:work:direct",
        "agent:main:cron",
        "agent:main:group:5",
        "agent:main:main:x",
        "agent:main:main:thread",
        "agent:main:agent:thread",
        "agent:main:agent:main:x",
        "agent:undefined:main",
        "x" * 300 + ":" + "y" * 300,
    ],
)
def test_malformed_keys_are_refused_with_the_mend(key):
    with pytest.raises(IdentityError, match="Session key") as caught:
        parse_session_key(key, "main")
    assert "\n" not in str(caught.value)


def test_a_key_of_another_agent_is_refused():
    with pytest.raises(IdentityError, match="'ada'"):
        parse_session_key("agent:ada:telegram:direct:123", "main")


@pytest.mark.parametrize("key", ["telegram:-5", "whatsapp:direct:9@g.us", "matrix:direct:!r:x", "discord:room:1"])
def test_a_place_where_others_read_along_is_a_group_in_whatever_form_it_comes(key):
    assert parse_session_key(key, "main").is_group


_PART = st.one_of(
    st.sampled_from(["direct", "dm", "group", "channel", "room", "thread", "topic", "run", "main", "agent", "cron"]),
    st.text("abAB01-_@!.%/", min_size=1, max_size=4),
)
_KEY = st.lists(_PART, min_size=1, max_size=7).map(":".join)


def _identity(key: SessionKey) -> tuple[str, ...]:
    return (key.agent, key.kind, key.channel, key.account, key.peer)


@given(_KEY, st.booleans())
def test_an_anchor_read_again_is_the_same_identity(raw, long):
    try:
        key = parse_session_key(f"agent:main:{raw}" if long else raw, "main")
    except IdentityError:
        return
    again = parse_session_key(key.anchor, "main")
    assert _identity(again) == _identity(key)
    assert again.anchor == key.anchor


@given(st.lists(_KEY, min_size=2, max_size=12), st.sampled_from(["", "agent:main:"]))
def test_different_identities_never_share_an_anchor(raws, prefix):
    seen: dict[str, tuple[str, ...]] = {}
    for raw in raws:
        try:
            key = parse_session_key(prefix + raw, "main")
        except IdentityError:
            continue
        assert seen.setdefault(key.anchor, _identity(key)) == _identity(key)


@given(
    st.text("aB:!@-", max_size=12), st.text("aB:!@-", min_size=1, max_size=12), st.sampled_from(["group", "channel"])
)
def test_a_group_never_has_a_persons_anchor(channel, peer, kind):
    try:
        person = parse_session_key(f"{channel}:direct:{peer}", "main")
        group = parse_session_key(f"{channel}:{kind}:{peer}", "main")
    except IdentityError:
        return
    assert person.is_group or person.anchor != group.anchor
