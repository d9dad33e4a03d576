"""Fixed look-ups in real folders of notes: the right passage is among the first three.

They were written down by reading the folders, before any of them was run. The words are ours; of the
folders nothing is quoted but names and identifiers. What fails is marked with the rank it had.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tercet.app import build
from tercet.config import load_settings

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("TERCET_TEST_DATA", ROOT.parent / "shared" / "data")) / "workspaces"
FOLDERS = {"examples": ROOT / "examples" / "workspace"} | {
    name: SHARED / name for name in ("openclaw-zhtw", "claude-memory-index", "claude-memory-notes", "obsidian-vault")
}
FIRST = 3


@dataclass(frozen=True)
class Lookup:
    folder: str
    kind: str
    query: str
    places: tuple[tuple[str, int, int], ...]
    """(path, first line, last line); a hit counts when it overlaps one of them."""


def _of(folder: str, *rows: tuple[str, str, list[tuple[str, int, int]]]) -> list[Lookup]:
    return [Lookup(folder, kind, query, tuple(places)) for kind, query, places in rows]


EXAMPLES = _of(
    "examples",
    ("identifier", "K7RZQ2", [("memory/travel/chengdu-2026.md", 1, 16)]),
    ("file name", "rye-bread", [("memory/recipes/rye-bread.md", 1, 7)]),
    ("table", "which VLAN is the laser printer on", [("memory/home/network.md", 11, 18)]),
    ("paraphrase", "medicine Ines is allergic to", [("MEMORY.md", 13, 15), ("memory/health.md", 1, 99)]),
    ("two characters", "勾芡", [("memory/zh/菜谱-麻婆豆腐.md", 1, 7)]),
    ("two characters", "沈悦", [("memory/zh/周会记录.md", 1, 21)]),
    ("cross-language", "birthday of Ines's mother in the lunar calendar", [("memory/zh/家人.md", 1, 10)]),
    (
        "cross-language",
        "备份存在哪台机器上",
        [("MEMORY.md", 23, 26), ("memory/home/network.md", 11, 18), ("memory/2025-11-29.md", 1, 99)],
    ),
)

OPENCLAW = _of(
    "openclaw-zhtw",
    ("identifier", "EADDRINUSE", [("templates/.learnings/ERRORS.md", 37, 67)]),
    ("file name", "machine-migration", [("guides/machine-migration.md", 1, 999)]),
    (
        "table",
        "which job runs on Saturday at 21:30",
        [("templates/HEARTBEAT.md", 34, 44), ("guides/routine-checks.md", 144, 156)],
    ),
    (
        "paraphrase",
        "after moving to a new computer the scheduled tasks stop without any error",
        [("guides/machine-migration.md", 1, 90)],
    ),
    ("two characters", "量級", [("guides/plan-file-policy.md", 58, 67)]),
    ("two characters", "端口", [("templates/.learnings/ERRORS.md", 37, 67)]),
    (
        "cross-language",
        "when must a plan document be written before the first edit",
        [("guides/plan-file-policy.md", 1, 29)],
    ),
    ("cross-language", "暫存檔應該寫到哪個目錄", [("templates/.claude/skills/write-tmp/SKILL.md", 1, 38)]),
)

CLAUDE_INDEX = _of(
    "claude-memory-index",
    ("identifier", "Print_CitiesCards_front", [(".claude/memory/project_innovation_cities_images.md", 1, 99)]),
    ("file name", "project_settings_surface", [(".claude/memory/project_settings_surface.md", 1, 99)]),
    ("table", "enableNakedTuples for Crew", [(".claude/memory/project_constraint_kernel.md", 9, 29)]),
    (
        "paraphrase",
        "do not hide missing data behind default values",
        [(".claude/memory/feedback_no_defensive_fallbacks.md", 1, 99)],
    ),
    ("list", "open memo about transparent icons", [(".claude/memos.md", 1, 99)]),
    ("identifier", "bgaa_time_modes", [(".claude/memory/project_bga_table_type.md", 1, 99)]),
)

CLAUDE_NOTES = _of(
    "claude-memory-notes",
    ("identifier", "minimax-m2.5-free", [(".claude/memory/feedback_multi_agent_postmortem_2026-03-30.md", 1, 99)]),
    ("file name", "feedback_data_hygiene", [(".claude/memory/feedback_data_hygiene.md", 1, 99)]),
    (
        "fact",
        "which grade did Codex get in the parallel run",
        [(".claude/memory/feedback_multi_agent_postmortem_2026-03-30.md", 1, 99)],
    ),
    (
        "paraphrase",
        "a small model could not hold the long instructions while grading",
        [(".claude/memory/feedback_ira_model_limits.md", 1, 99)],
    ),
    (
        "paraphrase",
        "what to write down at the end so that the next conversation can go on",
        [(".claude/memory/feedback_session_handoff_protocol.md", 1, 99)],
    ),
    ("identifier", "py_compile", [(".claude/memory/feedback_multi_agent_postmortem_2026-03-30.md", 1, 99)]),
)

OBSIDIAN = _of(
    "obsidian-vault",
    ("identifier", "tt0083658", [("References/Blade Runner.md", 1, 99)]),
    ("file name", "Brown butter nectarine tart", [("References/Brown butter nectarine tart.md", 1, 99)]),
    ("front matter", "jazz bass album from 1957", [("References/Bass on Top.md", 1, 99)]),
    ("paraphrase", "is it worth paying more for something that lasts longer", [("Clippings/Buy wisely.md", 16, 99)]),
    ("identifier", "135.7556075", [("References/Kyoto.md", 1, 99)]),
    ("list", "theme with support for e-ink", [("Notes/Minimal Theme.md", 1, 99)]),
)

LOOKUPS = [*EXAMPLES, *OPENCLAW, *CLAUDE_INDEX, *CLAUDE_NOTES, *OBSIDIAN]

MISSED = {
    "birthday of Ines's mother in the lunar calendar": "rank 5, preset tuned",
    "暫存檔應該寫到哪個目錄": "not among the first ten, preset tuned",
}
"""Query to the rank it had; each is a fault of the ranking that is known and not mended yet."""


@pytest.fixture(scope="module")
def memories(tmp_path_factory):
    """One memory a folder, indexed at its first look-up."""
    opened = {}

    def open_folder(name):
        if not FOLDERS[name].is_dir():
            pytest.skip(f"{name} is not at {FOLDERS[name]}: set TERCET_TEST_DATA")
        if name not in opened:
            opened[name] = build(
                load_settings({"home": str(tmp_path_factory.mktemp(name)), "index": {"refresh_files": 0}})
            )
            opened[name].index([str(FOLDERS[name])])
        return opened[name]

    yield open_folder
    for memory in opened.values():
        memory.close()


def rank_of(lookup, hits):
    for rank, hit in enumerate(hits, start=1):
        passage = hit.passage
        for path, first, last in lookup.places:
            if passage.path == path and passage.start_line <= last and passage.end_line >= first:
                return rank
    return None


def marked(lookup):
    reason = MISSED.get(lookup.query)
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
    return pytest.param(lookup, id=f"{lookup.folder}-{lookup.query}", marks=marks)


@pytest.mark.parametrize("lookup", [marked(lookup) for lookup in LOOKUPS])
def test_the_right_passage_is_among_the_first_three(memories, lookup):
    hits = memories(lookup.folder).search(lookup.query)
    rank = rank_of(lookup, hits)
    assert rank is not None, [f"{hit.passage.path}#L{hit.passage.start_line}" for hit in hits]
    assert rank <= FIRST, f"rank {rank}: {[f'{hit.passage.path}#L{hit.passage.start_line}' for hit in hits[:5]]}"


@pytest.mark.parametrize("name", FOLDERS)
def test_reading_a_hit_gives_the_lines_of_its_file_byte_for_byte(memories, name):
    memory = memories(name)
    seen = set()
    for lookup in LOOKUPS:
        for hit in memory.search(lookup.query):
            passage = hit.passage
            if passage.id in seen:
                continue
            seen.add(passage.id)
            lines = (FOLDERS[name] / passage.path).read_bytes().split(b"\n")
            expected = b"\n".join(lines[passage.start_line - 1 : passage.end_line])
            by_ref = memory.read(f"{passage.root}:{passage.path}#L{passage.start_line}-L{passage.end_line}")
            assert by_ref.text.encode() == expected.removesuffix(b"\r")
            assert memory.read(passage.id) == by_ref
    assert len(seen) > 20
