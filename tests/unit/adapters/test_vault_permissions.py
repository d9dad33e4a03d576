"""A vault that may not be read or written says so in one line; checked as an ordinary user, in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534
PROGRAM = """
import asyncio, hashlib, json, os, sys
from pathlib import Path
from tercet.adapters.vault import FolderVault
import filelock, tercet.text.decoding, tercet.adapters.vault.writing
filelock.FileLock
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
assert os.geteuid() != 0, "these checks mean nothing for the superuser"

async def main(vault):
    digest = hashlib.sha256(b"text").hexdigest()
    for call in (
        vault.files(),
        vault.read("a.md"),
        vault.write("b.md", "x", expected_sha256=None),
        vault.write("a.md", "x", expected_sha256=digest),
    ):
        try:
            await call
            print(json.dumps("ok"))
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"))
    await vault.close()

asyncio.run(main(FolderVault(Path(sys.argv[1]), "main")))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that anyone may enter, unlike pytest's own, owned by whoever will look at it."""
    place = Path(tempfile.mkdtemp(prefix="tercet-test-"))
    (place / "a.md").write_text("text")
    yield place
    place.chmod(0o700)
    shutil.rmtree(place)


def outcomes(folder: Path) -> list[str]:
    """Return how listing, reading ``a.md``, writing a new ``b.md`` and writing ``a.md`` end."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)], capture_output=True, text=True, check=True, timeout=60
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_vault_that_may_not_be_entered(folder: Path) -> None:
    folder.chmod(0)
    ended = outcomes(folder)
    assert [outcome.partition(":")[0] for outcome in ended] == ["VaultUnavailableError"] * 4
    assert all("permissions" in outcome and str(folder) in outcome and "\n" not in outcome for outcome in ended)


def test_a_vault_that_may_only_be_read_is_read(folder: Path) -> None:
    folder.chmod(0o555)
    listed, read, *written = outcomes(folder)
    assert (listed, read) == ("ok", "ok")
    assert all(outcome.startswith("VaultUnavailableError") for outcome in written)
    assert all("mend its permissions" in outcome for outcome in written)


def test_a_note_that_may_not_be_read_stops_no_other(folder: Path) -> None:
    (folder / "a.md").chmod(0)
    listed, read, other, same = outcomes(folder)
    assert (listed, other) == ("ok", "ok")
    assert all(outcome.startswith("VaultUnavailableError") and "a.md" in outcome for outcome in (read, same))


def test_a_note_that_somebody_made_read_only_is_not_written(folder: Path) -> None:
    (folder / "a.md").chmod(0o444)
    listed, read, other, same = outcomes(folder)
    assert (listed, read, other) == ("ok", "ok", "ok")
    assert same.startswith("VaultUnavailableError")
    assert "read-only" in same
    assert (folder / "a.md").read_text() == "text"
