"""The wire form of what the facade returns: names in camelCase, one place for every interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.model import Entry, FileText, Hit, RecallSection, SearchResult


def result_json(result: SearchResult) -> dict[str, Any]:
    """Return ``{"results": [...], "degraded": ..., "tookMs": ...}``."""
    return {
        "results": [hit_json(hit) for hit in result],
        "degraded": result.degraded,
        "tookMs": round(result.took_ms, 1),
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    """Return one hit; entries have null path and lines."""
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
    return value


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


def section_json(section: RecallSection) -> dict[str, Any]:
    """Return a section with what it is made of."""
    return {
        "text": section.text,
        "placement": section.placement,
        "tokens": section.tokens,
        "skippedReason": section.skipped_reason,
        "degraded": section.degraded,
        "results": [hit_json(hit) for hit in section.hits],
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
