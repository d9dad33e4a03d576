"""Services over one PostgreSQL, one of them killed under way: every accepted turn is there once, for its session alone.

The load is that of ``benchmarks/load.py``, shorter.
"""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


async def test_what_two_services_accepted_is_there_once_though_one_was_killed(
    postgres_server, tmp_path, monkeypatch
) -> None:
    """U3, X2: clients whose service dies tell the other one, with the same message ids."""
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    from load import Load, put_under_load

    load = Load(services=2, sessions=20, seconds=10, in_flight=8, kill_every_s=5, restarts_database=False)
    outcome = await put_under_load(postgres_server, load, tmp_path)
    assert outcome.kills == 1
    assert len(outcome.figures.accepted) == load.sessions
    assert outcome.figures.refusals, "the kill hit nobody"
    assert outcome.figures.leaks == []
    found = outcome.findings
    assert (found.lost, found.doubled, found.leaked, found.dead) == (0, 0, 0, 0)
