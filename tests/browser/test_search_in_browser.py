"""The Search page: hits whose bars add up, filters, where a passage stands, what the agent would get."""

from __future__ import annotations

import re

import pytest
from example_memory import MAUD, MAUDS, SAID

QUESTION = "walnut tables for the canteen"


def search(page, text):
    box = page.get_by_role("searchbox", name="Words or a question")
    box.fill(text)
    box.press("Enter")
    page.get_by_role("status").filter(has_text=f"“{text}”").wait_for()


def hits(page):
    return page.locator("li.hit")


def test_a_question_finds_the_entry_and_marks_its_words(look, example, keep):
    tab = look(example)
    page = tab.open("search")
    search(page, QUESTION)
    keep(tab, "found")
    first = hits(page).first
    assert SAID[1] in first.inner_text()
    assert {"walnut", "canteen", "tables"} <= {mark.inner_text() for mark in first.locator("mark").all()}
    assert page.url.endswith("q=walnut+tables+for+the+canteen&layer=&category=&since=&until=&limit=&mode=&preset=") or (
        "q=walnut" in page.url
    ), "the address leads to the same answer"


def test_chinese_is_found(look, example):
    page = look(example).open("search")
    search(page, "妈妈的生日是哪一天")
    assert SAID[2] in page.get_by_role("main").inner_text()


@pytest.mark.parametrize("question", [QUESTION, "妈妈的生日", "rye bread in the long tin"])
def test_the_shares_as_shown_add_up_to_the_score_as_shown_and_the_bar_is_as_long(look, example, question):
    page = look(example).open("search")
    search(page, question)
    assert hits(page).count() >= 1
    for hit in hits(page).all():
        score = float(re.search(r"[01]\.\d+", hit.locator(".score").inner_text())[0])
        shares = [float(share.inner_text()) for share in hit.locator(".shares b").all()]
        assert shares
        assert round(sum(shares), 3) == score
        drawn = hit.locator("svg.bar rect:not(.track):not(.penalty)").evaluate_all(
            "(all) => all.reduce((sum, one) => sum + one.width.baseVal.value, 0)"
        )
        taken = hit.locator("svg.bar rect.penalty").evaluate_all(
            "(all) => all.reduce((sum, one) => sum + one.width.baseVal.value, 0)"
        )
        assert drawn - taken == pytest.approx(1000 * score, abs=3)


def test_the_score_in_numbers_adds_up_line_by_line(look, example):
    page = look(example).open("search")
    search(page, QUESTION)
    hit = hits(page).first
    hit.get_by_text("The score in numbers").click()
    rows = [row.locator("th, td").all_inner_texts() for row in hit.locator("table.parts tbody tr").all()]
    names = [row[0].strip() for row in rows]
    signals, total = rows[: names.index("sum")], rows[names.index("sum")]
    assert sum(float(row[3]) for row in signals) == pytest.approx(float(total[3]), abs=0.0003)
    for row in signals:
        assert float(row[1]) * float(row[2].removeprefix("×")) == pytest.approx(float(row[3]), abs=0.0002)
    running = float(total[3])
    for row in rows[names.index("sum") + 1 : -1]:
        running *= float(row[2].removeprefix("×"))
        assert running == pytest.approx(float(row[3]), abs=0.001)
    assert running == pytest.approx(float(rows[-1][3]), abs=0.001)
    assert rows[-1][4] == hit.locator(".score").inner_text().split()[-1]


def test_filters_leave_what_fits_and_can_be_taken_off(look, example):
    page = look(example).open("search")
    search(page, QUESTION)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Category").select_option("decision")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**category=decision**")
    assert hits(page).count() >= 1
    assert all("decision" in hit.locator(".facts").inner_text() for hit in hits(page).all())
    page.get_by_label("To day").fill("2020-01-01")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("link", name="Search without the filters").click()
    page.wait_for_url(lambda url: "until=" not in url)
    page.get_by_role("status").filter(has_text="hits for").wait_for()
    assert hits(page).count() >= 2


def test_another_person_sees_their_own(look, example):
    page = look(example).open("search")
    search(page, "allergic to walnuts")
    assert MAUDS.partition(",")[0] not in page.get_by_role("main").inner_text()
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Seen by").select_option(MAUD)
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**session=telegram**")
    assert MAUDS.partition(",")[0] in page.get_by_role("main").inner_text()
    assert MAUD in page.locator("header").inner_text(), "the frame says whose view this is"


def test_what_ranked_lower_is_told_beside_what_beat_it(look, example, keep):
    tab = look(example)
    page = tab.open("search")
    search(page, QUESTION)
    page.get_by_label("Path, ref or id of what you expected").fill("workspace:memory/home/garden.md")
    page.get_by_role("button", name="Show where it stands").click()
    page.get_by_role("heading", name="Why it ranked there").wait_for()
    keep(tab, "why")
    said = page.get_by_role("main").inner_text()
    assert "no hit" in said
    assert "The last hit that stands above it" in said
    page.get_by_role("link", name="Back to the hits").click()
    page.get_by_role("status").filter(has_text=QUESTION).wait_for()
    page.get_by_role("link", name="Compare hit 2").click()
    page.get_by_role("heading", name="Why it ranked there").wait_for()
    assert "It is hit 2" in page.get_by_role("main").inner_text()


def test_as_the_agent_would_see_it_is_the_section_of_the_prompt(look, example, keep):
    tab = look(example)
    page = tab.open("search")
    search(page, QUESTION)
    page.get_by_role("link", name="As the agent would see it").click()
    page.get_by_role("heading", name="As the agent would see it").wait_for()
    keep(tab, "recalled")
    section = page.get_by_label("The section, as the agent gets it").inner_text()
    assert section.startswith("<tercet-memory>")
    assert section.endswith("</tercet-memory>")
    assert SAID[1] in section
    page.get_by_label("Message to the agent").fill("Hello!")
    page.get_by_role("button", name="Recall for this message").click()
    page.get_by_role("status").filter(has_text="would be given nothing").wait_for()


def test_a_hit_opens_the_lines_that_it_found(look, example):
    page = look(example).open("search")
    search(page, "rye bread in the long tin")
    page.get_by_role("link", name="workspace:memory/recipes/rye-bread.md").first.click()
    page.wait_for_url("**/files/view?**")
    assert "memory/recipes/rye-bread.md" in page.get_by_role("heading", level=1).inner_text()


def test_without_scripts_a_search_is_answered_too(look, example):
    page = look(example, java_script_enabled=False).page
    page.goto(f"{example.url}/inspector/search")
    page.get_by_role("searchbox").fill(QUESTION)
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**q=walnut**")
    assert SAID[1] in page.get_by_role("main").inner_text()
