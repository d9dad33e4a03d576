"""Style, scripts and the libraries beside them: files of the package, nothing from elsewhere."""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from tercet.interfaces.inspector.sign_in import PREFIX

if TYPE_CHECKING:
    from starlette.requests import Request

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


def asset_url(name: str) -> str:
    """Return the address of an asset; it changes with its bytes, so that a browser may keep it."""
    return f"{PREFIX}/assets/{name}?v={_digest(name)}"


async def asset(request: Request) -> Response:
    """Answer with a file of the package."""
    data = _read(request.path_params["name"])
    if data is None:
        raise HTTPException(404)
    name = str(request.path_params["name"])
    headers = {
        "Content-Type": TYPES[name[name.rindex(".") :]],
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(data, headers=headers)


@functools.cache
def _names() -> frozenset[str]:
    folder = importlib.resources.files("tercet.interfaces.inspector") / "assets"
    return frozenset(file.name for file in folder.iterdir() if file.is_file() and file.name.endswith(tuple(TYPES)))


@functools.lru_cache(maxsize=64)
def _read(name: str) -> bytes | None:
    """Return an asset; only what lies in the folder is one."""
    if name not in _names():
        return None
    return (importlib.resources.files("tercet.interfaces.inspector") / "assets" / name).read_bytes()


@functools.cache
def _digest(name: str) -> str:
    data = _read(name)
    if data is None:
        msg = f"no asset is called {name}"
        raise LookupError(msg)
    return hashlib.sha256(data).hexdigest()[:12]
