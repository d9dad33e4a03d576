"""The Graph page: built on demand, the same in tables as in the picture, and of each session its own."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tercet.insight.graph import Edge, Evidence, Graph
from tercet.interfaces.http.tokens import Tokens
from tercet.interfaces.inspector.graph_page import MOST_NODES, drawn

HOSTILE = '"><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def linked(service):
    """Two notes that link each other, one that is linked to nothing, and entries of two people."""
    notes = service.home.parent / "notes"
    (notes / "Harbour.md").write_text("# Harbour\n\nThe berth is paid until May, see [[Lighthouse]].\n", "utf-8")
    (notes / "Lighthouse.md").write_text(f"# Lighthouse\n\nBuilt 1897. {HOSTILE}\n", "utf-8")
    for key, text in (("telegram:7", "Harbour fees are due for the seventh"), ("telegram:8", "Harbour of the eighth")):
        service.post("/v1/memories", {"text": text, "sessionKey": key})
    return service


def built(browser, read):
    assert browser.post("/inspector/graph/build").status_code == 303
    for _ in range(600):
        answer = browser.get("/inspector/graph/progress")
        if "hx-redirect" in answer.headers:
            return read(answer).text
    return pytest.fail("the build did not end")


def test_before_a_build_the_page_offers_one(linked, browser, read):
    page = read(browser.get("/inspector/graph"))
    assert "No graph of what is seen here is built yet" in page.text
    assert "Building the graph is done" in built(browser, read)
    assert "No graph" not in read(browser.get("/inspector/graph")).text


def test_table_and_picture_tell_the_same_links(linked, browser, read):
    built(browser, read)
    page = read(browser.get("/inspector/graph"))
    assert "notes:Harbour.md file" in page.text
    data = browser.get("/inspector/graph/data").json()
    names = [node["ref"] for node in data["nodes"]]
    ties = {(names[edge["one"]], names[edge["two"]]) for edge in data["edges"] if "wikilink" in edge["kinds"]}
    assert ("notes:Harbour.md", "notes:Lighthouse.md") in {tuple(sorted(tie)) for tie in ties}
    node = read(browser.get("/inspector/graph/node", params={"ref": "Harbour.md"}))
    assert "notes:Lighthouse.md" in node.text
    assert "one links to the other" in node.text
    opened = next(address for address, text in node.links if text == "Open it")
    assert browser.get(opened).status_code == 200


def test_words_of_the_name_choose_what_is_listed(linked, browser, read):
    built(browser, read)
    text = read(browser.get("/inspector/graph", params={"q": "light"})).text
    assert "1 found" in text
    assert "notes:Lighthouse.md" in text
    assert "notes:Harbour.md" not in text


def test_a_node_that_is_not_there_is_said_in_words(linked, browser, read):
    answer = browser.get("/inspector/graph/node", params={"ref": f"nosuch{HOSTILE}.md"})
    assert answer.status_code == 404
    assert "is not in the graph" in read(answer).text


def test_a_session_sees_a_graph_of_its_own_and_nothing_of_others(linked, open_browser, read):
    grant = Tokens(linked.home).add("the seventh", "main", "telegram:7")
    seventh = open_browser(linked, grant.token)
    built(seventh, read)
    shown = seventh.get("/inspector/graph").text + seventh.get("/inspector/graph/data").text
    assert "seventh" in shown
    assert "eighth" not in shown
    assert seventh.get("/inspector/graph", params={"session": "telegram:8"}).status_code == 403


def test_of_a_large_graph_the_most_linked_are_drawn_and_the_rest_is_counted():
    nodes = {f"a:{number:05}.md": "file" for number in range(MOST_NODES + 500)}
    names = list(nodes)
    similar = (Evidence("similar", 0.8),)
    chain = [Edge(one, two, similar) for one, two in pairwise(names[:-100])]
    hub = [Edge("a:00000.md", name, similar) for name in names[2:50]]
    data = drawn(Graph(nodes, (*chain, *hub)), {})
    assert len(data["nodes"]) == MOST_NODES
    assert data["nodes"][0]["ref"] == "a:00000.md"
    assert data["nodesLeftOut"] == 400
    assert all(edge["one"] < MOST_NODES and edge["two"] < MOST_NODES for edge in data["edges"])
