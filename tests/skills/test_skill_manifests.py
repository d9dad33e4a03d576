"""What a host reads of a skill before it runs anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tercet.interfaces.cli.commands import COMMANDS
from tercet.text.front_matter import read_front_matter

ROOT = Path(__file__).parents[2]
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md")) + sorted((ROOT / "integrations").glob("*/skills/*/SKILL.md"))


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_name_and_description_are_as_hosts_want_them(path):
    matter = read_front_matter(path.read_text("utf-8"))
    assert not matter.problem
    assert matter.data["name"] == path.parent.name
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", matter.data["name"])
    assert 1 <= len(matter.data["description"]) <= 1024
    assert len(matter.data.get("compatibility", "")) <= 500


def test_every_tercet_command_that_a_skill_names_exists():
    named = {
        name for path in SKILLS for name in re.findall(r"^(?:`)?tercet ([a-z]+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert named >= {"recall", "search", "read", "remember", "forget"}
    assert named <= set(COMMANDS)


def test_the_scripts_that_a_skill_names_exist_and_may_be_run():
    folder = ROOT / "skills" / "enhanced-memory"
    named = set(re.findall(r"scripts/(\w+\.py)", (folder / "SKILL.md").read_text("utf-8")))
    scripts = {
        "crossref_memories.py",
        "embed_memories.py",
        "enhanced_memory_search.py",
        "memory_salience.py",
        "search_memory.py",
    }
    assert named == scripts
    assert all((folder / "scripts" / name).stat().st_mode & 0o100 for name in scripts)


def test_the_constants_of_the_searches_are_those_of_the_preset():
    from tercet.ranking.presets import CLASSIC

    text = (ROOT / "skills" / "enhanced-memory" / "scripts" / "search_memory.py").read_text("utf-8")
    weights, weak = CLASSIC.weights["chunk"], CLASSIC.weak
    for name, table in (("WEIGHTS", weights), ("WEAK_WEIGHTS", weak)):
        parts = ", ".join(f"{signal}={getattr(table, signal)}" for signal in ("vector", "keyword", "header", "path"))
        assert f"{name} = Weights({parts})" in text
    assert f"WEAK_BELOW = {CLASSIC.weak_below}" in text
    assert f"DATE_FACTOR = {CLASSIC.date_multiplier}" in text
    assert f"FEEDBACK_BELOW = {CLASSIC.prf_below}" in text
