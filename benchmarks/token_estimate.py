"""How far ``token_count`` is from what o200k_base makes of the same texts, set by set.

The tokeniser is not part of the project: ``npm install js-tiktoken`` in some folder, and give that
folder. The texts lie where TERCET_TEST_DATA says (default: ../shared/data beside the repository).

    npm install --prefix /tmp/tiktoken js-tiktoken
    python benchmarks/token_estimate.py /tmp/tiktoken
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

sys.path.insert(0, str(Path(__file__).parent))

from tables import Table

from tercet.text.token_count import token_count

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("TERCET_TEST_DATA") or ROOT.parent / "shared" / "data")
MOST_TEXTS = 400
LONG = 100
"""Tokens from which a single text's error is looked at."""
COUNT = """
const {getEncoding} = require('js-tiktoken');
const encoding = getEncoding('o200k_base');
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(text => encoding.encode(text, 'all').length)));
"""
CORPORA = {
    "English chat (LoCoMo)": "benchmarks/locomo/*/corpus.jsonl",
    "English chat with code (BEAM)": "benchmarks/beam-100k/*/corpus.jsonl",
    "English science (SciFact)": "benchmarks/scifact/corpus.jsonl",
    "Chinese, simplified (MemDaily)": "benchmarks/memdaily-zh/*/corpus.jsonl",
    "Chinese, traditional (tcrag)": "benchmarks/tcrag-micro-zhtw/corpus.jsonl",
}


def texts_by_set() -> dict[str, list[str]]:
    """Return at most ``MOST_TEXTS`` texts of each set, drawn with a seed."""
    sets: dict[str, list[str]] = {}
    for name, pattern in CORPORA.items():
        lines = [line for file in sorted(DATA.glob(pattern)) for line in file.read_text("utf-8").splitlines()]
        sets[name] = [json.loads(line)["text"] for line in _drawn(lines)]
    beam = sets["English chat with code (BEAM)"]
    sets["code of many languages"] = [
        code for text in beam for code in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    ]
    for folder in sorted(path for path in (DATA / "workspaces").iterdir() if path.is_dir()):
        sets[f"Markdown ({folder.name})"] = [
            file.read_text("utf-8", "replace") for file in sorted(folder.rglob("*.md"))
        ]
    sessions = [line for file in sorted((DATA / "sessions").glob("*.jsonl")) for line in file.read_text().splitlines()]
    sets["JSON of transcripts"] = _drawn(sessions)
    sets["Python source"] = [file.read_text("utf-8") for file in _drawn(sorted((ROOT / "src").rglob("*.py")))[:60]]
    return {name: texts for name, texts in sets.items() if texts}


def true_counts(texts: Sequence[str], modules: Path) -> list[int]:
    """Return what o200k_base makes of each text."""
    done = subprocess.run(
        ["node", "-e", COUNT],
        input=json.dumps(texts),
        capture_output=True,
        check=True,
        text=True,
        cwd=modules,
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


def measure(modules: Path) -> Table:
    """Return estimate over truth for each set, and the error that 90 % of its longer texts stay within."""
    rows: list[tuple[str, ...]] = []
    for name, texts in texts_by_set().items():
        truth, guess = true_counts(texts, modules), [token_count(text) for text in texts]
        errors = sorted(abs(g / t - 1) for g, t in zip(guess, truth, strict=True) if t >= LONG)
        within = f"{errors[int(0.9 * len(errors))]:.0%}" if errors else "-"
        rows.append((name, str(len(texts)), str(sum(truth)), f"{sum(guess) / sum(truth):.3f}", within))
    header = ("texts of", "texts", "tokens", "estimate / truth", f"90 % of texts from {LONG} tokens within")
    return Table("token-estimate", "Tokens estimated against o200k_base", header, tuple(rows))


def _drawn(items: Sequence[T]) -> list[T]:
    return random.Random(1).sample(items, min(MOST_TEXTS, len(items)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", type=Path, help="folder in which js-tiktoken is installed")
    print(measure(parser.parse_args().modules).as_markdown())
