"""The fixed look-ups of the shared workspaces, written down before any of them was run.

A look-up names its words, the file and the lines it must lead to (several places may be right), and
what it tries. The words are ours; nothing of the folders is quoted but names and identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Lookup:
    folder: str
    kind: str
    query: str
    places: tuple[tuple[str, int, int], ...] = field(default=())
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
