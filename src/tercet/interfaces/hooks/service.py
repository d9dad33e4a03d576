"""The service as a hook sees it: found through a file, asked over a plain socket.

``http.client`` alone would cost as much as the whole hook may: it loads the mail and TLS libraries.
"""

from __future__ import annotations

import json
import os
import socket
from time import monotonic
from typing import Any

LIVENESS_S = 1.0
MAX_ANSWER_BYTES = 1_000_000
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_OTHERS_MAY = 0o077


class HookService:
    """One service on this machine."""

    def __init__(self, host: str, port: int, token: str) -> None:
        """Name it; nothing is sent yet."""
        self._address = (host, port)
        self._token = token

    def post(self, path: str, body: object, timeout_s: float) -> dict[str, Any]:
        """Return the JSON object that the service answers.

        Raises:
            OSError: it cannot be reached, refuses, breaks off or takes longer than ``timeout_s``.
        """
        return _ask(self._address, ("POST", path, self._token), json.dumps(body).encode("ascii"), timeout_s)

    def healthz(self) -> dict[str, Any]:
        """Return what the service says of itself; it is asked without the token.

        Raises:
            OSError: as for ``post``.
        """
        return _ask(self._address, ("GET", "/healthz", ""), b"", LIVENESS_S)


def running_service(home: str) -> HookService | None:
    """Return the service that runs over a home; None when none does, or its file is open to others.

    The token leaves this process only for this machine, and after the address has shown that it
    knows the instance that wrote the file.
    """
    try:
        with open(f"{home}/service.json", "rb") as file:  # noqa: PTH123 - pathlib costs a sixth of the hook
            seen = os.fstat(file.fileno())
            if os.name == "posix" and (seen.st_mode & _OTHERS_MAY or seen.st_uid != os.getuid()):
                return None
            value: Any = json.loads(file.read())
        host, port = _host_and_port(str(value["url"]))
        service = HookService(host, port, str(value.get("token") or ""))
        alive = service.healthz()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return service if alive.get("instance") == value.get("instance") else None


def _ask(address: tuple[str, int], what: tuple[str, str, str], body: bytes, timeout_s: float) -> dict[str, Any]:
    """Send one request, ``what`` being (method, path, token), and return the JSON object that comes back.

    Raises:
        OSError: as for ``HookService.post``.
    """
    method, path, token = what
    head = [
        f"{method} {path} HTTP/1.0",  # 1.0: the answer ends where the connection does
        f"Host: {_shown(*address)}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    if token:
        head.append(f"Authorization: Bearer {token}")
    answer = _exchange(address, "\r\n".join([*head, "", ""]).encode("ascii") + body, timeout_s)
    status, content = _parted(answer)
    try:
        value: Any = json.loads(content) if content else {}
    except ValueError as error:
        msg = f"{path} did not answer in JSON."
        raise ConnectionError(msg) from error
    if not 200 <= status < 300 or not isinstance(value, dict):  # noqa: PLR2004 - HTTP's range for success
        msg = f"{path} answered {status}."
        raise ConnectionError(msg)
    return value  # pyright: ignore[reportUnknownVariableType] - JSON


def _host_and_port(url: str) -> tuple[str, int]:
    """Take ``http://127.0.0.1:8080`` apart.

    Raises:
        ValueError: it is no plain address of this machine.
    """
    scheme, _, rest = url.rstrip("/").partition("://")
    host, _, port = rest.rpartition(":")
    host = host.strip("[]")
    if scheme != "http" or host not in _LOOPBACK:
        msg = f"{url} is no address on this machine."
        raise ValueError(msg)
    return host, int(port)


def _exchange(address: tuple[str, int], request: bytes, timeout_s: float) -> bytes:
    """Send a request and return everything that comes back.

    Raises:
        OSError: no connection, more than ``MAX_ANSWER_BYTES``, or not within ``timeout_s`` in all.
    """
    until = monotonic() + timeout_s
    with socket.create_connection(address, timeout=timeout_s) as connection:
        connection.sendall(request)
        parts: list[bytes] = []
        length = 0
        while length <= MAX_ANSWER_BYTES:
            connection.settimeout(max(0.001, until - monotonic()))
            part = connection.recv(65_536)
            if not part:
                return b"".join(parts)
            parts.append(part)
            length += len(part)
    msg = f"The answer is longer than {MAX_ANSWER_BYTES} bytes."
    raise ConnectionError(msg)


def _parted(answer: bytes) -> tuple[int, bytes]:
    """Return status and content of a whole answer.

    Raises:
        ConnectionError: it is no HTTP, or was broken off.
    """
    head, _, content = answer.partition(b"\r\n\r\n")
    first, *fields = head.split(b"\r\n")
    words = first.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():  # noqa: PLR2004 - version, status
        msg = "That is no HTTP service."
        raise ConnectionError(msg)
    for field in fields:
        name, _, value = field.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip() != str(len(content)).encode():
            msg = "The answer was broken off."
            raise ConnectionError(msg)
    return int(words[1]), content


def _shown(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
