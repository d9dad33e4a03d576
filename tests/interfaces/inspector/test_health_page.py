"""The Health page: what is shown, what its buttons do, and that it is the owner's alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tercet.interfaces.http.tokens import Tokens


def until_over(browser, read):
    """Ask how far the run is until it is over, as the page does; the answer comes when there is one."""
    for _ in range(600):
        page = read(browser.get("/inspector/health/progress"))
        if not any("hx-get" in attributes for _, attributes in page.tags):
            return page.text
    pytest.fail("the run did not end")


def test_it_shows_parts_folders_and_settings_with_their_origin(service, browser, read):
    text = read(browser.get("/inspector/health")).text
    assert "layer semantic" in text
    assert "none (words alone)" in text
    assert str(service.home.parent / "notes") in text
    assert "embedding.provider none environment" in text
    assert service.token not in text


def test_changed_files_are_taken_in_by_the_button(service, browser, read):
    note = Path(service.home.parent / "notes" / "boat.md")
    note.write_text("# Boat\n\nThe new mooring is at berth 51.\n", "utf-8")
    assert browser.post("/inspector/health/index").headers["location"] == "/inspector/health"
    assert "is done: 3 files" in until_over(browser, read)
    assert "berth 51" in service.post("/v1/search", {"query": "new mooring"}).text


def test_re_embedding_without_an_embedder_says_why_not(browser, read):
    browser.post("/inspector/health/reembed")
    text = until_over(browser, read)
    assert "Re-embedding ended:" in text
    assert "embedding.provider" in text


def test_examining_names_the_mend_and_mending_does_it(service, browser, read):
    tokens = Tokens(service.home)
    (service.home / "embeddings.sqlite").chmod(0o644)
    assert "0644" in (text := read(browser.get("/inspector/health/findings")).text) or "644" in text
    fixed = read(browser.post("/inspector/health/findings")).text
    assert "fixed" in fixed
    assert (service.home / "embeddings.sqlite").stat().st_mode & 0o077 == 0
    assert tokens.all()


@pytest.mark.parametrize(
    ("method", "page"),
    [
        ("GET", "health"),
        ("GET", "health/progress"),
        ("GET", "health/findings"),
        ("POST", "health/findings"),
        ("POST", "health/index"),
        ("POST", "health/reembed"),
    ],
)
def test_a_token_of_one_session_sees_and_starts_nothing(service, open_browser, read, method, page):
    tokens = Tokens(service.home)
    grant = next((each for each in tokens.all() if each.name == "a guest"), None) or tokens.add(
        "a guest", "main", "telegram:7"
    )
    answer = open_browser(service, grant.token).request(method, f"/inspector/{page}")
    assert answer.status_code == 403
    text = read(answer).text
    assert "use the agent's token" in text
    assert str(service.home) not in text
