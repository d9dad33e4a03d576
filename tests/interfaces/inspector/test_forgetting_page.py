"""Forget and undo: a preview that changes nothing, then exactly what it named."""

from __future__ import annotations

import pytest

from tercet.interfaces.http.tokens import Tokens


def remembered(service, text, **given):
    return service.post("/v1/memories", {"text": text, **given}).json()["entry"]["id"]


def live(service):
    return {each["text"] for each in service.get("/v1/memories").json()["entries"]}


def forgotten(browser, *ids):
    answer = browser.post("/inspector/forget", data={"id": list(ids)})
    assert answer.status_code == 303, answer.text
    return browser.get(answer.headers["location"])


def test_the_preview_changes_nothing_and_the_forget_takes_what_it_named(service, browser, read):
    text = "The spare key lies under the <b>blue</b> pot."
    entry, other = remembered(service, text), remembered(service, "The lamp is green.")
    page = read(browser.get("/inspector/forget", params={"id": entry}))
    assert text in page.text
    assert "Nothing is forgotten yet." in page.text
    assert "lamp" not in page.text
    assert text in live(service)
    after = read(forgotten(browser, entry))
    assert "Forgotten: 1 item." in after.text
    assert "undo possible until" in after.text
    assert "blue" not in after.html
    assert not {text} & live(service)
    assert "The lamp is green." in live(service)
    assert other


def test_a_forget_that_is_sent_twice_takes_no_more(service, browser, read):
    entry = remembered(service, "Two copies of this form.")
    forgotten(browser, entry)
    before = live(service)
    again = read(forgotten(browser, entry))
    assert "gone already" in again.text
    assert live(service) == before


def test_what_is_about_something_is_chosen_from_and_only_the_chosen_goes(service, browser, read):
    for text in ("The heron nests by the mill.", "A heron was seen in Ghent."):
        remembered(service, text)
    page = read(browser.get("/inspector/forget", params={"q": "heron"}))
    assert "2 entries are about “heron”" in page.text
    assert all(attributes.get("checked", "no") == "no" for tag, attributes in page.tags if tag == "input")
    boxes = [a["value"] for tag, a in page.tags if tag == "input" and a.get("type") == "checkbox"]
    assert len(boxes) == 2
    assert len({text for text in live(service) if "heron" in text}) == 2
    chosen = read(browser.get("/inspector/forget", params={"id": boxes}))
    assert "Entries that go 2" in chosen.text
    forgotten(browser, boxes[0])
    assert len({text for text in live(service) if "heron" in text}) == 1
    assert "No entry is about “okapi”" in read(browser.get("/inspector/forget", params={"q": "okapi"})).text


def test_lines_of_notes_that_go_and_that_stay_are_shown_before(service, browser, read):
    anna = "telegram:41"
    service.post(
        "/v1/wiki/notes", {"title": "Punt", "body": "We said: The punt leaks, did we not.", "sessionKey": anna}
    )
    added = {"title": "Punt", "heading": "2026-01-05", "text": "- The punt leaks", "sessionKey": anna}
    assert service.post("/v1/wiki/append", added).status_code < 300
    entry = remembered(service, "The punt leaks", sessionKey=anna)
    page = read(browser.get("/inspector/forget", params={"id": entry}))
    assert "goes - The punt leaks" in page.text
    assert "stays We said: The punt leaks, did we not." in page.text
    assert [shown for link, shown in page.links if "Punt.md" in link]


def test_undo_shows_what_returns_without_its_text_and_brings_it_back(service, browser, read):
    text = "The ferry leaves at noon."
    entry = remembered(service, text)
    offered = read(forgotten(browser, entry))
    assert any(link.startswith("/inspector/undo") for link, _ in offered.links)
    page = read(browser.get("/inspector/undo"))
    assert entry in page.text
    assert "ferry" not in page.html
    assert text not in live(service)
    back = read(browser.post("/inspector/undo", data={"id": entry}, follow_redirects=True))
    assert "Brought back: 1 entry." in back.text
    assert text in live(service)
    again = read(browser.post("/inspector/undo", data={"id": entry}, follow_redirects=True))
    assert "Nothing was brought back" in again.text


def test_one_of_several_is_brought_back_alone(service, browser, read):
    ids = [remembered(service, f"Barrel {name} is empty.") for name in ("A", "B")]
    forgotten(browser, *ids)
    page = read(browser.get("/inspector/undo", params={"id": ids[1]}))
    assert ids[1] in page.text
    assert ids[0] not in page.text
    browser.post("/inspector/undo", data={"id": ids[1]})
    assert {text for text in live(service) if "Barrel" in text} == {"Barrel B is empty."}


@pytest.mark.parametrize("page", ["forget", "undo"])
def test_nothing_chosen_does_nothing(service, browser, read, page):
    before = live(service)
    answer = browser.post(f"/inspector/{page}", data={"id": ""})
    assert (answer.status_code, "Nothing was chosen" in read(answer).text) == (400, True)
    assert live(service) == before


def test_a_token_of_one_session_forgets_its_own_and_undoes_nothing(service, open_browser, read):
    own = remembered(service, "Dora rides a tandem.", sessionKey="telegram:21")
    others = remembered(service, "Emil hides the tandem.", sessionKey="telegram:22")
    grant = Tokens(service.home).add("dora", "main", "telegram:21")
    doras = open_browser(service, grant.token)
    assert doras.get("/inspector/forget", params={"id": others}).status_code == 404
    found = read(doras.get("/inspector/forget", params={"q": "tandem"})).text
    assert "Dora rides" in found
    assert "Emil" not in found
    doras.post("/inspector/forget", data={"id": [own, others]})
    kept = service.get("/v1/memories", params={"sessionKey": "telegram:22"}).text
    assert "Emil hides" in kept
    assert "Dora rides" in read(doras.get("/inspector/timeline")).text, "all or nothing"
    assert "Forgotten" in read(forgotten(doras, own)).text
    for method in ("GET", "POST"):
        answer = doras.request(method, "/inspector/undo", data={"id": own} if method == "POST" else None)
        assert answer.status_code == 403
    assert "Dora" not in service.get("/v1/memories", params={"sessionKey": "telegram:21"}).text
