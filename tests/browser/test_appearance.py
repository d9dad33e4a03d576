"""Light and dark, and the width of a telephone."""

from __future__ import annotations

import re

import pytest
from page_list import MAIN_PAGES, PAGES

PHONE = {"width": 390, "height": 844}


def brightness(colour: str) -> float:
    """Return how light a colour of CSS is, 0 to 1."""
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


@pytest.mark.parametrize("name", MAIN_PAGES)
def test_the_page_follows_the_scheme_of_the_system(look, example, keep, name):
    shown = {}
    for scheme in ("light", "dark"):
        tab = look(example, color_scheme=scheme)
        page = tab.open(PAGES[name])
        style = page.evaluate(
            "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))"
        )
        shown[scheme] = [brightness(colour) for colour in style]
        keep(tab, f"{name}-{scheme}")
    paper, ink = shown["light"]
    assert paper > 0.8
    assert ink < 0.3
    paper, ink = shown["dark"]
    assert paper < 0.2
    assert ink > 0.7


@pytest.mark.parametrize("name", PAGES)
def test_on_a_telephone_nothing_is_wider_than_the_window(look, example, keep, name):
    tab = look(example, viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)
    page = tab.open(PAGES[name])
    keep(tab, f"phone-{name}")
    assert tab.sideways() <= 0
    for button in page.get_by_role("button").all():
        box = button.bounding_box()
        assert box is None or box["x"] + box["width"] <= PHONE["width"], button.inner_text()
