"""How the library is loaded, how its errors are told, and how its conflicts are retried."""

from __future__ import annotations

import random
import re
import time
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from tercet.adapters.lancedb.object_storage import storage_fault
from tercet.errors import EngineRefusedError, EngineUnavailableError, InvalidInputError, TercetError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import ModuleType

T = TypeVar("T")

RETRIES = 10
"""Attempts of one commit; the waits between them add up to about six seconds at most."""

_FIRST_WAIT_S = 0.02
_LONGEST_WAIT_S = 1.0
_CONFLICT = re.compile(r"conflict|retryable|preempted|too many concurrent writers", re.IGNORECASE)
_SOURCE_PLACE = re.compile(r",?\s*(?:/\S+\.rs|\S*/src/\S+\.rs):\d+(?::\d+)?")


def load(name: str) -> ModuleType:
    """Import a heavy library at call time; it has no types, so its attributes are untyped too."""
    return import_module(name)


def reason_of(error: BaseException) -> str:
    """Return an error of the library as one short line, without the places in its own source."""
    text = _SOURCE_PLACE.sub("", str(error)).strip()
    line = text.splitlines()[0] if text else type(error).__name__
    return line.removeprefix("lance error: ").rstrip(" ,.")[:240]


@contextmanager
def translated(uri: str, doing: str) -> Generator[None]:
    """Turn what the library raises into our errors.

    Raises:
        InvalidInputError: a text cannot be written as UTF-8 (permanent).
        EngineRefusedError: object storage denies access: bucket, key, region or option are wrong.
        EngineUnavailableError: anything else (transient).
    """
    try:
        yield
    except TercetError:
        raise
    except UnicodeError as error:
        msg = f"A text or id holds a lone surrogate and cannot be stored as UTF-8 ({reason_of(error)}): clean it first."
        raise InvalidInputError(msg) from error
    except Exception as error:
        if not is_library_error(error):
            raise
        raise _told(error, uri, doing) from error


def _told(error: Exception, uri: str, doing: str) -> TercetError:
    shown = shown_url(uri)
    told = f"The vector store at {shown} could not {doing}:"
    if "://" not in uri:
        return EngineUnavailableError(f"{told} {reason_of(error)}. If this stays, run 'tercet index --rebuild'.")
    fault = storage_fault(str(error))
    if fault is not None:
        kind = EngineRefusedError if fault.is_permanent else EngineUnavailableError
        return kind(f"{told} {fault.reason}. {fault.mend}")
    # Of a bucket the address or the access is the likelier fault, and a rebuild mends neither.
    reason = reason_of(error).replace(uri, shown)
    return EngineUnavailableError(f"{told} {reason}. Check store.url and the access to it.")


def is_library_error(error: Exception) -> bool:
    """Say whether the library itself failed: it raises plain built-ins, and a type of its own when it panics."""
    return isinstance(error, (RuntimeError, OSError, ValueError)) or type(error).__name__ == "RustPanic"


def is_conflict(error: BaseException) -> bool:
    """Say whether another writer came first, so that the same commit may succeed later."""
    return _CONFLICT.search(str(error)) is not None


def retried(commit: Callable[[], T], *, deadline: float | None = None) -> T:
    """Call ``commit`` until no other writer comes first.

    Args:
        commit: One commit, written so that doing it twice is the same as once.
        deadline: ``time.monotonic()`` after which no further attempt begins.

    Raises:
        RuntimeError: the library's own conflict, after ``RETRIES`` attempts or the deadline.
    """
    wait = _FIRST_WAIT_S
    for attempt in range(1, RETRIES + 1):
        try:
            return commit()
        except TercetError:
            raise
        except (RuntimeError, OSError, ValueError) as error:
            late = deadline is not None and time.monotonic() + wait > deadline
            if attempt == RETRIES or late or not is_conflict(error):
                raise
        # Spread, so that two writers that met once do not meet again at the same instant.
        time.sleep(wait * random.uniform(0.5, 1.5))  # noqa: S311 - no secret, only a spread of waits
        wait = min(2 * wait, _LONGEST_WAIT_S)
    msg = "unreachable"
    raise AssertionError(msg)
