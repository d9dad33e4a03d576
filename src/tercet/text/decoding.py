"""Bytes of a file to text: UTF-8 first, what else people's editors wrote next, never a silent loss.

No file of a folder stops the others (F15): bytes that are no UTF-8 become replacement characters
and a warning, and only a binary file is refused.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final, NoReturn

from tercet.errors import InvalidInputError

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LEGACY: Final = ("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "cp1252")

_REPLACEMENT: Final = "\ufffd"
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# A letter of Western Europe beside an ASCII one, the word "à", or the quotes and dashes of Windows.
_WESTERN: Final = re.compile(
    rb"(?<=[A-Za-z])[\xc0-\xd6\xd8-\xf6\xf8-\xfd]|[\xc0-\xd6\xd8-\xf6\xf8-\xfd](?=[A-Za-z])"
    rb"|\xe0(?= )|[\x85\x91-\x97\xab\xbb]",
)
_PAIR: Final = re.compile(rb"[\x81-\xfe][\x40-\xfe]")
_GB_COMMON: Final = re.compile(rb"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]")
_GB_ONLY: Final = re.compile(rb"[\xc9-\xd7][\xa1-\xfe]")
_BIG5_COMMON: Final = re.compile(rb"[\xa1-\xc6][\x40-\x7e\xa1-\xfe]")
_BIG5_ONLY: Final = re.compile(rb"[\xa1-\xc6][\x40-\x7e]")

_SAMPLE: Final = 65_536
_MAX_CONTROL_SHARE: Final = 0.1
_MIN_LEGACY_SHARE: Final = 0.01
_MIN_CYRILLIC_SHARE: Final = 0.5
_CLEAR_SHARE: Final = 0.8
_NEARLY_ALL: Final = 0.95
_SOME: Final = 0.15
_MIN_PRINTABLE_SHARE: Final = 0.98
_MIN_NUL_SHARE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file and how it was read."""

    text: str
    """Without its byte order mark; line ends as found."""
    encoding: str
    """Python's name of it, e.g. ``utf-8``, ``utf-16-le``, ``gb18030``."""
    warning: str
    """One line when something had to be replaced or guessed; empty when all is well."""


def decode(data: bytes) -> Decoded:
    """Return the text of a file's bytes.

    In order: a byte order mark, UTF-8, UTF-16 without a mark, UTF-8 with some bad bytes (each
    becomes a replacement character), a legacy encoding told by its statistics.

    Raises:
        InvalidInputError: the file is binary (permanent).
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], encoding)
    if b"\x00" in data:
        return _decode_utf16(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_damaged(data, error.start)
    return Decoded(_checked(text), "utf-8", "")


def _decode_marked(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_checked(data.decode(encoding)), encoding, "")
    except UnicodeDecodeError as error:
        text = data.decode(encoding, "replace")
        bad = max(1, text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode(encoding)))
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        return Decoded(_checked(text), encoding, _bad_bytes(bad, encoding, line))


def _decode_utf16(data: bytes) -> Decoded:
    """Read UTF-16 without a mark: its NULs stand on one side only, and what comes out is text."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if len(data) % 2 or (even and odd):
        _refuse("it holds NUL bytes")
    if data.isascii() and even + odd < _MIN_NUL_SHARE * len(data):
        _refuse("it holds NUL bytes")
    encoding = "utf-16-le" if odd else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        _refuse("it holds NUL bytes")
    sample = text[:_SAMPLE]
    printable = sum(character.isprintable() or character in "\t\r\n\f" for character in sample)
    if printable < _MIN_PRINTABLE_SHARE * len(sample):
        _refuse("it holds NUL bytes")
    return Decoded(text, encoding, f"no byte order mark, read as {encoding}: save the file as UTF-8")


def _decode_damaged(data: bytes, first_bad: int) -> Decoded:
    """Read bytes that are no UTF-8: mostly UTF-8 with some bad ones, or a legacy encoding."""
    text = data.decode("utf-8", "replace")
    bad = text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())
    if _may_be_legacy(data, text, bad):
        legacy = _decode_legacy(data)
        if legacy is not None:
            return legacy
    return Decoded(_checked(text), "utf-8", _bad_bytes(bad, "UTF-8", data.count(b"\n", 0, first_bad) + 1))


def _may_be_legacy(data: bytes, text: str, bad: int) -> bool:
    good = len(re.findall(r"[^\x00-\x7f]", text)) - bad
    if good >= bad:
        return False
    high = sum(map(len, _HIGH_RUN.findall(data)))
    if _is_western(data, high):
        return True
    # 0xFF is in no multi-byte encoding; few high bytes in much ASCII are damage, not a script.
    least = _MIN_CYRILLIC_SHARE if b"\xff" in data else _MIN_LEGACY_SHARE
    if high < least * len(data):
        return False
    pairs = sum(len(run) for run in _HIGH_RUN.findall(data) if len(run) > 1)
    return 2 * pairs > high


def _is_western(data: bytes, high: int) -> bool:
    return len(_WESTERN.findall(data)) >= _CLEAR_SHARE * high


def _chinese(data: bytes) -> str | None:
    """Return which Chinese encoding nearly all double bytes are common characters of, else None.

    Statistics over letters need longer texts; a note may be one line.
    """
    pairs = _PAIR.findall(data[:_SAMPLE])
    nearly_all, some = _NEARLY_ALL * len(pairs), _SOME * len(pairs)
    # EUC-KR has its syllables in the first half of the same region.
    if _count(_GB_COMMON, pairs) >= nearly_all and _count(_GB_ONLY, pairs) >= some:
        return "gb18030"
    if _count(_BIG5_COMMON, pairs) >= nearly_all and _count(_BIG5_ONLY, pairs) >= some:
        return "big5"
    return None


def _count(region: re.Pattern[bytes], pairs: list[bytes]) -> int:
    return sum(region.fullmatch(pair) is not None for pair in pairs)


def _decode_legacy(data: bytes) -> Decoded | None:
    high = sum(map(len, _HIGH_RUN.findall(data)))
    encoding = "cp1252" if _is_western(data, high) else _chinese(data)
    if encoding is None:
        # Imported here: a folder of UTF-8 files must not pay for its tables.
        from charset_normalizer import from_bytes  # noqa: PLC0415  # reason: slow import, needed by few files

        best = from_bytes(data, cp_isolation=list(_LEGACY)).best()
        if best is None:
            return None
        encoding = best.encoding
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:  # statistics look at samples only
        return None
    return Decoded(_checked(text), encoding, f"no UTF-8, read as {encoding}: save the file as UTF-8")


def _checked(text: str) -> str:
    sample = text[:_SAMPLE]
    if "\x00" in text:
        _refuse("it holds NUL characters")
    if len(_CONTROL.findall(sample)) > _MAX_CONTROL_SHARE * len(sample):
        _refuse("it is mostly control characters")
    return text


def _refuse(why: str) -> NoReturn:
    msg = f"binary file ({why}): only text can be indexed"
    raise InvalidInputError(msg)


def _bad_bytes(count: int, encoding: str, line: int) -> str:
    noun = "place is" if count == 1 else "places are"
    return f"{count} {noun} no {encoding} and became replacement characters, the first in line {line}"
