"""A chat model for OpenClaw to talk to: a real HTTP server that streams one fixed reply and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

REPLY = "Noted, thank you."


class ChatStandIn:
    """``POST .../chat/completions`` on a free loopback port, for ``with``."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        """Bodies, in the order they came."""
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stand_in.requests.append(body)
                answer = _streamed(body["model"]) if body.get("stream") else _whole(body["model"])
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream" if body.get("stream") else "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Base address, with ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def texts(self) -> list[str]:
        """Return everything each request said, as one text each."""
        return [json.dumps(body["messages"], ensure_ascii=False) for body in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _chunk(model: str, delta: dict[str, str], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    value = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice]}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def _streamed(model: str) -> bytes:
    return (
        _chunk(model, {"role": "assistant", "content": REPLY}, None) + _chunk(model, {}, "stop") + b"data: [DONE]\n\n"
    )


def _whole(model: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}
    return json.dumps(
        {"id": "c1", "object": "chat.completion", "created": 0, "model": model, "choices": [choice]}
    ).encode()
