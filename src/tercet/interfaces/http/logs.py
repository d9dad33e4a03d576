"""Logs as JSON lines on standard error: what was asked for and how it went, never a word of memory."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

ACCESS = logging.getLogger("tercet.service")
"""One record a request; its fields are in ``extra={"fields": {...}}``."""


class JsonLines(logging.Formatter):
    """One JSON object a line; an exception is its type and where it was raised, not what it said."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        value: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        fields: dict[str, Any] = getattr(record, "fields", {})
        value.update(fields)
        if record.exc_info and record.exc_info[1] is not None:
            value["error"] = record.exc_info[0].__name__ if record.exc_info[0] else None
            value["at"] = places(record.exc_info[1])
        return json.dumps(value, ensure_ascii=True)


def places(error: BaseException) -> list[str]:
    """Return where an error went through, as ``file:line function``: no source, no values."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]]


def start_logging() -> None:
    """Send our records, and the libraries' warnings, to standard error as JSON lines."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    ACCESS.setLevel(logging.INFO)
    # Its records repeat what a tool was asked and what a path held.
    logging.getLogger("mcp").setLevel(logging.ERROR)


def log_event(event: str, **fields: object) -> None:
    """Log one thing that happened to the service."""
    ACCESS.info(event, extra={"fields": fields})
