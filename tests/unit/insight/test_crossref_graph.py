"""The graph: evidence united a pair, figures of a worked example, refs, exports."""

import json
from xml.etree import ElementTree as ET

import pytest

from tercet.errors import AmbiguousRefError, NotFoundError
from tercet.insight.graph import Evidence, Graph, as_graphml, as_json, from_json, merged

LINKS = [
    ("r:b.md", "r:a.md", Evidence("similar", 0.8, one_line=7, two_line=3)),
    ("r:a.md", "r:b.md", Evidence("similar", 0.75, one_line=1, two_line=1)),
    ("r:a.md", "r:b.md", Evidence("same_day", 0.5, "2026-02-08")),
    ("r:a.md", "r:c.md", Evidence("wikilink", 0.9, one_line=2)),
    ("r:e.md", "r:f.md", Evidence("wikilink", 0.9)),
    ("r:d.md", "r:d.md", Evidence("wikilink", 0.9)),
]


@pytest.fixture
def graph():
    return Graph({f"r:{name}.md": "file" for name in "abcdef"}, merged(LINKS))


def test_a_pair_has_one_edge_with_the_best_of_each_kind_of_evidence(graph):
    [edge] = [edge for edge in graph.edges if edge.two == "r:b.md"]
    assert edge.evidence == (
        Evidence("same_day", 0.5, "2026-02-08"),
        Evidence("similar", 0.8, one_line=3, two_line=7),
    )
    assert edge.weight == pytest.approx(1 - 0.5 * 0.2)


def test_the_figures_of_the_worked_example(graph):
    figures = graph.statistics()
    assert (figures.nodes, figures.edges, figures.components) == (6, 3, 2)
    assert figures.by_kind == {"same_day": 1, "similar": 1, "wikilink": 2}
    assert figures.hubs[0] == ("r:a.md", 2)
    assert figures.orphans == ("r:d.md",)


def test_neighbours_are_the_strongest_first_and_lines_are_told_from_the_one_asked_about(graph):
    assert [each.ref for each in graph.neighbours("r:a.md")] == ["r:b.md", "r:c.md"]
    [back] = graph.neighbours("r:b.md")
    assert [(each.one_line, each.two_line) for each in back.evidence if each.kind == "similar"] == [(7, 3)]


def test_a_bare_path_names_a_node_unless_it_lies_in_two_folders():
    graph = Graph({"e1": "entry", "one:a.md": "file", "two:a.md": "file", "two:b.md": "file"}, ())
    assert [graph.resolve(ref) for ref in ("e1", "two:a.md", "./b.md")] == ["e1", "two:a.md", "two:b.md"]
    with pytest.raises(AmbiguousRefError, match=r"one:a\.md or two:a\.md"):
        graph.resolve("a.md")
    with pytest.raises(NotFoundError, match="crossref build"):
        graph.resolve("c.md")


def test_json_leads_back_to_the_same_graph(graph):
    assert from_json(json.loads(json.dumps(as_json(graph)))) == graph


def test_graphml_is_sound_whatever_files_are_called():
    hostile = 'r:a"<b>&\x01.md'
    nodes = {hostile: "file", "r:z.md": "file"}
    edges = merged([(hostile, "r:z.md", Evidence("similar", 0.8))])
    root = ET.fromstring(as_graphml(Graph(nodes, edges)).encode())  # noqa: S314 - our own export
    space = "{http://graphml.graphdrawing.org/xmlns}"
    ids = [node.get("id") for node in root.iter(f"{space}node")]
    assert ids == ['r:a"<b>&\ufffd.md', "r:z.md"]
    [edge] = root.iter(f"{space}edge")
    assert [edge.get("source"), edge.get("target")] == ids
    assert [data.text for data in edge] == ["0.8", "similar"]
