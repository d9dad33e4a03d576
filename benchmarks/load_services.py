"""Service processes over one PostgreSQL tenant, a home each, that are killed and started again."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

START_S = 120.0


@dataclass(slots=True)
class ServiceProcess:
    """One ``tercet serve`` that keeps its port and its token from start to start."""

    home: Path
    environment: Mapping[str, str]
    port: int = 0
    token: str = ""
    is_up: bool = False
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it and wait until it listens.

        Raises:
            RuntimeError: it ended instead; says what it wrote.
        """
        self.port = self.port or _free_port()
        self.home.mkdir(mode=0o700, exist_ok=True)
        with (self.home / "service.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tercet.interfaces.cli", "serve",
                "--home", str(self.home), "--port", str(self.port), "--json",
                env={**os.environ, **self.environment}, stdout=asyncio.subprocess.PIPE, stderr=log,
            )  # fmt: skip
        output = self.process.stdout
        async with asyncio.timeout(START_S):
            first = b"" if output is None else await output.readline()
        if not first:
            await self.process.wait()
            msg = f"the service did not start: {(self.home / 'service.log').read_text('utf-8')[-2000:]}"
            raise RuntimeError(msg)
        self.token = _first_token(Path(json.loads(first)["tokens"]))
        self.is_up = True

    async def kill(self) -> None:
        """End it as ``kill -9`` does."""
        self.is_up = False
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


@asynccontextmanager
async def running_services(
    folder: Path, count: int, environment: Mapping[str, str]
) -> AsyncGenerator[list[ServiceProcess]]:
    """Start services side by side with homes of their own below a folder; kill them in the end."""
    services = [ServiceProcess(folder / f"home{number}", environment) for number in range(count)]
    async with AsyncExitStack() as closing:
        for service in services:
            closing.push_async_callback(service.kill)
        await asyncio.gather(*(service.start() for service in services))
        yield services


def _first_token(file: Path) -> str:
    token: str = json.loads(file.read_text("utf-8"))["tokens"][0]["token"]
    return token


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
