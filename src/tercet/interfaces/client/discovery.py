"""The file by which a running service is found: ``service.json`` in the home, for its owner alone."""

from __future__ import annotations

import http.client
import json
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tercet.adapters.files.atomic_write import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

SERVICE_FILE = "service.json"
LIVENESS_S = 1.0
"""How long a service may take to say that it lives."""


@dataclass(frozen=True, slots=True)
class RunningService:
    """Where a service answers, and what proves that it is the one that wrote the file."""

    url: str
    """Without a final slash."""
    pid: int
    token: str = field(repr=False)
    instance: str
    """Drawn at start; ``/healthz`` repeats it, so that a stranger on the port gets no token."""
    settings: str
    """Digest of its version and the settings it runs with."""


def write_service_file(home: Path, service: RunningService) -> None:
    """Announce a service, readable by its owner alone."""
    value = {
        "url": service.url,
        "pid": service.pid,
        "token": service.token,
        "instance": service.instance,
        "settings": service.settings,
    }
    write_atomically(home / SERVICE_FILE, json.dumps(value).encode("utf-8"))


def remove_service_file(home: Path, service: RunningService) -> None:
    """Take the announcement back, if it is still this service's."""
    if _read(home / SERVICE_FILE) == service:
        (home / SERVICE_FILE).unlink(missing_ok=True)


def find_service(home: Path) -> RunningService | None:
    """Return the service that runs over a home; None when none does, or its file is open to others.

    The token leaves this process only after the address has shown that it knows the instance.
    """
    service = _read(home / SERVICE_FILE)
    if service is None or not _runs(service.pid) or not _is_itself(service):
        return None
    return service


def _read(file: Path) -> RunningService | None:
    try:
        with file.open("rb") as opened:
            seen = os.fstat(opened.fileno())
            if seen.st_mode & (stat.S_IRWXG | stat.S_IRWXO) or seen.st_uid != os.getuid():
                return None  # whoever could write it could send us, and our words, anywhere
            value: Any = json.loads(opened.read())
        return RunningService(
            str(value["url"]), int(value["pid"]), str(value["token"]), str(value["instance"]), str(value["settings"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _is_itself(service: RunningService) -> bool:
    try:
        address = urlsplit(service.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=LIVENESS_S)
        try:
            connection.request("GET", "/healthz")
            value: Any = json.loads(connection.getresponse().read(4096))
        finally:
            connection.close()
        return bool(value["instance"] == service.instance)
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return False
