"""The Health page: what works, what waits, what is wrong and its mend, and work that it starts."""

from __future__ import annotations


def test_every_part_says_how_it_is(look, example, keep):
    tab = look(example)
    page = tab.open("health")
    keep(tab, "health")
    said = page.locator(".parts").inner_text()
    for part in ("semantic", "wiki", "active", "embedder", "vector store", "capture"):
        assert part in said
    assert "1 message waits to be worked in" in said
    assert "1 message given up" in said
    assert page.get_by_role("row", name="workspace").inner_text().count("38") == 1
    assert "61 of 61" in page.get_by_role("main").inner_text()


def test_findings_come_with_their_mend(look, example, keep):
    tab = look(example)
    page = tab.open("health")
    page.get_by_role("button", name="Examine every part").click()
    page.wait_for_url("**/health/findings**")
    page.get_by_role("heading", level=1).wait_for()
    keep(tab, "findings")
    assert page.locator(".verdict", has_text="ok").count() >= 1


def test_an_open_permission_is_found_and_mended(look, example):
    journal = next(example.home.glob("*.db"), None) or next(example.home.glob("*.sqlite*"))
    journal.chmod(0o644)
    page = look(example).open("health")
    page.get_by_role("button", name="Examine every part").click()
    page.wait_for_url("**/health/findings**")
    page.get_by_role("button", name="Mend what loses nothing").click()
    page.get_by_role("heading", name="Mended").wait_for()
    assert journal.stat().st_mode & 0o077 == 0


def test_changed_files_are_taken_in_and_the_page_says_when_that_is_done(look, example):
    (example.home.parent / "workspace" / "brass.md").write_text("# Brass\n\nThe brass lamp hangs.\n", encoding="utf-8")
    page = look(example).open("health")
    page.get_by_role("button", name="Take in changed files").click()
    page.get_by_text("Taking in files is done").wait_for()
    page.goto(f"{example.url}/inspector/search?q=brass+lamp")
    assert "brass.md" in page.get_by_role("main").inner_text()


def test_a_secret_of_the_settings_is_not_on_the_page(look, example):
    page = look(example).open("health")
    page.get_by_text("embedding (").click()
    assert page.get_by_role("row", name="embedding.provider").is_visible()
    assert example.token not in page.content()
