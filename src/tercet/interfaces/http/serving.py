"""Running the service: one a home, announced by a file, stopped so that what was accepted stays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import uvicorn

from tercet.adapters.clock import SystemClock
from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.adapters.lock import WriterLock
from tercet.errors import ConfigurationError, TercetError, TransientError
from tercet.interfaces.client.discovery import (
    RunningService,
    find_service,
    remove_service_file,
    write_service_file,
)
from tercet.interfaces.client.fingerprint import settings_digest
from tercet.interfaces.http.guard import LOOPBACK_NAMES, Addresses
from tercet.interfaces.http.logs import log_event, start_logging
from tercet.interfaces.http.metrics import Metrics
from tercet.interfaces.http.operations import Service
from tercet.interfaces.http.pool import MemoryPool
from tercet.interfaces.http.service_app import service_app
from tercet.interfaces.http.spooled import take_in_spooled
from tercet.interfaces.http.tokens import Tokens
from tercet.interfaces.inspector.sign_in import SignIns
from tercet.interfaces.mcp.over_http import mcp_over_http

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from pathlib import Path

    from tercet.config import LoadedSettings
    from tercet.layers.semantic.indexing import IndexReport

DEFAULT_PORT = 8372
"""The keys of "terc" on a telephone."""
LOCK_FILE = "service.lock"
STOPPING_S = 20
"""How long requests under way may take once the service is told to stop."""
IDLE_CONNECTION_S = 30
WATCH_AGAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Serving:
    """Where to serve."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    """0 takes any free one."""
    allow_hosts: tuple[str, ...] = ()
    """Further names under which it may be asked."""

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine reaches it."""
        return self.host in LOOPBACK_NAMES


def serve(loaded: LoadedSettings, where: Serving, on_start: Callable[[RunningService], None]) -> None:
    """Serve until the process is told to stop (SIGTERM, SIGINT).

    Args:
        loaded: Settings of the home; their agent answers where a request names none.
        where: Address and names.
        on_start: Called once it listens, before the first answer.

    Raises:
        ConfigurationError: another service has this home, the address cannot be had, or it is open to
            others and there is no token (permanent).
    """
    home = loaded.settings.home
    ensure_private_directory(home)
    lock = WriterLock(home, file=LOCK_FILE)
    if not lock.try_acquire():
        raise _runs_already(loaded)
    try:
        tokens = Tokens(home)
        if not where.is_loopback and not tokens.all():
            msg = (
                f"{where.host} can be reached by others, and there is no token: "
                "make one with 'tercet serve --new-token NAME', then start again."
            )
            raise ConfigurationError(msg)
        with _listening(where) as listener:
            start_logging()
            asyncio.run(_serve(loaded, where, tokens, listener, on_start))
    finally:
        lock.release()


async def _serve(
    loaded: LoadedSettings,
    where: Serving,
    tokens: Tokens,
    listener: socket.socket,
    on_start: Callable[[RunningService], None],
) -> None:
    port: int = listener.getsockname()[1]
    # An address that stands for all of them is no address to ask.
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(where.host, where.host)  # noqa: S104 - compared
    running = RunningService(
        f"http://{shown}:{port}",
        os.getpid(),
        tokens.local().token,  # the first of a file may be bound to a guest
        secrets.token_hex(16),
        settings_digest(loaded.settings),
    )
    service = Service(MemoryPool(loaded), Metrics(), running.instance, SignIns(tokens, SystemClock()))
    mcp_routes, mcp_running = mcp_over_http(service.pool)
    names = frozenset({*LOOPBACK_NAMES, where.host.lower(), *(name.lower() for name in where.allow_hosts)})

    @asynccontextmanager
    async def announced() -> AsyncGenerator[None]:
        write_service_file(loaded.settings.home, running)
        on_start(running)
        log_event("started", url=running.url, pid=running.pid)
        try:
            yield
        finally:
            remove_service_file(loaded.settings.home, running)
            log_event("stopping")

    app = service_app(
        service,
        tokens,
        Addresses(names, port),
        routes=mcp_routes,
        running=[lambda: _watched(service.pool, loaded.settings.home), mcp_running, announced],
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=IDLE_CONNECTION_S,
        timeout_graceful_shutdown=STOPPING_S,
    )
    await _Server(config).serve(sockets=[listener])
    log_event("stopped")


class _Server(uvicorn.Server):
    """Stops when it is told to, and leaves the exit code to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Handle SIGTERM and SIGINT while serving; uvicorn's own raises them again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@asynccontextmanager
async def _watched(pool: MemoryPool, home: Path) -> AsyncGenerator[None]:
    """Load the model, take in what waits and follow the indexed folders, behind the first requests."""
    tasks = [asyncio.create_task(work) for work in (_watch(pool), take_in_spooled(pool, home))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _watch(pool: MemoryPool) -> None:
    async with pool.lend(pool.default_agent) as memory:
        await memory.prepare()
        while True:
            try:
                await memory.watch(_reported)
            except TransientError as error:
                # Searches go on looking for changed files themselves; only the head start is lost.
                log_event("not watching", error=type(error).__name__)
                await asyncio.sleep(WATCH_AGAIN_S)
            except TercetError as error:
                log_event("not watching", error=type(error).__name__)
                return


def _reported(report: IndexReport) -> None:
    log_event("indexed", files=report.files, chunks=report.chunks, degraded=report.degraded is not None)


@contextlib.contextmanager
def _listening(where: Serving) -> Generator[socket.socket]:
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((where.host, where.port))
        except OSError as error:
            why = error.strerror or str(error)
            msg = f"{where.host}:{where.port} cannot be listened on ({why}): give another --port, or 0 for a free one."
            raise ConfigurationError(msg) from error
        listener.listen(512)
        yield listener
    finally:
        listener.close()


def _runs_already(loaded: LoadedSettings) -> ConfigurationError:
    found = find_service(loaded.settings.home)
    where = f" at {found.url} (process {found.pid})" if found else ""
    msg = f"A service of {loaded.settings.home} runs already{where}: use it, or end it first."
    return ConfigurationError(msg)
