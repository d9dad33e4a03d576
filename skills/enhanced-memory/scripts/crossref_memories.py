#!/usr/bin/env python3
"""Link memory files whose contents are alike.

Usage, from the workspace's root, after ``embed_memories.py``:
``crossref_memories.py build`` | ``show FILE`` | ``graph``, each with ``--json``

A file is represented by the few of its chunks that tell most; two files are linked when two of
these are near each other. A second build compares only files that changed since the first (T6).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vector_index import NoIndexError, VectorIndex, read_index, replace_file
from workspace import MEMORY_FOLDER, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

THRESHOLD = 0.75
"""Cosine from which two files are linked."""
CHUNKS_PER_FILE = 5
HUBS = 5
FILE_NAME = "crossrefs.json"
FORMAT = "tercet-crossrefs-1"


@dataclass(frozen=True)
class Link:
    """Two files, in order of path, and the lines of each that are nearest."""

    one: str
    one_line: int
    two: str
    two_line: int
    score: float


def representatives(index: VectorIndex) -> dict[str, list[Chunk]]:
    """Return for each file the chunks that tell most: by the idf of their distinct terms together."""
    chunks = index.chunks
    holding = Counter(term for chunk in chunks for term in set(chunk.terms))
    told = {term: math.log1p((len(chunks) - n + 0.5) / (n + 0.5)) for term, n in holding.items()}

    def information(chunk: Chunk) -> float:
        return math.fsum(told[term] for term in set(chunk.terms))

    found: dict[str, list[Chunk]] = {}
    for path, file in sorted(index.files.items()):
        having = [chunk for chunk in file.chunks if chunk.vector is not None]
        found[path] = sorted(having, key=information, reverse=True)[:CHUNKS_PER_FILE]
    return found


def build(index: VectorIndex, before: Mapping[str, Any]) -> tuple[list[Link], int]:
    """Return all links, and how many pairs of files were compared.

    Args:
        index: With vectors.
        before: What the last build wrote; links between files that have not changed since are kept.
    """
    best = representatives(index)
    marks = marks_of(index)
    is_known = before.get("settings") == settings_of(index)
    old = before.get("files", {}) if is_known else {}
    unchanged = {path for path, mark in marks.items() if old.get(path) == mark}
    links = [Link(**each) for each in before.get("links", [])] if is_known else []
    links = [link for link in links if {link.one, link.two} <= unchanged]
    compared = 0
    paths = list(best)
    for place, one in enumerate(paths):
        for two in paths[place + 1 :]:
            if one in unchanged and two in unchanged:
                continue
            compared += 1
            link = nearest(one, best[one], two, best[two])
            if link is not None and link.score >= THRESHOLD:
                links.append(link)
    return sorted(links, key=lambda link: (-link.score, link.one, link.two)), compared


def nearest(one: str, ones: Iterable[Chunk], two: str, twos: Iterable[Chunk]) -> Link | None:
    """Return the nearest pair of chunks of two files; None when either has none."""
    found: Link | None = None
    for a in ones:
        for b in twos:
            if a.vector is None or b.vector is None:
                continue
            score = round(sum(map(mul, a.vector, b.vector)), 4)
            if found is None or score > found.score:
                found = Link(one, a.passage.start_line, two, b.passage.start_line, score)
    return found


def marks_of(index: VectorIndex) -> dict[str, str]:
    """Return a text for each file that changes when its contents, or the number of its vectors, do."""
    return {
        path: f"{file.sha256}:{sum(chunk.vector is not None for chunk in file.chunks)}"
        for path, file in sorted(index.files.items())
    }


def settings_of(index: VectorIndex) -> dict[str, object]:
    """Return all that links depend on besides the files."""
    return {"space": index.space, "threshold": THRESHOLD, "chunksPerFile": CHUNKS_PER_FILE}


def statistics(links: Iterable[Link], files: Iterable[str]) -> dict[str, Any]:
    """Return nodes, edges, components, hubs and orphans of the graph."""
    near: defaultdict[str, set[str]] = defaultdict(set)
    count = 0
    for link in links:
        near[link.one].add(link.two)
        near[link.two].add(link.one)
        count += 1
    nodes = sorted(files)
    hubs = sorted(near, key=lambda path: (-len(near[path]), path))[:HUBS]
    return {
        "nodes": len(nodes),
        "edges": count,
        "components": _components(nodes, near),
        "hubs": [{"path": path, "links": len(near[path])} for path in hubs],
        "orphans": [path for path in nodes if not near[path]],
    }


def _components(nodes: Iterable[str], near: Mapping[str, set[str]]) -> int:
    """Return how many groups of two or more linked files there are."""
    seen: set[str] = set()
    groups = 0
    for node in nodes:
        if node in seen or not near[node]:
            continue
        groups += 1
        waiting = [node]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += near[path]
    return groups


def read_links(root: Path) -> dict[str, Any]:
    """Return what the last build wrote; empty without one, or when it cannot be read."""
    try:
        value = json.loads((root / MEMORY_FOLDER / FILE_NAME).read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) and value.get("format") == FORMAT else {}


def write_links(root: Path, index: VectorIndex, links: Iterable[Link]) -> None:
    """Replace the links of a workspace."""
    value = {
        "format": FORMAT,
        "settings": settings_of(index),
        "files": marks_of(index),
        "links": [asdict(link) for link in links],
    }
    replace_file(root / MEMORY_FOLDER / FILE_NAME, json.dumps(value, ensure_ascii=False, indent=1))


def main(arguments: list[str]) -> int:
    """Run one command; 1 when there is nothing to work on."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print one JSON object")
    parser = argparse.ArgumentParser(description="Links between memory files that are alike.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", parents=[shared], help="compare the files and write memory/crossrefs.json")
    commands.add_parser("show", parents=[shared], help="the files that one is linked to").add_argument("file")
    commands.add_parser("graph", parents=[shared], help="figures of the whole graph")
    given = parser.parse_args(arguments)
    root = Path.cwd()
    if given.command == "build":
        return _build(root, as_json=given.json)
    stored = read_links(root)
    if not stored:
        sys.stderr.write(f"There is no {MEMORY_FOLDER}/{FILE_NAME} here: run crossref_memories.py build.\n")
        return 1
    links = [Link(**each) for each in stored["links"]]
    if given.command == "graph":
        return _graph(links, stored["files"], as_json=given.json)
    return _show(given.file, links, stored["files"], as_json=given.json)


