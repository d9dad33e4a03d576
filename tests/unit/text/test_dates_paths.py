"""Dates in the names of files and folders."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from tercet.text.dates import dates_in_path

TAIPEI = ZoneInfo("Asia/Taipei")


def found(path: str) -> list[str]:
    return [
        f"{each.start:%Y-%m-%d}/{each.end:%Y-%m-%d}" for each in dates_in_path(path, TAIPEI) if each.start and each.end
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("2026-02-08.md", "2026-02-08/2026-02-09"),
        ("memory/2026-02-08.md", "2026-02-08/2026-02-09"),
        ("memory/a/2025-01-01-note.md", "2025-01-01/2025-01-02"),
        ("a/b/c/d/e/2025-01-01 Meeting with Steph.md", "2025-01-01/2025-01-02"),
        ("notes_2025_01_01.md", "2025-01-01/2025-01-02"),
        ("log.2025.01.01.md", "2025-01-01/2025-01-02"),
        ("20250101.md", "2025-01-01/2025-01-02"),
        ("IMG_20250101_123000.jpg", "2025-01-01/2025-01-02"),
        ("feedback_multi_agent_2026-03-30.md", "2026-03-30/2026-03-31"),
        ("2025-01-01/summary.md", "2025-01-01/2025-01-02"),
        ("2026-02.md", "2026-02-01/2026-03-01"),
        ("archive/2026-02-monthly.md", "2026-02-01/2026-03-01"),
        ("2026/02/08.md", "2026-02-08/2026-02-09"),
        ("daily/2026/02/08-call.md", "2026-02-08/2026-02-09"),
        ("daily\\2026\\02\\08.md", "2026-02-08/2026-02-09"),
        ("daily/2026/02/notes.md", "2026-02-01/2026-03-01"),
        ("2026-W07.md", "2026-02-09/2026-02-16"),
        ("weekly/2026-w07-review.md", "2026-02-09/2026-02-16"),
        ("2026年2月8日.md", "2026-02-08/2026-02-09"),
        ("2026-02/2026-02-08.md", "2026-02-08/2026-02-09"),
        ("2026/2026-02/2026-02-08.md", "2026-02-08/2026-02-09"),
        ("2024-02-29.md", "2024-02-29/2024-03-01"),
    ],
)
def test_a_dated_path_at_any_depth_d11(path: str, expected: str) -> None:
    assert found(path) == [expected]


@pytest.mark.parametrize(
    "path",
    [
        "2025-02-30.md",
        "memory/2025-02-30-note.md",
        "2026-13-45.md",
        "2026-13.md",
        "2025/02/30.md",
        "2026-W60.md",
        "20251345.md",
        "MEMORY.md",
        "notes/68 Bits of Advice.md",
        "v2.1.3.md",
        "12345678901.md",
        "2025.md",
        "report-2025-1.md",
        "",
        "/",
    ],
)
def test_an_undated_or_impossible_path_has_none_d2(path: str) -> None:
    assert found(path) == []


def test_two_days_in_one_path_are_both_found() -> None:
    assert found("2026-02-08/2026-02-09-late.md") == ["2026-02-08/2026-02-09", "2026-02-09/2026-02-10"]


def test_the_midnights_are_those_of_the_zone_d12() -> None:
    (taipei,) = dates_in_path("2026-02-08.md", TAIPEI)
    (angeles,) = dates_in_path("2026-02-08.md", ZoneInfo("America/Los_Angeles"))
    assert taipei.start is not None
    assert angeles.start is not None
    assert (angeles.start - taipei.start).total_seconds() == 16 * 3600
