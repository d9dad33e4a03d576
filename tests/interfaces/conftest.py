"""A real service in a process of its own, for the tests of everything that speaks to one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx2
import pytest

from tercet.interfaces.cli import run as run_command

NOTES = {
    "MEMORY.md": "# Memory\n\n## Boat\n\nThe boat Albatros lies at berth 47, code ZX-9918.\n",
    "zh/备忘.md": "# 备忘\n\n妈妈的生日是三月初八。\n",
}
COMMAND = "import sys; from tercet.interfaces.cli.serve import command; command(prog_name='tercet serve')"


@dataclass
class ServiceProcess:
    """``tercet serve`` over one home."""

    home: Path
    process: subprocess.Popen[str]
    log: IO[str]
    url: str
    token: str
    pid: int
    http: httpx2.Client = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.http = httpx2.Client(base_url=self.url, timeout=30, trust_env=False)

    def ask(self, method: str, path: str, json: Any = None, **given: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.token}", **given.pop("headers", {})}
        return self.http.request(method, path, json=json, headers=headers, **given)

    def post(self, path: str, json: Any, **given: Any) -> httpx2.Response:
        return self.ask("POST", path, json, **given)

    def get(self, path: str, **given: Any) -> httpx2.Response:
        return self.ask("GET", path, **given)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, list[dict[str, Any]]]:
        """End it; returns its exit code and what it logged."""
        if self.log.closed:
            return self.process.returncode, []
        self.http.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(timeout=60)
        if self.process.stdout is not None:
            self.process.stdout.close()
        with self.log:
            return self.process.returncode, [json.loads(line) for line in written(self.log).splitlines()]


def written(log: IO[str]) -> str:
    """Return all that a process wrote to its log."""
    log.seek(0)
    return log.read()


def start_service(home: Path, *arguments: str, **environment: str) -> ServiceProcess:
    """Start one on a free port, with words alone unless the environment says otherwise."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TERCET_")}
    # A file, no pipe: one that nobody reads is full after some hundred requests, and then the service waits.
    log = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed when the service is stopped
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "--home", str(home), "--port", "0", "--json", *arguments],
        env={**clean, "TERCET_EMBEDDING__PROVIDER": "none", **environment},
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    if not first:
        process.wait(timeout=60)
        with log:
            pytest.fail(f"the service did not start: {written(log)}")
    said = json.loads(first)
    token = json.loads(Path(said["tokens"]).read_text("utf-8"))["tokens"][0]["token"]
    return ServiceProcess(home, process, log, said["url"], token, said["pid"])


def indexed_home(folder: Path) -> Path:
    """Return a home with a folder of notes in its index."""
    notes = folder / "notes"
    for name, text in NOTES.items():
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERCET_EMBEDDING__PROVIDER", "none")
        assert run_command(["index", str(notes), "--home", str(folder / "home")]) == 0
    return folder / "home"


@pytest.fixture(name="start_service")
def start_service_fixture():
    started: list[ServiceProcess] = []

    def start(home: Path, *arguments: str, **environment: str) -> ServiceProcess:
        service = start_service(home, *arguments, **environment)
        started.append(service)
        return service

    yield start
    for service in started:
        service.stop()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory):
    """One service for the tests of a module, over two notes."""
    running = start_service(indexed_home(tmp_path_factory.mktemp("service")))
    yield running
    running.stop()
