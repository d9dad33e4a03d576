"""``tercet crossref`` over the example workspace, in words alone."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from tercet.interfaces.cli.commands import cli

WORKSPACE = Path(__file__).parents[2] / "examples" / "workspace"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("TERCET_EMBEDDING__PROVIDER", "none")
    home = str(tmp_path / "home")

    def call(*arguments):
        return CliRunner().invoke(cli, [*arguments, "--home", home])

    assert call("index", str(WORKSPACE)).exit_code == 0
    assert call("crossref", "build").exit_code == 0
    return call


def test_build_says_what_it_made_and_what_was_missing(run):
    made = run("crossref", "build", "--json")
    figures = json.loads(made.stdout)
    assert figures["nodes"] == len(list(WORKSPACE.rglob("*.md")))
    assert figures["edges"] > 0
    assert figures["degraded"].startswith("no vectors")
    assert "degraded: no vectors" in run("crossref", "build").stderr


def test_show_lists_who_names_a_person_and_why(run):
    found = json.loads(run("crossref", "show", "memory/people/bram.md", "--json").stdout)
    assert found["ref"] == "workspace:memory/people/bram.md"
    assert found["neighbours"][0]["ref"] == "workspace:MEMORY.md"
    assert {each["kind"] for each in found["neighbours"][0]["evidence"]} == {"wikilink", "same_entity"}
    assert (
        "workspace:MEMORY.md  (same entity Bram, wikilink)" in run("crossref", "show", "memory/people/bram.md").stdout
    )


def test_graph_shows_figures_and_exports_both_forms(run):
    figures = json.loads(run("crossref", "graph", "--json").stdout)
    assert figures["hubs"][0]["ref"] == "workspace:memory/people/bram.md"
    whole = json.loads(run("crossref", "graph", "--format", "json").stdout)
    assert (len(whole["nodes"]), len(whole["edges"])) == (figures["nodes"], figures["edges"])
    exported = run("crossref", "graph", "--format", "graphml").stdout
    root = ET.fromstring(exported.encode())  # noqa: S314 - our own export
    assert len(root.findall(".//{*}edge")) == figures["edges"]
    assert "Most linked:" in run("crossref", "graph").stdout
