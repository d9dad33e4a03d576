"""Which layers a home uses, what enabling and disabling does, and how broken plug-ins are listed."""

from __future__ import annotations

import importlib.metadata
import json
import stat
import sys

import pytest

from tercet.adapters.files.atomic_write import write_atomically
from tercet.errors import ConfigurationError, InvalidInputError, NotFoundError
from tercet.plugins import chosen_layers, disable, discovery, enable, inspect, list_plugins

BUILT_IN = {"memory-lancedb": "semantic", "memory-wiki": "wiki", "active-memory": "active"}


class Site:
    """A folder of installed distributions."""

    def __init__(self, path):
        self.path = path

    def distribution(self, name, **groups):
        info = self.path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        lines = [
            f"[tercet.{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in groups.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")

    def package(self, name, code="raise RuntimeError('imported')\n", **manifest):
        folder = self.path / name
        folder.mkdir()
        (folder / "__init__.py").write_text(code, encoding="utf-8")
        if manifest:
            document = {"kind": "memory", "name": name, "description": f"What {name} is.", "configSchema": {}}
            (folder / "openclaw.plugin.json").write_text(json.dumps({**document, **manifest}), encoding="utf-8")

    def layer(self, identifier, slot="wiki", **manifest):
        package = f"layer_{identifier}"
        self.package(package, **{"id": identifier, "layer": slot, **manifest})
        self.distribution(f"tercet-{identifier}", backends={identifier: f"{package}:create"})


@pytest.fixture
def site(tmp_path, monkeypatch):
    site = Site(tmp_path / "site")
    site.path.mkdir()
    site.distribution(
        "tercet", backends={name: f"tercet.layers.{slot}.layer:create" for name, slot in BUILT_IN.items()}
    )
    monkeypatch.syspath_prepend(str(site.path))

    def entry_points(group):
        found = sorted(importlib.metadata.distributions(path=[str(site.path)]), key=lambda each: each.name)
        return [point for each in found for point in each.entry_points if point.group == group]

    monkeypatch.setattr(discovery, "entry_points", entry_points)
    yield site
    assert [name for name in sys.modules if name.startswith("layer_")] == [], "something was imported"


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "home"
    path.mkdir()
    return path


def filled(home):
    return {each.slot: each.plugin.id for each in chosen_layers(home)}


def states(home):
    return {each.id: each.state for each in list_plugins(home)}


def turn(change, home, name):
    done = change(home, name, write_atomically)
    return done.slot, done.before, done.after


def test_the_built_in_layers_fill_their_slots_by_default(site, home):
    site.layer("jotter")
    assert filled(home) == {"semantic": "memory-lancedb", "wiki": "memory-wiki", "active": "active-memory"}
    assert states(home)["jotter"] == "disabled"
    assert not (home / "plugins.json").exists()


def test_an_enabled_layer_takes_the_slot_and_gives_it_back(site, home):
    site.layer("jotter")
    assert turn(enable, home, "jotter") == ("wiki", "memory-wiki", "jotter")
    assert filled(home)["wiki"] == "jotter"
    assert (states(home)["jotter"], states(home)["memory-wiki"]) == ("enabled", "replaced")
    assert turn(disable, home, "jotter") == ("wiki", "jotter", "memory-wiki")
    assert filled(home)["wiki"] == "memory-wiki"


def test_of_two_layers_for_one_slot_the_last_enabled_fills_it(site, home):
    site.layer("jotter")
    site.layer("scribe")
    enable(home, "jotter", write_atomically)
    assert turn(enable, home, "scribe") == ("wiki", "jotter", "scribe")
    assert (states(home)["jotter"], states(home)["scribe"]) == ("disabled", "enabled")
    assert turn(disable, home, "jotter") == ("wiki", "scribe", "scribe")
    assert turn(enable, home, "memory-wiki") == ("wiki", "scribe", "memory-wiki")
    assert states(home)["scribe"] == "disabled"


def test_a_disabled_layer_is_gone_and_its_slot_empty(site, home):
    assert turn(disable, home, "memory-wiki") == ("wiki", "memory-wiki", None)
    assert set(filled(home)) == {"semantic", "active"}
    for name in ("memory-lancedb", "active-memory"):
        disable(home, name, write_atomically)
    assert chosen_layers(home) == []
    assert set(states(home).values()) == {"disabled"}
    assert turn(enable, home, "memory-wiki") == ("wiki", None, "memory-wiki")
    assert filled(home) == {"wiki": "memory-wiki"}


def test_a_built_in_layer_that_was_off_stays_off_when_its_stand_in_goes(site, home):
    site.layer("jotter")
    disable(home, "memory-wiki", write_atomically)
    assert turn(enable, home, "jotter") == ("wiki", None, "jotter")
    assert turn(disable, home, "jotter") == ("wiki", "jotter", None)


