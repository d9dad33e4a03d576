"""Processor time of starting up, beside a bare interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

from tables import Table

ROUNDS = 15


def measure() -> Table:
    """Return CPU milliseconds of ``--help`` and of the hook, and their ratio to ``python -c pass``."""
    bare = _cpu_ms([sys.executable, "-c", "pass"])
    help_ms = _cpu_ms([sys.executable, "-c", "from tercet.interfaces.cli import main; main()", "--help"])
    hook_ms = _cpu_ms([sys.executable, "-c", "from tercet.interfaces.hooks import main; main()", "claude-code", "Stop"])
    rows = (
        ("python -c pass", f"{bare:.0f} ms", "1.0", ""),
        ("tercet --help", f"{help_ms:.0f} ms", f"{help_ms / bare:.1f}", "< 150 ms"),
        ("tercet-hook claude-code Stop", f"{hook_ms:.0f} ms", f"{hook_ms / bare:.1f}", "< 60 ms"),
    )
    return Table("startup", "Start-up (CPU time, median)", ("what", "CPU", "/ bare interpreter", "wanted"), rows)


def _cpu_ms(command: list[str]) -> float:
    figures: list[float] = []
    for _ in range(ROUNDS + 1):
        before = os.times()
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        after = os.times()
        figures.append(after.children_user - before.children_user + after.children_system - before.children_system)
    return statistics.median(figures[1:]) * 1000
