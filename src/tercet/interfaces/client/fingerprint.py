"""Whether two processes are of one version and run with the same settings: then they give the same answers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from tercet._version import __version__
from tercet.config import leaves

if TYPE_CHECKING:
    from tercet.settings import Settings


def settings_digest(settings: Settings) -> str:
    """Return a digest of the version and of every setting; keys count as set or not.

    The agent is left out: each request names its own.
    """
    shown = [(name, value) for name, value in leaves(settings) if name != "agent"]
    return hashlib.sha256(json.dumps([__version__, shown]).encode("utf-8", "surrogatepass")).hexdigest()
