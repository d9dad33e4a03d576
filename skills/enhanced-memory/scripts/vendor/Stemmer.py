"""Stands in for PyStemmer, from which Tercet's rules take one class with one method."""

from __future__ import annotations

from english_stemmer import stem


class Stemmer:
    """The English stemmer; no other language is there."""

    def __init__(self, algorithm: str = "english", _cache_size: int = 0) -> None:
        """Check the name of the algorithm.

        Raises:
            KeyError: another one than ``english``, as PyStemmer does.
        """
        if algorithm != "english":
            raise KeyError(algorithm)

    def stemWord(self, word: str) -> str:  # noqa: N802 - PyStemmer's name
        """Return the stem of a word of lower-case ASCII letters."""
        return stem(word)
