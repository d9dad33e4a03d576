"""WordPiece for BERT vocabularies, so that the small models need no tokeniser library.

Source: the published BERT pre-processing (clean, space out ideographs, strip accents, lower-case,
split at white space and punctuation, then greedy longest match); held against the ``tokenizers``
library in the tests. One difference is meant: a text that spells ``[SEP]`` is text here, while the
library takes it for the control token.
"""

from __future__ import annotations

import gzip
import hashlib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import ConfigurationError, ModelIntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_BUNDLED = Path(__file__).parent / "data" / "vocab.txt.gz"

_LONGEST_WORD = 100
_CACHED_WORDS = 50_000
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})
"""Unassigned code points stay, so that an emoji newer than this Python's tables is no different."""
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Texts to token ids by one vocabulary."""

    def __init__(self, vocabulary: Sequence[str], *, lower_case: bool = True) -> None:
        """Take the tokens in the order of their ids.

        Raises:
            ConfigurationError: a control token is missing, so this is no BERT vocabulary (permanent).
        """
        self._ids = {token: at for at, token in enumerate(vocabulary)}
        try:
            self.unknown, self.start, self.end, self.padding = (
                self._ids[token] for token in ("[UNK]", "[CLS]", "[SEP]", "[PAD]")
            )
        except KeyError as error:
            msg = f"The vocabulary has no token {error}: use the vocab.txt that came with the model."
            raise ConfigurationError(msg) from error
        self._spell = _Spelling(lower_case=lower_case)
        self._words: dict[str, list[int]] = {}

    def encode(self, text: str, max_tokens: int) -> list[int]:
        """Return ``[CLS]`` ids ``[SEP]``, at most ``max_tokens`` in all; what is over is not read."""
        return [self.start, *self.ids(text, max_tokens - 2), self.end]

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text without control tokens, the first ``limit`` of them."""
        found: list[int] = []
        for word in text.translate(self._spell).split():
            if len(found) >= limit:
                break
            found.extend(self._pieces(word))
        return found[:limit]

    def _pieces(self, word: str) -> list[int]:
        known = self._words.get(word)
        if known is None:
            if len(self._words) >= _CACHED_WORDS:
                self._words.clear()
            known = self._words[word] = self._split(word)
        return known

    def _split(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self.unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                piece = self._ids.get(mark + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return [self.unknown]
        return pieces


class _Spelling(dict[int, str]):
    """What each code point becomes before the split into words, filled as code points are met."""

    def __init__(self, *, lower_case: bool) -> None:
        super().__init__()
        self._lower_case = lower_case

    def __missing__(self, code: int) -> str:
        spelled = self[code] = "".join(self._spelled(code))
        return spelled

    def _spelled(self, code: int) -> Iterator[str]:
        char = chr(code)
        if char in "\t\n\r":
            yield " "
        elif code in {0, 0xFFFD} or unicodedata.category(char) in _DROPPED:
            return
        elif char.isspace():
            yield " "
        elif any(first <= code <= last for first, last in _IDEOGRAPHS):
            yield f" {unicodedata.normalize('NFD', char) if self._lower_case else char} "
        else:
            # One character at a time: str.lower() on a whole word has a special final sigma.
            for part in unicodedata.normalize("NFD", char) if self._lower_case else char:
                if self._lower_case and unicodedata.category(part) == "Mn":
                    continue
                yield f" {part} " if _is_punctuation(part) else part.lower() if self._lower_case else part


def _is_punctuation(char: str) -> bool:
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:  # noqa: PLR2004 - ASCII blocks
        return True
    return unicodedata.category(char).startswith("P")


def read_vocabulary(path: Path) -> list[str]:
    """Return the tokens of a ``vocab.txt``, one a line.

    Raises:
        ConfigurationError: it cannot be read (permanent).
    """
    try:
        return _lines(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        msg = f"The vocabulary {path} cannot be read ({error}): copy vocab.txt from the model again."
        raise ConfigurationError(msg) from error


def bundled_vocabulary() -> list[str]:
    """Return the BERT base uncased vocabulary that ships with Tercet (data/ORIGIN.txt).

    Raises:
        ModelIntegrityError: the file was changed (permanent).
    """
    try:
        raw = gzip.decompress(_BUNDLED.read_bytes())
    except (OSError, EOFError) as error:
        msg = f"The vocabulary {_BUNDLED.name} cannot be read ({error}): install tercet again."
        raise ModelIntegrityError(msg) from error
    if hashlib.sha256(raw).hexdigest() != VOCABULARY_SHA256:
        msg = f"The vocabulary {_BUNDLED.name} is not the one that was shipped: install tercet again."
        raise ModelIntegrityError(msg)
    return _lines(raw)


def _lines(raw: bytes) -> list[str]:
    # Not splitlines(): the vocabulary may hold U+2028 and its like as tokens.
    return [line.rstrip("\r") for line in raw.decode("utf-8").rstrip("\n").split("\n")]
