"""The Timeline: where each entry came from, what became of it; stored, corrected, forgotten and brought back by hand."""

from __future__ import annotations

from example_memory import DEAD, FORGOTTEN, MAUD, MAUDS, REPLACED, REPLACING, SAID, WAITING


def card(page, text):
    return page.locator("li.entry").filter(has_text=text).first


def remember(page, text):
    page.get_by_text("Remember something", exact=True).click()
    page.get_by_label("What to remember").fill(text)
    page.get_by_role("button", name="Remember this").click()
    page.wait_for_url("**done=remembered**")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Timeline").click()
    card(page, text).wait_for()


def hits_of(tab, query):
    return tab.open(f"search?q={query}").get_by_role("main").inner_text()


def test_each_entry_says_when_and_from_where_and_what_it_replaced(look, example, keep):
    tab = look(example)
    page = tab.open("timeline")
    keep(tab, "timeline")
    said = card(page, "black walnut for the canteen").inner_text()
    assert "2026-03-03" in said
    assert "agent:main:main" in said
    assert "owner-1" in said
    assert SAID[2] in page.get_by_role("main").inner_text()
    replacing = card(page, REPLACING)
    assert replacing.locator("del").inner_text() == REPLACED
    assert "replaced" in replacing.inner_text(), "striking through is not the only sign"


def test_the_text_of_what_was_forgotten_is_not_there(look, example):
    page = look(example).open("timeline")
    assert FORGOTTEN not in page.content()
    assert "undo possible until" in page.get_by_role("main").inner_text()


def test_what_waits_and_what_was_given_up_stand_apart_with_reason_and_mend(look, example):
    page = look(example).open("timeline")
    waiting = page.get_by_role("region", name="Waiting to be worked in")
    assert WAITING in waiting.inner_text()
    assert "next try at the earliest" in waiting.inner_text()
    dead = page.get_by_role("region", name="Given up")
    assert DEAD in dead.inner_text()
    assert "the embedder answered with 3 numbers, the index holds 384" in dead.inner_text()
    assert "tercet doctor" in dead.inner_text()


def test_filters_leave_what_fits(look, example):
    page = look(example).open("timeline")
    page.get_by_label("State").select_option("superseded")
    page.get_by_role("button", name="Show these").click()
    page.wait_for_url("**state=superseded**")
    assert page.locator("li.entry.superseded").count() == page.locator(".day li.entry").count() >= 1
    page.get_by_role("link", name="Show all").click()
    page.wait_for_url(lambda url: "state=" not in url)
    page.get_by_label("Seen by").select_option(MAUD)
    page.get_by_role("button", name="Show these").click()
    page.wait_for_url("**session=telegram**")
    shown = page.locator(".day").all_inner_texts()
    assert any(MAUDS.partition(",")[0] in day for day in shown)
    assert not any("black walnut" in day for day in shown), "nobody else's"


def test_forget_shows_first_what_goes_and_undo_brings_it_back(look, example, keep):
    tab = look(example)
    page = tab.open("timeline")
    text = "The lime mortar of the north wall is from Wednesday."
    remember(page, text)
    card(page, text).get_by_role("link", name="Forget").click()
    page.get_by_role("heading", name="Forget this?").wait_for()
    keep(tab, "forget-preview")
    assert text in page.get_by_role("region", name="An entry that goes").inner_text()
    assert "Nothing is forgotten yet." in page.get_by_role("main").inner_text()
    page.get_by_role("link", name="Keep it").click()
    page.wait_for_url("**/inspector/timeline**")
    assert card(page, text).is_visible(), "looking at a preview takes nothing"

    card(page, text).get_by_role("link", name="Forget").click()
    page.get_by_role("button", name="Forget this entry").click()
    page.wait_for_url("**done=forgotten**")
    keep(tab, "forgotten")
    assert text not in page.content()
    assert text not in hits_of(tab, "lime+mortar+north+wall")

    page = tab.open("timeline")
    page.get_by_role("link", name="See what would return").click()
    page.get_by_role("heading", name="Bring back what was forgotten?").wait_for()
    keep(tab, "undo-preview")
    page.get_by_role("button", name="Bring back what is marked").click()
    page.wait_for_url("**done=restored**")
    assert card(page, text).is_visible()
    assert text in hits_of(tab, "lime+mortar+north+wall")


def test_a_forget_by_what_it_is_about_lets_choose(look, example):
    page = look(example).open("timeline")
    remember(page, "The zinc gutter leaks above the east door.")
    remember(page, "The zinc gutter was paid in full.")
    page.get_by_text("Forget what is about", exact=False).click()
    page.get_by_label("Words or a question").fill("zinc gutter")
    page.get_by_role("button", name="Find what to forget").click()
    page.get_by_label("The zinc gutter leaks above the east door.", exact=True).check()
    page.get_by_role("button", name="See what would go").click()
    page.get_by_role("button", name="Forget this entry").click()
    page.wait_for_url("**done=forgotten**")
    said = page.get_by_role("main").inner_text()
    assert "was paid in full" in said
    assert "leaks above" not in said


def test_several_entries_are_chosen_in_the_list(look, example):
    page = look(example).open("timeline")
    for text in ("Grout is mixed three to one.", "Grout hardens in two days."):
        remember(page, text)
    for text in ("Grout is mixed three to one.", "Grout hardens in two days."):
        page.get_by_label(f"Choose: {text}").check()
    page.get_by_role("button", name="Forget the chosen entries").click()
    page.get_by_role("button", name="Forget these 2").click()
    page.wait_for_url("**done=forgotten**count=2**")
    assert "Grout" not in page.locator(".day").all_inner_texts()[0]


def test_a_correction_keeps_what_was_said_in_the_history(look, example, keep):
    tab = look(example)
    page = tab.open("timeline")
    remember(page, "The skylight is 60 by 90.")
    card(page, "The skylight is 60 by 90.").get_by_role("link", name="History, correct").click()
    page.get_by_label("Text", exact=True).fill("The skylight is 66 by 98.")
    page.get_by_role("button", name="Save the correction").click()
    page.get_by_role("status").first.wait_for()
    keep(tab, "entry")
    assert "The skylight is 66 by 98." in page.get_by_role("main").inner_text()
    assert "The skylight is 60 by 90." in page.locator("del").all_inner_texts()
    found = hits_of(tab, "skylight")
    assert "66 by 98" in found
    assert "60 by 90" not in found


def test_sending_a_forget_twice_does_no_harm(look, example):
    tab = look(example)
    page = tab.open("timeline")
    text = "The hinge of the gate squeaks."
    remember(page, text)
    card(page, text).get_by_role("link", name="Forget").click()
    page.get_by_role("heading", name="Forget this?").wait_for()
    again = look(example)
    again.page.goto(page.url)
    page.get_by_role("button", name="Forget this entry").click()
    page.wait_for_url("**done=forgotten**")
    again.page.get_by_role("button", name="Forget this entry").click()
    again.page.wait_for_url("**/inspector/timeline?**")
    assert again.page.get_by_role("heading", level=1, name="Timeline").is_visible()
