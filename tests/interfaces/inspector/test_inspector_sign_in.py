"""Who may look: a token once, a cookie afterwards; the cookie opens pages and nothing else."""

from __future__ import annotations

import httpx2
import pytest

from tercet.interfaces.http.tokens import Tokens

PAGES = ("search", "timeline", "files", "graph", "health")


def stranger(service, **headers):
    return httpx2.Client(base_url=service.url, headers=headers, timeout=30, trust_env=False)


@pytest.mark.parametrize("page", PAGES)
def test_who_shows_no_token_is_sent_to_the_sign_in_and_sees_nothing(service, page):
    with stranger(service) as browser:
        answer = browser.get(f"/inspector/{page}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/inspector/sign-in")
        assert answer.text == ""


def test_the_token_of_the_service_signs_in_and_signing_out_ends_it(service, open_browser, read):
    browser = open_browser(service)
    assert "main" in read(browser.get("/inspector/search")).text
    assert browser.get("/").headers["location"] == "/inspector/search"
    assert browser.post("/inspector/sign-out").status_code == 303
    assert browser.get("/inspector/search").headers["location"] == "/inspector/sign-in"


def test_a_wrong_token_is_refused_and_not_repeated(service, read):
    with stranger(service, Origin=service.url) as browser:
        answer = browser.post("/inspector/sign-in", data={"token": "tercet_wrong<b>"})
        assert answer.status_code == 403
        assert "tokens.json" in read(answer).text
        assert "tercet_wrong" not in answer.text
        assert "set-cookie" not in answer.headers


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(service):
    with stranger(service, Origin=service.url) as browser:
        cookie = browser.post("/inspector/sign-in", data={"token": service.token}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/inspector"} <= set(cookie.split("; "))
    assert service.token not in cookie


def test_the_cookie_opens_no_operation_of_the_api(service, open_browser):
    browser = open_browser(service)
    cookie = {"Cookie": "; ".join(f"{each.name}={each.value}" for each in browser.cookies.jar)}
    with stranger(service, **cookie) as elsewhere:
        assert elsewhere.get("/v1/status").status_code == 401
        assert elsewhere.post("/mcp", json={}).status_code == 401


def test_a_form_that_tells_no_origin_or_a_foreign_one_changes_nothing(service, open_browser):
    browser = open_browser(service)
    cookie = {"Cookie": "; ".join(f"{each.name}={each.value}" for each in browser.cookies.jar)}
    for origin in ({}, {"Origin": "https://elsewhere.example"}, {"Origin": "null"}):
        with stranger(service, **cookie, **origin) as elsewhere:
            elsewhere.post("/inspector/sign-out")
    assert browser.get("/inspector/search").status_code == 200


def test_a_link_signs_one_browser_in_once(service, read):
    path = service.post("/v1/inspector/links", {}).json()["path"]
    assert path.startswith("/inspector/sign-in?code=")
    with stranger(service) as browser, stranger(service) as late:
        assert late.head(path).status_code == 200
        answer = browser.get(path)
        assert answer.headers["location"] == "/inspector/search"
        assert browser.get("/inspector/search").status_code == 200
        again = late.get(path)
        assert again.status_code == 403
        assert "tercet inspect" in read(again).text
        assert late.get("/inspector/search").status_code == 303


def test_a_token_that_is_taken_away_takes_its_browsers_along(service, open_browser):
    tokens = Tokens(service.home)
    grant = tokens.add("a tablet")
    browser = open_browser(service, grant.token)
    assert browser.get("/inspector/search").status_code == 200
    tokens._write([each for each in tokens.all() if each.name != "a tablet"])
    assert browser.get("/inspector/search").headers["location"] == "/inspector/sign-in"


def test_a_bound_token_sees_its_own_memory_and_may_name_no_other(service, open_browser, read):
    grant = Tokens(service.home).add("a guest", "main", "telegram:7")
    browser = open_browser(service, grant.token)
    assert "telegram:7" in read(browser.get("/inspector/search")).text
    refused = browser.get("/inspector/search", params={"session": "telegram:8"})
    assert refused.status_code == 403
    assert "bound to another session" in read(refused).text
    assert browser.get("/inspector/search", params={"agent": "other"}).status_code == 403


def test_an_asset_is_a_file_of_ours_and_nothing_else(service):
    with stranger(service) as browser:
        css = browser.get("/inspector/assets/tercet.css")
        assert css.headers["content-type"] == "text/css; charset=utf-8"
        assert "immutable" in css.headers["cache-control"]
        for name in ("vendored.json", "nosuch.js", "..%2Fapplication.py", "%2e%2e/application.py", "/etc/passwd"):
            assert browser.get(f"/inspector/assets/{name}").status_code == 404, name
