"""Stored and reflected scripts: nothing that others wrote runs, loads or leads out, on any page there is a way to."""

from __future__ import annotations

from collections import deque
from urllib.parse import quote, urlsplit

import pytest
from hostile_memory import FILE_NAMES, PAYLOADS, QUERY
from page_list import MAIN_PAGES

MOST_PAGES = 150
STARTS = (
    *MAIN_PAGES,
    "search?q=picture&limit=100",
    "search?q=trap&mode=keyword&limit=100",
    "recall?message=What+does+the+picture+say%3F",
    "timeline?state=superseded",
    "health/findings",
    "files/lint",
)
LINKS = """() => [...document.querySelectorAll("a[href], area[href]")].map((one) => one.getAttribute("href"))"""
ACTIONS = """() => [...document.querySelectorAll("[action], [formaction]")].map(
  (one) => one.getAttribute("action") || one.getAttribute("formaction"))"""
LEADS = ("http:", "https:", "mailto:")


def links_of(page) -> list[str]:
    found = page.evaluate(LINKS)
    for link in (*found, *page.evaluate(ACTIONS)):
        scheme = urlsplit(link).scheme
        assert link.startswith(("/", "#", "?")) or f"{scheme}:" in LEADS, f"{page.url} leads to {link}"
        assert not link.startswith("//"), f"{page.url} leads to {link}"
    return found


def prod(page) -> None:
    """Do what would make a hostile attribute run: touch and focus everything."""
    page.evaluate("""() => {
      for (const one of document.querySelectorAll("main *")) {
        for (const kind of ["mouseover", "mouseenter", "pointerenter", "focus", "load", "error"]) {
          one.dispatchEvent(new Event(kind));
        }
        if (typeof one.focus === "function") one.focus();
      }
      for (const one of document.querySelectorAll("details")) one.open = true;
    }""")


def test_no_page_that_can_be_reached_runs_what_others_wrote(look, hostile):
    tab = look(hostile)
    tab.refusals |= {400, 403, 404, 409}
    page = tab.page
    ahead, seen = deque(f"/inspector/{start}" for start in STARTS), set()
    kinds: dict[str, int] = {}
    while ahead and len(seen) < MOST_PAGES:
        address = ahead.popleft().split("#")[0]
        path = urlsplit(address).path
        if address in seen or kinds.get(path, 0) >= 25 or "/assets/" in path:
            continue
        seen.add(address)
        kinds[path] = kinds.get(path, 0) + 1
        page.goto(f"{hostile.url}{address}")
        prod(page)
        assert tab.ran() == [], address
        assert tab.troubles == [], address
        assert page.get_by_role("main").is_visible(), f"{address} is hidden by a style of others"
        ahead.extend(link for link in links_of(page) if link.startswith("/inspector/"))
    for path in ("search", "timeline", "files", "files/view", "health"):
        assert f"/inspector/{path}" in kinds, kinds


@pytest.mark.parametrize(
    "address",
    [
        f"{page}?{field}={quote(QUERY)}"
        for page, field in (
            ("search", "q"),
            ("search", "agent"),
            ("search", "session"),
            ("search", "category"),
            ("search", "since"),
            ("search", "preset"),
            ("recall", "message"),
            ("timeline", "entry"),
            ("timeline", "before"),
            ("timeline", "state"),
            ("files", "words"),
            ("files", "root"),
            ("files", "folder"),
            ("files/view", "ref"),
            ("files/edit", "ref"),
            ("graph", "ref"),
            ("graph", "kind"),
            ("sign-in", "code"),
        )
    ],
)
def test_what_an_address_says_is_shown_as_text(look, hostile, address):
    tab = look(hostile)
    tab.refusals |= {400, 403, 404, 422}
    page = tab.open(address)
    prod(page)
    links_of(page)
    assert page.locator("main img").count() == 0


def test_hostile_entries_are_shown_word_for_word(look, hostile):
    page = look(hostile).open("timeline?limit=200")
    shown = page.get_by_role("main").inner_text()
    missing = [text for text in PAYLOADS[:8] if f"The image says {text}" not in shown]
    assert missing == []


def test_hostile_file_names_are_shown_and_opened(look, hostile):
    tab = look(hostile)
    for name in FILE_NAMES:
        page = tab.open("files")
        link = page.get_by_role("link", name=name.rpartition("/")[2], exact=True).first
        link.click()
        page.wait_for_url("**/files/view?**")
        page.get_by_role("heading", level=1).wait_for()
        tab.assert_quiet()


def test_no_picture_of_a_note_is_fetched(look, hostile):
    tab = look(hostile)
    page = tab.open("files")
    page.get_by_role("link", name=FILE_NAMES[0], exact=True).click()
    page.get_by_role("heading", level=1).wait_for()
    assert page.locator("main img, main iframe, main object, main style, main base").count() == 0


def test_the_trap_would_tell(chromium, hostile):
    """The watch itself works: what the tests above would have seen, had a page not escaped."""
    from watched_pages import WatchedPage

    context = chromium.new_context(bypass_csp=True)
    tab = WatchedPage(context.new_page(), hostile.url)
    tab.page.goto(f"{hostile.url}/inspector/sign-in")
    tab.page.evaluate("(text) => { document.querySelector('main').innerHTML = text; }", PAYLOADS[0])
    tab.page.wait_for_function("window.__ran.length > 0")
    assert tab.ran() == ["1"]
    context.close()

    context = chromium.new_context()
    tab = WatchedPage(context.new_page(), hostile.url)
    tab.page.goto(f"{hostile.url}/inspector/sign-in")
    tab.page.evaluate("(text) => { document.querySelector('main').innerHTML = text; }", PAYLOADS[0])
    tab.page.wait_for_timeout(200)
    assert any("policy" in trouble.lower() for trouble in tab.troubles), tab.troubles
    context.close()
