"""Files and notes: opened, with their chunk borders, and edited without losing anybody's words."""

from __future__ import annotations

import pytest

TEXT = "Ordered on [[Farid]]'s word.\r\n\r\n- 第一 one\r\n"


def vault(service):
    return service.home / "vault" / "main"


@pytest.fixture
def new_note(look, example):
    """``new_note(title)``: a tab that shows a note it has just written."""

    def write(title):
        tab = look(example)
        page = tab.open("files")
        page.get_by_role("link", name="New note").click()
        page.get_by_label("Title", exact=True).fill(title)
        page.get_by_label("Text, in Markdown").fill("First text.\n")
        page.get_by_role("button", name="Save the new note").click()
        page.wait_for_url("**/files/view?**")
        assert (vault(example) / f"{title}.md").read_text(encoding="utf-8").endswith("First text.\n")
        return tab

    return write


def open_editor(page):
    page.get_by_role("link", name="Edit this note").click()
    box = page.get_by_label("The whole note, front matter included")
    box.wait_for()
    return box


def save(page):
    page.get_by_role("button", name="Save the note").click()


def test_a_folder_and_a_file_are_opened_and_the_chunks_have_their_borders(look, example, keep):
    tab = look(example)
    page = tab.open("files")
    page.get_by_label("Words of the path").fill("rietkraag")
    page.get_by_label("Words of the path").press("Enter")
    page.get_by_role("status").filter(has_text="1 of").wait_for()
    page.get_by_role("link", name="rietkraag-hall.md").click()
    page.get_by_role("heading", level=1, name="rietkraag-hall.md").wait_for()
    keep(tab, "file")
    chunks = page.locator("section.chunk[id]")
    spans = [chunk.locator(".label").inner_text() for chunk in chunks.all()]
    assert len(spans) == 4
    assert "lines 1–10" in spans[0].replace("\n", " ")
    assert all("has a vector" in span for span in spans)
    assert page.get_by_role("cell", name="reflector above the orchestra").is_visible(), "a table is rendered as one"

    page.get_by_role("link", name="Source").click()
    page.wait_for_url("**view=source**")
    on_disk = (example.home.parent / "workspace/memory/projects/rietkraag-hall.md").read_text(encoding="utf-8")
    assert page.locator(".lines code").all_inner_texts() == on_disk.splitlines()


def test_a_note_shows_its_links_both_ways_and_the_broken_one(look, example):
    page = look(example).open("files")
    page.get_by_role("link", name="Maud.md", exact=True).click()
    page.get_by_role("heading", level=1, name="Maud.md").wait_for()
    aside = page.get_by_role("complementary", name="Links")
    assert "no note is called “Nobody yet”" in aside.inner_text()
    assert {"Farid.md", "麻婆豆腐.md"} <= set(aside.get_by_role("link").all_inner_texts())
    page.get_by_role("article").get_by_role("link", name="Farid").click()
    page.get_by_role("heading", level=1, name="Farid.md").wait_for()


def test_what_the_graph_links_to_a_note_is_beside_it(look, example):
    page = look(example).open("files/view?ref=wiki:Maud.md")
    related = page.locator("aside section", has_text="Belongs with")
    assert "linked" in related.inner_text()
    assert related.get_by_role("link", name="Farid.md").count() >= 1


def test_a_note_is_edited_and_stands_so_on_disk(new_note, example):
    page = new_note("Edited here").page
    box = open_editor(page)
    box.fill(box.input_value().replace("First text.", "Second text, 第二版."))
    save(page)
    page.get_by_role("status").filter(has_text="Saved.").wait_for()
    assert "Second text, 第二版." in page.get_by_role("article").inner_text()
    assert (vault(example) / "Edited here.md").read_text(encoding="utf-8").endswith("Second text, 第二版.\n")


def test_saving_what_was_not_changed_changes_no_byte(new_note, example):
    page = new_note("Line ends").page
    file = vault(example) / "Line ends.md"
    front = file.read_bytes().partition(b"First text.")[0].replace(b"\n", b"\r\n")
    before = front + ("\r\n" + TEXT).encode("utf-8")
    file.write_bytes(before)
    page.reload()
    open_editor(page)
    save(page)
    page.get_by_role("status").filter(has_text="Saved.").wait_for()
    assert file.read_bytes() == before


def test_an_edit_that_somebody_else_overtook_is_refused_and_no_word_is_lost(new_note, look, example, keep):
    tab = new_note("Fought over")
    tab.refusals.add(409)
    page, file = tab.page, vault(example) / "Fought over.md"
    box = open_editor(page)
    box.fill(box.input_value().replace("First text.", "Mine."))
    theirs = file.read_text(encoding="utf-8").replace("First text.", "Theirs.")
    file.write_text(theirs, encoding="utf-8")
    save(page)
    page.get_by_role("alert").wait_for()
    keep(tab, "conflict")
    assert file.read_text(encoding="utf-8") == theirs, "nothing was overwritten"
    assert "Mine." in page.get_by_label("Your text, not saved yet").input_value()
    assert "Theirs." in page.get_by_label("Their text, as the file is now").input_value()

    yours = page.get_by_label("Your text, not saved yet")
    yours.fill(yours.input_value().replace("Mine.", "Mine. Theirs."))
    page.get_by_role("button", name="Save this text instead of theirs").click()
    page.get_by_role("status").filter(has_text="Saved.").wait_for()
    assert "Mine. Theirs." in file.read_text(encoding="utf-8")


def test_front_matter_that_cannot_be_read_is_refused_and_the_text_stays_in_the_form(new_note, example):
    tab = new_note("Broken front")
    tab.refusals.add(400)
    page, file = tab.page, vault(example) / "Broken front.md"
    before = file.read_bytes()
    box = open_editor(page)
    box.fill("---\ntitle: [unclosed\n---\nStill here.\n")
    save(page)
    page.get_by_role("alert").filter(has_text="not saved").wait_for()
    assert "Still here." in page.get_by_label("The whole note, front matter included").input_value()
    assert file.read_bytes() == before


def test_a_file_of_an_indexed_folder_is_never_edited_here(look, example):
    page = look(example).open("files/view?ref=workspace:MEMORY.md")
    assert page.get_by_role("link", name="Edit").count() == 0
