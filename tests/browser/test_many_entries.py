"""10,000 entries: every page answers, shows a part, and says how to get at the rest."""

from __future__ import annotations

import time

import pytest
from many_entries import ENTRIES
from page_list import MAIN_PAGES

PATIENCE_S = 10.0
"""On a busy machine; an idle one takes a second at the most."""
MOST_ELEMENTS = 20_000


@pytest.mark.parametrize("name", MAIN_PAGES)
def test_every_page_stays_small_and_comes_soon(look, many, keep, name):
    tab = look(many)
    started = time.perf_counter()
    page = tab.open(name)
    took_s = time.perf_counter() - started
    keep(tab, f"many-{name}")
    assert took_s < PATIENCE_S
    assert page.locator("*").count() < MOST_ELEMENTS
    assert tab.sideways() <= 0


def test_one_of_them_is_found(look, many):
    page = look(many).open("search?q=number+7731&mode=keyword")
    assert "number 7731" in page.locator("li.hit").first.inner_text()


def test_the_timeline_goes_back_page_by_page_and_misses_none(look, many):
    tab = look(many)
    page = tab.open("timeline?limit=200")
    seen = []
    for _ in range(3):
        page.get_by_role("heading", level=1).wait_for()
        seen += [text.split(" number ")[1].split()[0] for text in page.locator(".day .said").all_inner_texts()]
        page.get_by_role("link", name="Older").click()
        page.wait_for_function(
            "(last) => !document.querySelector('.day .said').innerText.includes(last)", arg=f"number {seen[-200]} "
        )
    assert len(set(seen)) == 600
    assert set(map(int, seen)) == set(range(ENTRIES - 600, ENTRIES)), "the latest first, without a gap"


def test_the_oldest_are_reached_by_their_day(look, many):
    page = look(many).open("timeline")
    page.get_by_label("To day").fill("2025-02-11")
    page.get_by_role("button", name="Show these").click()
    page.wait_for_url("**until=2025-02-11**")
    assert "number 999 " in page.locator(".day").first.inner_text()


def test_one_is_forgotten_among_them(look, many):
    page = look(many).open("timeline?entry=many-00042")
    page.get_by_role("link", name="Forget").click()
    page.get_by_role("button", name="Forget this entry").click()
    page.wait_for_url("**done=forgotten**")
    page.goto(f"{many.url}/inspector/search?q=number+42&mode=keyword")
    assert "number 42 " not in page.get_by_role("main").inner_text()
