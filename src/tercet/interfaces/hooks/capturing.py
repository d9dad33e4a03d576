"""What a transcript has that the service does not know yet, handed over once.

A cursor for each session, in the home and its owner's alone, says how far the file was read. It
moves when the service has accepted the messages, or when they lie in the spool from which the
service takes them in later: nothing is lost, and a message told twice is kept once, by its id.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.adapters.files.atomic_write import ensure_private_directory, write_atomically
from tercet.capture.transcripts import read_transcript
from tercet.errors import InvalidInputError
from tercet.interfaces.hooks.places import home_folder, whose
from tercet.interfaces.hooks.service import running_service

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from tercet.interfaces.hooks.service import HookService
    from tercet.model import Message

DELIVERY_S = 15.0
MAX_REQUEST = 150_000
"""Characters of the texts of one request; a first event may bring the whole session."""
MAX_TEXT = 20_000
"""Characters of a message; the rest of a pasted log tells nothing about anybody."""
READ_BYTES = 4_000_000
CURSORS = "hooks/claude-code"
KEPT_DAYS = 90
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a transcript was read."""

    transcript: str = ""
    offset: int = 0
    """Bytes; always behind the end of a line."""


def capture_transcript(transcript: str, session_id: str) -> None:
    """Hand over what was said since the last time.

    Args:
        transcript: Path of the session's JSON lines; nothing happens when it is not there.
        session_id: The host's id of the conversation.

    Raises:
        OSError, TercetError: neither the service nor the disk takes it; the cursor stays.
    """
    home = Path(home_folder())
    if not transcript or not Path(transcript).is_file():
        return
    with _turn_taking(home, session_id) as place:
        cursor = _read_cursor(place)
        if cursor.transcript != transcript or cursor.offset > Path(transcript).stat().st_size:
            cursor = Cursor(transcript)
        service = running_service(str(home))
        while lines := _new_lines(cursor):
            _hand_over(_messages(lines), service, home)
            cursor = Cursor(transcript, cursor.offset + len(lines))
            write_atomically(place, json.dumps({"transcript": transcript, "offset": cursor.offset}).encode("ascii"))


def _new_lines(cursor: Cursor) -> bytes:
    """Return whole lines behind the cursor; a line still being written waits."""
    size = READ_BYTES
    with Path(cursor.transcript).open("rb") as file:
        file.seek(cursor.offset)
        data = file.read(size)
        while b"\n" not in data and len(data) == size:
            data += file.read(size)  # one line of many megabytes: an image, pasted
            size *= 2
    return data[: data.rfind(b"\n") + 1]


def _messages(lines: bytes) -> Sequence[Message]:
    try:
        return read_transcript(lines.decode("utf-8", "replace").split("\n")).messages
    except InvalidInputError:
        return ()  # no line of these is a message: summaries, snapshots, changes of mode


def _hand_over(messages: Sequence[Message], service: HookService | None, home: Path) -> None:
    for part in _parts(messages):
        body = {"messages": [_value(message) for message in part], **whose()}
        if service is not None:
            with contextlib.suppress(OSError):
                service.post("/v1/capture", body, DELIVERY_S)
                continue
        # Trigger: no service, or it does not take the turn. Outcome: it waits in the spool, where doctor shows it.
        _spool(part, home)


def _parts(messages: Sequence[Message]) -> Generator[Sequence[Message]]:
    """Cut what is to be told into requests of a size that a service takes; long texts are cut too."""
    part: list[Message] = []
    length = 0
    for message in messages:
        short = replace(message, text=message.text[:MAX_TEXT])
        if part and length + len(short.text) > MAX_REQUEST:
            yield part
            part, length = [], 0
        part.append(short)
        length += len(short.text) + 100
    if part:
        yield part


def _value(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "text": message.text,
        "id": message.id,
        "timestamp": message.timestamp.isoformat() if message.timestamp else None,
    }


def _spool(messages: Sequence[Message], home: Path) -> None:
    """Put a turn where the service looks for what waits: the user's words alone, without secrets."""
    import asyncio

    from tercet.adapters.spool import TurnSpool
    from tercet.handover import without_secrets
    from tercet.model import Turn

    turn = without_secrets(Turn(whose()["session_key"], tuple(messages)))
    if turn.messages:
        ensure_private_directory(home)
        asyncio.run(TurnSpool(home / "spool" / _agent(home)).put(turn, datetime.now(UTC)))


def _agent(home: Path) -> str:
    """Return whose spool it is: ``TERCET_AGENT``, else the agent of the home's settings, else ``main``.

    Raises:
        IdentityError: that is no agent's id.
    """
    import tomllib

    from tercet.identity import checked_agent

    settings: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        settings = tomllib.loads((home / "tercet.toml").read_text("utf-8"))
    return checked_agent(whose().get("agent") or str(settings.get("agent", "main")))


@contextlib.contextmanager
def _turn_taking(home: Path, session_id: str) -> Generator[Path]:
    """Give the place of a session's cursor; one hook of this home at a time has its turn."""
    folder = home / CURSORS
    for level in (home, folder.parent, folder):
        ensure_private_directory(level)
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    name = session_id if _PLAIN_NAME.fullmatch(session_id) else digest
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle)
        yield folder / f"{name}.json"
        _sweep(folder)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Wait for the lock; it ends with its process."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return  # no such locks there: a message told twice is kept once, by its id
    fcntl.flock(handle, fcntl.LOCK_EX)


def _read_cursor(place: Path) -> Cursor:
    try:
        value: Any = json.loads(place.read_bytes())
        return Cursor(str(value["transcript"]), max(0, int(value["offset"])))
    except (OSError, ValueError, KeyError, TypeError):
        return Cursor()


def _sweep(folder: Path) -> None:
    """Delete the cursors of sessions that nobody has gone on with for a season."""
    oldest = (datetime.now(UTC) - timedelta(days=KEPT_DAYS)).timestamp()
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
