#!/usr/bin/env python3
"""Search the memory of a workspace and print JSON as OpenClaw's ``memory_search`` gives it.

Usage, from the workspace's root: ``enhanced_memory_search.py --json "query" [top_n]``
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

from answering import Settings, answer
from classic import Formula, Weights
from ollama import Ollama
from search_memory import show
from workspace import Workspace

MODEL = "nomic-embed-text"
PORT = 11434
TIMEOUT_S = 20.0
TOP_N = 10
WEIGHTS = Weights(vector=0.4, keyword=0.25, header=0.1, path=0.25)
WEAK_WEIGHTS = Weights(vector=0.85, keyword=0.05, header=0.05, path=0.05)
WEAK_BELOW = 0.1
DATE_FACTOR = 3.0
FEEDBACK_BELOW = 0.45
MAX_CHARACTERS = 2000
CORE_FILES = ("MEMORY.md", "AGENTS.md", "USER.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "DREAMS.md")
ASK_SERVICE = True
LOG_SEARCHES = True

SETTINGS = Settings(
    ollama=Ollama(MODEL, PORT, TIMEOUT_S),
    formula=Formula(
        weights=WEIGHTS,
        weak_weights=WEAK_WEIGHTS,
        weak_below=WEAK_BELOW,
        date_factor=DATE_FACTOR,
        feedback_below=FEEDBACK_BELOW,
    ),
    ask_service=ASK_SERVICE,
    log_searches=LOG_SEARCHES,
    max_characters=MAX_CHARACTERS,
)
SHOWN = ("path", "startLine", "endLine", "score", "snippet", "header")


def main(arguments: list[str]) -> int:
    """Run one search; 0 also when nothing is found, 2 for a wrong command line."""
    parser = argparse.ArgumentParser(description="Search the memory of this workspace, as JSON.")
    parser.add_argument("query")
    parser.add_argument("top_n", nargs="?", type=int, default=TOP_N)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--now", type=datetime.fromisoformat, help="what relative dates count from (ISO 8601)")
    given = parser.parse_args(arguments)
    if not given.query.strip() or given.top_n < 1:
        parser.error("give a question, and a number of results of at least 1")
    now = given.now.astimezone() if given.now else datetime.now().astimezone()
    found = answer(Workspace(Path.cwd(), CORE_FILES), given.query, given.top_n, now, SETTINGS)
    if not given.json:
        show(found)
        return 0
    results = [{name: result[name] for name in SHOWN} for result in found.results]
    print(json.dumps({"results": results, "degraded": found.degraded}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
