"""axe-core, the page's outline, and the colours in both schemes."""

from __future__ import annotations

import pytest
from page_list import PAGES

WEIGHTY = {"serious", "critical"}
ASK = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return found.violations.map((one) => ({
    rule: one.id, impact: one.impact, help: one.help,
    places: one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.failureSummary.split("\\n").join(" ")}`),
  }));
}"""


def weighty(page) -> list[dict]:
    """Return what axe finds on a page, with the rule and where."""
    return [one for one in page.evaluate(ASK) if one["impact"] in WEIGHTY]


@pytest.mark.parametrize("name", PAGES)
def test_axe_has_nothing_serious_to_say_in_either_scheme(look, example, axe, name):
    page = look(example, color_scheme="light").open(PAGES[name])
    page.evaluate(axe)
    assert weighty(page) == []
    page.emulate_media(color_scheme="dark")
    assert weighty(page) == []


def test_axe_would_tell(look, example, axe):
    tab = look(example)
    page = tab.open("search")
    page.evaluate(axe)
    page.locator("label[for=q]").evaluate("(label) => label.remove()")
    assert "label" in [one["rule"] for one in weighty(page)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_main_heading_a_title_of_its_own_and_named_regions(look, example, name):
    page = look(example).open(PAGES[name])
    assert page.locator("h1").count() == 1
    assert page.title().endswith("· Tercet")
    assert page.title() != "· Tercet"
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("navigation", name="Pages").count() == 1


def test_the_sign_in_page_is_fit_for_everybody_too(chromium, example, axe):
    context = chromium.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{example.url}/inspector/")
    page.evaluate(axe)
    assert weighty(page) == []
    context.close()
