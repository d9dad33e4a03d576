"""``tercet plugins``: what is installed, what is chosen, and that a broken plug-in breaks no command."""

from __future__ import annotations

import importlib.metadata
import json

import pytest
from click.testing import CliRunner

from tercet.errors import ConfigurationError, NotFoundError
from tercet.interfaces.cli.plugins import command
from tercet.plugins import discovery


def install(site, distribution, identifier, package, manifest):
    info = site / f"{distribution}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[tercet.backends]\n{identifier} = {package}:create\n", encoding="utf-8")
    if manifest is not None:
        (site / package).mkdir()
        (site / package / "__init__.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
        (site / package / "openclaw.plugin.json").write_text(manifest, encoding="utf-8")


def manifest(identifier, **changes):
    document = {"id": identifier, "kind": "memory", "layer": "wiki", "name": identifier.title()}
    return json.dumps({**document, "description": "Notes.", "configSchema": {}, **changes})


@pytest.fixture
def plugins(tmp_path, home, monkeypatch):
    """The command over one built-in layer, a good one and two broken ones."""
    site = tmp_path / "site"
    install(site, "tercet", "memory-wiki", "tercet.layers.wiki", None)
    install(site, "good-jotter", "jotter", "jotter_pkg", manifest("jotter", description="Line\x1b[31m\none"))
    install(site, "bad-scribe", "scribe", "scribe_pkg", "{")
    install(site, "bad-ghost", "ghost", "no_such_pkg", None)
    monkeypatch.syspath_prepend(str(site))

    def entry_points(group):
        found = sorted(importlib.metadata.distributions(path=[str(site)]), key=lambda each: each.name)
        return [point for each in found for point in each.entry_points if point.group == group]

    monkeypatch.setattr(discovery, "entry_points", entry_points)

    def run(*arguments):
        ran = CliRunner().invoke(command, [*arguments, "--home", str(home)])
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            raise ran.exception
        return ran

    return run


def test_the_list_shows_every_plugin_and_what_is_wrong_with_it(plugins):
    ran = plugins("list")
    assert ran.exit_code == 0
    assert {line.split()[0] for line in ran.stdout.splitlines()} == {"memory-wiki", "jotter", "scribe", "ghost"}
    assert "memory-wiki  layer wiki      enabled    tercet 1.0" in ran.stdout
    faults = ran.stderr.splitlines()
    assert [("bad-scribe 1.0" in line, "bad-ghost 1.0" in line) for line in faults] == [(False, True), (True, False)]


def test_the_list_as_json_holds_faults_as_values(plugins):
    listed = {each["id"]: each for each in json.loads(plugins("list", "--json").stdout)["plugins"]}
    assert listed["jotter"] == {
        "id": "jotter",
        "kind": "layer",
        "slot": "wiki",
        "state": "disabled",
        "distribution": "good-jotter 1.0",
        "builtIn": False,
        "name": "Jotter",
        "description": "Line\x1b[31m\none",
        "fault": None,
    }
    assert "cannot be read" in listed["scribe"]["fault"]


def test_enabling_says_what_it_replaces_and_disabling_what_comes_back(plugins):
    assert plugins("enable", "jotter").stdout == "The wiki layer is jotter (in place of memory-wiki).\n"
    assert plugins("enable", "jotter").stdout == "The wiki layer is jotter (nothing changed).\n"
    assert plugins("disable", "jotter").stdout == "The wiki layer is memory-wiki (in place of jotter).\n"
    assert plugins("disable", "memory-wiki").stdout == "The wiki layer is off (memory-wiki is off).\n"
    assert plugins("enable", "jotter").stdout == "The wiki layer is jotter (nothing did before).\n"


def test_a_change_as_json(plugins):
    ran = plugins("enable", "jotter", "--json")
    assert json.loads(ran.stdout) == {"slot": "wiki", "before": "memory-wiki", "after": "jotter"}


def test_inspect_shows_the_manifest_and_steers_no_terminal(plugins):
    ran = plugins("inspect", "jotter")
    assert "entryPoint    jotter_pkg:create" in ran.stdout
    assert "\x1b" not in ran.stdout
    (whole,) = json.loads(plugins("inspect", "jotter", "--json").stdout)["plugins"]
    assert whole["configSchema"] == {}


def test_a_broken_plugin_is_not_enabled_and_an_unknown_one_named(plugins):
    with pytest.raises(ConfigurationError, match=r"bad-scribe 1\.0"):
        plugins("enable", "scribe")
    with pytest.raises(NotFoundError, match="'scribble'"):
        plugins("inspect", "scribble")
    assert "enabled" in plugins("list").stdout.splitlines()[-1]
