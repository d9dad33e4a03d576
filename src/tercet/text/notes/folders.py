"""Whose notes lie in which folder of a vault: readable names that never mix two people up."""

from __future__ import annotations

import re
from typing import Final

from tercet.errors import InvalidInputError
from tercet.model.scopes import SHARED, Scope

PRIVATE: Final = "private"
"""The folder below which each anchor has its own; all other notes are shared."""

_PLAIN: Final = re.compile(r"[a-z0-9.+@!-]")
_ESCAPE: Final = re.compile(r"=([0-9a-f]{2})")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)|node_modules$|__pycache__$")
"""Names that Windows keeps for itself, and folders that no listing enters."""
_NOBODY: Final = "nobody: "
"""A session key holds no space, so that no session's anchor ever begins like this."""
_MAX_NAME_BYTES: Final = 255
_PIECE: Final = 120
"""Characters of one folder's name; a longer anchor goes on in a folder below, which ``=`` announces."""


def folder_of(scope: Scope) -> str:
    """Return the folder below the vault in which notes of a scope lie; ``""`` for shared ones.

    ``telegram:123`` is ``private/telegram_123``: small letters, digits and ``. + @ ! -`` stay, ``:``
    becomes ``_``, every other byte ``=xx``, so that no two anchors share a folder, on file systems
    that ignore case neither.
    """
    if scope.anchor == SHARED:
        return ""
    return "/".join((PRIVATE, *_pieces(scope.anchor)))


def scope_of(agent: str, path: str) -> Scope:
    """Return whose note a path is; fails closed.

    A path below ``private/`` in no folder that ``folder_of`` gives, or one that is not written
    straight (``..``, a backslash, an empty part), belongs to an anchor that no session key can name.

    Args:
        agent: Whose vault it is.
        path: POSIX, of a note, below the vault.
    """
    names = path.split("/")
    if path and ("\\" in path or "\x00" in path or any(name in {"", ".", ".."} for name in names)):
        return _nobodys(agent, path)
    if names[0].casefold() != PRIVATE:
        return Scope(agent)
    anchor = _anchor(names[1:-1]) if names[0] == PRIVATE else None
    return _nobodys(agent, path) if anchor is None else Scope(agent, anchor)


def is_nobodys(scope: Scope) -> bool:
    """Say whether ``scope_of`` found no anchor whose folder a path is in."""
    return scope.anchor.startswith(_NOBODY)


def checked_note_path(path: str) -> str:
    """Return a note's path as it is stored in a vault.

    Raises:
        InvalidInputError: it leaves the vault, is no path of a Markdown file, or no text (permanent).
    """
    why = ""
    names = path.split("/")
    if "\x00" in path or "\\" in path or path.startswith("/") or re.match("[A-Za-z]:", path):
        why = "it must be relative, with '/' between folders"
    elif any(name in {"", ".", ".."} for name in names):
        why = "it must lie below the vault"
    elif not names[-1].lower().endswith((".md", ".markdown")) or names[-1].startswith("."):
        why = "a note is a Markdown file"
    elif max(len(name.encode("utf-8", "surrogatepass")) for name in names) > _MAX_NAME_BYTES:
        why = f"a name in it has more than {_MAX_NAME_BYTES} bytes"
    elif not _is_text(path):
        why = "it holds half a character"
    if why:
        msg = f"{ascii(path)[:200]} is no place for a note ({why}): give a path such as people/Ann.md."
        raise InvalidInputError(msg)
    return path


def _pieces(anchor: str) -> list[str]:
    """Return an anchor as the names of folders, mostly one."""
    pieces = [""]
    for character in anchor:
        token = "_" if character == ":" else character if _PLAIN.fullmatch(character) else _escaped(character)
        if len(pieces[-1]) + len(token) > _PIECE:
            pieces.append("")
        pieces[-1] += token
    names = [_safe(piece) for piece in pieces]
    return [*(f"{name}=" for name in names[:-1]), names[-1]]


def _safe(name: str) -> str:
    """Return a folder's name without a dot at an end, and none that has a meaning of its own."""
    if name.startswith(".") or _RESERVED.match(name):
        name = _escaped(name[0].replace("_", ":")) + name[1:]
    return name[:-1] + _escaped(".") if name.endswith(".") else name


def _anchor(names: list[str]) -> str | None:
    """Return the anchor whose folder a path's names begin with, None when it is nobody's."""
    name = ""
    for piece in names:
        name += piece.removesuffix("=")
        if not piece.endswith("="):
            break
    else:
        return None
    data = bytearray()
    at = 0
    while at < len(name):
        escape = _ESCAPE.match(name, at)
        if escape:
            data.append(int(escape[1], 16))
        else:
            data += b":" if name[at] == "_" else name[at].encode("utf-8", "surrogatepass")
        at = escape.end() if escape else at + 1
    try:
        anchor = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    # Only the name that is given out counts: another spelling of it is another folder.
    wanted = _pieces(anchor) if anchor else names[:0]
    return anchor if anchor and names[: len(wanted)] == wanted else None


def _escaped(character: str) -> str:
    return "".join(f"={byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def _nobodys(agent: str, path: str) -> Scope:
    return Scope(agent, f"{_NOBODY}{path.rpartition('/')[0]}")


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
