"""Status and doctor: what is set, what is there, what is wrong and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.config import leaves
from tercet.errors import TercetError
from tercet.layers.semantic.health import REEMBED
from tercet.model import Finding

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from tercet.config import LoadedSettings
    from tercet.host import Host
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.model import BackendStatus, FolderStatus, Probe


@dataclass(frozen=True, slots=True)
class CaptureStatus:
    """How far capture has come."""

    waiting: int
    """Messages in the inbox; found by their words."""
    oldest: datetime | None
    """Since when the oldest waits."""
    dead: int
    """Messages given up, kept with their reason."""
    spooled: int
    """Turns in files that the inbox would not take."""
    unreadable: int
    """Files of the spool that are no turns."""
    counts: dict[str, int]
    """What this process counted: recalls and why they were empty, turns handed over."""
    degraded: str | None = None
    """Why the rules select and not the language model of the settings; None when it does, or none is set."""


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """Everything ``tercet status`` shows."""

    home: str
    agent: str
    settings: tuple[tuple[str, str, str], ...]
    """(dotted name, shown value, where it came from)."""
    folders: tuple[FolderStatus, ...]
    layers: tuple[BackendStatus, ...]
    embedder: str
    embedding: Probe
    vector: Probe
    capture: CaptureStatus


class Doctor:
    """Looks at a memory without changing it, unless asked to mend."""

    def __init__(
        self,
        embedder_identity: str,
        check_home: Callable[[bool], Awaitable[list[Finding]]],
        capture_status: Callable[[], Awaitable[CaptureStatus]],
    ) -> None:
        """Hold what the layers do not know.

        Args:
            embedder_identity: Provider and model in words.
            check_home: Looks at the home folder's permissions (and mends them when told to).
            capture_status: Looks at inbox and spool.
        """
        self._capture_status = capture_status
        self._embedder_identity = embedder_identity
        self._check_home = check_home

    async def status(self, loaded: LoadedSettings, host: Host, semantic: SemanticLayer) -> MemoryStatus:
        """Gather everything; a part that is down is shown as such, never raised."""
        settings = tuple((name, value, loaded.origins[name]) for name, value in leaves(loaded.settings))
        return MemoryStatus(
            home=str(loaded.settings.home),
            agent=loaded.settings.agent,
            settings=settings,
            folders=tuple(await semantic.health.folder_statuses()),
            layers=tuple(await host.status()),
            embedder=self._embedder_identity,
            embedding=await host.probe_embedding_availability(),
            vector=await host.probe_vector_availability(),
            capture=await self._capture_status(),
        )

    async def diagnose(
        self, loaded: LoadedSettings, host: Host, semantic: SemanticLayer, *, fix: bool
    ) -> list[Finding]:
        """Run every check, in the order in which a mend helps the next."""
        findings = await self._check_home(fix)
        if loaded.settings.embedding.provider == "none":
            findings.append(Finding("embedder", "ok", "none, as set: answers are by words alone"))
        else:
            findings.append(_of_probe("embedder", self._embedder_identity, await host.probe_embedding_availability()))
        findings.extend(semantic.health.check_reranker())
        vector = _of_probe("vector store", "answers", await host.probe_vector_availability())
        findings.append(replace(vector, mend=REEMBED) if semantic.health.spaces_differ else vector)
        findings.extend(await _folder_checks(semantic, fix=fix))
        findings.append(await _index_check(semantic, fix=fix))
        findings.append(await _round_trip(semantic))
        findings.append(_capture_check(await self._capture_status()))
        findings.extend(await _magnets(semantic))
        return findings


def _of_probe(check: str, detail: str, probe: Probe) -> Finding:
    if probe:
        return Finding(check, "ok", detail)
    mend = (
        "Change the setting the message names."
        if probe.permanent
        else "Start it again; until then answers are lexical."
    )
    return Finding(check, "problem", probe.reason, mend)


def _capture_check(status: CaptureStatus) -> Finding:
    if status.unreadable:
        detail = f"{status.unreadable} files of the spool are no turns"
        return Finding("capture", "problem", detail, "Look at the .unreadable files in the home's spool folder.")
    if status.dead:
        detail = f"{status.dead} messages were given up after several tries"
        return Finding("capture", "warning", detail, "See 'tercet status'; they are kept in the ledger.")
    if status.degraded is not None:
        return Finding("capture", "warning", status.degraded, "Mend what [extraction] names; nothing told is lost.")
    waiting = status.waiting + status.spooled
    if waiting:
        since = f" since {status.oldest:%Y-%m-%d %H:%M}" if status.oldest else ""
        detail = f"{waiting} messages wait{since}; they are found by words"
        return Finding(
            "capture", "warning", detail, "They are worked in when the embedder works; or run 'tercet index'."
        )
    return Finding("capture", "ok", "nothing waits")


async def _folder_checks(semantic: SemanticLayer, *, fix: bool) -> list[Finding]:
    before = await semantic.health.check_folders()
    # A folder's warning is an unfinished run, or passages without a vector: another run mends both.
    if not fix or not any(finding.verdict == "warning" for finding in before) or not await semantic.roots():
        return before
    try:
        await semantic.index(())
    except TercetError as error:
        return [*before, Finding("folders", "problem", str(error), "Run 'tercet index'.")]
    after = await semantic.health.check_folders()
    return [
        Finding(new.check, "fixed", f"{old.detail}; done now")
        if (old.verdict, new.verdict) == ("warning", "ok")
        else new
        for old, new in zip(before, after, strict=True)
    ]


async def _index_check(semantic: SemanticLayer, *, fix: bool) -> Finding:
    try:
        rows, recorded = await semantic.health.row_counts()
        if rows == recorded:
            return Finding("index", "ok", f"{rows} passages in the vector store, as recorded")
        detail = f"{rows} passages in the vector store, {recorded} recorded"
        if not fix:
            return Finding("index", "problem", detail, "Run 'tercet doctor --fix' or 'tercet index --rebuild'.")
        report = await semantic.index((), rebuild=True)
        rows, recorded = await semantic.health.row_counts()
        if rows != recorded:
            left = f"{rows} passages in the vector store after a rebuild, {recorded} recorded"
            mend = "Move the store away (setting store.url, or lancedb in the home) and run 'tercet index'."
            return Finding("index", "problem", left, mend)
    except TercetError as error:
        return Finding("index", "problem", str(error), "Run 'tercet index --rebuild'.")
    return Finding("index", "fixed", f"{detail}; rebuilt, {report.chunks} passages")


async def _magnets(semantic: SemanticLayer) -> list[Finding]:
    try:
        return await semantic.health.check_magnets()
    except TercetError as error:
        return [Finding("junk magnets", "warning", f"could not be looked for: {error}")]


async def _round_trip(semantic: SemanticLayer) -> Finding:
    """Write one passage, find it by words and by meaning, and take it out again (G24)."""
    try:
        legs = await semantic.health.round_trip()
    except TercetError as error:
        return Finding("round trip", "problem", str(error), "Mend the parts above, then run the doctor again.")
    if "keyword" not in legs:
        return Finding("round trip", "problem", "a passage just written was not found", "Run 'tercet index --rebuild'.")
    why = "the vectors are of another model" if semantic.health.spaces_differ else "there is no working embedder"
    how = "by words and by meaning" if "vector" in legs else f"by words ({why})"
    return Finding("round trip", "ok", f"a passage was written, found {how}, and removed")
