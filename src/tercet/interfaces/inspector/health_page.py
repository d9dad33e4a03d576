"""How the memory is: parts, sizes, what waits, what is wrong and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.layers.semantic.health import REEMBED
from tercet.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.responses import Response

    from tercet.diagnosis import MemoryStatus
    from tercet.interfaces.inspector.visits import Visit
    from tercet.memory import AsyncMemory

WHAT = "the health of the memory"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the memory and whether it works."""

    name: str
    verdict: str
    """``ok``, ``warning`` or ``problem``."""
    detail: str
    notes: tuple[str, ...] = ()


async def _show(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(WHAT)
    status = await visit.memory.status()
    return visit.page(
        "health.html",
        here="health",
        memory=status,
        parts=_parts(status),
        run=visit.upkeep.run_of(visit.whose.agent),
        progress="health/progress",
        settings_by_group=_by_group(status),
    )


async def _progress(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(WHAT)
    run = visit.upkeep.run_of(visit.whose.agent)
    return visit.page("run.html", here="health", run=run, progress="health/progress")


async def _index(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(WHAT)
    visit.upkeep.start(visit.whose.agent, "index", _indexed)
    return visit.moved("health")


async def _reembed(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(WHAT)
    visit.upkeep.start(visit.whose.agent, "reembed", _reembedded)
    return visit.moved("health")


async def _examine(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(WHAT)
    findings = await visit.memory.diagnose()
    needs_reembedding = any(each.mend == REEMBED for each in findings)
    return visit.page(
        "health_findings.html", here="health", findings=findings, fixed=False, needs_reembedding=needs_reembedding
    )


async def _fix(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(WHAT)
    findings = await visit.memory.diagnose(fix=True)
    return visit.page("health_findings.html", here="health", findings=findings, fixed=True, needs_reembedding=False)


async def _indexed(memory: AsyncMemory, progress: Callable[[int, int], None]) -> str:
    report = await memory.index(progress=progress)
    figures = [
        counted(report.files, "file"),
        counted(report.chunks, "chunk"),
        f"{report.embedded} embedded",
        f"{report.removed} removed",
    ]
    troubles = [f"{each.path}: {each.reason}" for each in (*report.skipped, *report.warnings)]
    return "; ".join([", ".join(figures), *([report.degraded] if report.degraded else []), *troubles])


async def _reembedded(memory: AsyncMemory, progress: Callable[[int, int], None]) -> str:
    report = await memory.reembed(progress)
    return f"{counted(report.rows, 'passage')} moved to {report.space.provider} {report.space.model}"


def _parts(status: MemoryStatus) -> list[Part]:
    """Return the parts that work or do not, with what they say of themselves."""
    parts = [
        Part(
            f"layer {layer.layer}",
            "ok" if layer.healthy else "problem",
            f"{counted(layer.rows, 'passage')}, {layer.bytes_on_disk / 1e6:.1f} MB",
            layer.notes,
        )
        for layer in status.layers
    ]
    embedder = Part(
        "embedder",
        "ok" if status.embedding else "problem" if status.embedding.permanent else "warning",
        status.embedder,
        (status.embedding.reason,) if status.embedding.reason else (),
    )
    store = Part(
        "vector store",
        "ok" if status.vector else "problem",
        "answers" if status.vector else "does not answer",
        (status.vector.reason,) if status.vector.reason else (),
    )
    return [*parts, embedder, store, _capture_part(status)]


def _capture_part(status: MemoryStatus) -> Part:
    capture = status.capture
    notes = [
        *([capture.degraded] if capture.degraded else []),
        *([f"{counted(capture.spooled, 'turn')} in files that the inbox would not take"] if capture.spooled else []),
        *([f"{counted(capture.unreadable, 'file')} of the spool are no turns"] if capture.unreadable else []),
        *([f"{counted(capture.dead, 'message')} given up: the timeline shows them"] if capture.dead else []),
    ]
    since = f" since {capture.oldest:%Y-%m-%d %H:%M} UTC" if capture.oldest else ""
    waiting = f"{counted(capture.waiting, 'message', 'wait')} to be worked in{since}"
    return Part("capture", "warning" if notes else "ok", waiting, tuple(notes))


def _by_group(status: MemoryStatus) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Return the settings by their first name."""
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for setting in status.settings:
        groups.setdefault(setting[0].partition(".")[0], []).append(setting)
    return list(groups.items())


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "health", _show),
    ("GET", "health/progress", _progress),
    ("POST", "health/index", _index),
    ("POST", "health/reembed", _reembed),
    ("GET", "health/findings", _examine),
    ("POST", "health/findings", _fix),
)
