"""Index the example workspace and answer five questions; run by ``make demo``."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tercet import build, load_settings
from tercet.layers.semantic.snippets import best_lines

HERE = Path(__file__).parent


def main() -> None:
    """Print what was indexed, then the best three passages for each question."""
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [question for question in map(json.loads, lines) if question.get("demo")]
    with tempfile.TemporaryDirectory() as home, build(load_settings({"home": home})) as memory:
        report = memory.index([str(HERE / "workspace")])
        print(f"Indexed {report.files} Markdown files: {report.chunks} passages, no key, no network.")
        for question in questions:
            asked_at = question.get("asked_at")
            now = datetime.fromisoformat(asked_at) if asked_at else None
            print(f"\n? {question['text']}" + (f"   (asked {asked_at[:10]})" if asked_at else ""))
            for hit in memory.search(question["text"], replace(memory.default_options, limit=3, now=now)):
                passage = hit.passage
                is_gold = any(
                    span["path"] == passage.path
                    and span["startLine"] <= passage.end_line
                    and passage.start_line <= span["endLine"]
                    for span in question["gold"]
                )
                where = f"{passage.path}#L{passage.start_line}-L{passage.end_line}"
                print(f"  {'*' if is_gold else ' '} {hit.score:.3f}  {where}  {passage.header}")
                print(f"           {_best_line(hit.snippet, question['text'])}")
    print("\n* holds the answer. Next: tercet index YOUR_FOLDER, then tercet search 'your question'.")


def _best_line(text: str, query: str) -> str:
    lines = [line.strip() for line in text.split("\n")]
    said = [line for line in lines if line and not line.startswith(("#", "---"))]
    (line,) = best_lines("\n".join(said or lines), query, 1)
    return line[:110]


if __name__ == "__main__":
    main()
