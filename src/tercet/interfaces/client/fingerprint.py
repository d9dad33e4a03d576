"""Whether two processes run with the same settings: then they give the same answers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from tercet.config import leaves

if TYPE_CHECKING:
    from tercet.settings import Settings


def settings_digest(settings: Settings) -> str:
    """Return a digest of every setting but the agent, which each request names; keys count as set or not."""
    shown = [(name, value) for name, value in leaves(settings) if name != "agent"]
    return hashlib.sha256(json.dumps(shown).encode("utf-8", "surrogatepass")).hexdigest()
