"""What a language brings for reading simple statements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.text.scripts import CJK_LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CJK_SPACE: Final = re.compile(rf"(?<=[{CJK_LETTERS}]) | (?=[{CJK_LETTERS}])")


@dataclass(frozen=True, slots=True)
class StatementRule:
    """A pattern over a whole sentence without words of change, with groups ``owner`` and ``value``."""

    pattern: re.Pattern[str]
    attribute: Callable[[Mapping[str, str | None]], str]
    """Names the attribute from the pattern's groups; empty when it is none of a single value."""
    needs_mark: bool = False


@dataclass(frozen=True, slots=True)
class Language:
    """Patterns of one language."""

    rules: tuple[StatementRule, ...]
    change: re.Pattern[str]
    """Words that say that something is now otherwise."""
    becoming: tuple[re.Pattern[str], str]
    """Words of change that stand for "is", and what is put in their place."""
    lead: re.Pattern[str]
    """Words before a statement that say nothing of it, at its start."""
    owner: Callable[[str], str]
    """Folds an owner; empty for one that a sentence alone does not tell (he, her)."""
    own: re.Pattern[str]
    """Begins a sentence of the speaker about themselves or their own."""
    polarised: Callable[[str], tuple[bool, tuple[str, ...]] | None]
    """Splits a sentence into (affirmed, what is affirmed or denied); None when it cannot tell."""

    def without_marks(self, plain: str) -> str:
        """Return the sentence without leading words and words of change."""
        bare = self.change.sub(" ", self.lead.sub("", plain))
        return _CJK_SPACE.sub("", " ".join(bare.split())).strip(" ,")

    def as_statement(self, plain: str) -> str:
        """Return the sentence as it would be without a change: "has changed to X" as "is X"."""
        pattern, stands_for = self.becoming
        return self.without_marks(pattern.sub(stands_for, plain))

    def is_marked(self, plain: str) -> bool:
        """Return whether the sentence says that something changed."""
        return self.change.search(plain) is not None

    def is_own(self, plain: str) -> bool:
        """Return whether the sentence is the speaker's about themselves."""
        return self.own.match(self.lead.sub("", plain)) is not None
