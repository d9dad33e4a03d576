"""What a hook loads before it lets the agent go on: next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SLOW = {"asyncio", "dataclasses", "email", "http", "logging", "pathlib", "ssl", "subprocess", "tempfile", "urllib"}
"""Each would cost a tenth of the hook's time, or a half."""
PROGRAM = """
import json, os, sys
before = set(sys.modules)
from tercet.interfaces.hooks import main
if hasattr(os, "fork"):
    os.fork = lambda: 1  # the parent alone
try:
    main()
finally:
    sys.stderr.write(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded(home, name, payload):
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{PROGRAM}", "claude-code", name],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        check=True,
        env={"TERCET_HOME": str(home)},
    )
    return set(json.loads(ran.stderr)), ran.stdout


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "PreCompact"])
def test_it_loads_the_standard_library_alone_and_little_of_that(home, service, event, name):
    modules, out = loaded(home, name, event(name, transcript_path=__file__))
    assert bool(out) is (name in {"SessionStart", "UserPromptSubmit"})
    tops = {module.partition(".")[0] for module in modules}
    assert tops - sys.stdlib_module_names == {"tercet"}
    assert tops & SLOW == set()
    ours = {module for module in modules if module.startswith("tercet.")}
    assert {module for module in ours if not module.startswith("tercet.interfaces")} == {"tercet._version"}
