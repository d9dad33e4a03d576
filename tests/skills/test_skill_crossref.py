"""``crossref_memories.py``: links between files that are alike."""

from __future__ import annotations

import json

import pytest

ALIKE = "The roofer wants fourteen thousand for slates, says the letter of the guild."


@pytest.fixture
def linked(skill):
    """Three files of one kind, and one of another."""
    for name in ("a", "b", "c"):
        (skill.workspace / "memory" / f"roof-{name}.md").write_text(f"# Roof {name}\n\n{ALIKE} {name}\n", "utf-8")
    skill.index()
    return skill


def run(skill, *arguments):
    ran = skill("crossref_memories.py", *arguments, "--json")
    assert ran.code == 0, ran.err
    return ran.json


def test_files_that_are_alike_are_linked_once_and_both_ways(linked):
    run(linked, "build")
    shown = run(linked, "show", "memory/roof-b.md")
    near = [each["path"] for each in shown["links"] if each["score"] > 0.97]
    assert near == ["memory/roof-a.md", "memory/roof-c.md"]
    assert shown["links"] == sorted(shown["links"], key=lambda each: -each["score"])
    pairs = [(each["one"], each["two"]) for each in stored(linked)["links"]]
    assert len(pairs) == len({frozenset(pair) for pair in pairs})
    assert all(each["score"] >= 0.75 for each in stored(linked)["links"])


def stored(skill):
    return json.loads((skill.workspace / "memory" / "crossrefs.json").read_text("utf-8"))


def test_the_second_build_compares_only_what_changed(linked):  # T6
    first = run(linked, "build")
    assert first["compared"] == first["files"] * (first["files"] - 1) // 2
    before = stored(linked)["links"]
    assert run(linked, "build")["compared"] == 0
    assert stored(linked)["links"] == before
    (linked.workspace / "memory" / "roof-c.md").write_text("Something else: 妈妈的生日。\n", "utf-8")
    linked.index()
    again = run(linked, "build")
    assert again["compared"] == again["files"] - 1
    near = [each["path"] for each in run(linked, "show", "memory/roof-a.md")["links"] if each["score"] > 0.97]
    assert near == ["memory/roof-b.md"]


def test_a_file_that_is_gone_leaves_the_graph(linked):
    run(linked, "build")
    (linked.workspace / "memory" / "roof-b.md").unlink()
    linked.index()
    run(linked, "build")
    assert "memory/roof-b.md" not in json.dumps(stored(linked))
    assert linked("crossref_memories.py", "show", "memory/roof-b.md").code == 1


def test_the_graph_counts_groups_hubs_and_orphans(skill):
    vectors = {"alpha": [1, 0, 0, 0], "beta": [1, 0.1, 0, 0], "gamma": [0, 0, 1, 0]}
    skill.server.embed = lambda texts: [
        next((row for word, row in vectors.items() if word in text), [0, 0, 0, 1]) for text in texts
    ]
    for path in skill.workspace.rglob("*.md"):
        path.unlink()
    for word in vectors:
        (skill.workspace / "memory" / f"{word}.md").write_text(f"{word}\n", "utf-8")
    skill.index()
    run(skill, "build")
    assert run(skill, "graph") == {
        "nodes": 3,
        "edges": 1,
        "components": 1,
        "hubs": [{"path": "memory/alpha.md", "links": 1}, {"path": "memory/beta.md", "links": 1}],
        "orphans": ["memory/gamma.md"],
    }
    assert "3 files, 1 links, 1 groups" in skill("crossref_memories.py", "graph").out


def test_a_file_stands_for_itself_by_its_most_telling_chunks(skill):
    filler = "\n\n".join(f"## Part {n}\n\n" + "and so on " * 90 for n in range(7))
    telling = (
        "## Slates\n\nQuarry Rathscheck, invoice 2026-114, colour anthracite, delivered Tuesday.\n\n" + "slab " * 160
    )
    (skill.workspace / "memory" / "long.md").write_text(f"# Long\n\n{filler}\n\n{telling}\n", "utf-8")
    skill.index()
    program = (
        f"import sys; sys.path.insert(0, {str(skill.scripts)!r})\n"
        "from pathlib import Path\n"
        "from crossref_memories import representatives, read_index\n"
        "best = representatives(read_index(Path.cwd()))['memory/long.md']\n"
        "print(len(best), best[0].passage.header)"
    )
    assert skill.python("-c", program).out.strip() == "5 Long > Slates"


def test_without_a_build_or_an_index_one_sentence_says_what_to_run(skill):  # G26
    for command, mend in (["build"], "embed_memories.py"), (["graph"], "build"), (["show", "MEMORY.md"], "build"):
        ran = skill("crossref_memories.py", *command)
        assert ran.code == 1
        assert mend in ran.err
        assert len(ran.err.splitlines()) == 1
