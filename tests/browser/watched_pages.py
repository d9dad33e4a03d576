"""A page of the browser that tells of everything that should not have happened on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".browser"
"""What is installed and written for these tests."""
PICTURES = WORK / "screenshots"
TRAP = """
window.__ran = [];
window.trap = (what) => window.__ran.push(String(what));
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.violatedDirective} by ${event.blockedURI || event.sourceFile}`));
"""
"""Set before any script of a page: a hostile text that runs calls ``trap``."""
FAILED_LOAD = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")


@dataclass
class WatchedPage:
    """One tab, signed in to a service."""

    page: Page
    url: str
    troubles: list[str] = field(default_factory=list)
    refusals: set[int] = field(default_factory=set)
    """Status codes that a test asks for on purpose."""

    def __post_init__(self) -> None:
        self.page.add_init_script(TRAP)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.troubles.append(f"script error: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("request", self._requested)
        self.page.on("response", self._answered)
        self.page.on("download", lambda download: self.troubles.append(f"download: {download.url}"))

    def open(self, path: str) -> Page:
        """Go to a page of the inspector, and wait for its picture where it draws one."""
        self.page.goto(f"{self.url}/inspector/{path}")
        if self.page.locator("#graph").count():
            self.page.locator("#graph[data-ready=true]").wait_for()
        return self.page

    def ran(self) -> list[str]:
        """Return what called the trap on the page that is shown."""
        self.page.wait_for_load_state()
        return self.page.evaluate("window.__ran || []")

    def assert_quiet(self) -> None:
        """Fail where a script ran that should not, an error was logged, or anything was fetched from elsewhere."""
        ran = self.ran()
        assert not ran, f"ran on {self.page.url}: {ran}"
        assert not self.troubles, f"on {self.page.url}: {self.troubles}"

    def sideways(self) -> int:
        """Return how many CSS pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        refused = FAILED_LOAD.search(message.text)
        if not (refused and int(refused[1]) in self.refusals):
            self.troubles.append(f"console: {message.text}")

    def _asked(self, dialog) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != self.url:
            self.troubles.append(f"asked elsewhere: {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500:
            self.troubles.append(f"{response.status} for {response.url}")


def sign_in(context: BrowserContext, url: str, token: str) -> None:
    """Sign a browser in by the form, as a person does."""
    page = context.new_page()
    page.goto(f"{url}/inspector/")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/inspector/search**")
    page.close()


def keep_screenshot(page: Page, folder: Path, name: str) -> Path:
    """Write what is shown, from the top of the page, and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.png"
    # Hiding the caret or stopping animations leaves a style on elements, which the pages' policy forbids.
    page.screenshot(path=str(file), caret="initial")
    return file
