"""What object storage says when it refuses, fails or is away, in our words; never a secret."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_KEYS: Final = "Check store.access_key and store.secret_key."
_KEYS_MISSING: Final = "Set store.access_key and store.secret_key."
_PERMISSION: Final = "Check what the key of store.access_key may do there."
_REGION: Final = "Check store.region and store.endpoint."
_REFUSALS: Final = {
    "NoSuchBucket": ("the bucket does not exist", "Make it, or mend store.url."),
    "InvalidBucketName": ("this is no name of a bucket", "Mend store.url."),
    "InvalidAccessKeyId": ("the service does not know the access key", _KEYS),
    "SignatureDoesNotMatch": ("the secret key does not belong to the access key", _KEYS),
    "InvalidToken": ("the service does not take the session token", "Renew it in store.options."),
    "ExpiredToken": ("the session token is too old", "Renew it in store.options."),
    "RequestTimeTooSkewed": ("this machine's clock is wrong", "Set it."),
    "AccessDenied": ("the service denies access", _PERMISSION),
    "AccountProblem": ("the service denies access to the account", _PERMISSION),
    "AuthorizationHeaderMalformed": ("the bucket lies in another region", _REGION),
    "IllegalLocationConstraintException": ("the bucket lies in another region", _REGION),
    "PermanentRedirect": ("the bucket lies in another region", _REGION),
}
"""Codes of S3 for what no further try mends (docs.aws.amazon.com, AmazonS3, API, ErrorResponses)."""

_CODE: Final = re.compile(r"<Code>(\w+)</Code>")
_STATUS: Final = re.compile(r"\bstatus(?: code)?: (\d{3})\b")
_OPTION: Final = re.compile(r"Generic Config error: ([^,{}]{1,160})|(failed to parse \"[^\"]{0,80}\" as \w+)")
_SYSTEM: Final = re.compile(r'message: "([^"]{1,160})"')
_NO_NAME: Final = re.compile(r"dns error|failed to lookup address", re.IGNORECASE)
_NO_KEYS: Final = re.compile(r"169\.254\.169\.254|CredentialsNotLoaded|Failed to get AWS credentials", re.IGNORECASE)
_AWAY: Final = re.compile(r"ConnectError|kind: Connect\b|error sending request", re.IGNORECASE)
_LATE: Final = re.compile(r"kind: Timeout|TimedOut|operation timed out|deadline has elapsed", re.IGNORECASE)
_FORBIDDEN: Final = frozenset({"401", "403"})


@dataclass(frozen=True, slots=True)
class StorageFault:
    """What object storage answered, read out of the library's error."""

    reason: str
    """Without addresses, so that no key in one is shown."""
    mend: str
    is_permanent: bool


def storage_fault(text: str) -> StorageFault | None:
    """Read the service's answer out of an error's text; None when it tells of none.

    The library wraps an answer in several layers of its own, as one long line.
    """
    return _refusal(text) or _failure(text)


def _refusal(text: str) -> StorageFault | None:
    code = _CODE.search(text)
    if code and code[1] in _REFUSALS:
        return StorageFault(*_REFUSALS[code[1]], is_permanent=True)
    option = _OPTION.search(text)
    if option:
        return StorageFault(
            f"an option is wrong ({(option[1] or option[2]).strip()})", "Mend store.options.", is_permanent=True
        )
    if _NO_KEYS.search(text):
        return StorageFault("no key was given, and none found", _KEYS_MISSING, is_permanent=True)
    status = _status(text)
    if status in _FORBIDDEN:
        return StorageFault(f"the service denies access (HTTP {status})", _PERMISSION, is_permanent=True)
    return None


def _failure(text: str) -> StorageFault | None:
    mend = "Check that the service at store.endpoint runs and can be reached."
    if _NO_NAME.search(text):
        return StorageFault("the name of the service is not known", mend, is_permanent=False)
    if _LATE.search(text):
        return StorageFault("the service did not answer in time", mend, is_permanent=False)
    if _AWAY.search(text):
        system = _SYSTEM.search(text)
        how = f" ({system[1]})" if system else ""
        return StorageFault(f"the service cannot be reached{how}", mend, is_permanent=False)
    code, status = _CODE.search(text), _status(text)
    if code or status:
        said = " ".join(part for part in (status and f"HTTP {status}", code and code[1]) if part)
        return StorageFault(f"the service answered {said}", mend, is_permanent=False)
    return None


def _status(text: str) -> str | None:
    found = _STATUS.search(text)
    return found[1] if found else None
