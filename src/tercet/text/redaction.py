"""Secrets out of text before it is stored: keys, tokens, passwords, card numbers.

Known shapes are redacted wherever they stand. Anything else needs a word beside it that says what it
is; hashes, UUIDs, phone numbers and identifiers alone are left as they are.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_START: Final = r"(?<![A-Za-z0-9_-])"
"""Not ``\\b``: a Chinese letter before a key is no part of it."""

_KNOWN_KEYS: Final = re.compile(
    _START + r"(?P<secret>"
    r"sk-(?:[a-z]{2,8}[0-9]{0,2}-){0,3}[A-Za-z0-9_-]{16,}+"
    r"|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/=]{16,}+"
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+|glpat-[A-Za-z0-9_-]{16,}+"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])|AIza[0-9A-Za-z_-]{30,}+|ya29\.[0-9A-Za-z_-]{20,}+"
    r"|xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"
    r"|(?:hf|gsk|npm|r8|dop_v1|shpat|lin_api)_[A-Za-z0-9]{20,}+|(?:pplx|xai|tvly|pypi|dp\.pt)-[A-Za-z0-9_-]{20,}+"
    r"|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}+"
    r"|[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+)"
)
_JWT: Final = re.compile(_START + r"(?P<secret>eyJ[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]{5,}+(?:\.[A-Za-z0-9_-]*+)?)")
_PRIVATE_KEY: Final = re.compile(
    r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
    r"[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|\Z))"
)
_CONNECTION: Final = re.compile(r"://[^\s:/@]{0,100}:(?P<secret>[^\s/]{1,200})@")
_WEBHOOK: Final = re.compile(r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/_-]{20,}+)")
_BEARER: Final = re.compile(
    r"(?i:\bBearer|\bAuthorization:[ \t]{0,3}Basic)[ \t]{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{12,}+)"
)

_VALUE: Final = (
    r"""(?P<quote>["'`“‘「]?)(?P<secret>(?<=["'`])[^"'`\n]{1,200}(?=["'`])|[^\s"'`“”‘’「」,，。；;、！？]{1,200})"""
)
_IS: Final = (
    r"""["'`]?[ \t]{0,3}(?:(?:is|was)(?: now| still)?|(?:has been )?changed to|set to|to)"""
    r"(?=[ \t:])[ \t]{0,3}:?[ \t]{0,3}"
)
_EQUALS: Final = r"""["'`]?[ \t]{0,3}(?:=>?|:=?|：)[ \t]{0,3}"""
_SAYS: Final = f"(?:{_IS}|{_EQUALS})"
_LOGIN_WORD: Final = r"(?<![a-z])(?:passwords?|passwd|passwort|passcode|passphrase|pwd)(?: for [^\n:=\[]{1,40}?)?"
_PASSWORD: Final = re.compile(rf"(?i:{_LOGIN_WORD}{_IS})" + _VALUE)
_PASSWORD_SET: Final = re.compile(rf"(?i:{_LOGIN_WORD}{_EQUALS})" + _VALUE)
_PASSPHRASE: Final = re.compile(rf"(?i:pass ?phrase{_SAYS})" + r"""["'`“]?(?P<secret>\w+(?:[ -]\w+){2,12})""")
_PASSWORD_CHINESE: Final = re.compile(
    r"(?:密码|密碼|口令|通行码|通行碼|パスワード|비밀번호)[^\S\n]{0,2}"
    r"(?:是|为|為|就是|改成|改为|改為|换成|換成|设成|设为|設為|は|[:：=])[^\S\n]{0,2}"
    r"""["'`“‘「]?(?P<secret>[\x21\x23-\x26\x28-\x2b\x2d-\x5f\x61-\x7e]{3,100})"""
)
_PIN: Final = re.compile(r"\b(?:PIN|[Pp]in)(?: code| number)?" + _SAYS + r"(?P<secret>[0-9]{3,12})\b")
_KEY_WORD: Final = (
    r"(?i:(?<![a-z])(?:(?:api|access|auth|secret|private|encryption|signing|license|licence)[ _-]?(?:key|token)s?"
    r"|client[ _-]?secret|secrets?|tokens?|credentials?|apikey)|密钥|密鑰|秘钥|金鑰|令牌|トークン)"
)
_ASSIGNED: Final = re.compile(
    _KEY_WORD
    + r"(?:(?i:"
    + _SAYS
    + r")|[ \t]{0,2}[是为為は][ \t]{0,2})"
    + r"""["'`“‘「]?(?P<secret>[A-Za-z0-9+/_=.~-]{8,}+)"""
)
_NEAR: Final = re.compile(
    _KEY_WORD + r"[^A-Za-z0-9\n][^\n]{0,30}?(?<![A-Za-z0-9+/_=-])(?P<secret>[A-Za-z0-9+/_=-]{20,}+)"
)
_CARD: Final = re.compile(r"(?<![A-Za-z0-9+.-])(?P<secret>[2-6][0-9]{3}(?:[ -]?[0-9]){10,15})(?![A-Za-z0-9]|[.-][0-9])")

