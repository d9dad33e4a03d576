"""``embed_memories.py``: what it indexes, what it embeds again, and what a bad day costs."""

from __future__ import annotations

import json
import shutil

import pytest

from tercet.testing.embedding_server import MODEL_MISSING, SERVER_ERROR, TOO_LONG


def paths(skill):
    return list(skill.stored["files"])


def chunks(skill, path):
    return skill.stored["files"][path]["chunks"]


def test_it_indexes_the_memory_and_the_core_files_and_nothing_else(skill):
    said = skill.index()
    assert paths(skill) == [
        "AGENTS.md",
        "MEMORY.md",
        "memory/2026-02-08.md",
        "memory/2026-02-09.md",
        "memory/deep/2025-12-20-party.md",
        "memory/projects/ledger.md",
        "memory/short.md",
        "memory/zh/备忘.md",
    ]
    assert "8 files" in said
    assert [each["text"] for each in chunks(skill, "memory/short.md")] == ["Pin: 4711"]  # F9
    assert [each["header"] for each in chunks(skill, "memory/projects/ledger.md")] == ["Ledger"]  # F8


def test_documents_go_with_the_prefix_of_the_model_and_in_groups_of_twenty(skill):  # G13, G29
    for number in range(45):
        (skill.workspace / "memory" / f"n{number}.md").write_text(f"Number {number}.\n", "utf-8")
    skill.index()
    groups = [request.body["input"] for request in skill.server.posted()]
    assert max(len(group) for group in groups) == 20
    assert all(text.startswith("search_document: ") for group in groups for text in group)


def test_only_new_text_is_embedded_and_what_is_gone_leaves(skill):  # F14, T6
    skill.index()
    before = len(skill.server.texts())
    assert "0 embedded" in skill.index()
    assert len(skill.server.texts()) == before
    (skill.workspace / "memory" / "short.md").unlink()
    (skill.workspace / "memory" / "2026-02-09.md").write_text("# Monday\n\nHe never came.\n", "utf-8")
    said = skill.index()
    assert skill.server.texts()[before:] == ["search_document: 2026-02-09\n# Monday\n\nHe never came."]
    assert "1 embedded, 1 files removed" in said
    assert "memory/short.md" not in paths(skill)


def test_a_long_section_is_cut_and_every_piece_embedded_whole(skill):  # L21, F6
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n} of the long tale. " + "words " * 40 for n in range(30))
    (skill.workspace / "memory" / "long.md").write_text(text, "utf-8")
    (skill.workspace / "memory" / "汉.md").write_text("数据" * 800, "utf-8")
    skill.index()
    sent = skill.server.texts()
    assert all(any(f"Paragraph {n} of" in each for each in sent) for n in range(30))
    assert max(len(each) for each in sent) < 2100
    assert max(len(each["text"]) for each in chunks(skill, "memory/汉.md")) <= 500


def test_bytes_that_are_no_utf8_are_named_and_stop_nothing(skill):  # F12, F15
    (skill.workspace / "memory" / "latin.md").write_bytes(b"caf\xe9 in Lyon\n")
    said = skill.index()
    assert "warning: memory/latin.md: byte 4 is no UTF-8" in said
    assert chunks(skill, "memory/latin.md")[0]["text"] == "caf\ufffd in Lyon"


