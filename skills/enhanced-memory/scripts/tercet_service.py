"""A running Tercet service, when there is one: it knows more than the files of one workspace."""

from __future__ import annotations

import json
import os
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ALIVE_S, ANSWER_S = 1.0, 10.0
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
OTHERS_MAY = 0o077


class Service:
    """A service that has just said that it lives."""

    def __init__(self, url: str, token: str) -> None:
        """Name the service."""
        self._url = url
        self._token = token

    @classmethod
    def running(cls) -> Service | None:
        """Return the service that ``service.json`` in Tercet's home names, when it answers.

        The file must be the user's alone and name this machine, and whoever answers there must be the
        one that wrote it: the token goes nowhere else.
        """
        home = Path(os.environ.get("TERCET_HOME") or Path.home() / ".tercet")
        place = home / "service.json"
        try:
            if os.name == "posix" and (place.stat().st_mode & OTHERS_MAY or place.stat().st_uid != os.getuid()):
                return None
            value = json.loads(place.read_bytes())
            url = str(value["url"]).rstrip("/")
            address = urlsplit(url)
            if address.scheme not in {"http", "https"} or address.hostname not in LOOPBACK:
                return None
            is_itself = _ask(f"{url}/healthz", "", None, ALIVE_S).get("instance") == value.get("instance")
        except (OSError, HTTPException, ValueError, KeyError, TypeError, AttributeError):
            return None
        return cls(url, str(value.get("token") or "")) if is_itself else None

    def search(self, query: str, limit: int) -> dict[str, Any] | None:
        """Return ``{"results": [...], "degraded": ...}`` as ``tercet search --json`` prints it, or None."""
        try:
            answer = _ask(f"{self._url}/v1/search", self._token, {"query": query, "limit": limit}, ANSWER_S)
        except (OSError, HTTPException, ValueError):
            return None
        is_answer = isinstance(answer, dict) and isinstance(answer.get("results"), list)
        return answer if is_answer else None


def _ask(url: str, token: str, body: dict[str, object] | None, timeout_s: float) -> Any:
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - http(s) to loopback, see running()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=timeout_s) as response:
        return json.loads(response.read() or b"null")
