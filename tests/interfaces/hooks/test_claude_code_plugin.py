"""The plug-in's files: the forms that Claude Code reads, and commands that exist."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "integrations" / "claude-code"
HOOKS = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]


def read(name):
    return json.loads((PLUGIN / name).read_text("utf-8"))


def test_the_manifest_and_the_marketplace_name_the_same_plugin():
    plugin, market = read(".claude-plugin/plugin.json"), read(".claude-plugin/marketplace.json")
    (offered,) = market["plugins"]
    assert offered["source"] == "./"
    assert {**offered, "source": None} == {
        **{key: plugin[key] for key in ("name", "version", "description", "author", "keywords")},
        "category": offered["category"],
        "source": None,
    }


def test_every_hook_is_one_that_claude_code_waits_for():
    """Its asynchronous hooks end with it: the last turn would be lost. Ours goes to the background itself."""
    assert set(HOOKS) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    for name, groups in HOOKS.items():
        (entry,) = groups[0]["hooks"]
        assert entry["type"] == "command"
        assert entry["command"].endswith(f"tercet-hook claude-code {name}")
        assert "async" not in entry


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_without_tercet_on_the_path_a_hook_is_silent(name):
    command = HOOKS[name][0]["hooks"][0]["command"]
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False, env={"PATH": os.defpath})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_the_server_is_a_command_of_tercet():
    (server,) = read(".mcp.json")["mcpServers"].values()
    assert server["command"] == "tercet"
    assert find_spec(f"tercet.interfaces.cli.{server['args'][0]}")


def test_its_skill_is_the_one_for_the_shell():
    name = Path("skills", "tercet-memory", "SKILL.md")
    assert (PLUGIN / name).read_bytes() == (ROOT / name).read_bytes()
