"""The wire form of what the facade returns: names in camelCase, one place for every interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.diagnosis import MemoryStatus
    from tercet.keeping import ForgetReport
    from tercet.model import Entry, FileText, Hit, Passage, Probe, RecallSection, SearchResult


def result_json(result: SearchResult, *, whole: bool = False) -> dict[str, Any]:
    """Return ``{"results": [...], "degraded": ..., "tookMs": ...}``; see ``hit_json`` for ``whole``."""
    return {
        "results": [hit_json(hit, whole=whole) for hit in result],
        "degraded": result.degraded,
        "tookMs": round(result.took_ms, 1),
    }


def hit_json(hit: Hit, *, whole: bool = False) -> dict[str, Any]:
    """Return one hit; entries have null path and lines.

    Args:
        hit: Of a search or a recall.
        whole: Add ``passage``: its text beyond the snippet, and whose it is.
    """
    passage = hit.passage
    located = bool(passage.path)
    value: dict[str, Any] = {
        "id": passage.id,
        "layer": hit.layer,
        "path": passage.path if located else None,
        "startLine": passage.start_line if located else None,
        "endLine": passage.end_line if located else None,
        "score": round(hit.score, 6),
        "relevance": round(hit.relevance, 6),
        "snippet": hit.snippet,
        "header": passage.header,
        "root": passage.root or None,
        "kind": passage.kind,
        "category": passage.category or None,
        "importance": passage.importance,
        "origin": passage.origin,
        "timestamp": passage.timestamp.isoformat() if passage.timestamp else None,
    }
    explanation = hit.explanation
    if explanation is not None:
        value["signals"] = {
            part.name: {"value": part.value, "weight": part.weight, "contribution": part.contribution}
            for part in explanation.parts
        }
        value["explanation"] = {
            "preset": explanation.preset,
            "multipliers": dict(explanation.multipliers),
            "legs": list(explanation.legs),
            "notes": list(explanation.notes),
        }
    if hit.related:
        value["related"] = [{"ref": each.ref, "weight": each.weight, "kinds": list(each.kinds)} for each in hit.related]
    if whole:
        value["passage"] = _passage_json(passage)
    return value


def _passage_json(passage: Passage) -> dict[str, Any]:
    return {
        "agent": passage.scope.agent,
        "anchor": passage.scope.anchor,
        "text": passage.text,
        "context": passage.context,
        "speaker": passage.speaker,
        "session": passage.session,
        "ordinal": passage.ordinal,
        "tags": list(passage.tags),
    }


def entry_json(entry: Entry) -> dict[str, Any]:
    """Return one entry."""
    return {
        "id": entry.id,
        "anchor": entry.scope.anchor or None,
        "text": entry.text,
        "category": entry.category,
        "importance": entry.importance,
        "saidAt": entry.said_at.isoformat() if entry.said_at else None,
        "storedAt": entry.stored_at.isoformat() if entry.stored_at else None,
        "origin": entry.origin,
        "session": entry.session or None,
        "messageId": entry.message_id or None,
        "state": entry.state,
        "supersededBy": entry.superseded_by or None,
        "seen": entry.seen,
        "lastSeen": entry.last_seen.isoformat() if entry.last_seen else None,
        "links": list(entry.links),
    }


def section_json(section: RecallSection, *, whole: bool = False) -> dict[str, Any]:
    """Return a section with what it is made of; see ``hit_json`` for ``whole``."""
    return {
        "text": section.text,
        "placement": section.placement,
        "tokens": section.tokens,
        "skippedReason": section.skipped_reason,
        "degraded": section.degraded,
        "results": [hit_json(hit, whole=whole) for hit in section.hits],
    }


def file_json(file: FileText) -> dict[str, Any]:
    """Return lines of a file."""
    return {
        "path": file.path,
        "startLine": file.start_line,
        "endLine": file.end_line,
        "totalLines": file.total_lines,
        "text": file.text,
    }


def forget_json(report: ForgetReport) -> dict[str, Any]:
    """Return what a forget found and removed."""
    return {
        "candidates": [entry_json(entry) for entry in report.candidates],
        "removed": list(report.removed),
        "waitingRemoved": report.waiting_removed,
        "purgeAt": report.purge_at.isoformat() if report.purge_at else None,
        "notesLeft": list(report.notes_left),
    }


def status_json(status: MemoryStatus) -> dict[str, Any]:
    """Return the wire form of a status."""
    return {
        "home": status.home,
        "agent": status.agent,
        "folders": [
            {
                "label": folder.label,
                "directory": folder.directory,
                "files": folder.files,
                "chunks": folder.chunks,
                "waiting": folder.waiting,
            }
            for folder in status.folders
        ],
        "layers": [
            {
                "layer": layer.layer,
                "healthy": layer.healthy,
                "rows": layer.rows,
                "bytes": layer.bytes_on_disk,
                "notes": list(layer.notes),
            }
            for layer in status.layers
        ],
        "embedder": {"identity": status.embedder, **_probe_json(status.embedding)},
        "vectorStore": _probe_json(status.vector),
        "capture": {
            "waiting": status.capture.waiting,
            "oldest": status.capture.oldest.isoformat() if status.capture.oldest else None,
            "dead": status.capture.dead,
            "spooled": status.capture.spooled,
            "unreadable": status.capture.unreadable,
            "counts": status.capture.counts,
            "degraded": status.capture.degraded,
        },
        "settings": [{"name": name, "value": value, "origin": origin} for name, value, origin in status.settings],
    }


def _probe_json(probe: Probe) -> dict[str, Any]:
    return {"ok": probe.ok, "reason": probe.reason or None, "permanent": probe.permanent}