def test_the_choice_is_kept_for_its_owner_alone(site, home):
    disable(home, "memory-wiki", write_atomically)
    assert stat.S_IMODE((home / "plugins.json").stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == ["plugins.json"]


def test_an_id_that_nothing_has_names_what_there_is(site, home):
    for ask in (lambda: turn(enable, home, "jottr"), lambda: turn(disable, home, "jottr"), lambda: inspect(home, "x")):
        with pytest.raises(NotFoundError, match="active-memory, memory-lancedb, memory-wiki"):
            ask()


def test_only_layers_are_enabled(site, home):
    site.distribution("tercet-vec", embedders={"vec": "vec:create"}, rerankers={"vec": "vec:order"})
    with pytest.raises(InvalidInputError, match="'vec' is a plug-in of kind embedder and reranker"):
        enable(home, "vec", write_atomically)
    assert [each.kind for each in inspect(home, "vec")] == ["embedder", "reranker"]


@pytest.mark.parametrize("manifest", [{"kind": "channel"}, {"layer": "attic"}, {"configSchema": {"type": "thing"}}])
def test_a_broken_layer_is_listed_with_its_distribution_and_not_enabled(site, home, manifest):
    site.layer("jotter", **manifest)
    assert "jotter" in states(home)
    assert "tercet-jotter 1.0" in inspect(home, "jotter")[0].fault
    with pytest.raises(ConfigurationError, match=r"'jotter' of tercet-jotter 1\.0 cannot be used"):
        enable(home, "jotter", write_atomically)
    assert filled(home)["wiki"] == "memory-wiki"


def test_two_distributions_of_one_id_are_both_refused_and_named(site, home):
    site.layer("jotter")
    site.package("layer_again", id="jotter", layer="wiki")
    site.distribution("other-jotter", backends={"jotter": "layer_again:create"})
    assert [each.fault for each in list_plugins(home) if each.id == "jotter"] == [
        "Both other-jotter 1.0 and tercet-jotter 1.0 register 'jotter' in tercet.backends: uninstall one of them."
    ] * 2
    with pytest.raises(ConfigurationError, match=r"other-jotter 1\.0 and tercet-jotter 1\.0"):
        enable(home, "jotter", write_atomically)


def test_nobody_takes_the_id_of_a_built_in_layer(site, home):
    site.package("layer_thief", id="memory-wiki", layer="wiki")
    site.distribution("a-thief", backends={"memory-wiki": "layer_thief:create"})
    (wiki,) = [each.plugin for each in chosen_layers(home) if each.slot == "wiki"]
    assert (wiki.built_in, wiki.fault) == (True, "")
    (thief,) = [each for each in list_plugins(home) if each.id == "memory-wiki" and not each.built_in]
    assert "a-thief 1.0" in thief.fault
    assert thief.state == "disabled"


def test_a_chosen_layer_that_breaks_later_keeps_its_slot_and_says_why(site, home):
    """The built-in layer would answer from other notes than the user chose."""
    site.layer("jotter")
    enable(home, "jotter", write_atomically)
    (site.path / "layer_jotter" / "openclaw.plugin.json").write_text("{", encoding="utf-8")
    (wiki,) = [each.plugin for each in chosen_layers(home) if each.slot == "wiki"]
    assert wiki.id == "jotter"
    assert "tercet-jotter 1.0" in wiki.fault
    assert states(home)["jotter"] == "enabled"
    assert turn(disable, home, "jotter") == ("wiki", "jotter", "memory-wiki")


def test_a_chosen_layer_that_was_uninstalled_is_said_and_can_be_disabled(site, home):
    (home / "plugins.json").write_text('{"format": 1, "slots": {"wiki": "gone"}}', encoding="utf-8")
    (wiki,) = [each.plugin for each in chosen_layers(home) if each.slot == "wiki"]
    assert "it is not installed" in wiki.fault
    assert "tercet plugins disable gone" in wiki.fault
    assert [(each.id, each.state) for each in list_plugins(home) if each.point is None] == [("gone", "enabled")]
    assert turn(disable, home, "gone") == ("wiki", "gone", "memory-wiki")


def test_a_chosen_layer_that_moved_to_another_slot_is_not_used_unasked(site, home):
    site.layer("jotter", slot="active")
    (home / "plugins.json").write_text('{"format": 1, "slots": {"wiki": "jotter"}}', encoding="utf-8")
    assert [each.plugin.fault != "" for each in chosen_layers(home)] == [False, True, False]
    assert "no longer stands for the wiki layer" in inspect(home, "jotter")[0].fault


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"format": 2}', '{"format": 1, "slots": {"attic": "x"}}', '{"format": 1, "disabled": "x"}'],
)
def test_choices_that_cannot_be_read_are_named_and_left_alone(site, home, text):
    file = home / "plugins.json"
    file.write_text(text, encoding="utf-8")
    for ask in (chosen_layers, list_plugins, lambda home: disable(home, "memory-wiki", write_atomically)):
        with pytest.raises(ConfigurationError, match=r"plugins\.json cannot be read"):
            ask(home)
    assert file.read_text(encoding="utf-8") == text
