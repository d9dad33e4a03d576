r"""Texts with NUL characters, which PostgreSQL cannot hold and the other engines can.

Every connection writes and reads ``str`` through this code: ``\x00`` is stored as ``\x01\x01`` and
``\x01`` as ``\x01\x02``. The code keeps the order of texts (byte by byte) and is undone on reading, so
that nobody above notices; other texts are stored as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

_ESCAPED = re.compile(rb"\x01([\x01\x02])")
_TO_STORED = {0: "\x01\x01", 1: "\x01\x02"}


def to_stored(text: str) -> str:
    """Return the text as the database holds it."""
    return text.translate(_TO_STORED) if "\x00" in text or "\x01" in text else text


def from_stored(data: bytes) -> str:
    """Return the text that was stored as these bytes."""
    if b"\x01" in data:
        data = _ESCAPED.sub(lambda found: b"\x00" if found[1] == b"\x01" else b"\x01", data)
    return data.decode("utf-8")


def register(connection: psycopg.AsyncConnection[Any]) -> None:  # Any: rows of whatever query
    """Let a connection write and read every text through the code."""
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format

    class TextDumper(Dumper):
        # Of no type, as the library's own default: the server finds it from the place.
        def dump(self, obj: str) -> bytes:
            return to_stored(obj).encode("utf-8")

    class TextLoader(Loader):
        def load(self, data: bytes | bytearray | memoryview) -> str:
            return from_stored(bytes(data))

    class BinaryTextLoader(TextLoader):
        format = Format.BINARY

    connection.adapters.register_dumper(str, TextDumper)
    for loader in (TextLoader, BinaryTextLoader):
        connection.adapters.register_loader("text", loader)
