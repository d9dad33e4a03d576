"""Synthetic passages of many tenants: words as frequent as in a language, vectors that lie in clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tercet.model import Passage, Row, Scope
from tercet.text.terms import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 512
WORDS_A_PASSAGE = 60
WORDS_A_QUESTION = 6
COMMONEST = 20
"""Words that no question asks for, as no question lives of *the* and *of* alone."""
_WORDS = 20_000
_CHINESE_SHARE = 5
"""Every so manieth word is Chinese."""
_CLUSTERS = 200
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "or")]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question near one passage of its tenant, in words and in meaning."""

    agent: str
    text: str
    vector: NDArray[np.float32]


class Corpus:
    """Rows of one tenant after another, the same for the same seed whatever was asked before."""

    def __init__(self, seed: int = 11) -> None:
        """Make words and the middles of the clusters."""
        self._seed = seed
        rng = np.random.default_rng(seed)
        self._words = [_word(number) for number in range(_WORDS)]
        self._terms = [tuple(terms(word)) for word in self._words]
        share = 1 / (np.arange(_WORDS) + 5.0)
        self._up_to = np.cumsum(share / share.sum())
        self._middles = rng.standard_normal((_CLUSTERS, DIMENSIONS), dtype=np.float32)

    def rows(self, tenant: int, count: int, agent: str) -> list[Row]:
        """Return a tenant's passages.

        Args:
            tenant: Its number.
            count: How many passages it has.
            agent: Whose they are.
        """
        rng, words, vectors = self._drawn(tenant, count)
        del rng
        return [self._row(tenant, number, agent, words[number], vectors[number]) for number in range(count)]

    def questions(self, tenant: int, count: int, agent: str, asked: int) -> list[Question]:
        """Return so many questions to a tenant of ``count`` passages."""
        rng, words, vectors = self._drawn(tenant, count)
        made: list[Question] = []
        for number in rng.integers(0, count, asked):
            rarer = np.unique(words[number][words[number] >= COMMONEST])
            chosen = rng.choice(rarer, min(WORDS_A_QUESTION, len(rarer)), replace=False)
            near = vectors[number] + rng.standard_normal(DIMENSIONS, dtype=np.float32) * (0.7 / DIMENSIONS**0.5)
            made.append(Question(agent, " ".join(self._words[word] for word in chosen), _unit(near)))
        return made

    def _drawn(self, tenant: int, count: int) -> tuple[np.random.Generator, NDArray[np.int64], NDArray[np.float32]]:
        rng = np.random.default_rng((self._seed, tenant))
        words = np.searchsorted(self._up_to, rng.random((count, WORDS_A_PASSAGE))).clip(0, _WORDS - 1)
        middles = self._middles[rng.integers(0, _CLUSTERS, count)]
        return rng, words, _unit(middles + rng.standard_normal((count, DIMENSIONS), dtype=np.float32))

    def _row(self, tenant: int, number: int, agent: str, words: NDArray[np.int64], vector: NDArray[np.float32]) -> Row:
        passage = Passage(
            f"{tenant:03}-{number:06}",
            "chunk",
            Scope(agent),
            " ".join(self._words[word] for word in words),
            root=root_of(agent),
            path=f"{number // 10:05}.md",
            start_line=number % 10 * 10 + 1,
            end_line=number % 10 * 10 + 10,
        )
        return Row(passage, tuple(term for word in words for term in self._terms[word]), vector)


def root_of(agent: str) -> str:
    """Return the label of an agent's folder."""
    return f"notes-{agent}"


def _word(number: int) -> str:
    if number % _CHINESE_SHARE == 0:
        return chr(0x4E00 + number // 100) + chr(0x5E00 + number * 7 % 9000)
    first, rest = number % len(_SYLLABLES), number // len(_SYLLABLES)
    return _SYLLABLES[first] + _SYLLABLES[rest % len(_SYLLABLES)] + _SYLLABLES[number * 31 % len(_SYLLABLES)]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return made
