"""A real browser over real services; ``make test-browser`` sets ``TERCET_TEST_BROWSER`` to where Chromium is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from example_memory import make_example_home
from homes_in_trouble import make_damaged_home, make_empty_home, make_unbuilt_home, make_unreachable_home
from hostile_memory import make_hostile_home
from inspected_service import InspectedService
from many_entries import make_home_of_many
from playwright.sync_api import sync_playwright
from watched_pages import PICTURES, WORK, WatchedPage, keep_screenshot, sign_in

CHROMIUM = os.environ.get("TERCET_TEST_BROWSER")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WINDOW = {"width": 1280, "height": 900}


def pytest_collection_modifyitems(items):
    if CHROMIUM:
        return
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="'make test-browser' brings the browser"))


@pytest.fixture(scope="session")
def chromium():
    """The browser, one for all tests; each test has a profile of its own in it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory):
    """``serve(make_home)``: a service over the home that is made so, started once for all tests."""
    running: dict[str, InspectedService] = {}

    def of(make_home) -> InspectedService:
        name = make_home.__name__
        if name not in running:
            running[name] = InspectedService(make_home(tmp_path_factory.mktemp(name))).__enter__()
        return running[name]

    yield of
    for service in running.values():
        service.__exit__()
    # A mistake of the service is one whatever the page made of it.
    assert {name: service.mistakes() for name, service in running.items() if service.mistakes()} == {}


@pytest.fixture
def example(serve):
    return serve(make_example_home)


@pytest.fixture
def empty(serve):
    return serve(make_empty_home)


@pytest.fixture
def unreachable(serve):
    return serve(make_unreachable_home)


@pytest.fixture
def damaged(serve):
    return serve(make_damaged_home)


@pytest.fixture
def unbuilt(serve):
    return serve(make_unbuilt_home)


@pytest.fixture
def hostile(serve):
    return serve(make_hostile_home)


@pytest.fixture
def many(serve):
    return serve(make_home_of_many)


@pytest.fixture(scope="session")
def signed_in(chromium):
    """``signed_in(service, token)``: the cookies of a browser that showed the token."""
    states: dict[tuple[str, str], dict] = {}

    def state(service: InspectedService, token: str) -> dict:
        key = (service.url, token)
        if key not in states:
            context = chromium.new_context()
            sign_in(context, service.url, token)
            states[key] = context.storage_state()
            context.close()
        return states[key]

    return state


@pytest.fixture
def look(chromium, signed_in):
    """``look(service, **options)``: a tab in it; at the end nothing may have gone wrong on any of them."""
    tabs: list[WatchedPage] = []

    def open_tab(service: InspectedService, *, token: str | None = None, **options) -> WatchedPage:
        given = {"viewport": WINDOW, "locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce", **options}
        context = chromium.new_context(storage_state=signed_in(service, token or service.token), **given)
        context.set_default_timeout(15_000)
        tab = WatchedPage(context.new_page(), service.url)
        tabs.append(tab)
        return tab

    yield open_tab
    for tab in tabs:
        try:
            tab.assert_quiet()
        finally:
            tab.page.context.close()


@pytest.fixture
def keep():
    """``keep(tab, name)``: a picture of what is shown, for people to look at."""

    def picture(tab: WatchedPage, name: str) -> Path:
        return keep_screenshot(tab.page, PICTURES, name)

    return picture


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    return (WORK / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
