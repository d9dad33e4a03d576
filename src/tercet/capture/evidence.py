"""Drops what an extractor says that the lines it cites do not say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tercet.capture.support import has_its_names, is_supported, shares_a_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.ports.capture import Extracted, Extractor
    from tercet.ports.extraction import SessionDigest, SessionExtractor, SessionFact, SessionLine

_ASSENT: Final = re.compile(
    r"\W*(?:yes|yeah|yep|yup|sure|right|correct|exactly|indeed|true|of course|absolutely|definitely|ok|okay|please do"
    r"|that's (?:right|it|correct|true)|that is (?:right|correct)|是的?|对的?|對的?|没错|沒錯|好的?"
    r"|嗯+|当然|當然|可以|行|ja|genau|oui|sí|si|claro|sim|はい|네)(?:\W.*)?",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_ASSENT: Final = 60


def with_evidence(digest: SessionDigest, lines: Sequence[SessionLine]) -> SessionDigest:
    """Return the digest without the facts that its lines do not carry; these are counted as dropped.

    A fact stays where it cites lines, all of them exist, one of them is the user's and says something
    of it (or says yes to what the assistant said just before), and the cited lines together hold its
    figures, names, negation and half of its words (``support.py``). A topic that is not named in the
    fact or in its lines is taken off.
    """
    by_number = {line.number: line for line in lines}
    kept = tuple(_with_known_topic(fact, by_number) for fact in digest.facts if has_evidence(fact, by_number))
    return replace(digest, facts=kept, dropped=digest.dropped + len(digest.facts) - len(kept))


def has_evidence(fact: SessionFact, lines: Mapping[int, SessionLine]) -> bool:
    """Return whether the lines that a fact cites exist and say it.

    Args:
        fact: What an extractor claims.
        lines: All lines that it was given, by their numbers.
    """
    if not fact.text.strip() or not fact.evidence or any(number not in lines for number in fact.evidence):
        return False
    cited = [lines[number] for number in sorted(set(fact.evidence))]
    told = "\n".join(line.text for line in cited if line.role == "user")
    if not (shares_a_word(fact.text, told) or _is_assented(cited)):
        return False
    return is_supported(fact.text, "\n".join(line.text for line in cited))


class EvidencedExtractor:
    """An ``Extractor`` and a ``SessionExtractor`` of whose facts only those with evidence get through."""

    def __init__(self, messages: Extractor, sessions: SessionExtractor) -> None:
        """Take who extracts from messages and who from sessions; often one and the same model."""
        self._messages = messages
        self._sessions = sessions

    @property
    def identity(self) -> str:
        """Name and kind of who extracts."""
        return self._messages.identity

    async def extract(self, text: str) -> list[Extracted]:
        """Return what is to be kept of a message and is said in it; raises as the extractor does."""
        return [found for found in await self._messages.extract(text) if is_supported(found.text, text)]

    async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
        """Return what is to be kept of a session and is said there; raises as the extractor does."""
        return with_evidence(await self._sessions.extract_session(lines), lines)


def _is_assented(cited: Sequence[SessionLine]) -> bool:
    """Return whether a short yes of the user follows a cited line of the assistant."""
    numbers = {line.number for line in cited if line.role == "assistant"}
    return any(
        line.role == "user"
        and line.number - 1 in numbers
        and len(line.text) <= _LONGEST_ASSENT
        and _ASSENT.fullmatch(line.text.strip())
        for line in cited
    )


def _with_known_topic(fact: SessionFact, lines: Mapping[int, SessionLine]) -> SessionFact:
    said = "\n".join((fact.text, *(lines[number].text for number in fact.evidence)))
    topic = " ".join(fact.topic.split())
    if topic and not (shares_a_word(topic, said) and has_its_names(topic, said)):
        topic = ""
    return fact if topic == fact.topic else replace(fact, topic=topic)
