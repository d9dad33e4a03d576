"""Entry points: named without importing, the chosen one loaded, two owners of a name refused."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from tercet import plugins
from tercet.errors import ConfigurationError
from tercet.plugins import discovery


def point(name, value):
    return EntryPoint(name, value, "tercet.embedders")


@pytest.fixture
def registered(monkeypatch):
    points = []
    monkeypatch.setattr(discovery, "entry_points", lambda group: points)
    return points


def test_the_built_ins_use_the_same_route():
    assert {"builtin", "ollama", "openai"} <= set(plugins.installed("tercet.embedders"))
    assert "lancedb" in plugins.installed("tercet.engines")


def test_listing_imports_nothing_and_loading_only_the_chosen_one(registered):
    registered += [point("good", "colorsys:rgb_to_hsv"), point("broken", "no.such.module:create")]
    sys.modules.pop("colorsys", None)
    assert set(plugins.installed("tercet.embedders")) == {"good", "broken"}
    assert "colorsys" not in sys.modules
    assert plugins.load("tercet.embedders", "good")(0, 0, 0) == (0.0, 0.0, 0)


def test_an_unknown_name_lists_what_there_is(registered):
    registered.append(point("good", "colorsys:rgb_to_hsv"))
    with pytest.raises(ConfigurationError, match="There is no embedder 'bad': use one of good, none"):
        plugins.load("tercet.embedders", "bad")


@pytest.mark.parametrize("value", ["no.such.module:create", "colorsys:nothing_of_that_name"])
def test_what_cannot_be_loaded_is_a_plain_error(registered, value):
    registered.append(point("broken", value))
    with pytest.raises(ConfigurationError, match=r"'broken' of .* cannot be loaded"):
        plugins.load("tercet.embedders", "broken")


def test_two_owners_of_one_name_are_refused_and_one_seen_twice_is_not(registered):
    registered += [point("same", "colorsys:rgb_to_hsv")] * 2
    assert set(plugins.installed("tercet.embedders")) == {"same"}
    registered.append(point("same", "colorsys:hsv_to_rgb"))
    for refused in (lambda: plugins.installed("tercet.embedders"), lambda: plugins.load("tercet.embedders", "same")):
        with pytest.raises(ConfigurationError, match="register 'same'"):
            refused()


def test_two_owners_of_one_name_leave_the_other_names_alone(registered):
    registered += [point("same", "colorsys:rgb_to_hsv"), point("same", "colorsys:hsv_to_rgb")]
    registered.append(point("good", "colorsys:rgb_to_hls"))
    assert plugins.load("tercet.embedders", "good")(0, 0, 0) == (0.0, 0.0, 0.0)