def _build(root: Path, *, as_json: bool) -> int:
    try:
        index = read_index(root)
    except NoIndexError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    links, compared = build(index, read_links(root))
    write_links(root, index, links)
    counts = {"files": len(index.files), "links": len(links), "compared": compared}
    print(json.dumps(counts) if as_json else ", ".join(f"{n} {name}" for name, n in counts.items()))
    return 0


def _graph(links: list[Link], files: Iterable[str], *, as_json: bool) -> int:
    figures = statistics(links, files)
    if as_json:
        print(json.dumps(figures, ensure_ascii=False))
        return 0
    print(f"{figures['nodes']} files, {figures['edges']} links, {figures['components']} groups")
    for hub in figures["hubs"]:
        print(f"  {hub['links']:3} links  {hub['path']}")
    print(f"{len(figures['orphans'])} files without a link")
    return 0


def _show(file: str, links: Iterable[Link], files: Iterable[str], *, as_json: bool) -> int:
    name = file.removeprefix("./")
    if name not in files:
        sys.stderr.write(f"{file!r} is not in the index: give a path as embed_memories.py knows it, or build again.\n")
        return 1
    found = [
        {"path": link.two, "line": link.two_line, "score": link.score}
        if link.one == name
        else {"path": link.one, "line": link.one_line, "score": link.score}
        for link in links
        if name in {link.one, link.two}
    ]
    if as_json:
        print(json.dumps({"path": name, "links": found}, ensure_ascii=False))
        return 0
    for each in found:
        print(f"{each['score']:.3f}  {each['path']}:{each['line']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
