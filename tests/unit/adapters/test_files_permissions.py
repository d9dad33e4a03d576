"""What may not be read or written, seen by a user without rights: the superuser reads everything."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

NOBODY = 65534
PREAMBLE = """
import asyncio, json, os, sys
from pathlib import Path
from tercet.adapters.files.atomic_write import ensure_private_directory, write_atomically
from tercet.adapters.files.reading import read
from tercet.adapters.files.walk import walk
from tercet.adapters.lock import WriterLock
from tercet.adapters.sqlite.ledger import SqliteLedger
import filelock, sqlite3, tercet.text.decoding, tercet.adapters.sqlite.ledger
filelock.FileLock
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
assert os.geteuid() != 0, "these checks mean nothing for the superuser"
folder = sys.argv[1]
def outcome(call):
    try:
        return ["ok", call()]
    except Exception as error:
        return [type(error).__name__, str(error)]
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that anyone may enter, unlike pytest's own, owned by whoever will look at it."""
    place = Path(tempfile.mkdtemp(prefix="tercet-test-"))
    place.chmod(0o755)
    yield place
    for found in place.rglob("*"):
        if found.is_dir() and not found.is_symlink():
            found.chmod(0o700)
    shutil.rmtree(place)


def as_nobody(folder: Path, expression: str) -> list[object]:
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    program = f"{PREAMBLE}\nprint(json.dumps(outcome(lambda: {expression})))"
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return cast("list[object]", json.loads(done.stdout))


def test_files_and_folders_that_may_not_be_read_are_named(folder: Path) -> None:
    """F5."""
    for name in ("a.md", "denied.md", "sub/b.md", "closed/c.md", "dark/d.md", "dark/.tercetignore"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "link.md").symlink_to("closed/c.md")
    (folder / "denied.md").chmod(0)
    (folder / "closed").chmod(0)
    (folder / "dark" / ".tercetignore").chmod(0)
    listing = "[[f.path for f in walk(folder).files], {s.path: s.reason for s in walk(folder).skipped}]"
    assert as_nobody(folder, listing) == [
        "ok",
        [
            ["a.md", "sub/b.md"],
            {
                "closed": "permission denied",
                "dark": "its .tercetignore cannot be read: permission denied",
                "denied.md": "permission denied",
                "link.md": "broken symbolic link: permission denied",
            },
        ],
    ]


def test_a_file_that_may_not_be_read_is_refused_with_the_reason(folder: Path) -> None:
    (folder / "closed").mkdir()
    for name in ("a.md", "closed/b.md"):
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "a.md").chmod(0)
    (folder / "closed").chmod(0)
    assert as_nobody(folder, "read(folder, 'a.md')") == ["NotFoundError", "a.md: permission denied"]
    kind, message = as_nobody(folder, "read(folder, 'closed/b.md')")
    assert kind == "NotFoundError"
    assert str(message).startswith("closed/b.md: ")


def test_a_root_that_may_not_be_read_is_an_error_not_an_empty_folder(folder: Path) -> None:
    (folder / "closed").mkdir(mode=0)
    kind, message = as_nobody(folder, "walk(folder + '/closed')")
    assert (kind, str(message).endswith("closed cannot be read: Permission denied.")) == ("NotFoundError", True)


@pytest.mark.parametrize(
    "expression",
    [
        "write_atomically(Path(folder, 'a.md'), b'x')",
        "ensure_private_directory(Path(folder, 'home', 'sub'))",
        "WriterLock(Path(folder)).try_acquire()",
        "asyncio.run(SqliteLedger.open(Path(folder)))",
        "asyncio.run(SqliteLedger.open(Path(folder, 'home')))",
    ],
)
def test_a_folder_that_may_not_be_written_is_a_configuration_error(folder: Path, expression: str) -> None:
    folder.chmod(0o555)
    kind, message = as_nobody(folder, expression)
    assert kind == "ConfigurationError", message
    assert str(folder) in str(message)
    assert "ermission" in str(message)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("expression", ["write_atomically({0} / 'a.md', b'x')", "ensure_private_directory({0} / 'a')"])
def test_a_folder_that_may_not_be_entered_is_a_configuration_error(folder: Path, expression: str) -> None:
    (folder / "closed").mkdir(mode=0)
    kind, message = as_nobody(folder, expression.format("Path(folder, 'closed')"))
    assert (kind, "ermission denied" in str(message)) == ("ConfigurationError", True)


def test_a_ledger_file_that_may_not_be_written_is_a_configuration_error(folder: Path) -> None:
    assert as_nobody(folder, "asyncio.run(SqliteLedger.open(Path(folder))).close() and None")[0] == "ok"
    (folder / "ledger.sqlite").chmod(0o400)
    kind, message = as_nobody(folder, "asyncio.run(SqliteLedger.open(Path(folder)))")
    assert kind == "ConfigurationError", message
    assert "ledger.sqlite" in str(message)
