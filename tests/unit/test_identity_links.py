"""What a session may see: itself, what is linked with it, the shared; a group only itself (S4, S5, S6, S8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import IdentityError
from tercet.identity import checked_links, encode_scope, reach_for
from tercet.model import Scope

LINKS = {"owner": ("discord:u_456", "telegram:123"), "bea": ("telegram:9", "agent:main:slack:direct:B1")}


def test_linked_platforms_see_one_another_from_either_side():
    assert reach_for("main", "agent:main:telegram:direct:123", LINKS).anchors == ("", "telegram:123", "discord:u_456")
    assert reach_for("main", "discord:u_456", LINKS).anchors == ("", "discord:u_456", "telegram:123")


def test_a_link_may_be_written_in_the_long_form():
    assert reach_for("main", "telegram:9", LINKS).anchors == ("", "telegram:9", "slack:b1")


def test_without_the_link_they_are_parted():
    assert reach_for("main", "telegram:123", {}).anchors == ("", "telegram:123")


def test_a_group_sees_itself_alone_and_the_shared_only_when_allowed():
    assert reach_for("main", "telegram:group:-100", LINKS).anchors == ("telegram:group:-100",)
    assert reach_for("main", "telegram:group:-100", LINKS, shared_in_groups=True).anchors == ("", "telegram:group:-100")


def test_no_session_is_the_owners_main_one_with_its_links():
    assert reach_for("main", None, LINKS).anchors == ("", "agent:main:main")
    with_main = {"me": ("agent:main:main", "telegram:123")}
    assert reach_for("main", None, with_main).anchors == ("", "agent:main:main", "telegram:123")


def test_one_id_that_begins_like_another_is_another():
    assert reach_for("main", "telegram:12", LINKS).anchors == ("", "telegram:12")


@pytest.mark.parametrize("member", ["discord:channel:9", "telegram:-100", "cron:1", "hook:2", "agent:ada:main", ""])
def test_a_link_never_joins_what_is_no_person_of_this_agent(member):
    with pytest.raises(IdentityError):
        checked_links("main", {"x": ("telegram:1", member)})


def test_one_anchor_under_two_names_is_refused():
    with pytest.raises(IdentityError, match="unlink one"):
        reach_for("main", "telegram:5", {"a": ("telegram:1",), "b": ("telegram:direct:1",)})


_SCOPE = st.builds(Scope, st.text("ab_-0", min_size=1, max_size=3), st.text("ab:_-", max_size=4))


@given(_SCOPE, _SCOPE)
def test_two_scopes_never_have_one_name(one, other):
    assert (encode_scope(one) == encode_scope(other)) == (one == other)
