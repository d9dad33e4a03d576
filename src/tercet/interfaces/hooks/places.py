"""Where the hook finds and keeps things, and whose conversation it hears."""

from __future__ import annotations

import os


def home_folder() -> str:
    """Return Tercet's home: ``TERCET_HOME``, by default ``~/.tercet``."""
    return os.path.expanduser(os.environ.get("TERCET_HOME") or "~/.tercet")  # noqa: PTH111 - no pathlib in a hook


def whose() -> dict[str, str]:
    """Return whose memory it is, as a request says it: the session key, and the agent if one is named.

    ``TERCET_SESSION`` and ``TERCET_AGENT``; by default the owner of the service's agent. A coding
    agent has one user, whatever session of it is running: what was told in one is known in the next.
    """
    named = {"session_key": os.environ.get("TERCET_SESSION") or "main", "agent": os.environ.get("TERCET_AGENT", "")}
    return {name: value for name, value in named.items() if value}
