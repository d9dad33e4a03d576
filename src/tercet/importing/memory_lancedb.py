"""Pure: rows of OpenClaw's memory-lancedb (table ``memories``) as facts.

Source of the columns: ``id`` uuid4, ``text``, ``vector``, ``importance``, ``category``, ``createdAt``
in milliseconds, ``agentId``; a table of before agents lacks the last.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast, get_args

from tercet.capture.drafts import DEFAULT_IMPORTANCE
from tercet.importing.facts import ImportedFact
from tercet.model import Category

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SOURCE: Final = "memory-lancedb"
TABLE: Final = "memories"
COLUMNS: Final = ("id", "text", "importance", "category", "createdAt", "agentId")
"""What is read; vectors are made anew by the embedder of the settings."""
FALLBACK_AGENT: Final = "main"
"""Whose a row without an agent is, as in OpenClaw."""

_CATEGORIES: Final = frozenset(get_args(Category))
_NOT_IN_AN_AGENT: Final = re.compile(r"[^a-z0-9_-]")


@dataclass(frozen=True, slots=True)
class OldMemories:
    """The facts of one agent, and what else the table holds."""

    facts: tuple[ImportedFact, ...]
    """Oldest first; those without a time before all others."""
    skipped: tuple[tuple[str, int], ...]
    """Why rows are no facts of this agent, and how many, most frequent first."""


def facts_of(rows: Iterable[Mapping[str, object]], agent: str) -> OldMemories:
    """Return the rows of one agent as facts.

    Args:
        rows: As the table has them; columns may be missing, and values null or of another type.
        agent: Whose facts are wanted; those of others are counted with the way to get them.
    """
    facts: list[ImportedFact] = []
    skipped: Counter[str] = Counter()
    for row in rows:
        owner = agent_of(row.get("agentId"))
        text, identifier = row.get("text"), row.get("id")
        if owner != agent:
            skipped[f"of the agent {owner}: import it with --agent {owner}"] += 1
        elif not isinstance(text, str) or not text.strip():
            skipped["no text"] += 1
        elif not isinstance(identifier, str) or not identifier:
            skipped["no id"] += 1
        else:
            facts.append(
                ImportedFact(
                    f"{SOURCE}:{identifier}",
                    text,
                    _category(row.get("category")),
                    _importance(row.get("importance")),
                    _time(row.get("createdAt")),
                )
            )
    facts.sort(key=lambda fact: (fact.said_at or datetime.min.replace(tzinfo=UTC), fact.source))
    return OldMemories(tuple(facts), tuple(skipped.most_common()))


def agent_of(value: object) -> str:
    """Return an agent id as OpenClaw normalises it: lower case, ``-`` for what is not allowed, or ``main``."""
    name = _NOT_IN_AN_AGENT.sub("-", value.strip().lower())[:64] if isinstance(value, str) else ""
    return name.strip("-") or FALLBACK_AGENT


def _category(value: object) -> Category:
    return cast("Category", value) if isinstance(value, str) and value in _CATEGORIES else "other"  # checked just here


def _importance(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return DEFAULT_IMPORTANCE
    return min(1.0, max(0.0, float(value)))


def _time(value: object) -> datetime | None:
    """Return the time of a number of milliseconds; None where it is none, or out of every calendar."""
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
