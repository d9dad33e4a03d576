"""The one composition root: from settings to a memory. Only this room knows host and adapters."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from tercet.adapters.clock import SystemClock
from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.adapters.files.store import LocalFiles
from tercet.adapters.files.watch import changes
from tercet.adapters.lock import WriterLock
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.config import LoadedSettings, load_settings
from tercet.diagnosis import Doctor
from tercet.host import Host
from tercet.identity import checked_agent
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.layer import SemanticLayer, SemanticParts
from tercet.memory import AsyncMemory, Memory
from tercet.model import Finding
from tercet.plugins import load

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.config import EmbeddingSettings
    from tercet.ports import Embedder, Engine

PRIVATE_DIRECTORY_MODE = 0o700
LOCK_WAIT_S = 3600.0
"""A first run over a large folder may hold the index for long; waiting for it is right."""


def build(loaded: LoadedSettings | None = None) -> Memory:
    """Return a memory for code without an event loop.

    Args:
        loaded: Settings; by default those of ``tercet.toml`` and the environment.

    Raises:
        ConfigurationError, IdentityError: a setting is wrong; nothing was created.
    """
    settings = loaded or load_settings()
    return Memory(lambda: build_async(settings))


async def build_async(loaded: LoadedSettings | None = None) -> AsyncMemory:
    """Return a memory for async code; the same as ``build`` otherwise."""
    loaded = loaded or load_settings()
    settings = loaded.settings
    agent = checked_agent(settings.agent)
    embedder = _embedder(settings.embedding)
    home = settings.home
    ensure_private_directory(home)
    ledger = await SqliteLedger.open(home)
    engine = _engine(settings.store.url or str(home / "lancedb"))
    access = EngineAccess(engine, embedder, ledger)
    files = LocalFiles(max_file_bytes=settings.index.max_file_bytes)
    semantic = SemanticLayer(
        SemanticParts(
            agent=agent,
            files=files,
            ledger=ledger,
            engine=engine,
            access=access,
            embedder=embedder,
            lock=WriterLock(home, timeout_s=LOCK_WAIT_S),
            clock=SystemClock(),
            batch_chunks=settings.index.batch_chunks,
            refresh_files=settings.index.refresh_files,
        )
    )

    async def check_home(fix: bool) -> list[Finding]:  # noqa: FBT001 - a callback with one meaning
        return _check_home(home, fix=fix)

    async def close() -> None:
        await semantic.close()
        await files.close()
        await ledger.close()

    doctor = Doctor(embedder.identity if embedder else "none (words alone)", check_home)
    return AsyncMemory(loaded, Host({"semantic": semantic}), semantic, doctor, changes, close)


def _embedder(settings: EmbeddingSettings) -> Embedder | None:
    if settings.provider == "none":
        return None
    given: dict[str, Any] = settings.model_dump(exclude={"provider"}, exclude_none=True)
    if settings.api_key is not None:
        given["api_key"] = settings.api_key.get_secret_value()
    create = load("tercet.embedders", settings.provider)
    embedder: Embedder = create(given)
    return embedder


def _engine(url: str) -> Engine:
    create = load("tercet.engines", "lancedb")
    engine: Engine = create(url)
    return engine


def _check_home(home: Path, *, fix: bool) -> list[Finding]:
    mode = stat.S_IMODE(os.stat(home).st_mode)  # noqa: PTH116 - the mode alone is wanted
    if not mode & 0o077:
        return [Finding("home", "ok", f"{home}, readable by you alone")]
    if fix:
        home.chmod(PRIVATE_DIRECTORY_MODE)
        return [Finding("home", "fixed", f"{home} was open to others; it is yours alone now")]
    detail = f"{home} is open to others (mode {mode:o})"
    return [Finding("home", "warning", detail, "Run 'tercet doctor --fix', or chmod 700.")]
