"""Folders, homes and the command line, for the tests of the layer and of what stands on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tercet.interfaces.cli import run as run_command
from tercet.testing.postgres_server import running_server
from tercet.testing.s3_server import running_s3_server

ROOT = Path(__file__).parents[1]
SHARED_DATA = Path(os.environ.get("TERCET_TEST_DATA", ROOT.parent / "shared" / "data"))
SERVERS = {"postgres_server", "own_postgres_server", "s3_server"}
NO_EMBEDDER = {"TERCET_EMBEDDING__PROVIDER": "none"}

NOTES = {
    "MEMORY.md": "# Memory\n\n## Boat\n\nThe boat Albatros lies at berth 47, code ZX-9918.\n\n## Tea\n\nShe drinks oolong.\n",
    "daily/2026-01-09.md": "# Friday\n\nMet the roofer. He wants 14 500 for slates.\n\n- call him back on Monday\n",
    "zh/备忘.md": "# 备忘\n\n妈妈的生日是三月初八。\n\n备份存在哈林机器上。\n",
    "table.md": "# Hosts\n\n| host | address |\n|---|---|\n| kompas | 10.20.0.5 |\n| haring | 10.20.0.10 |\n",
}
"""A small folder with headings, a list, a table and Chinese."""


def write_notes(folder: Path, notes: dict[str, str]) -> Path:
    for name, text in notes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def age(folder: Path) -> None:
    """Give every file a time far enough in the past that it cannot be a write of the same tick."""
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (1_700_000_000, 1_700_000_000))


@pytest.fixture(name="write_notes")
def write_notes_fixture():
    return write_notes


@pytest.fixture(name="age")
def age_fixture():
    return age


@pytest.fixture
def shared_data() -> Path:
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the shared data is not at {SHARED_DATA}: set TERCET_TEST_DATA")
    return SHARED_DATA


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = write_notes(tmp_path / "notes", NOTES)
    age(folder)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs on a server: 'make test-engines' runs that, and whatever else is marked so."""
    for item in items:
        if SERVERS & set(getattr(item, "fixturenames", ())):
            item.add_marker("engines")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests may reach them."""
    for name in [name for name in os.environ if name.startswith("TERCET_") and not name.startswith("TERCET_TEST_")]:
        monkeypatch.delenv(name)


def served(running):
    """Yield a server where the run is for engines; one that cannot start is a failure then."""
    if os.environ.get("TERCET_TEST_ENGINES") != "1":
        pytest.skip("needs a server of its own: set TERCET_TEST_ENGINES=1, as 'make test-engines' does")
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server():
    """A real server for the whole run; a test takes a tenant of its own."""
    yield from served(running_server)


@pytest.fixture
def own_postgres_server():
    """A real server that the test may stop."""
    yield from served(running_server)


@pytest.fixture(scope="session")
def s3_server():
    """A real S3-compatible server for the whole run; a test takes a place in its bucket of its own."""
    yield from served(running_s3_server)


@dataclass(frozen=True)
class Ran:
    """One command line that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@dataclass
class Tercet:
    """The command line over one home."""

    home: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, **environment: str) -> Ran:
        """Run in this process, which has its libraries loaded already."""
        self.capture.readouterr()
        with self.patch.context() as patch:
            for name, value in {**self.environment, **environment}.items():
                patch.setenv(name, value)
            code = run_command([*arguments, "--home", str(self.home)])
        out, err = self.capture.readouterr()
        return Ran(code, out, err)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "tercet.interfaces.cli", *arguments, "--home", str(self.home)]

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start a process of its own."""
        return subprocess.Popen(
            self.command(*arguments),
            env={**os.environ, **self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def process(self, *arguments: str, **environment: str) -> Ran:
        """Run a process of its own to the end."""
        with self.start(*arguments, **environment) as process:
            out, err = process.communicate(timeout=120)
            return Ran(process.returncode, out, err)


@pytest.fixture
def tercet(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tercet:
    """The command line with words alone: quick, and enough for what is no matter of meaning."""
    return Tercet(home, capsys, monkeypatch, dict(NO_EMBEDDER))


@pytest.fixture
def tercet_with_model(tercet: Tercet) -> Tercet:
    """The command line with the builtin model."""
    tercet.environment.clear()
    return tercet
