"""From a template to an answer: everything is escaped, and the browser is told to load nothing else."""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from starlette.responses import HTMLResponse, Response

from tercet._version import __version__
from tercet.interfaces.inspector.assets import asset_url
from tercet.interfaces.inspector.sign_in import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: with it a browser sends 'Origin: null' with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@functools.cache
def environment() -> Environment:
    """Return the templates; a name that a page does not give is an error, never an empty string."""
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared: dict[str, Any] = {"asset": asset_url, "version": __version__}
    found.globals.update(shared)
    found.filters["moment"] = _moment
    return found


def rendered(template: str, values: Mapping[str, Any], *, status: int = 200) -> HTMLResponse:
    """Return a page."""
    text = environment().get_template(template).render(values)
    return HTMLResponse(text, status_code=status, headers=dict(HEADERS))


def moved(to: str, *, is_htmx: bool = False, headers: Mapping[str, str] | None = None) -> Response:
    """Send the browser to another page; one that asked through htmx loads it as a whole."""
    if is_htmx:
        return Response(status_code=204, headers={**HEADERS, "HX-Redirect": to, **(headers or {})})
    return Response(status_code=303, headers={**HEADERS, "Location": to, **(headers or {})})


def page_url(page: str, /, **given: str | float | None) -> str:
    """Return the address of a page of the inspector; values that are None or blank are left out."""
    query = urlencode({name: value for name, value in given.items() if value not in (None, "")})
    path = f"{PREFIX}/{quote(page)}"
    return f"{path}?{query}" if query else path


def _template(name: str) -> str | None:
    file = importlib.resources.files("tercet.interfaces.inspector") / "templates" / name
    return file.read_text("utf-8") if file.is_file() else None


def _moment(value: Any) -> str:
    """Write a time as people read it, in UTC; a dash for none."""
    from datetime import UTC

    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if value is not None else "–"
