"""What the memory loop costs and what it gives: ``python benchmarks/loop.py [CONVERSATION ...]``.

Prints the median of ``agent_end`` over 300 turns, and, for conversations of a folder with
``corpus.jsonl`` and ``queries.jsonl``, how often the section of 1,200 tokens holds the evidence of an
answerable question, beside plain top-10 search over the same store. Each turn is handed over as its
speaker's user turn with its own date; everything is kept (``capture.select = all``).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet import build_async, load_settings
from tercet.model import Message, SearchOptions, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence


SESSION = "telegram:1"
TURNS = 300
TOP = 10
WEATHER = (
    "how is the weather today?",
    "What a sunny day!",
    "Is it going to rain tomorrow?",
    "今天天气怎么样？",
    "明天会下雨吗？",
)


@dataclass(slots=True)
class Held:
    """How many questions had any, and all, of their evidence."""

    any: int = 0
    all: int = 0

    def add(self, gold: set[str], found: set[str]) -> None:
        """Count one question."""
        self.any += bool(gold & found)
        self.all += gold <= found


async def agent_end_ms(home: Path) -> float:
    """Return the median of handing one turn over, in milliseconds."""
    memory = await build_async(load_settings({"home": str(home), "embedding": {"provider": "none"}}))
    took: list[float] = []
    for number in range(TURNS):
        turn = Turn(SESSION, (Message("user", f"I like tea number {number}", id=str(number)),))
        started = time.perf_counter()
        await memory.agent_end(turn)
        took.append((time.perf_counter() - started) * 1000)
    await memory.close()
    return statistics.median(took)


def read(path: Path) -> list[dict[str, Any]]:  # Any: JSON
    """Return the objects of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def conversation(folder: Path, home: Path) -> tuple[int, Held, Held, float, list[str]]:
    """Capture one conversation and ask its questions.

    Returns:
        Questions, what the section held, what plain search held, median tokens of a section, and
        what a chat about the weather recalled.
    """
    memory = await build_async(load_settings({"home": str(home), "capture": {"select": "all"}}))
    corpus = read(folder / "corpus.jsonl")
    try:
        for line in corpus:
            said = datetime.fromisoformat(line["timestamp"]).replace(tzinfo=UTC)
            text = f"{line['speaker']}: {line['text']}"
            await memory.agent_end(Turn(SESSION, (Message("user", text, id=line["id"], timestamp=said),)))
        await memory.flush()
        asked = [each for each in read(folder / "queries.jsonl") if not each["adversarial"] and each["gold"]]
        message_of = {entry.id: entry.message_id for entry in await memory.list_entries(SESSION)}
        section, plain, tokens = Held(), Held(), []
        for question in asked:
            now = datetime.fromisoformat(question["asked_at"]).replace(tzinfo=UTC)
            gold = set(question["gold"])
            recalled = await memory.recall(question["text"], SESSION, now)
            section.add(gold, {message_of[hit.passage.id] for hit in recalled.hits})
            tokens.append(recalled.tokens)
            found = await memory.search(
                question["text"], SearchOptions(limit=TOP, layers=("semantic",), now=now), session_key=SESSION
            )
            plain.add(gold, {message_of[hit.passage.id] for hit in found})
        chat = [(await memory.recall(text, SESSION, now)).text for text in WEATHER]
    finally:
        await memory.close()
    return len(asked), section, plain, statistics.median(tokens), chat


async def main(folders: Sequence[Path]) -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory(prefix="tercet-loop-") as temporary:
        print(f"agent_end median {await agent_end_ms(Path(temporary) / 'turns'):.2f} ms over {TURNS} turns")
        for folder in folders:
            count, section, plain, tokens, chat = await conversation(folder, Path(temporary) / folder.name)
            print(
                f"{folder.name}: {count} questions; section any {section.any / count:.3f} all {section.all / count:.3f} "
                f"(median {tokens:.0f} tokens); top-{TOP} search any {plain.any / count:.3f} all {plain.all / count:.3f}; "
                f"weather recalled {sum(map(bool, chat))} of {len(chat)}"
            )


if __name__ == "__main__":
    asyncio.run(main([Path(each) for each in sys.argv[1:]]))
