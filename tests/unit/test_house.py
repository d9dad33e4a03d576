"""The house rules: file length, names, what an import loads, what is public, what is documented."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tercet

ROOT = Path(__file__).parents[2]
MAX_LINES = 400
HEAVY = {"lancedb", "pyarrow", "numpy", "onnxruntime", "mcp", "openai", "starlette"}


def python_files():
    return [
        path for folder in ("src", "tests", "benchmarks", "examples") for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def loaded_by(code):
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(run.stdout.splitlines()[-1])}


def test_no_file_is_longer_than_400_lines():
    long = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in python_files()}
    assert {name: lines for name, lines in long.items() if lines > MAX_LINES} == {}


def test_every_file_name_says_what_is_in_it():
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "stuff"}
    assert [path for path in python_files() if path.stem in drawers] == []


def test_importing_the_package_loads_no_heavy_library():
    assert loaded_by("import tercet") & HEAVY == set()


def test_help_loads_no_heavy_library():
    code = "import io, contextlib\nfrom tercet.interfaces.cli import run\nwith contextlib.redirect_stdout(io.StringIO()): run(['--help'])"
    assert loaded_by(code) & (HEAVY | {"pydantic", "pydantic_settings", "rich"}) == set()


def test_the_hook_loads_neither_click_nor_the_settings():
    code = "sys.argv = ['tercet-hook']\nfrom tercet.interfaces.hooks import main\nmain()"
    assert loaded_by(code) & (HEAVY | {"click", "pydantic", "pydantic_settings", "asyncio"}) == set()


def test_the_public_names_are_these():
    assert tercet.__all__ == [
        "AsyncMemory",
        "Entry",
        "FileText",
        "Hit",
        "LoadedSettings",
        "Memory",
        "Message",
        "PermanentError",
        "Reach",
        "RecallSection",
        "SearchOptions",
        "SearchResult",
        "TercetError",
        "TimeRange",
        "TransientError",
        "Turn",
        "__version__",
        "build",
        "build_async",
        "load_settings",
    ]
    assert all(getattr(tercet, name) is not None for name in tercet.__all__)
    with pytest.raises(AttributeError):
        tercet.nothing_of_that_name  # noqa: B018


def test_lock_files_name_no_registry():
    for lock in (ROOT / "requirements").glob("*.lock"):
        text = lock.read_text("utf-8")
        assert "://" not in text
        assert "--index-url" not in text
        pins = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
        assert all("==" in pin for pin in pins)


def test_every_command_is_in_the_readme_and_has_help():
    from tercet.interfaces.cli.commands import COMMANDS, cli

    readme = (ROOT / "README.md").read_text("utf-8")
    for name in COMMANDS:
        assert f"tercet {name}" in readme
        command = cli.get_command(None, name)
        assert command.help
        assert all(option.help for option in command.params if option.param_type_name == "option")


def test_every_setting_is_documented():
    from tercet.config import leaves
    from tercet.settings import Settings

    documented = (ROOT / "docs" / "settings.md").read_text("utf-8")
    missing = [name for name, _ in leaves(Settings()) if f"`{name}`" not in documented]
    assert missing == []


def test_no_bare_except_and_no_swallowed_exception():
    offenders = []
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                silent = len(node.body) == 1 and isinstance(node.body[0], ast.Pass)
                broad = node.type is None or getattr(node.type, "id", "") in {"Exception", "BaseException"}
                if silent and broad:
                    offenders.append(f"{path.name}:{node.lineno}")
    assert offenders == []
