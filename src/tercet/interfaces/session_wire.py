"""The wire form of sessions: how they stand, and what an extraction gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.capture.session_extraction import ExtractionReport
    from tercet.ports.windows import SessionStatus


def session_json(status: SessionStatus) -> dict[str, Any]:
    """Return how one session stands; ``sinceExtraction`` is what the gate looks at."""
    return {
        "session": status.session.key,
        "anchor": status.session.scope.anchor or None,
        "sinceExtraction": {
            "tokens": status.state.tokens,
            "toolCalls": status.state.tool_calls,
            "turns": status.state.turns,
        },
        "window": {"messages": status.messages, "tokens": status.tokens, "bytes": status.bytes_on_disk},
        "ended": status.ended,
        "attempts": status.attempts,
        "retryAt": status.retry_at.isoformat() if status.retry_at else None,
        "reason": status.reason or None,
        "extractedAt": status.extracted_at.isoformat() if status.extracted_at else None,
    }


def extraction_json(report: ExtractionReport) -> dict[str, Any]:
    """Return what an extraction gave."""
    return {
        "extracted": report.sessions,
        "kept": report.kept,
        "folded": report.folded,
        "superseded": report.superseded,
        "dropped": report.dropped,
        "notes": report.notes,
        "passedOver": report.passed_over,
        "failed": report.failed,
        "madeBy": report.made_by,
    }
