"""Folders of Markdown notes of any size, made from the benchmark's own notes with a fixed seed."""

from __future__ import annotations

import random
from pathlib import Path

NOTES = Path(__file__).parent / "memory-folder" / "workspace"


def make_folder(directory: Path, files: int, *, seed: int = 7, sections: int = 4, lines: int = 14) -> None:
    """Write ``files`` notes of several sections each; every one is different from every other."""
    rng = random.Random(seed)
    pool = [
        line.strip()
        for path in sorted(NOTES.rglob("*.md"))
        for line in path.read_text("utf-8").splitlines()
        if len(line.strip()) > 40 and not line.startswith(("|", "#", "---"))
    ]
    directory.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        parts = [f"# Note {number}"]
        for section in range(sections):
            parts.append(f"\n## Part {section} of note {number}\n")
            parts.extend(f"- {rng.choice(pool)} ({number}.{section}.{line})" for line in range(lines))
        folder = directory / f"{number % 40:02}"
        folder.mkdir(exist_ok=True)
        (folder / f"note-{number:05}.md").write_text("\n".join(parts) + "\n", "utf-8")
