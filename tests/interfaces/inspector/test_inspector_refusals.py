"""What a browser gets where a page is not to be had: a page still, and what somebody typed is not lost."""

from __future__ import annotations

import html
import re

import httpx2
import pytest

LONG = "A line of a note.\n" * 80_000
POLICY = "content-security-policy"


def part(name: str, value: str) -> str:
    return f'--xx\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'


def stranger(service):
    return httpx2.Client(base_url=service.url, headers={"Origin": service.url}, timeout=30, trust_env=False)


@pytest.mark.parametrize(
    ("method", "path", "status", "told"),
    [
        ("GET", "nosuch", 404, "no such page"),
        ("GET", "search/", 404, "no such page"),
        ("GET", "assets/nosuch.js", 404, "no such page"),
        ("GET", "timeline/remember", 405, "begin on the page with the form"),
        ("POST", "search", 405, "begin on the page with the form"),
    ],
)
def test_an_address_that_leads_nowhere_is_answered_with_a_page(browser, read, method, path, status, told):
    answer = browser.request(method, f"/inspector/{path}")
    assert answer.status_code == status
    page = read(answer)
    assert told in page.text
    assert ("/inspector/search", "Back to search") in page.links


def test_an_address_that_leads_nowhere_is_a_page_for_a_stranger_too(service, read):
    with stranger(service) as nobody:
        answer = nobody.get("/inspector/nosuch")
        assert answer.status_code == 404
        assert "Sign out" not in read(answer).text


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("files/new", {"data": {f"field{at}": "x" for at in range(10_000)}}),
        ("sign-in", {"data": {f"field{at}": "x" for at in range(10)}}),
        ("files/new", {"content": "x", "headers": {"Content-Type": "multipart/form-data"}}),
        (
            "files/new",
            {
                "content": part("title", "x").replace("title", 'title"; filename="x') + "--xx--\r\n",
                "headers": {"Content-Type": "multipart/form-data; boundary=xx"},
            },
        ),
    ],
    ids=["10,000 fields", "many fields at the sign-in", "no boundary", "a file"],
)
def test_a_form_that_no_page_has_is_refused_with_the_reason(browser, read, path, given):
    answer = browser.post(f"/inspector/{path}", **given)
    assert answer.status_code == 400
    assert "service made a mistake" not in read(answer).text


def test_a_note_of_more_than_a_million_characters_is_saved(browser, read):
    made = browser.post("/inspector/files/new", data={"title": "Long", "body": LONG})
    assert made.status_code == 303, read(made).text
    form = browser.get("/inspector/files/edit", params={"ref": "wiki:Long.md"})
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', form.text)
    assert digest is not None
    given = {"ref": "wiki:Long.md", "digest": digest[1], "text": LONG}
    assert browser.post("/inspector/files/edit", data=given).status_code == 303


@pytest.mark.parametrize("origin", ["http://127.0.0.1", "https://localhost", "http://localhost", "http://[::1]"])
def test_a_server_at_the_usual_port_of_this_machine_may_send_no_form(service, browser, origin):
    """A browser sends the cookie to every port: another server of this machine is no page of ours."""
    given = {"text": f"sent by {origin}"}
    assert browser.post("/inspector/timeline/remember", data=given, headers={"Origin": origin}).status_code == 403
    assert origin not in service.get("/v1/entries").text


@pytest.mark.parametrize("via", [{}, {"HX-Request": "true"}], ids=["plain", "htmx"])
def test_what_was_typed_outlives_the_sign_in(service, open_browser, read, via):
    """A restart and twelve hours sign out; the text of a form is sent again after a new sign-in."""
    text = 'Wei\'s "tea" <b>& more\nsecond line'
    with stranger(service) as tab:
        answer = tab.post(
            "/inspector/files/new?agent=main", data={"title": f"Tea <{len(via)}>", "body": text}, headers=via
        )
        assert answer.status_code == 401
        page = read(answer)
        assert "Nothing was changed" in page.text
        assert any(address.startswith("/inspector/sign-in") for address, _ in page.links)
        kept = re.search(r"<textarea[^>]* name=\"body\"[^>]*>\n(.*?)</textarea>", answer.text, re.DOTALL)
        assert kept is not None
        assert html.unescape(kept[1]).replace("\r\n", "\n") == text
        assert page.fields()["title"] == f"Tea <{len(via)}>"
        (again,) = [attributes["action"] for tag, attributes in page.tags if tag == "form"]
        assert again == "/inspector/files/new?agent=main"
    sent = open_browser(service).post(
        str(again), data={"title": page.fields()["title"], "body": html.unescape(kept[1])}
    )
    assert sent.status_code == 303, sent.text


def test_no_form_without_an_origin_is_repeated(service):
    with httpx2.Client(base_url=service.url, timeout=30, trust_env=False) as elsewhere:
        answer = elsewhere.post("/inspector/files/new", data={"title": "Secret title"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/inspector/sign-in")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("assets/tercet.svg", {}),
        ("search", {"Origin": "https://elsewhere.example"}),
        ("search", {"Host": "elsewhere.example"}),
    ],
)
def test_every_answer_tells_the_browser_to_run_nothing_of_others(browser, path, headers):
    answer = browser.get(f"/inspector/{path}", headers=headers)
    assert "default-src 'none'" in answer.headers[POLICY]
    assert answer.headers["x-content-type-options"] == "nosniff"
