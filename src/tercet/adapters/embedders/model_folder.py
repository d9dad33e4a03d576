"""The files of a local model folder: which there are, and what they say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tercet.adapters.embedders.answers import fields
from tercet.adapters.embedders.onnx_session import Tokens
from tercet.adapters.embedders.prefixes import known_prefixes
from tercet.adapters.embedders.wordpiece import WordPiece, read_vocabulary
from tercet.errors import ConfigurationError, MissingExtraError

_DEFAULT_TOKENS = 512
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet"})
"""Models that begin to count positions after the padding id."""


class Tokenizer(Protocol):
    """Texts, or pairs of them, to the ids a model reads."""

    @property
    def padding(self) -> int:
        """The id that fills a batch up."""
        ...

    def encode(self, text: str, max_tokens: int) -> Tokens:
        """Return one text with its control tokens, cut to ``max_tokens``."""
        ...

    def encode_pair(self, first: str, second: str, max_tokens: int) -> Tokens:
        """Return two texts as one input, the longer of them cut first."""
        ...


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder in the layout of sentence-transformers."""

    directory: Path

    @classmethod
    def named(cls, path: str) -> ModelFolder:
        """Return the folder that a setting names; ``~`` is the user's home.

        Raises:
            ConfigurationError: it begins with ``~`` and the name of no user (permanent).
        """
        try:
            return cls(Path(path).expanduser())
        except RuntimeError as error:
            msg = f"The model folder {path} names no user of this machine: write the folder out."
            raise ConfigurationError(msg) from error

    def model_file(self) -> Path:
        """Return the ONNX file.

        Raises:
            ConfigurationError: there is none (permanent).
        """
        for name in ("model.onnx", "onnx/model.onnx"):
            if (self.directory / name).is_file():
                return self.directory / name
        msg = f"{self.directory} holds neither model.onnx nor onnx/model.onnx: set the path to the model's folder."
        raise ConfigurationError(msg)

    def tokenizer(self) -> Tokenizer:
        """Return the folder's tokeniser.

        Raises:
            ConfigurationError: there is none, or it cannot be read (permanent).
            MissingExtraError: ``tokenizer.json`` needs a library that is not installed (permanent).
        """
        vocabulary = self.directory / "vocab.txt"
        if (self.directory / "tokenizer.json").is_file():
            return _LibraryTokenizer(self.directory / "tokenizer.json")
        if vocabulary.is_file():
            lower_case = self._json("tokenizer_config.json").get("do_lower_case", True) is not False
            return WordPieceTokenizer(WordPiece(read_vocabulary(vocabulary), lower_case=lower_case))
        msg = f"{self.directory} holds neither tokenizer.json nor vocab.txt: copy it from the model."
        raise ConfigurationError(msg)

    def max_tokens(self) -> int:
        """Return the tokens the model reads of one text, control tokens included."""
        config = self._json("config.json")
        positions = config.get("max_position_embeddings")
        if isinstance(positions, int) and config.get("model_type") in _OFFSET_POSITIONS:
            positions -= 2
        for value in (self._json("sentence_bert_config.json").get("max_seq_length"), positions):
            if isinstance(value, int) and value > 4:  # noqa: PLR2004 - three control tokens and one word
                return value
        return _DEFAULT_TOKENS

    def pooling(self) -> str:
        """Return ``mean`` or ``cls``.

        Raises:
            ConfigurationError: the folder asks for another one (permanent).
        """
        said = {
            name.removeprefix("pooling_mode_"): on
            for name, on in self._json("1_Pooling/config.json").items()
            if name.startswith("pooling_mode_")
        }
        if not said or said.get("mean_tokens") is True:
            return "mean"
        if said.get("cls_token") is True:
            return "cls"
        chosen = next((name for name, on in said.items() if on), "none")
        msg = f"{self.directory} pools by {chosen!r}: Tercet knows mean and cls, choose another model."
        raise ConfigurationError(msg)

    def prefixes(self, name: str) -> tuple[str, str]:
        """Return (document, query) prefix as the folder's prompts say, else as the model's name is known for."""
        prompts = fields(self._json("config_sentence_transformers.json").get("prompts"))
        document, query = (
            next((found for key in keys if isinstance(found := prompts.get(key), str)), None)
            for keys in (("document", "passage"), ("query",))
        )
        if document is None and query is None:
            return known_prefixes(name)
        return document or "", query or ""

    def _json(self, name: str) -> dict[str, object]:
        path = self.directory / name
        if not path.is_file():
            return {}
        try:
            return fields(json.loads(path.read_bytes()))
        except (OSError, ValueError) as error:
            msg = f"{path} cannot be read ({error}): copy it from the model again."
            raise ConfigurationError(msg) from error


class WordPieceTokenizer:
    """Our own WordPiece in the shape of a folder's tokeniser."""

    def __init__(self, words: WordPiece) -> None:
        self._words = words

    @property
    def padding(self) -> int:
        """The id of ``[PAD]``."""
        return self._words.padding

    def encode(self, text: str, max_tokens: int) -> Tokens:
        """Return ``[CLS] text [SEP]``."""
        return Tokens(self._words.encode(text, max_tokens))

    def encode_pair(self, first: str, second: str, max_tokens: int) -> Tokens:
        """Return ``[CLS] first [SEP] second [SEP]`` with segments 0 and 1."""
        room = max_tokens - 3
        one, two = self._words.ids(first, room), self._words.ids(second, room)
        while len(one) + len(two) > room:
            (one if len(one) > len(two) else two).pop()
        ids = [self._words.start, *one, self._words.end, *two, self._words.end]
        return Tokens(ids, [0] * (len(one) + 2) + [1] * (len(two) + 1))


class _LibraryTokenizer:
    """A ``tokenizer.json`` read by the ``tokenizers`` library."""

    def __init__(self, path: Path) -> None:
        try:
            import tokenizers
        except ImportError as error:
            msg = "A folder with tokenizer.json needs the tokenizers library: run \"pip install 'tercet[onnx]'\"."
            raise MissingExtraError(msg) from error
        try:
            # Any: the library carries no types.
            self._library: Any = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            msg = f"{path} cannot be read ({error}): copy it from the model again."
            raise ConfigurationError(msg) from error
        self._padding = self._find_padding()
        self._library.no_padding()
        self._max_tokens = 0

    @property
    def padding(self) -> int:
        """The id that the file pads with."""
        return self._padding

    def encode(self, text: str, max_tokens: int) -> Tokens:
        """Return one text with the control tokens of the file's template."""
        self._cut_at(max_tokens)
        found = self._library.encode(text)
        return Tokens(list(found.ids), list(found.type_ids))

    def encode_pair(self, first: str, second: str, max_tokens: int) -> Tokens:
        """Return two texts with the control tokens of the file's template."""
        self._cut_at(max_tokens)
        found = self._library.encode(first, second)
        return Tokens(list(found.ids), list(found.type_ids))

    def _cut_at(self, max_tokens: int) -> None:
        if self._max_tokens != max_tokens:
            self._library.enable_truncation(max_length=max_tokens, strategy="longest_first")
            self._max_tokens = max_tokens

    def _find_padding(self) -> int:
        said = fields(self._library.padding).get("pad_id")
        if isinstance(said, int):
            return said
        known = (self._library.token_to_id(token) for token in ("[PAD]", "<pad>"))
        return next((found for found in known if isinstance(found, int)), 0)
