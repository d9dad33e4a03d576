"""Everything can be reached and done without a mouse."""

from __future__ import annotations

import pytest
from page_list import MAIN_PAGES, PAGES

FOCUSED = """() => {
  const one = document.activeElement;
  return { tag: one.tagName, text: (one.innerText || one.getAttribute("aria-label") || one.name || "").trim() };
}"""


def focused(page):
    return page.evaluate(FOCUSED)


@pytest.mark.parametrize("name", MAIN_PAGES)
def test_the_first_key_offers_the_way_past_the_navigation(look, example, name):
    page = look(example).open(PAGES[name])
    page.locator("body").press("Tab")
    # A page that puts the focus into its box begins there; its first link is still the way past.
    first = page.locator("a").first
    assert first.inner_text() == "Skip to the content"
    first.focus()
    box = first.bounding_box()
    assert box["x"] >= 0, "it is seen once it has the focus"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = page.evaluate("document.getElementById('main').contains(document.activeElement)")
    assert inside, focused(page)


@pytest.mark.parametrize("name", PAGES)
def test_tab_reaches_every_control_in_the_order_of_the_page_and_shows_where_it_is(look, example, name):
    page = look(example).open(PAGES[name])
    seen = page.evaluate("""() => {
      const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
      const isSeen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled;
      window.controls = [...document.querySelectorAll(wanted)].filter(isSeen);
      return window.controls.length;
    }""")
    page.locator("a").first.focus()
    places = [0]
    for _ in range(min(seen, 60) - 1):
        page.keyboard.press("Tab")
        place, is_outlined = page.evaluate("""() => {
          const one = document.activeElement, style = getComputedStyle(one);
          return [window.controls.indexOf(one), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
        }""")
        assert place >= 0, focused(page)
        # A date is several stops in one field, the last with an outline of its own.
        if place != places[-1]:
            assert is_outlined, focused(page)
            places.append(place)
    # Radio buttons of one name are one stop; all else comes one after the other.
    assert places == sorted(places)
    assert len(set(places)) == len(places)


def test_a_slash_goes_to_the_search_box_and_is_a_letter_inside_it(look, example):
    page = look(example).open("search")
    box = page.get_by_role("searchbox").first
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert box.evaluate("(one) => one === document.activeElement")
    page.keyboard.type("a/b")
    assert box.input_value() == "a/b"


def test_two_keys_go_to_another_page_and_the_focus_follows(look, example):
    page = look(example).open("search")
    page.evaluate("document.activeElement.blur()")
    for key, name in (("t", "timeline"), ("f", "files"), ("h", "health"), ("r", "graph"), ("s", "search")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"**/inspector/{name}**")
        page.get_by_role("heading", level=1).wait_for()
        page.evaluate("document.activeElement.blur()")
    assert page.get_by_role("link", name="Search", exact=True).get_attribute("aria-current") == "page"


def test_a_search_needs_no_mouse(look, example):
    page = look(example).open("search")
    page.keyboard.press("/")
    page.keyboard.type("walnut tables for the canteen")
    page.keyboard.press("Enter")
    page.get_by_role("status").first.wait_for()
    assert "canteen" in page.get_by_role("main").inner_text()
