"""Long-term memory for AI agents, in three layers, on your own machine.

``build()`` returns a ``Memory``, ``build_async()`` an ``AsyncMemory``. Nothing heavy is loaded by
importing this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet._version import __version__

if TYPE_CHECKING:
    from tercet.app import build, build_async
    from tercet.config import LoadedSettings, load_settings
    from tercet.errors import PermanentError, TercetError, TransientError
    from tercet.memory import AsyncMemory, Memory
    from tercet.model import (
        Entry,
        FileText,
        Hit,
        Message,
        Reach,
        RecallSection,
        SearchOptions,
        SearchResult,
        TimeRange,
        Turn,
    )

_HOMES = {
    "AsyncMemory": "tercet.memory",
    "Entry": "tercet.model",
    "FileText": "tercet.model",
    "Hit": "tercet.model",
    "LoadedSettings": "tercet.config",
    "Memory": "tercet.memory",
    "Message": "tercet.model",
    "PermanentError": "tercet.errors",
    "Reach": "tercet.model",
    "RecallSection": "tercet.model",
    "SearchOptions": "tercet.model",
    "SearchResult": "tercet.model",
    "TercetError": "tercet.errors",
    "TimeRange": "tercet.model",
    "TransientError": "tercet.errors",
    "Turn": "tercet.model",
    "build": "tercet.app",
    "build_async": "tercet.app",
    "load_settings": "tercet.config",
}
"""Public name to its module; imported when it is first asked for."""

__all__ = [
    "AsyncMemory",
    "Entry",
    "FileText",
    "Hit",
    "LoadedSettings",
    "Memory",
    "Message",
    "PermanentError",
    "Reach",
    "RecallSection",
    "SearchOptions",
    "SearchResult",
    "TercetError",
    "TimeRange",
    "TransientError",
    "Turn",
    "__version__",
    "build",
    "build_async",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    """Import a public name late, so that ``import tercet`` stays quick."""
    if name not in _HOMES:
        msg = f"module 'tercet' has no attribute {name!r}"
        raise AttributeError(msg)
    import importlib  # noqa: PLC0415 - only where it is needed

    return getattr(importlib.import_module(_HOMES[name]), name)
