"""What a session gives without a model: the sentences of the user that the rules would keep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.capture.selection import RuleExtractor
from tercet.capture.subjects import statement_of
from tercet.ports.extraction import SessionDigest, SessionFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.ports.extraction import SessionLine

IDENTITY: Final = "rules (sentences picked out as they were said, no model)"
_SPEAKER: Final = frozenset({"i", "we", "我", "我们", "我們"})


class RuleSessionExtractor:
    """A ``SessionExtractor`` that quotes: each fact is a sentence of the user and cites its line.

    It is deterministic, sums nothing up, and says so in ``made_by``.
    """

    def __init__(self, rules: RuleExtractor | None = None) -> None:
        """Take the rules that select; None for those of every language there is."""
        self._rules = rules or RuleExtractor()

    @property
    def identity(self) -> str:
        """Name and kind in words."""
        return IDENTITY

    async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
        """Return what to keep, in the order it was said; without facts for small talk."""
        return self.digest(lines)

    def digest(self, lines: Sequence[SessionLine]) -> SessionDigest:
        """Return the same without waiting; a sentence said in several lines is one fact that cites them all."""
        facts: dict[str, SessionFact] = {}
        for line in lines:
            if line.role != "user":
                continue
            for found in self._rules.select(line.text):
                earlier = facts.get(found.text)
                cited = (line.number,) if earlier is None else tuple(sorted({*earlier.evidence, line.number}))
                facts[found.text] = SessionFact(
                    found.text, found.category, found.importance, cited, topic_of(found.text)
                )
        return SessionDigest(tuple(facts.values()), IDENTITY)


def topic_of(text: str) -> str:
    """Return whom or what a simple statement is about, as it is written there; empty for the speaker.

    It is empty too wherever the statement is not understood for sure.
    """
    statement = statement_of(text)
    if statement is None or statement.owner in _SPEAKER:
        return ""
    written = re.search(rf"(?<!\w){re.escape(statement.owner)}", text, re.IGNORECASE)
    # Folded away (我的姐姐 to 我姐姐, our dog to my dog): the folded form names it as well.
    topic = written[0] if written else statement.owner
    return topic[0].upper() + topic[1:]
