"""Keep the copy of Tercet's rules of text that ``enhanced-memory`` carries with it.

The skill runs where nothing is installed, and must cut, read and date a text exactly as Tercet
does. So the modules that know how are copied byte for byte, with what they import of ours, and a
test compares them.

Usage: ``python skills/vendor_rules.py``, after a change to one of them.
"""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
COPY = Path(__file__).parent / "enhanced-memory" / "scripts" / "vendor"

USED = (
    "tercet.layers.semantic.snippets",
    "tercet.text.dates",
    "tercet.text.indexed_text",
    "tercet.text.markdown",
    "tercet.text.terms",
)
"""What the skill imports itself."""


def wanted() -> list[str]:
    """Return the files that belong into the copy, relative to ``src``."""
    found: set[Path] = set()
    waiting = list(USED)
    while waiting:
        module = waiting.pop()
        path = _file_of(module)
        if path is None or path in found:
            continue
        found.add(path)
        waiting += [module.rpartition(".")[0], *_imports(path)]
    return sorted(path.relative_to(SOURCE).as_posix() for path in found)


def differences() -> list[str]:
    """Return the files that the copy lacks, has too much, or has in another form."""
    names = set(wanted())
    present = {path.relative_to(COPY).as_posix() for path in (COPY / "tercet").rglob("*.py")}
    changed = {name for name in names & present if (SOURCE / name).read_bytes() != (COPY / name).read_bytes()}
    return sorted((present ^ names) | changed)


def copy() -> None:
    """Make the copy anew."""
    shutil.rmtree(COPY / "tercet", ignore_errors=True)
    for name in wanted():
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SOURCE / name, target)


def _file_of(module: str) -> Path | None:
    place = SOURCE.joinpath(*module.split("."))
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def _imports(path: Path) -> list[str]:
    """Return the modules of ours that a file imports when it is loaded."""
    modules: list[str] = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tercet"):
            modules += [str(node.module), *(f"{node.module}.{name.name}" for name in node.names)]
    return modules


if __name__ == "__main__":
    changed = differences()
    copy()
    sys.stdout.write(f"{len(wanted())} files, {len(changed)} changed\n")
