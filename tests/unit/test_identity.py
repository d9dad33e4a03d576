"""Agent ids are taken as they are or refused: two spellings never share a memory (S1, S2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import IdentityError
from tercet.identity import checked_agent, owner_reach


@pytest.mark.parametrize("agent", ["main", "a", "x-1_y", "0", "a" * 64])
def test_well_formed_ids_pass_unchanged(agent):
    assert checked_agent(agent) == agent


@pytest.mark.parametrize("agent", ["", "Main", "a b", "a/b", "../x", "a" * 65, "main\n", "ä", "agent:main", "\u0430"])
def test_everything_else_is_refused_with_the_value(agent):
    with pytest.raises(IdentityError, match="Agent id"):
        owner_reach(agent)


@given(st.text(max_size=70))
def test_what_passes_is_safe_as_a_file_name(agent):
    try:
        checked_agent(agent)
    except IdentityError:
        return
    assert set(agent) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")


def test_the_owner_sees_the_shared_and_its_own_main_anchor_only():
    reach = owner_reach("ada")
    assert (reach.agent, reach.anchors) == ("ada", ("", "agent:ada:main"))