def test_a_link_out_of_the_workspace_is_left_out_and_named(skill, tmp_path):  # F1
    (tmp_path / "secret.md").write_text("elsewhere\n", "utf-8")
    (skill.workspace / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    assert "memory/link.md: a link that leads out" in skill.index()
    assert "memory/link.md" not in paths(skill)


def test_without_ollama_the_files_are_cut_and_the_next_run_fills_the_vectors_in(skill):  # G1, G2
    skill.server.fail_with(SERVER_ERROR, None)
    said = skill.index()
    assert "8 chunks wait for vectors" in said
    assert "answered 500" in said
    skill.server.recover()
    assert "8 embedded" in skill.index()
    assert all(each["vector"] for file in skill.stored["files"].values() for each in file["chunks"])


def test_a_model_that_is_not_there_is_named_with_the_mend(skill):
    skill.server.fail_with(MODEL_MISSING, None)
    assert "run 'ollama pull nomic-embed-text'" in skill.index()


def test_one_text_that_is_refused_costs_no_other(skill):  # G14
    skill.server.context_chars = 120
    (skill.workspace / "memory" / "big.md").write_text("word " * 60, "utf-8")
    said = skill.index()
    assert "1 chunks wait" in said
    assert "exceeds the context length" in said
    assert chunks(skill, "memory/big.md")[0]["vector"] is None
    assert chunks(skill, "memory/short.md")[0]["vector"]


def test_a_whole_group_refused_is_tried_text_by_text(skill):
    skill.server.fail_with(TOO_LONG)
    assert "8 embedded" in skill.index()


def test_another_build_of_the_model_embeds_everything_again(skill):  # G4, G5
    skill.index()
    skill.server.digest = "another"
    assert "8 embedded" in skill.index()


def test_vectors_of_another_length_never_stand_beside_the_old_ones(skill):  # G3, G4
    skill.index()
    skill.server.distort = lambda rows: [row[:16] for row in rows]
    (skill.workspace / "memory" / "new.md").write_text("New.\n", "utf-8")
    skill.index()
    vectors = {len(each["vector"]) for file in skill.stored["files"].values() for each in file["chunks"]}
    assert len(vectors) == 1
    assert skill.stored["dimensions"] == 16


def test_vectors_that_are_no_numbers_are_refused(skill):
    skill.server.distort = lambda rows: [[0.0] * len(row) for row in rows]
    assert "empty, not finite, or of different lengths" in skill.index()
    assert skill.stored["dimensions"] is None


def test_the_index_of_another_program_is_made_anew(skill):
    (skill.workspace / "memory" / "vectors.json").write_text(json.dumps([{"file": "x", "embedding": [1]}]), "utf-8")
    assert "8 embedded" in skill.index()


def test_the_index_is_its_owners_alone_and_no_temporary_file_stays(skill):  # L6, F11
    skill.index()
    skill.index()
    folder = skill.workspace / "memory"
    assert (folder / "vectors.json").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in folder.iterdir() if each.name.endswith(".tmp")] == []


def test_a_write_that_fails_leaves_the_old_index(skill):  # L6
    skill.index()
    before = (skill.workspace / "memory" / "vectors.json").read_bytes()
    (skill.workspace / "memory" / "more.md").write_text("More.\n", "utf-8")
    program = (
        "import os, sys\n"
        f"sys.path.insert(0, {str(skill.scripts)!r})\n"
        "import embed_memories\n"
        "os.replace = lambda *names: os._exit(9)\n"
        "embed_memories.main()\n"
    )
    assert skill.python("-c", program).code == 9
    assert (skill.workspace / "memory" / "vectors.json").read_bytes() == before
    assert skill.search("roofer")["results"]


def test_a_folder_without_memory_is_a_plain_error(skill, tmp_path):
    skill.workspace = tmp_path
    ran = skill("embed_memories.py")
    assert ran.code == 1
    assert "run this in the workspace's root" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", ["a\nb.md", "x#y.md"])
def test_odd_names_are_names(skill, name):
    (skill.workspace / "memory" / name).write_text("The zebra is odd.\n", "utf-8")
    skill.index()
    assert skill.search("zebra")["results"][0]["path"] == f"memory/{name}"


def test_after_an_update_of_the_skill_everything_is_made_anew_and_searches_say_so_until_then(skill):
    skill.index()
    place = skill.workspace / "memory" / "vectors.json"
    stored = skill.stored
    stored["space"]["rules"] = "those of last year"
    place.write_text(json.dumps(stored), "utf-8")
    assert skill.search("boat")["degraded"] == "The skill was updated since the last indexing: run embed_memories.py."
    assert "8 embedded" in skill.index()
    assert skill.search("boat")["degraded"] is None


def test_the_folder_works_where_it_was_copied_to(skill):
    copied = skill.workspace / "skills" / "enhanced-memory"
    shutil.copytree(skill.scripts.parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
    ran = skill.python("skills/enhanced-memory/scripts/embed_memories.py")
    assert (ran.code, ran.err) == (0, "")
    assert "8 files, 8 chunks, 8 embedded" in ran.out
    found = skill.python("skills/enhanced-memory/scripts/search_memory.py", "oolong", "1")
    assert found.out.startswith("1. MEMORY.md:1-9")
