"""What a rule of selection is, and what a language brings along."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.model import Category


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence that matches is worth keeping."""

    category: Category
    importance: float
    """In [0, 1]."""
    pattern: re.Pattern[str]
    """Searched for in one sentence."""


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """One language's way of telling what is worth keeping; the first rule that matches decides."""

    rules: tuple[Rule, ...]
    remember: re.Pattern[str]
    """Matched at the start: the user asks to keep what follows it."""
    question: re.Pattern[str]
    asked_part: re.Pattern[str]
    """Searched for in a part of a question: this part asks too ("in which year did I move, 2019?")."""
    command: re.Pattern[str]
    """Matched at the start: something for the agent to do now."""
    standing: re.Pattern[str]
    """Makes a command one for ever ("always", "from now on"), which is a preference."""
    hypothetical: re.Pattern[str]
    """Matched at the start: a case that is supposed, not told."""
    small_talk: re.Pattern[str]
    """Matched over the whole sentence."""


def rule(category: Category, importance: float, *patterns: str) -> Rule:
    """Return a rule of several patterns, without regard to case."""
    return Rule(category, importance, re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE))


def trigger(phrase: str, category: Category = "other", importance: float = 0.7) -> Rule:
    """Return a rule that keeps every sentence with this phrase, as whole words."""
    words = re.escape(phrase.strip())
    return Rule(category, importance, re.compile(rf"(?<![A-Za-z0-9]){words}(?![A-Za-z0-9])", re.IGNORECASE))