_NO_PASSWORD: Final = frozenset(
    """
    a an the my your his her their our its this that it what which who wrong right correct incorrect invalid valid
    required needed missing empty blank weak strong expired set unset reset changed changing stored saved hashed
    encrypted protected being not never always still now also only just too very so in on at for of to from with by as
    same different case sensitive case-sensitive something anything nothing easy hard safe unsafe secure insecure long
    short good bad old new asked shown hidden visible known unknown lost gone there here going supposed working broken
    leaked compromised shared written kept managed generated rotated str string int bytes none null nil true false bool
    text secret optional undefined any object prompted please be use go do get one two access
    """.split()  # noqa: SIM905  # reason: words read best as text
)
_NO_VALUE: Final = frozenset(
    ("str", "string", "int", "bytes", "none", "null", "nil", "true", "false", "bool", "text", "optional", "undefined")
)
"""What stands after ``password:`` in code and forms, where a sentence's own words cannot."""
_CODE: Final = re.compile(
    r"~/|/[\w.-]+/|[a-z_]+(?:\.[a-z_][\w]*)+\Z|[A-Za-z_][\w.]*[(\[]|[$<{*(\[]|%[(s]|x{3,}\Z|\.{2,}|(?:self|os|env|args|config|process)\."
)
_LONG_RUN: Final = re.compile("[A-Za-z0-9]{20}")
_TRAILING: Final = ".!?)]}>…:"
_MIN_BITS: Final = 3.0
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX: Final = re.compile(r"[0-9a-fA-F]+")
_PASSES: Final = 4
"""A secret that stuck to another is seen once that one is gone."""
_CARD_LENGTHS: Final = {"2": (16,), "3": (14, 15, 16), "4": (16, 19), "5": (16,), "6": (16, 19)}


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets."""

    text: str
    kinds: tuple[str, ...] = ()
    """What was taken out, each kind once, e.g. ``("api key", "password")``."""


def redact(text: str) -> Redacted:
    """Replace secrets by ``[redacted: <kind>]``; doing it twice changes nothing more.

    Time is linear in the length.
    """
    kinds: dict[str, None] = {}
    for _ in range(_PASSES):
        before = text
        for rule in _RULES:
            text = _redact_one(rule, text, kinds)
        if text == before:
            break
    return Redacted(text, tuple(kinds))


def _redact_one(rule: _Rule, text: str, kinds: dict[str, None]) -> str:
    def replace(found: re.Match[str]) -> str:
        secret = found["secret"].rstrip(_TRAILING) if rule.ends_in_prose else found["secret"]
        if not secret or not rule.is_secret(secret):
            return found[0]
        kinds[rule.kind] = None
        start = found.start("secret") - found.start()
        return f"{found[0][:start]}[redacted: {rule.kind}]{found[0][start + len(secret) :]}"

    return rule.pattern.sub(replace, text)


def _always(_: str) -> bool:
    return True


def _has_digit(secret: str) -> bool:
    return any(letter.isdigit() for letter in secret)


def _is_key(secret: str) -> bool:
    """Whether what begins like a key goes on like one, not as words with hyphens."""
    return _has_digit(secret) or _LONG_RUN.search(secret) is not None


def _is_password(secret: str) -> bool:
    return secret.lower() not in _NO_PASSWORD and not _CODE.match(secret)


def _is_set_password(secret: str) -> bool:
    return secret.lower() not in _NO_VALUE and not _CODE.match(secret)


def _is_chinese_password(secret: str) -> bool:
    return bool(re.search("[A-Za-z0-9]", secret)) and _is_password(secret)


def _is_token(secret: str) -> bool:
    """Whether a value that is named a secret looks like one: letters and digits, not a word or a path."""
    mixed = _has_digit(secret) and any(letter.isalpha() for letter in secret)
    return mixed and _bits(secret) >= _MIN_BITS - 0.5 and not _CODE.match(secret)


def _is_random(secret: str) -> bool:
    """Whether a value that merely stands near a secret's name can be nothing else."""
    return (
        _is_token(secret)
        and any(letter.isupper() for letter in secret)
        and any(letter.islower() for letter in secret)
        and _bits(secret) >= _MIN_BITS
        and not _UUID.fullmatch(secret)
        and not _HEX.fullmatch(secret)
        and "/" not in secret
    )


def _bits(secret: str) -> float:
    """Return the entropy of the letters in bits per letter."""
    total = len(secret)
    return -sum(count / total * math.log2(count / total) for count in Counter(secret).values())


def _is_card(secret: str) -> bool:
    """Whether digits are a card number: a length its first digit allows, and the Luhn sum (ISO/IEC 7812)."""
    digits = [int(letter) for letter in secret if letter.isdigit()]
    if len(digits) not in _CARD_LENGTHS[secret[0]] or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]  # noqa: PLR2004 - of Luhn's rule
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]
    ends_in_prose: bool = False
    """Whether the value may run into the marks at the end of a sentence."""


_RULES: Final = (
    _Rule("private key", _PRIVATE_KEY, _always),
    _Rule("password", _CONNECTION, _is_password),
    _Rule("api key", _KNOWN_KEYS, _is_key),
    _Rule("token", _WEBHOOK, _always),
    _Rule("token", _JWT, _always),
    _Rule("token", _BEARER, _has_digit),
    _Rule("password", _PASSPHRASE, _is_password),
    _Rule("password", _PASSWORD, _is_password, ends_in_prose=True),
    _Rule("password", _PASSWORD_SET, _is_set_password, ends_in_prose=True),
    _Rule("password", _PASSWORD_CHINESE, _is_chinese_password, ends_in_prose=True),
    _Rule("pin", _PIN, _always),
    _Rule("api key", _ASSIGNED, _is_token, ends_in_prose=True),
    _Rule("api key", _NEAR, _is_random),
    _Rule("card number", _CARD, _is_card),
)
