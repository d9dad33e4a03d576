"""The scripts rank as Tercet's ``classic`` preset does: same order, same scores."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from tercet.app import build
from tercet.config import load_settings
from tercet.model import SearchOptions

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "skills" / "enhanced-memory" / "scripts"
NOW = "2026-03-01T09:00:00+01:00"
QUERIES = (
    "where does the boat lie",
    "ZX-9918",
    "roofer",
    "what happened on 8 February",
    "yesterday",
    "who comes on 12 March 2026",
    "which database did we choose and why",
    "妈妈的生日是哪一天",
    "备份",
    "plum cake on Dec 20",
    "ledger",
    "zzz qqq",
)
SMALL_FOLDER = 1e-6
EXAMPLE_WORKSPACE = 1.1e-6
"""Both round a cosine to six decimals, one from float32; a date weighs such a step 3 * .4 * .85 times."""

DRIVER = f"""
import json, sys
from datetime import datetime
from pathlib import Path
sys.path.insert(0, {str(SCRIPTS)!r})
from classic import Classic, Formula
from ollama import Ollama
from vector_index import read_index

asked = json.load(sys.stdin)
embed = Ollama("nomic-embed-text", 1).embed_query if asked["vectors"] else None
ranking = Classic(read_index(Path.cwd()).chunks, Formula(), datetime.fromisoformat(asked["now"]))
found = [ranking.search(query, limit, embed) for query in asked["queries"] for limit in asked["limits"]]
print(json.dumps([[(h.chunk.passage.path, h.chunk.passage.start_line, h.score) for h in hits] for hits in found]))
"""


def of_the_skill(skill, queries, limits, *, vectors=True):
    asked = {"queries": list(queries), "limits": limits, "now": NOW, "vectors": vectors}
    ran = skill.python("-c", DRIVER, stdin=json.dumps(asked))
    assert ran.code == 0, ran.err
    return ran.json


def of_tercet(skill, queries, limits, *, mode="hybrid"):
    settings = {"home": str(skill.home), "embedding": {"provider": "ollama", "url": skill.server.url}}
    now = datetime.fromisoformat(NOW)
    with build(load_settings(settings)) as memory:
        memory.index([str(skill.workspace)])
        found = [
            memory.search(query, SearchOptions(preset="classic", limit=limit, now=now, mode=mode))
            for query in queries
            for limit in limits
        ]
    assert not any(each.degraded for each in found)
    return [[[hit.passage.path, hit.passage.start_line, hit.score] for hit in each] for each in found]


def assert_equal(ours, theirs, tolerance):
    assert [[hit[:2] for hit in hits] for hits in ours] == [[hit[:2] for hit in hits] for hits in theirs]
    scores = [score for hits in ours for _, _, score in hits]
    assert scores == pytest.approx([score for hits in theirs for _, _, score in hits], abs=tolerance, rel=0)


def test_a_small_folder(skill):  # R1, R22, R26-R29, D1, D10, D11, C1-C3, C11
    (skill.workspace / "README.md").unlink()
    skill.index()
    ours = of_the_skill(skill, QUERIES, [3, 10])
    asked = [text for text in skill.server.texts() if text.startswith("search_query: ")]
    assert len(asked) > 2 * len(QUERIES), "no question was weak enough for feedback"
    assert_equal(ours, of_tercet(skill, QUERIES, [3, 10]), SMALL_FOLDER)
    assert ours[0][0][0] == "MEMORY.md"


def test_a_small_folder_by_words_alone(skill):
    (skill.workspace / "README.md").unlink()
    skill.index()
    ours = of_the_skill(skill, QUERIES, [5], vectors=False)
    assert_equal(ours, of_tercet(skill, QUERIES, [5], mode="keyword"), SMALL_FOLDER)


def test_a_workspace_with_more_chunks_than_candidates(skill):
    shutil.rmtree(skill.workspace)
    shutil.copytree(ROOT / "examples" / "workspace", skill.workspace, ignore=shutil.ignore_patterns(".claude"))
    questions = (ROOT / "examples" / "questions.jsonl").read_text("utf-8").splitlines()
    queries = [*(json.loads(line)["text"] for line in questions[::3]), "November 2025", "the week before last"]
    skill.index()
    assert sum(len(file["chunks"]) for file in skill.stored["files"].values()) > 50
    assert_equal(of_the_skill(skill, queries, [3]), of_tercet(skill, queries, [3]), EXAMPLE_WORKSPACE)
