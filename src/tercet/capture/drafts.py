"""From one message of the inbox to the texts that are worth keeping of it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from tercet.capture.injection import looks_like_injection
from tercet.capture.pieces import in_pieces
from tercet.errors import PermanentError, TransientError
from tercet.model import Category, Entry
from tercet.ports.capture import Extracted
from tercet.text.envelopes import sanitise_user_text
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import InboxItem, Origin
    from tercet.ports.capture import Extractor

DEFAULT_IMPORTANCE: Final = 0.7
_REDACTED: Final = re.compile(r"\[redacted[^\]\n]*\]")
_CATEGORIES: Final = frozenset(get_args(Category))


@dataclass(frozen=True, slots=True)
class Drafts:
    """What one message gives."""

    item: InboxItem
    entries: tuple[Entry, ...]
    skipped: tuple[str, ...]
    """Why something, or all, of it is not kept."""
    fallback: str = ""
    """Why the rules selected although something else was to; empty when that worked."""


class Drafter:
    """Takes envelopes off, selects, redacts and cuts."""

    def __init__(self, extractor: Extractor, rules: Extractor, max_per_turn: int) -> None:
        """Select with ``extractor``; ``rules`` take over where that is down or wrong."""
        self._extractor = extractor
        self._rules = rules
        self._max_per_turn = max_per_turn

    async def draft(self, item: InboxItem) -> Drafts:
        """Return the entries that a message would become; they have no ordinal yet."""
        sanitised = sanitise_user_text(item.text)
        if not sanitised.text:
            return Drafts(item, (), (sanitised.reason or "empty",))
        origin: Origin = "untrusted" if looks_like_injection(sanitised.text) else "owner"
        # Before anything is taken out of the message: a key over several lines is one only as a whole,
        # and no extractor, least of all a service, is to see it.
        safe_text = redact(sanitised.text).text
        fallback = ""
        if item.keep_all:
            chosen: Sequence[Extracted] = [Extracted(safe_text, "other", DEFAULT_IMPORTANCE)]
        else:
            chosen, fallback = await self._extract(safe_text)
        skipped = [] if chosen else ["nothing worth keeping"]
        kept = chosen
        if len(chosen) > self._max_per_turn:
            weightiest = sorted(range(len(chosen)), key=lambda n: -chosen[n].importance)[: self._max_per_turn]
            kept = [chosen[n] for n in sorted(weightiest)]
            skipped += ["more than one message may give"] * (len(chosen) - len(kept))
        entries: dict[str, Entry] = {}
        for each in kept:
            # Once more: what an extractor writes itself was never looked at.
            safe = redact(each.text).text
            if not _REDACTED.sub("", safe).strip(" .,:;。，：；\n"):
                skipped.append("nothing but a secret")
                continue
            for piece in in_pieces(safe):
                entry = _entry(item, each, piece, origin)
                entries.setdefault(entry.id, entry)
        return Drafts(item, tuple(entries.values()), tuple(skipped), fallback)

    async def _extract(self, text: str) -> tuple[list[Extracted], str]:
        """Return what is worth keeping, and why the rules had to say so."""
        fallback = ""
        try:
            found = await self._extractor.extract(text)
        except (TransientError, PermanentError) as error:
            # Trigger: a model is down, over quota or answers nonsense. Why: nothing the user told
            # may be lost for that. Outcome: the rules select; they need nothing.
            found = await self._rules.extract(text)
            fallback = str(error)
        return [each for each in found if each.text.strip()], fallback


def entry_id(*parts: str) -> str:
    """Return a deterministic id; parts are told apart by their length."""
    joined = "".join(f"{len(part)}:{part}" for part in ("entry", *parts))
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _entry(item: InboxItem, extracted: Extracted, text: str, origin: Origin) -> Entry:
    return Entry(
        id=entry_id(item.id, text),
        scope=item.scope,
        text=text,
        category=extracted.category if extracted.category in _CATEGORIES else "other",
        importance=min(1.0, max(0.0, extracted.importance)),
        said_at=item.said_at,
        origin=origin,
        session=item.session,
        message_id=item.message_id,
    )
