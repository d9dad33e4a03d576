"""Pure: JSON as people write it into settings (JSON5): comments, trailing commas, bare keys, both quotes."""

from __future__ import annotations

import json
import math
import re
from typing import Final, NoReturn

from tercet.errors import InvalidInputError

_SKIPPED: Final = re.compile(r"(?:\s|\ufeff|//[^\n\r\u2028\u2029]*|/\*[\s\S]*?\*/)*")
_STRING: Final = re.compile(r'"(?:[^"\\\n\r]|\\[\s\S])*"|' r"'(?:[^'\\\n\r]|\\[\s\S])*'")
_NUMBER: Final = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])")
_WORD: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LINE_ENDS: Final = frozenset(("\n", "\r\n", "\r", "\u2028", "\u2029"))
_CONSTANTS: Final[dict[str, object]] = {"true": True, "false": False, "null": None}
_MOST_NESTED: Final = 200


def read_relaxed_json(text: str, name: str) -> object:
    """Return the value of a JSON5 text; of a key that stands twice the last.

    Args:
        text: Of the whole file.
        name: Of the file, for messages.

    Raises:
        InvalidInputError: it is not JSON5; the message names the line (permanent).
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _Reader(text, name).whole()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._depth = 0

    def whole(self) -> object:
        value = self._value()
        self._skip()
        if self._at != len(self._text):
            self._refuse("the end")
        return value

    def _value(self) -> object:
        self._skip()
        letter = self._text[self._at : self._at + 1]
        if letter in {"{", "["}:
            self._depth += 1
            if self._depth > _MOST_NESTED:
                self._refuse(f"at most {_MOST_NESTED} levels")
            self._at += 1
            value = self._object() if letter == "{" else self._list()
            self._depth -= 1
            return value
        if letter and letter in "\"'":
            return self._string()
        if found := _NUMBER.match(self._text, self._at):
            self._at = found.end()
            return _number(found[0])
        found = _WORD.match(self._text, self._at)
        if found is None or found[0] not in _CONSTANTS:
            self._refuse("a value")
        self._at = found.end()
        return _CONSTANTS[found[0]]

    def _object(self) -> dict[str, object]:
        members: dict[str, object] = {}
        while not self._took("}"):
            key = self._key()
            if not self._took(":"):
                self._refuse("':'")
            members[key] = self._value()
            self._comma_or("}")
        return members

    def _list(self) -> list[object]:
        values: list[object] = []
        while not self._took("]"):
            values.append(self._value())
            self._comma_or("]")
        return values

    def _key(self) -> str:
        if self._text[self._at : self._at + 1] in {'"', "'"}:
            return self._string()
        found = _WORD.match(self._text, self._at)
        if found is None:
            self._refuse("a key")
        self._at = found.end()
        return found[0]

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            self._refuse("a string that ends on its line")
        self._at = found.end()
        text = _ESCAPE.sub(_unescaped, found[0][1:-1])
        # Two escapes are one character outside the first plane; half of one becomes U+FFFD.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _comma_or(self, end: str) -> None:
        """Take a comma, or see the end, which a trailing comma may precede."""
        if not self._took(",") and self._text[self._at : self._at + 1] != end:
            self._refuse(f"',' or '{end}'")

    def _took(self, sign: str) -> bool:
        self._skip()
        is_there = self._text.startswith(sign, self._at)
        self._at += is_there
        self._skip()
        return is_there

    def _skip(self) -> None:
        if found := _SKIPPED.match(self._text, self._at):
            self._at = found.end()

    def _refuse(self, expected: str) -> NoReturn:
        line = self._text.count("\n", 0, self._at) + 1
        msg = f"{self._name} cannot be read: line {line} should have {expected}. Mend the file."
        raise InvalidInputError(msg)


def _number(text: str) -> float:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits == "Infinity":
        return sign * math.inf
    if digits[:2].lower() == "0x":
        return sign * int(digits, 16)
    return sign * (int(digits) if digits.isdecimal() else float(digits))


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    return "" if found[3] in _LINE_ENDS else _LETTERS.get(found[3], found[3])
