"""The Search page: what is found, why, why not, and what an agent would be given."""

from __future__ import annotations

import html
import re
from decimal import Decimal

import pytest

from tercet.interfaces.http.tokens import Tokens

HOSTILE = '<img src=x onerror=alert(1)> Zelda keeps </li></ol><script>alert(2)</script> "quotes" & {{ 7 * 7 }}'
GUEST = "telegram:7"


@pytest.fixture(scope="module", autouse=True)
def remembered(service):
    """Entries of the owner and of a guest, by name."""
    told = {
        "hostile": ({"text": HOSTILE, "category": "preference"}, None),
        "guest": ({"text": "The Albatros guest drinks oolong tea.", "category": "fact"}, GUEST),
        "shirt": ({"text": "The sail of the Albatros is number 62.", "category": "decision"}, None),
    }
    ids = {}
    for name, (body, session) in told.items():
        answer = service.post("/v1/memories", {**body, "sessionKey": session})
        assert answer.status_code == 201, answer.text
        ids[name] = answer.json()["entry"]["id"]
    return ids


def rows(answer, label):
    """Cells of the table in the first region of this name."""
    region = answer.text.partition(f'aria-label="{label}"')[2].partition("</table>")[0]
    found = re.findall(r"<tr[^>]*>(.*?)</tr>", region, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in found]
    return [[html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]


def test_a_hit_leads_to_its_lines_and_shows_what_was_sought(browser, read):
    answer = browser.get("/inspector/search", params={"q": "berth of the Albatros"})
    page = read(answer)
    assert ("/inspector/files/view?ref=notes%3AMEMORY.md#L1", "notes:MEMORY.md#L1-L5") in page.links
    assert "<mark>Albatros</mark> lies at <mark>berth</mark> 47" in answer.text
    assert '<p class="headings">Memory</p>' in answer.text
    assert "Weights in force: formula tuned" in page.text
    assert page.fields()["q"] == "berth of the Albatros"


def test_an_entry_leads_to_its_place_in_the_timeline(browser, read, remembered):
    page = read(browser.get("/inspector/search", params={"q": "number of the sail"}))
    assert any(address == f"/inspector/timeline?entry={remembered['shirt']}" for address, _ in page.links)
    assert "decision" in page.text


def test_the_numbers_of_a_bar_add_up_to_the_score_that_is_shown(browser, service):
    asked = {"q": "code of the boat Albatros at berth 47"}
    answer = browser.get("/inspector/search", params=asked)
    bars = re.findall(r'aria-label="Score (\d\.\d{3}): ([^"]+)"', answer.text)
    assert len(bars) >= 2
    for score, parts in bars:
        assert sum(Decimal(part.split()[1]) for part in parts.split(", ")) == Decimal(score)
    api = service.post("/v1/search", {"query": asked["q"]}).json()["results"]
    assert [float(score) for score, _ in bars] == pytest.approx([hit["score"] for hit in api], abs=0.00051)


def test_every_step_from_the_signals_to_the_score_is_shown(browser):
    answer = browser.get("/inspector/search", params={"q": "code of the boat Albatros at berth 47"})
    head, *body = rows(answer, "The score of hit 1 in numbers")
    assert head[:5] == ["Signal", "value", "× weight", "= adds", "in the score"]
    place = next(at for at, row in enumerate(body) if row[0] == "sum")
    signals, (total, *steps, score) = body[:place], body[place:]
    for _, value, weight, adds, _, words in signals:
        assert float(value) * float(weight) == pytest.approx(float(adds), abs=2e-4)
        assert words
    assert sum(float(row[3]) for row in signals) == pytest.approx(float(total[3]), abs=5e-4)
    so_far = float(total[3])
    for _, _, factor, result, _, words in steps:
        so_far *= float(factor.removeprefix("× "))
        assert so_far == pytest.approx(float(result), abs=2e-3)
        assert words
    assert so_far == pytest.approx(float(score[3]), abs=2e-3)
    assert sum(Decimal(row[4]) for row in signals) == Decimal(score[4])


def test_the_weights_in_force_are_those_of_the_formula_that_was_chosen(browser):
    weights = rows(browser.get("/inspector/search", params={"q": "Albatros", "preset": "hybrid"}), "Weights in force")
    assert any("(hybrid)" in cell for cell in weights[0])
    assert [row[0] for row in weights[1:]] == ["keyword"]


@pytest.mark.parametrize(
    ("given", "gone"),
    [
        ({"category": "decision"}, "berth"),
        ({"layer": "wiki"}, "berth"),
        ({"limit": 1}, "berth"),
        ({"until": "2020-01-01"}, "sail"),
    ],
)
def test_a_filter_narrows_and_stays_in_the_form(browser, read, given, gone):
    wide = read(browser.get("/inspector/search", params={"q": "Albatros"}))
    narrow = read(browser.get("/inspector/search", params={"q": "Albatros", **given}))
    assert gone in wide.text
    assert gone not in narrow.text
    (name, value), *_ = given.items()
    selected = [tag["value"] for kind, tag in narrow.tags if kind == "option" and "selected" in tag]
    assert narrow.fields().get(name) == str(value) or value in selected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": "0"}, "limit"),
        ({"since": "2026-02-09", "until": "2026-02-08"}, "swap them"),
        ({"since": "0001-01-01"}, "give a year"),
        ({"preset": "nosuch"}, "hybrid"),
        ({"category": "<b>"}, "category"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused_with_the_reason(browser, read, given, said):
    answer = browser.get("/inspector/search", params={"q": "Albatros", **given})
    assert answer.status_code == 400
    assert said in read(answer).text


def test_nothing_that_was_written_or_asked_runs(browser, read):
    asked = '"><script>alert(3)</script> Zelda'
    for page_name, field in (("search", "q"), ("recall", "message"), ("why", "q")):
        page = read(browser.get(f"/inspector/{page_name}", params={field: asked}))
        assert asked in page.text or page.fields()[field] == asked
    assert "'<b>'" in read(browser.get("/inspector/why", params={"q": asked, "ref": "<b>"})).text
    found = read(browser.get("/inspector/search", params={"q": "Zelda"}))
    assert [given.get("alt") for tag, given in found.tags if tag == "img"] == [""]  # our own sign
    assert "<img src=x onerror=alert(1)> Zelda keeps" in found.text
    assert "{{ 7 * 7 }}" in found.text


def test_nothing_found_says_so_and_what_to_do(browser, read):
    page = read(browser.get("/inspector/search", params={"q": "zzqxj", "category": "fact"}))
    assert "0 hits" in page.text
    assert "Search without the filters" in page.text
    assert "tercet index FOLDER" in page.text


def test_what_was_degraded_is_said(browser, read):
    page = read(browser.get("/inspector/search", params={"q": "Albatros", "mode": "vector"}))
    assert "Answered in part." in page.text
    assert "words" in page.text


def test_the_owner_looks_through_the_eyes_of_a_person(browser, read):
    own = read(browser.get("/inspector/search", params={"q": "Albatros"}))
    assert "oolong" not in own.text
    assert any(tag == "option" and GUEST in (given["value"] or "") for tag, given in own.tags)
    theirs = read(browser.get("/inspector/search", params={"q": "Albatros", "session": GUEST}))
    assert "oolong" in theirs.text
    assert "sail" not in theirs.text
    assert all("session=telegram%3A7" in address for address, text in theirs.links if text.strip() == "Timeline")


def test_a_bound_token_finds_and_compares_its_own_alone(service, open_browser, read, remembered):
    grant = Tokens(service.home).add("a guest who searches", "main", GUEST)
    guest = open_browser(service, grant.token)
    page = read(guest.get("/inspector/search", params={"q": "Albatros number"}))
    assert "oolong" in page.text
    assert "sail" not in page.text
    assert not {"agent", "session"} & page.fields().keys()
    assert not [tag for tag, given in page.tags if given.get("name") == "session"]
    for path in ("search", "why", "recall"):
        other = {"q": "x", "message": "x", "ref": "x", "session": "telegram:8"}
        assert guest.get(f"/inspector/{path}", params=other).status_code == 403
    refused = guest.get("/inspector/why", params={"q": "sail", "ref": remembered["shirt"]})
    assert refused.status_code == 404
    assert "number 62" not in refused.text
    compared = read(guest.get("/inspector/why", params={"q": "sail number", "ref": remembered["guest"]}))
    assert "number 62" not in compared.text
    assert remembered["shirt"] not in compared.text


def test_what_ranked_lower_is_shown_beside_what_stands_above_it(browser, read, remembered):
    asked = {"q": "berth of the Albatros", "limit": 1, "ref": remembered["shirt"]}
    answer = browser.get("/inspector/why", params=asked)
    page = read(answer)
    assert "It is no hit : it stands below the last hit that was asked for." in page.text
    assert "The last hit that stands above it" in page.text
    assert "notes:MEMORY.md#L1-L5" in page.text
    way = rows(answer, "The way of passage 1 through the search")[1]
    assert way[0] == "nothing was found so"
    assert re.fullmatch(r"\d+ of \d+", way[1])
    signals = rows(answer, "Passage 1, signal by signal")[1:]
    assert signals
    for _, own, other, difference in signals:
        assert float(own) - float(other) == pytest.approx(float(difference), abs=2e-4)


def test_every_hit_can_be_compared_with_the_one_above_it(browser, read):
    page = read(browser.get("/inspector/search", params={"q": "Albatros", "category": "decision"}))
    address = next(address for address, text in page.links if text.startswith("Compare"))
    assert "category=decision" in address
    assert "It is hit 1 ." in read(browser.get(address)).text
    second = read(browser.get("/inspector/search", params={"q": "berth of the Albatros"}))
    address = next(address for address, text in second.links if text == "Compare hit 2 with the hit above it")
    told = read(browser.get(address)).text
    assert "It is hit 2 ." in told
    assert "The hit above it" in told


def test_a_ref_that_leads_nowhere_says_so(browser, read):
    answer = browser.get("/inspector/why", params={"q": "Albatros", "ref": "nosuch.md"})
    assert answer.status_code == 404
    assert "nosuch.md" in read(answer).text


def test_the_section_is_shown_as_the_agent_gets_it(browser, service, read):
    message = "Where does the boat Albatros lie?"
    answer = browser.get("/inspector/recall", params={"message": message})
    shown = html.unescape(answer.text.partition("<pre")[2].partition(">")[2].partition("</pre>")[0])
    section = service.post("/v1/recall", {"message": message}).json()
    assert shown == section["text"]
    page = read(answer)
    assert f"{section['tokens']} tokens, beside the message" in page.text
    assert "Made of" in page.text
    searched = read(browser.get("/inspector/search", params={"q": message}))
    assert any(address.startswith("/inspector/recall?message=Where+does") for address, _ in searched.links)


def test_the_section_is_that_of_the_person_who_speaks(browser, read):
    asked = {"message": "What does the guest on the Albatros drink?"}
    assert "oolong" not in read(browser.get("/inspector/recall", params=asked)).text
    assert "oolong" in read(browser.get("/inspector/recall", params={**asked, "session": GUEST})).text


def test_a_budget_is_kept_to(browser, read):
    given = {"message": "Where does the boat Albatros lie?", "budget": 10}
    page = read(browser.get("/inspector/recall", params=given))
    assert "The agent would be given nothing." in page.text


@pytest.mark.parametrize(
    ("message", "words"), [("hello", "greeting"), ("/new", "slash command"), ("zzqxj", "relevant")]
)
def test_an_empty_section_has_its_reason_in_plain_words(browser, read, message, words):
    page = read(browser.get("/inspector/recall", params={"message": message}))
    assert "The agent would be given nothing." in page.text
    assert words in page.text


def test_an_empty_memory_says_how_it_is_filled(start_service, open_browser, read, tmp_path):
    browser = open_browser(start_service(tmp_path / "home"))
    blank = read(browser.get("/inspector/search"))
    assert "tercet index FOLDER" in blank.text
    asked = read(browser.get("/inspector/search", params={"q": "anything"}))
    assert "Nothing found" in asked.text
    assert "tercet index" in asked.text
