"""The pictures of the documentation: ``make screenshots`` writes them into ``docs/screenshots``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from example_memory import make_example_home
from inspected_service import InspectedService
from page_list import PAGES
from watched_pages import PICTURES, ROOT, keep_screenshot

FOLDER = ROOT / os.environ.get("TERCET_TEST_SCREENSHOTS", PICTURES / "documentation")
WINDOW = {"width": 1180, "height": 980}
PHONE = {"width": 390, "height": 844}
SHOWN = {"search": "found", "timeline": "timeline", "file": "file", "graph": "graph", "health": "health"}
MOST_BYTES = 300_000


@pytest.fixture(scope="module")
def pictured():
    """The example memory that no test has touched, under a short path, which some pages show."""
    with (
        tempfile.TemporaryDirectory(prefix="tercet-") as folder,
        InspectedService(make_example_home(Path(folder))) as service,
    ):
        yield service


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_as_it_is_shown_in_the_documentation(look, pictured, name, scheme):
    tab = look(pictured, color_scheme=scheme, viewport=WINDOW)
    tab.open(PAGES[SHOWN[name]])
    picture = keep_screenshot(tab.page, FOLDER, f"{name}-{scheme}")
    assert picture.stat().st_size < MOST_BYTES


def test_the_search_on_a_telephone(look, pictured):
    tab = look(pictured, viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)
    tab.open(PAGES["found"])
    picture = keep_screenshot(tab.page, FOLDER, "search-phone")
    assert picture.stat().st_size < MOST_BYTES
