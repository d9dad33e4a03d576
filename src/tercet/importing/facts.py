"""Pure: one fact of another memory, and the entries it becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.capture.drafts import DEFAULT_IMPORTANCE, entry_id
from tercet.capture.injection import looks_like_injection
from tercet.capture.pieces import in_pieces
from tercet.model import Entry
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model import Category, Scope

NOTHING_LEFT: Final = "nothing but a secret"
_REDACTED: Final = re.compile(r"\[redacted[^\]\n]*\]")


@dataclass(frozen=True, slots=True)
class ImportedFact:
    """One fact as another memory holds it."""

    source: str
    """The memory and its own id of the fact (``memory-lancedb:<id>``); kept as the entry's message id."""
    text: str
    category: Category = "other"
    importance: float = DEFAULT_IMPORTANCE
    said_at: datetime | None = None
    """Aware; None where the other memory does not say."""


def entries_of(fact: ImportedFact, scope: Scope) -> list[Entry]:
    """Return the entries of a fact: redacted, then cut into pieces that are each embedded whole.

    Ids depend on scope, source and piece, so that the same fact again is the same entries. Nothing
    is left of a fact that is blank, or nothing but a secret.
    """
    # Half a character becomes U+FFFD, as in what is captured.
    whole = fact.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    safe = redact(whole.strip()).text
    if not _REDACTED.sub("", safe).strip(" .,:;。，：；\n"):
        return []
    return [
        Entry(
            id=entry_id("import", scope.agent, scope.anchor, fact.source, piece),
            scope=scope,
            text=piece,
            category=fact.category,
            importance=fact.importance,
            said_at=fact.said_at,
            # An order over several pieces is one in each of them.
            origin="untrusted" if looks_like_injection(safe) else "owner",
            message_id=fact.source,
        )
        for piece in in_pieces(safe)
    ]
