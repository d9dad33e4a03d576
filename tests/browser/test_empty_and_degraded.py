"""A memory that was never used, one without its embedder, and one whose store is in pieces."""

from __future__ import annotations

import pytest
from page_list import MAIN_PAGES


@pytest.mark.parametrize("name", MAIN_PAGES)
def test_an_empty_memory_says_what_to_do_next(look, empty, keep, name):
    tab = look(empty)
    page = tab.open(name)
    keep(tab, f"empty-{name}")
    said = page.get_by_role("main").inner_text()
    assert "tercet " in said or page.get_by_role("main").get_by_role("button").count() > 0, said


def test_a_search_in_an_empty_memory_finds_nothing_and_says_so(look, empty):
    page = look(empty).open("search?q=walnut")
    assert page.get_by_role("main").inner_text().strip()
    assert page.locator("main .problem").count() == 0
    assert "tercet index" in page.get_by_role("main").inner_text()


def test_without_the_embedder_search_answers_by_words_and_says_why(look, unreachable, keep):
    tab = look(unreachable)
    page = tab.open("search?q=rye+bread")
    keep(tab, "unreachable-search")
    assert "127.0.0.1:9" in page.locator(".degraded").first.inner_text()
    assert "memory/recipes/rye-bread.md" in page.get_by_role("main").inner_text()


def test_without_the_embedder_health_names_it_and_counts_what_waits(look, unreachable, keep):
    tab = look(unreachable)
    page = tab.open("health")
    keep(tab, "unreachable-health")
    said = page.get_by_role("main").inner_text()
    assert "http://127.0.0.1:9 is not available" in said
    assert "0 of 61" in said
    page.get_by_role("button", name="Examine every part").click()
    page.wait_for_url("**/health/findings**")
    assert "is the service running?" in page.get_by_role("main").inner_text()


@pytest.mark.parametrize("name", MAIN_PAGES)
def test_with_the_store_in_pieces_every_page_still_answers(look, damaged, keep, name):
    tab = look(damaged)
    page = tab.open(name)
    keep(tab, f"damaged-{name}")
    assert page.get_by_role("heading", level=1).inner_text() != "That was not possible"


def test_with_the_store_in_pieces_the_mend_is_named(look, damaged, keep):
    tab = look(damaged)
    page = tab.open("search?q=rye+bread")
    keep(tab, "damaged-found")
    assert "tercet index --rebuild" in page.get_by_role("main").inner_text()
    page = tab.open("health")
    assert "tercet index --rebuild" in page.get_by_role("main").inner_text()
    assert page.locator(".verdict", has_text="problem").count() >= 1


def test_with_the_store_in_pieces_the_entries_are_still_seen(look, damaged):
    page = look(damaged).open("timeline")
    assert "The bakery closes on Wednesdays." in page.get_by_role("main").inner_text()
