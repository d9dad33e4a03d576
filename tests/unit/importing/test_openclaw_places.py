"""Where OpenClaw's settings put the memories of an agent."""

import pytest

from tercet.importing.openclaw_places import OpenClawPlaces, places_of

SETTINGS = {
    "agents": {"defaults": {"workspace": "~/ws"}, "entries": {"Work": {"workspace": "/srv/ws"}, "bare": {}}},
    "plugins": {"entries": {"memory-lancedb": {"config": {"dbPath": "${STORE}/old"}}}},
}


@pytest.mark.parametrize(("agent", "workspace"), [("main", "~/ws"), ("work", "/srv/ws"), ("bare", ""), ("other", "")])
def test_only_the_main_agent_has_the_default_workspace(agent, workspace):
    assert places_of(SETTINGS, agent, {"STORE": "/s"}) == OpenClawPlaces(workspace, "/s/old")


def test_older_settings_list_their_agents():
    listed = {"agents": {"list": [{"id": "Work", "workspace": "/ws"}]}}
    assert places_of(listed, "work", {}).workspace == "/ws"


def test_an_unknown_variable_stays_as_it_is():
    assert places_of(SETTINGS, "main", {}).table == "${STORE}/old"


@pytest.mark.parametrize("settings", [None, [], "x", {"agents": 7}, {"agents": {"defaults": {"workspace": 7}}}])
def test_settings_of_another_shape_say_nothing(settings):
    assert places_of(settings, "main", {}) == OpenClawPlaces("", "")
