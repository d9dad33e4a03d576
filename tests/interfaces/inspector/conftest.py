"""A browser without a screen: signed in to a real service, and what it reads of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx2
import pytest


@pytest.fixture(name="open_browser", scope="module")
def open_browser_fixture():
    """``open_browser(service, token=None)``: a client with the cookie of a browser that showed the token."""
    opened: list[httpx2.Client] = []

    def open_browser(service, token=None):
        browser = httpx2.Client(base_url=service.url, headers={"Origin": service.url}, timeout=60, trust_env=False)
        opened.append(browser)
        answer = browser.post("/inspector/sign-in", data={"token": token or service.token})
        assert answer.status_code == 303, answer.text
        return browser

    yield open_browser
    for browser in opened:
        browser.close()


@pytest.fixture(scope="module")
def browser(service, open_browser):
    """The owner's, at the service of the module."""
    return open_browser(service)


@pytest.fixture(scope="session")
def read():
    """``read(answer)``: what a reader gets of an answer; nothing in it may run."""

    def read_page(answer: httpx2.Response) -> Page:
        assert answer.headers["content-type"].startswith("text/html"), answer.headers
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        page = Page(answer.text)
        assert_safe(page)
        return page

    return read_page


@dataclass
class Page(HTMLParser):
    """What a reader gets of a page."""

    html: str
    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    """(address, text) of every link, in order."""
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._at: list[str] = []
        self.feed(self.html)
        self.text = re.sub(r"\s+", " ", self.text).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "a":
            self.links.append((dict(attrs).get("href") or "", ""))
        self._at.append(tag)
        self.text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in self._at:
            while self._at.pop() != tag:
                pass
        self.text += " "

    def handle_data(self, data: str) -> None:
        if "script" in self._at or "style" in self._at:
            return
        self.text += data
        if "a" in self._at and self.links:
            address, shown = self.links[-1]
            self.links[-1] = (address, shown + data)

    def fields(self) -> dict[str, str]:
        """Return the values of the form fields by name."""
        found = ((a.get("name"), a.get("value")) for tag, a in self.tags if tag == "input")
        return {name: value or "" for name, value in found if name}


def assert_safe(page: Page) -> None:
    """No script, style or handler stands in the page, and no link leads into a script."""
    for tag, attributes in page.tags:
        assert tag != "script" or (attributes.get("src") or "").startswith("/inspector/assets/"), attributes
        assert tag not in {"style", "iframe", "object", "embed", "base"}, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, attributes)
            assert name != "style", (tag, attributes)
            if name in {"href", "src", "action", "formaction", "xlink:href"}:
                assert re.match(r"(/|#|\?|https?://|mailto:|$)", value or ""), (tag, attributes)
