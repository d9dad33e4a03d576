"""A real HTTP server on loopback that plays a model service and misbehaves on demand."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """What a client sent."""

    method: str
    path: str
    body: dict[str, Any]
    """Any: JSON."""
    authorization: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sends back."""

    status: int = 200
    json: object = field(default_factory=dict[str, object])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    raw: bytes | None = None
    """Sent instead of the JSON."""
    sent_share: float = 1.0
    """Below 1 the connection breaks after that share of the body."""


class ModelServer:
    """Serves in a thread until closed; a context manager.

    ``hold()`` makes every request wait until ``release()``, so that a slow service needs no sleep.
    ``fail_with(answer, times)`` gives the next requests that answer instead.
    """

    def __init__(self) -> None:
        self.requests: list[RecordedRequest] = []
        self.arrived = threading.Semaphore(0)
        """Released once for each request, before it is answered."""
        self._planned: list[Answer] = []
        self._always: Answer | None = None
        self._open = threading.Event()
        self._open.set()
        self.connections: set[socket.socket] = set()
        """Open now."""
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base address without a final slash."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, request: RecordedRequest) -> Answer:
        """Return the answer of a healthy service; a subclass says what that is."""
        raise NotImplementedError

    def fail_with(self, answer: Answer, times: int | None = 1) -> None:
        """Give this answer to the next ``times`` POST requests; to all of them with None."""
        if times is None:
            self._always = answer
        else:
            self._planned.extend([answer] * times)

    def recover(self) -> None:
        """Answer rightly again."""
        self._planned.clear()
        self._always = None

    def hold(self) -> None:
        """Let requests wait."""
        self._open.clear()

    def release(self) -> None:
        """Let waiting requests go on."""
        self._open.set()

    def posted(self) -> list[RecordedRequest]:
        """Return the POST requests so far."""
        return [request for request in self.requests if request.method == "POST"]

    def close(self) -> None:
        """Stop listening and break what is open; the port refuses from then on."""
        self._open.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def respond(self, request: RecordedRequest) -> Answer:
        """Record a request, wait while held, and choose its answer."""
        self.requests.append(request)
        self.arrived.release()
        self._open.wait()
        if request.method == "POST":
            if self._planned:
                return self._planned.pop(0)
            if self._always is not None:
                return self._always
        return self.answer(request)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: ModelServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that gave up is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self._owner.connections.add(self.connection)

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()
        self._owner.connections.discard(self.connection)

    @property
    def _owner(self) -> ModelServer:
        return cast("_Http", self.server).owner  # the base class knows only its own server type

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _serve(self, body: bytes) -> None:
        parsed = json.loads(body or b"{}")
        found = self._owner.respond(RecordedRequest(self.command, self.path, parsed, self.headers.get("Authorization")))
        raw = json.dumps(found.json).encode() if found.raw is None else found.raw
        with contextlib.suppress(OSError):
            self.send_response(found.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw[: int(len(raw) * found.sent_share)])
            self.wfile.flush()
            if found.sent_share < 1:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's signature
        """Print nothing."""
