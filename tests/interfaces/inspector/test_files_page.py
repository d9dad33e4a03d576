"""Files in the browser: what is listed, how one is shown, and what others never see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tercet.interfaces.cli import run as run_command
from tercet.interfaces.http.tokens import Tokens

HOSTILE = """---
title: "<script>alert('title')</script>"
tags: ["<img src=x onerror=alert(1)>", boats]
version: 1.10
---
# <script>alert(1)</script>

[x](javascript:alert(1)) [car](home/car.md) [[car]] [[nobody]] ![p](https://pics.example/p.png)
"""
WORKSPACE = {
    "home/car.md": "# Car\n\nThe car is an Octavia.\n",
    "home/<b>bold<b>.md": "# Odd\n\nA file with an odd name.\n",
    "hostile.md": HOSTILE,
    "long.md": "".join(f"## Part {number}\n\n{'word ' * 200}\n\n" for number in range(300)),
}
LINKED = "Wohnt in [[Gent]], siehe [[Bram Vos]].\n"


@pytest.fixture(scope="module", autouse=True)
def filled(service, browser):
    """More files in the folder of the service, and notes of two people in its vault."""
    for name, text in WORKSPACE.items():
        file = Path(service.home).parent / "notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for title, body, session in (
        ("Maud", LINKED, None),
        ("Bram Vos", "Bruder von [[Maud]].\n", None),
        ("Secret of seven", "Only telegram:7 knows.\n", "telegram:7"),
        ("Secret of eight", "Only telegram:8 knows.\n", "telegram:8"),
    ):
        given = {"title": title, "body": body, **({"session_key": session} if session else {})}
        assert service.post("/v1/wiki/notes", given).status_code == 201
    # Whoever looks at a file has all changed files taken in before.
    assert browser.get("/inspector/files/view", params={"ref": "notes:MEMORY.md"}).status_code == 200


@pytest.fixture
def show(browser, read):
    """``show(ref, **query)``: the page about a file."""

    def shown(ref, **query):
        answer = browser.get("/inspector/files/view", params={"ref": ref, **query})
        assert answer.status_code == 200, answer.text
        return read(answer)

    return shown


def test_files_are_listed_by_folder_with_notes_marked(browser, read):
    page = read(browser.get("/inspector/files"))
    names = [shown for address, shown in page.links if "files/view" in address]
    assert names == [
        "MEMORY.md",
        "hostile.md",
        "long.md",
        "<b>bold<b>.md",
        "car.md",
        "备忘.md",
        "Bram Vos.md",
        "Maud.md",
    ]
    assert page.text.count(" note ") >= 2
    assert "8 of 8 files" in page.text
    assert "notes:home/" in page.text


def test_words_and_folders_narrow_the_list(browser, read):
    page = read(browser.get("/inspector/files", params={"words": "CAR home"}))
    assert "1 of 8 files" in page.text
    assert "car.md" in page.text
    page = read(browser.get("/inspector/files", params={"folder": "notes:home"}))
    assert "2 of 8 files" in page.text
    assert "hostile.md" not in page.text
    page = read(browser.get("/inspector/files", params={"show": "notes"}))
    assert "2 of 8 files" in page.text
    page = read(browser.get("/inspector/files", params={"words": "nosuch"}))
    assert "No file fits" in page.text
    assert browser.get("/inspector/files", params={"page": "99"}).status_code == 200
    assert browser.get("/inspector/files", params={"page": "0"}).status_code == 400


def test_what_is_wrong_in_the_vault_is_counted_and_leads_to_its_line(browser, read):
    page = read(browser.get("/inspector/files"))
    assert "Broken links 1" in page.text
    lint = read(browser.get("/inspector/files/lint"))
    address = next(address for address, shown in lint.links if shown.startswith("Maud.md, line "))
    assert "Gent" in lint.text
    source = read(browser.get(address))
    line = address.rpartition("#")[2]
    assert any(attributes.get("id") == line for _, attributes in source.tags)
    assert LINKED.strip() in source.text


def test_nothing_hostile_runs(browser, show, read):
    page = show("notes:hostile.md")
    assert "<script>alert('title')</script>" in page.text
    assert "[x](javascript:alert(1))" in page.text
    pictures = [attributes["src"] or "" for tag, attributes in page.tags if tag == "img"]
    assert all(source.startswith("/inspector/assets/") for source in pictures)
    source = show("notes:hostile.md", view="source")
    assert "[x](javascript:alert(1))" in source.text
    odd = show("notes:home/<b>bold<b>.md")
    assert "home/<b>bold<b>.md" in odd.text
    for ref in ("<script>alert(1)</script>", 'notes:"onload="x', "notes:../../etc/passwd", "/etc/passwd"):
        answer = browser.get("/inspector/files/view", params={"ref": ref})
        assert answer.status_code == 404
        read(answer)


def test_front_matter_is_a_table_with_numbers_as_they_are_written(show):
    page = show("notes:hostile.md")
    assert "version 1.10" in page.text
    assert "boats" in page.text
    assert "title:" not in page.text


def test_links_lead_to_the_pages_of_files_and_broken_ones_are_marked(browser, show):
    page = show("notes:hostile.md")
    address = next(address for address, shown in page.links if shown == "car")
    assert "The car is an Octavia." in browser.get(address).text
    assert "https://pics.example/p.png" in {address for address, _ in page.links}
    assert "(pics.example)" in page.text
    broken = [attributes for tag, attributes in page.tags if attributes.get("class") == "broken"]
    assert [each["title"] for each in broken] == ["no note is called 'nobody'"]


def test_a_note_shows_what_links_to_it_and_where_its_own_links_lead(show):
    page = show("wiki:Maud.md")
    assert "Linked from Bram Vos.md" in page.text
    assert "Links to Bram Vos.md" in page.text
    assert "no note is called “Gent”" in page.text
    assert "Edit this note" in page.text
    assert "Edit this note" not in show("notes:hostile.md").text


def test_what_belongs_with_a_file_is_shown_once_it_is_known(service, show):
    assert "tercet crossref build" in show("notes:hostile.md").text
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERCET_EMBEDDING__PROVIDER", "none")
        assert run_command(["crossref", "build", "--home", str(service.home)]) == 0
    page = show("notes:hostile.md")
    assert "Belongs with notes:home/car.md" in page.text
    assert "linked" in page.text
    assert "Belongs with wiki:Bram Vos.md" in show("wiki:Maud.md").text


def test_the_borders_of_the_chunks_are_shown_with_lines_and_terms(show):
    page = show("notes:home/car.md")
    assert "chunk 1 lines 1–3" in page.text
    assert "waits for its vector" in page.text
    ids = {attributes.get("id") for _, attributes in page.tags}
    assert {"chunk-1", "L1", "L3"} <= ids


def test_a_long_file_comes_in_parts_and_a_line_brings_its_own(show):
    page = show("notes:long.md")
    assert "part 1 of 3" in page.text
    assert "Part 0 " in page.text
    assert "Part 299 " not in page.text
    assert any(address.endswith("part=2") and shown == "Next part" for address, shown in page.links)
    last = show("notes:long.md#L1197-L1199")
    assert "part 3 of 3" in last.text
    assert "Part 299" in last.text
    marked = [attributes for tag, attributes in last.tags if "marked" in (attributes.get("class") or "").split()]
    assert len(marked) == 1
    assert last.text.count("meant here") == 1
    assert "part 3 of 3" in show("notes:long.md", line="1197", view="source").text


def test_a_file_that_changed_is_shown_as_it_is_now(service, show):
    file = Path(service.home).parent / "notes" / "home" / "car.md"
    before = file.read_text("utf-8")
    file.write_text(before + "\nIts plate is 1-ABC-234.\n", encoding="utf-8")
    try:
        assert "1-ABC-234" in show("notes:home/car.md").text
    finally:
        file.write_text(before, encoding="utf-8")


def test_a_bound_token_sees_its_own_notes_and_nothing_of_others(service, open_browser, browser, read):
    seven = open_browser(service, Tokens(service.home).add("seven", "main", "telegram:7").token)
    listed = read(seven.get("/inspector/files"))
    assert "Secret of seven.md" in listed.text
    assert "Secret of eight" not in listed.text
    own = read(seven.get("/inspector/files/view", params={"ref": "wiki:private/telegram_7/Secret of seven.md"}))
    assert "Only telegram:7 knows." in own.text
    for ref in ("wiki:private/telegram_8/Secret of eight.md", "wiki:Secret of eight", "Secret of eight.md"):
        answer = seven.get("/inspector/files/view", params={"ref": ref})
        assert answer.status_code == 404
        assert "Only telegram:8" not in answer.text
    assert "of eight" not in seven.get("/inspector/files/lint").text
    # The owner looks with the owner's eyes: the conversations of others are not in that view.
    assert "Secret of" not in browser.get("/inspector/files").text
    assert "Secret of" not in browser.get("/inspector/files/lint").text
    as_seven = read(browser.get("/inspector/files", params={"session": "telegram:7"}))
    assert "Secret of seven.md" in as_seven.text


def test_an_empty_memory_says_what_to_do(tmp_path, start_service, open_browser, read):
    service = start_service(tmp_path / "home")
    page = read(open_browser(service).get("/inspector/files"))
    assert "tercet index" in page.text
    assert "Write the first" in page.text
