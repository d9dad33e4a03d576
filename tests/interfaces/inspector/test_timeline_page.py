"""The Timeline page: what is shown of each entry, page by page, and what its forms store and correct."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.interfaces.http.tokens import Tokens
from tercet.model import InboxItem, Scope

ANNA = "telegram:5"
HOSTILE = "<img src=x onerror=alert(1)> & 'quotes'"


def remembered(service, text, **given):
    return service.post("/v1/memories", {"text": text, **given}).json()["entry"]["id"]


def timeline(browser, read, **given):
    answer = browser.get("/inspector/timeline", params=given)
    assert answer.status_code == 200, answer.text
    return read(answer)


def worked_in(browser, read, session):
    """Return the timeline of a session of which nothing waits any more."""
    for _ in range(600):
        page = timeline(browser, read, session=session)
        if "message m-17" in page.text:
            return page
    pytest.fail("the message was not worked in")


def guest(service, open_browser, name, session):
    grant = next((each for each in Tokens(service.home).all() if each.name == name), None)
    return open_browser(service, (grant or Tokens(service.home).add(name, "main", session)).token)


def test_an_entry_is_shown_with_where_it_came_from_and_nothing_in_it_runs(service, browser, read):
    said = [
        {"role": "user", "text": f"Remember: {HOSTILE} is my motto.", "id": "m-17", "timestamp": "2026-03-02T09:00Z"}
    ]
    service.post("/v1/capture", {"sessionKey": ANNA, "messages": said})
    page = worked_in(browser, read, ANNA)
    assert f"{HOSTILE} is my motto." in page.text
    assert "said 2026-03-02 09:00" in page.text
    assert "message m-17" in page.text
    assert "telegram:5" in page.text
    assert HOSTILE not in timeline(browser, read).text, "the owner's own timeline holds nothing of others"


def test_a_replaced_entry_is_struck_through_under_the_one_that_replaced_it(service, browser, read):
    old = remembered(service, "The ladder stands in the shed.")
    new = remembered(service, "The ladder stands in the attic.", supersedes=[old])
    page = timeline(browser, read)
    attic = page.html.index("The ladder stands in the attic.")
    assert "replaced</span> <del>The ladder stands in the shed.</del>" in page.html[attic:]
    only = timeline(browser, read, state="superseded")
    assert "The ladder stands in the shed." in only.text
    assert "attic" not in only.text
    assert (f"/inspector/timeline?entry={new}", new) in only.links
    chain = timeline(browser, read, entry=old).text
    assert "History, the latest first 2" in chain
    assert "correct what replaced it" in chain


def test_pages_hold_every_entry_once_the_latest_first(service, open_browser, read):
    session = "telegram:31"
    texts = [f"Crate {number} holds tiles." for number in range(7)]
    for text in texts:
        remembered(service, text, sessionKey=session)
    owner, address, seen = open_browser(service), f"/inspector/timeline?session={session}&limit=3", []
    while address:
        page = read(owner.get(address))
        seen += [text for text in reversed(texts) if text in page.text]
        address = next((link for link, shown in page.links if shown == "Older"), None)
    assert seen == texts[::-1]
    assert "The timeline begins here" in page.text


def test_filters_leave_out_and_an_empty_answer_says_so(service, browser, read):
    remembered(service, "We decided on oak for the stairs.", category="decision")
    assert "oak for the stairs" in timeline(browser, read, category="decision").text
    assert "oak for the stairs" not in timeline(browser, read, category="preference").text
    today = datetime.now(UTC).date()
    assert "oak for the stairs" in timeline(browser, read, since=today - timedelta(days=1), until=today).text
    assert "No entry fits" in timeline(browser, read, until=today - timedelta(days=2)).text
    assert "Nothing was remembered yet" in timeline(browser, read, session="telegram:nobody").text


@pytest.mark.parametrize("given", [{"before": HOSTILE}, {"state": HOSTILE}, {"since": "2026-02-30"}, {"limit": "0"}])
def test_what_a_field_cannot_hold_is_refused_by_name(browser, read, given):
    answer = browser.get("/inspector/timeline", params=given)
    assert answer.status_code == 400
    assert next(iter(given)).replace("before", "cursor") in read(answer).text


def test_the_form_remembers_and_an_entry_is_corrected_once_however_often_it_is_sent(browser, read, service):
    given = {"text": "Line one\r\nline two", "category": "preference", "importance": "0.4"}
    page = read(browser.post("/inspector/timeline/remember", data=given, follow_redirects=True))
    assert "Remembered." in page.text
    (old,) = (each["id"] for each in service.get("/v1/memories").json()["entries"] if "Line one" in each["text"])
    better = {"id": old, "text": "Line one\r\nline three", "category": "decision", "importance": "0.4"}
    first, again = (browser.post("/inspector/timeline/correct", data=better) for _ in range(2))
    assert first.headers["location"] == again.headers["location"]
    page = read(browser.get(first.headers["location"]))
    assert "Corrected." in page.text
    assert "<del>Line one\nline two</del>" in page.html
    entries = [each for each in service.get("/v1/memories").json()["entries"] if "Line one" in each["text"]]
    assert [(each["text"], each["category"], each["importance"]) for each in entries] == [
        ("Line one\nline three", "decision", 0.4)
    ]


def test_saving_what_was_not_changed_says_that_nothing_was_given(browser, read, service):
    same = remembered(service, "The bell hangs by the gate.")
    unchanged = {"id": same, "text": "The bell hangs by the gate.", "category": "fact", "importance": "0.7"}
    answer = browser.post("/inspector/timeline/correct", data=unchanged)
    assert (answer.status_code, "nothing to change" in read(answer).text) == (400, True)


def test_what_waits_and_what_was_given_up_are_counted_with_reason_and_mend(service, browser, read):
    put_aside(service.home)
    page = timeline(browser, read)
    assert "Given up 1" in page.text
    assert "The vault is behind the clock. Forget" in page.text
    assert "given up the answer had 3 numbers" in page.text
    assert "tercet doctor" in page.text
    assert "Waiting to be worked in 1" in page.text
    assert "tried 1 time" in page.text
    assert "of Anna" in timeline(browser, read, session=ANNA).text
    assert "next try at the earliest" in timeline(browser, read, entry="later").text
    assert browser.get("/inspector/timeline", params={"entry": "hers"}).status_code == 404
    preview = read(browser.get("/inspector/forget", params={"id": "gone"}))
    assert "The vault is behind the clock." in preview.text
    assert "undo does not bring these back" in preview.text
    page = read(browser.post("/inspector/forget", data={"id": "gone"}, follow_redirects=True))
    assert "Forgotten: 1 item." in page.text
    assert "behind the clock" not in page.text
    assert "Waiting to be worked in 1" in page.text


def test_a_token_of_one_session_sees_and_changes_what_is_its_own(service, open_browser, read):
    own = remembered(service, "Ben keeps bees.", sessionKey="telegram:12")
    others = remembered(service, "Only Cleo knows the recipe.", sessionKey="telegram:13")
    bens = guest(service, open_browser, "ben", "telegram:12")
    page = timeline(bens, read)
    assert "Ben keeps bees." in page.text
    assert "recipe" not in page.text
    assert not any("undo" in link for link, _ in page.links)
    assert bens.get("/inspector/timeline", params={"session": "telegram:13"}).status_code == 403
    assert bens.get("/inspector/timeline", params={"entry": others}).status_code == 404
    given = {"id": others, "text": "nobody", "category": "fact", "importance": "0.7"}
    assert bens.post("/inspector/timeline/correct", data=given).status_code == 404
    assert bens.post("/inspector/timeline/correct", data={**given, "id": own}).status_code == 303
    assert "nobody" in timeline(bens, read).text


def put_aside(home):
    """Leave one message that is tried tomorrow, and two that were given up."""

    async def put():
        ledger, now = await SqliteLedger.open(home), datetime.now(UTC)
        texts = (
            ("later", "", "The tuner comes in May."),
            ("gone", "", "The vault is behind the clock."),
            ("hers", ANNA, "The diary of Anna."),
        )
        for name, anchor, text in texts:
            await ledger.inbox.put([InboxItem(name, Scope("main", anchor), "", name, text, now, now)])
        await ledger.inbox.claim(3, now, 60.0)
        await ledger.inbox.release(["later"], retry_at=now + timedelta(days=1), count_attempt=True)
        await ledger.inbox.bury(["gone", "hers"], "the answer had 3 numbers")
        await ledger.close()

    asyncio.run(put())
