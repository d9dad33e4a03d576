"""What of a user's message is worth keeping, by rules.

Kept is what tells about a person, a thing or an agreement, and every "remember". Not kept are
questions, errands for the agent, small talk, and code. A wrong "keep" costs one row, a wrong "drop"
loses what was told: where it is unclear, the rules keep.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.capture.rules import Rule, trigger
from tercet.capture.rules_chinese import CHINESE
from tercet.capture.rules_english import ENGLISH
from tercet.capture.sentences import clauses, sentences
from tercet.ports.capture import Extracted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.capture.rules import LanguageRules
    from tercet.model import Category

LANGUAGES: Final[tuple[LanguageRules, ...]] = (ENGLISH, CHINESE)

_EXPLICIT_IMPORTANCE: Final = 0.9
_STANDING: Final = Rule("preference", 0.8, re.compile(""))
_FRAGMENT: Final = Rule("other", 0.5, re.compile(""))
_POINTS_BACK: Final = re.compile(
    r"(?:(?:and|but|also|so) )?(?:he|she|they|his|her|their|its?|it's|he's|she's|they're)\b|[他她它]", re.IGNORECASE
)
_FRAGMENT_WORDS: Final = re.compile(r"[A-Z][\w'’-]*(?: [\w'’-]+){1,5}[.!]?")
_NO_FRAGMENT: Final = re.compile(
    r"(?:i|you|he|she|it|we|they|this|that|these|those|there|here|if|as|because|yes|no|ok|okay|sure|thanks|thank|great|good"
    r"|nice|cool|well|hey|hi|never|not|nothing|all|same|sounds|looks|works|got|let|may|might|any|some|option|step|next|the|a|an|just|my|our|so|only|even|still|hello"
    r"(?!-?[ ](?-i:[A-Z])))\b|[^\n]* (?:is|are|was|were|has|have|had|can|will|did|does|do|don't|didn't)\b",
    re.IGNORECASE,
)


class RuleExtractor:
    """Selects by rules: needs no model, costs no call, and answers the same every time."""

    def __init__(
        self,
        *,
        languages: Sequence[LanguageRules] = LANGUAGES,
        rules: Sequence[Rule] = (),
        triggers: Sequence[str] = (),
    ) -> None:
        """Take further rules, and phrases that make every sentence they stand in worth keeping."""
        self._languages = tuple(languages)
        self._extra = (*rules, *(trigger(phrase) for phrase in triggers if phrase.strip()))

    @property
    def identity(self) -> str:
        """Name and kind in words."""
        return "rules"

    async def extract(self, text: str) -> list[Extracted]:
        """Return what to keep, in the order it was said; empty for small talk."""
        return self.select(text)

    def select(self, text: str) -> list[Extracted]:
        """Return what to keep of a sanitised message of the user, each sentence whole.

        A sentence that points back ("she has two") is kept together with the one it points to.
        """
        kept: list[Extracted] = []
        everything = False
        before = ""
        said = sentences(text)
        for sentence in said:
            asked = self._after_remember(sentence)
            if asked is not None and not _has_words(asked):
                # "Remember this:" is about what follows, "Remember that." about what was said.
                everything = sentence.rstrip().endswith((":", "："))
                if not everything and before:
                    _replace_last(kept, before)
                continue
            if asked is not None or everything:
                rule = self._rule_for(asked or sentence)
                _add(kept, Extracted(asked or sentence, rule.category if rule else "other", _EXPLICIT_IMPORTANCE))
            else:
                for extracted in self._of_sentence(sentence, alone=len(said) == 1):
                    _add(kept, extracted, before)
            before = sentence
        return kept

    def _of_sentence(self, sentence: str, *, alone: bool) -> list[Extracted]:
        if own := self._matches_extra(sentence):
            return [_extracted(sentence, own)]
        if any(language.small_talk.fullmatch(sentence) for language in self._languages):
            return []
        question = self._is_question(sentence)
        if not question and any(language.standing.search(sentence) for language in self._languages):
            return [_extracted(sentence, self._rule_for(sentence) or _STANDING)]
        if question or self._is_command(sentence):
            parts = clauses(sentence)
            if len(parts) == 1:
                return []
            told = [
                (part, self._told_by(part))
                for part in parts
                if not (self._is_question(part) or (question and self._is_asked_part(part)))
            ]
            return [_extracted(part, rule) for part, rule in told if rule and not self._is_command(part)]
        rule = self._told_by(sentence)
        if rule is None and alone and _FRAGMENT_WORDS.fullmatch(sentence) and not _NO_FRAGMENT.match(sentence):
            rule = _FRAGMENT
        return [_extracted(sentence, rule)] if rule else []

    def _after_remember(self, sentence: str) -> str | None:
        """Return what the user asks to keep, or None when the user does not ask."""
        for language in self._languages:
            found = language.remember.match(sentence)
            if found and not self._is_question(sentence[found.end() :] or "."):
                return sentence[found.end() :].strip()
        return None

    def _told_by(self, sentence: str) -> Rule | None:
        if any(language.hypothetical.match(sentence) for language in self._languages):
            return None
        return self._rule_for(sentence)

    def _rule_for(self, sentence: str) -> Rule | None:
        for language in self._languages:
            for rule in language.rules:
                if rule.pattern.search(sentence):
                    return rule
        return None

    def _matches_extra(self, sentence: str) -> Rule | None:
        return next((rule for rule in self._extra if rule.pattern.search(sentence)), None)

    def _is_question(self, sentence: str) -> bool:
        return any(language.question.search(sentence) for language in self._languages)

    def _is_asked_part(self, part: str) -> bool:
        return any(language.asked_part.search(part) for language in self._languages)

    def _is_command(self, sentence: str) -> bool:
        return any(language.command.match(sentence) for language in self._languages)


def _extracted(text: str, rule: Rule) -> Extracted:
    return Extracted(text, rule.category, rule.importance)


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def _add(kept: list[Extracted], extracted: Extracted, before: str = "") -> None:
    """Add what is kept; a sentence that points back is joined to the one before it."""
    if before and _POINTS_BACK.match(extracted.text):
        if kept and kept[-1].text.endswith(before):
            last = kept.pop()
            joined, importance = f"{last.text} {extracted.text}", max(last.importance, extracted.importance)
            kept.append(Extracted(joined, last.category, importance))
            return
        extracted = Extracted(f"{before} {extracted.text}", extracted.category, extracted.importance)
    if all(extracted.text != one.text for one in kept):
        kept.append(extracted)


def _replace_last(kept: list[Extracted], before: str) -> None:
    """Raise what was said before a bare "remember that" to what the user asked to keep."""
    category: Category = "other"
    if kept and kept[-1].text.endswith(before):
        last = kept.pop()
        before, category = last.text, last.category
    kept.append(Extracted(before, category, _EXPLICIT_IMPORTANCE))
