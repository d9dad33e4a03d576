"""Notes written and edited in the browser: no byte and no text is lost."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from tercet.interfaces.http.tokens import Tokens

CRLF = b"---\r\ntitle: Boat\r\n---\r\n\r\n# Boat\r\n\r\nBerth 47.\r\n\tTabbed <b>&amp;</b>  \r\n"
FILES = {
    "crlf.md": CRLF,
    "leading.md": b"\n\n\nText after empty lines\n\n\n",
    "mixed.md": b"one\r\ntwo\nthree\rfour\r\n\r\nno end",
    "mark.md": b"\xef\xbb\xbf# With a mark\n\nText.\n",
    "textarea.md": b"# Hostile\n\n</textarea><script>alert(1)</script>\n",
}


@pytest.fixture(scope="module")
def vault(service) -> Path:
    """The vault of the service, with files of every kind."""
    folder = Path(service.home) / "vault" / "main"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


def opened(browser, ref):
    """Return (form fields with the text as a browser has it, the page's text)."""
    answer = browser.get("/inspector/files/edit", params={"ref": ref})
    assert answer.status_code == 200, answer.text
    return fields_of(answer.text)


def fields_of(page):
    found = dict(re.findall(r'<input type="hidden" name="(ref|digest)" value="([^"]*)"', page))
    area = re.search(r'<textarea id="text"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert area is not None
    # As the standard says: one line end behind the opening tag is dropped.
    text = html.unescape(re.sub("\r\n?", "\n", area[1])).removeprefix("\n")
    return {**{name: html.unescape(value) for name, value in found.items()}, "text": text}


def send(browser, fields, **changed):
    given = {**fields, **changed}
    return browser.post("/inspector/files/edit", data={**given, "text": given["text"].replace("\n", "\r\n")})


@pytest.mark.parametrize("name", FILES)
def test_a_save_without_an_edit_changes_no_byte(browser, vault, name):
    answer = send(browser, opened(browser, f"wiki:{name}"))
    assert answer.status_code == 303, answer.text
    assert (vault / name).read_bytes() == FILES[name]


def test_an_edit_changes_the_lines_it_is_about_and_is_shown(browser, vault, read):
    (vault / "edited.md").write_bytes(CRLF)
    fields = opened(browser, "wiki:edited.md")
    answer = send(browser, fields, text=fields["text"].replace("Berth 47.", "Berth 48.\nNew line."))
    assert (vault / "edited.md").read_bytes() == CRLF.replace(b"Berth 47.", b"Berth 48.\r\nNew line.")
    page = read(browser.get(answer.headers["location"]))
    assert "Saved." in page.text
    assert "Berth 48." in page.text


def test_the_text_in_the_form_is_the_files_whatever_it_holds(browser, vault):
    assert opened(browser, "wiki:textarea.md")["text"] == FILES["textarea.md"].decode()
    assert opened(browser, "wiki:leading.md")["text"] == FILES["leading.md"].decode()
    answer = browser.get("/inspector/files/edit", params={"ref": "wiki:textarea.md"})
    assert answer.text.count("<script") == 2


def test_a_note_that_changed_meanwhile_is_not_overwritten_and_both_texts_are_shown(browser, vault, read):
    (vault / "contested.md").write_bytes(b"# Contested\r\n\r\nfirst\r\n")
    fields = opened(browser, "wiki:contested.md")
    (vault / "contested.md").write_bytes(b"# Contested\r\n\r\ntheirs\r\n")
    answer = send(browser, fields, text="# Contested\n\nmine <i>\n")
    assert answer.status_code == 409
    assert (vault / "contested.md").read_bytes() == b"# Contested\r\n\r\ntheirs\r\n"
    page = read(answer)
    assert "only yours: +mine <i>" in page.text
    assert "only theirs: -theirs" in page.text
    again = fields_of(answer.text)
    assert again["text"] == "# Contested\n\nmine <i>\n"
    assert send(browser, again, text=again["text"] + "theirs\n").status_code == 303
    assert (vault / "contested.md").read_bytes() == b"# Contested\r\n\r\nmine <i>\r\ntheirs\r\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [("---\ntitle: [x\n---\n\n# Kept & shown\n", "line"), ("", "would be empty"), (" \n", "would be empty")],
)
def test_a_text_that_is_refused_stays_in_the_form(browser, vault, read, text, told):
    fields = opened(browser, "wiki:crlf.md")
    answer = send(browser, fields, text=text)
    assert answer.status_code == 400
    page = read(answer)
    assert "It was not saved" in page.text
    assert told in page.text
    assert fields_of(answer.text) == {**fields, "text": text if text.strip() else ""}
    assert (vault / "crlf.md").read_bytes() == FILES["crlf.md"]


def test_a_note_that_vanished_meanwhile_leaves_its_text_in_the_form(browser, vault):
    (vault / "gone.md").write_bytes(b"# Gone\n")
    fields = opened(browser, "wiki:gone.md")
    (vault / "gone.md").unlink()
    answer = send(browser, fields, text="# Gone\n\nwritten for an hour\n")
    assert answer.status_code == 404
    assert fields_of(answer.text)["text"] == "# Gone\n\nwritten for an hour\n"


def test_files_of_indexed_folders_are_never_written(browser, service):
    file = Path(service.home).parent / "notes" / "MEMORY.md"
    before = file.read_bytes()
    for ref in ("notes:MEMORY.md", "MEMORY.md", "wiki:../../../notes/MEMORY.md"):
        assert browser.get("/inspector/files/edit", params={"ref": ref}).status_code in {400, 404}
        answer = browser.post("/inspector/files/edit", data={"ref": ref, "digest": "0" * 64, "text": "x"})
        assert answer.status_code in {400, 404}
    assert file.read_bytes() == before


def test_a_file_that_is_no_utf8_is_not_offered_for_editing(browser, vault, read):
    (vault / "latin.md").write_bytes("# Café\n\nÉté à Liège, déjà vu.\n".encode("latin-1"))
    answer = browser.get("/inspector/files/edit", params={"ref": "wiki:latin.md"})
    assert answer.status_code == 400
    assert "no UTF-8" in read(answer).text


def test_a_new_note_is_written_and_shown(browser, vault, read):
    assert browser.get("/inspector/files/new").status_code == 200
    given = {"title": "A <new> note", "type": "concept", "tags": "boats, #sea", "body": "\r\nSays [[Boat]].\r\n"}
    answer = browser.post("/inspector/files/new", data=given)
    assert answer.status_code == 303, answer.text
    page = read(browser.get(answer.headers["location"]))
    assert "A <new> note" in page.text
    assert "Says Boat" in page.text
    assert "boats" in page.text
    (file,) = [each for each in vault.iterdir() if b"A <new> note" in each.read_bytes()]
    assert b"\r" not in file.read_bytes()
    assert b"boats" in file.read_bytes()


def test_a_new_note_without_a_title_keeps_what_was_typed(browser, vault, read):
    answer = browser.post("/inspector/files/new", data={"title": " ", "body": "long thought"})
    assert answer.status_code == 400
    page = read(answer)
    assert "needs a title" in page.text
    assert "long thought" in page.text


def test_a_session_writes_its_own_notes_and_no_others(service, open_browser, vault, read):
    guest = open_browser(service, Tokens(service.home).add("guest", "main", "telegram:7").token)
    answer = guest.post("/inspector/files/new", data={"title": "Mine", "body": "of seven"})
    assert answer.status_code == 303
    own = vault / "private" / "telegram_7" / "Mine.md"
    assert b"of seven" in own.read_bytes()
    fields = opened(guest, "wiki:private/telegram_7/Mine.md")
    assert send(guest, fields, text=fields["text"] + "more\n").status_code == 303
    assert own.read_bytes().endswith(b"more\n")

    shared = read(guest.get("/inspector/files/view", params={"ref": "wiki:crlf.md"}))
    assert "Edit this note" not in shared.text
    refused = guest.get("/inspector/files/edit", params={"ref": "wiki:crlf.md"})
    assert refused.status_code == 400
    assert "shared" in refused.text
    assert send(guest, {"ref": "wiki:crlf.md", "digest": "0" * 64, "text": "x"}).status_code == 400
    other = vault / "private" / "telegram_8"
    other.mkdir(parents=True)
    (other / "Theirs.md").write_bytes(b"# Theirs\n\nof eight\n")
    answer = send(guest, {"ref": "wiki:private/telegram_8/Theirs.md", "digest": "0" * 64, "text": "x"})
    assert answer.status_code == 404
    assert "of eight" not in answer.text
    assert (vault / "crlf.md").read_bytes() == FILES["crlf.md"]
    assert (other / "Theirs.md").read_bytes() == b"# Theirs\n\nof eight\n"


def test_a_form_from_elsewhere_writes_nothing(browser, vault):
    fields = opened(browser, "wiki:crlf.md")
    answer = browser.post(
        "/inspector/files/edit", data={**fields, "text": "x"}, headers={"Origin": "https://elsewhere.example"}
    )
    assert answer.status_code == 403
    assert (vault / "crlf.md").read_bytes() == FILES["crlf.md"]
