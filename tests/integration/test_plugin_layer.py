"""The example of a third party's layer, built and installed as a user would, in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.interfaces.cli.commands import COMMANDS

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin-layer"
NO_CACHE = {"PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Build the example from a copy of its source, and return the folder it is installed in."""
    source = tmp_path_factory.mktemp("source") / "plugin-layer"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    target = tmp_path_factory.mktemp("site")
    command = ["pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    run = subprocess.run(
        [sys.executable, "-m", *command, "--no-build-isolation", "--target", str(target), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return target


@pytest.fixture
def python(installed, tmp_path):
    """Run Python with the example installed, and a home of its own."""
    home = tmp_path / "home"
    home.mkdir()

    def run(*arguments, cwd=tmp_path):
        environment = {**os.environ, **NO_CACHE, "PYTHONPATH": str(installed), "TERCET_HOME": str(home)}
        environment |= {"TERCET_EMBEDDING__PROVIDER": "none"}
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=cwd, capture_output=True, text=True, check=False
        )

    run.home = home
    return run


def slots(python):
    """Return what fills each slot, and what of the plug-in was imported to find out."""
    code = (
        "import json, pathlib, sys\n"
        "from tercet.plugins import chosen_layers\n"
        "filled = {each.slot: each.plugin.id for each in chosen_layers(pathlib.Path(sys.argv[1]))}\n"
        "print(json.dumps([filled, [name for name in sys.modules if name.startswith('tercet_textfile')]]))\n"
    )
    run = python("-c", code, str(python.home))
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def plugins(python, *arguments):
    """Run a command of ``tercet plugins``, as a process of its own."""
    code = "import sys\nfrom tercet.interfaces.cli.plugins import command\ncommand(sys.argv[1:])\n"
    run = python("-c", code, *arguments, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_it_is_a_package_with_its_manifest_in_it(installed):
    assert (installed / "tercet_textfile" / "openclaw.plugin.json").is_file()


def test_its_manifest_is_read_and_nothing_of_it_imported(python):
    (shown,) = plugins(python, "inspect", "textfile")["plugins"]
    assert (shown["slot"], shown["name"], shown["fault"]) == ("wiki", "Text files", None)
    assert shown["distribution"] == "tercet-textfile-layer 0.1.0"
    assert shown["state"] == "disabled"
    assert "folder" in shown["configSchema"]["properties"]
    assert slots(python)[1] == []


def test_it_takes_the_slot_of_the_wiki_and_is_gone_when_disabled(python):
    before, _ = slots(python)
    assert before.get("wiki") != "textfile"
    assert plugins(python, "enable", "textfile")["after"] == "textfile"
    assert slots(python) == [{**before, "wiki": "textfile"}, []]
    assert plugins(python, "disable", "textfile") == {
        "slot": "wiki",
        "before": "textfile",
        "after": before.get("wiki"),
    }
    assert slots(python)[0] == before


def test_a_layer_is_made_of_it_and_answers(python):
    (python.home / "textfile").mkdir()
    (python.home / "textfile" / "harbour.txt").write_text("The boat Albatros lies at berth 47.\n", encoding="utf-8")
    code = (
        "import asyncio, pathlib, sys\n"
        "from tercet import SearchOptions\n"
        "from tercet.adapters.clock import SystemClock\n"
        "from tercet.adapters.counters import Counters\n"
        "from tercet.plugins import inspect, make_layer\n"
        "from tercet.ports.layers import LayerContext\n"
        "home = pathlib.Path(sys.argv[1])\n"
        "context = LayerContext('main', home, {}, SystemClock(), Counters())\n"
        "layer = make_layer(inspect(home, 'textfile')[0], context)\n"
        "print(asyncio.run(layer.search('where is the Albatros', SearchOptions()))[0].snippet)\n"
    )
    run = python("-c", code, str(python.home))
    assert run.returncode == 0, run.stderr
    assert run.stdout == "The boat Albatros lies at berth 47.\n"


def test_it_keeps_what_every_layer_must_keep(python, tmp_path):
    suite = shutil.copytree(EXAMPLE / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(EXAMPLE / "pyproject.toml", tmp_path)
    run = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(suite))
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout


@pytest.mark.skipif("plugins" not in COMMANDS, reason="the command line has no 'plugins' command")
def test_it_answers_a_search_in_place_of_the_wiki(python):
    def tercet(*arguments):
        run = python("-m", "tercet.interfaces.cli", *arguments, "--json")
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    (python.home / "textfile").mkdir()
    (python.home / "textfile" / "harbour.txt").write_text("The boat Albatros lies at berth 47.\n", encoding="utf-8")
    assert tercet("search", "Albatros")["results"] == []
    assert tercet("plugins", "enable", "textfile")["before"] == "memory-wiki"
    (found,) = tercet("search", "Albatros")["results"]
    assert (found["layer"], found["path"]) == ("wiki", "harbour.txt")
    assert tercet("plugins", "disable", "textfile")["after"] == "memory-wiki"
    assert tercet("search", "Albatros")["results"] == []
