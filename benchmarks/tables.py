"""Tables of figures, and where they stand in RESULTS.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its name is the marker it stands between in RESULTS.md."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def as_markdown(self) -> str:
        """Return title and table."""
        lines = [f"### {self.title}", "", f"| {' | '.join(self.header)} |", "|" + "---|" * len(self.header)]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join([*lines, ""])


def write_tables(file: Path, tables: Sequence[Table]) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- /name -->``; add the marks where they are missing."""
    text = file.read_text("utf-8")
    for table in tables:
        block = f"<!-- {table.name} -->\n{table.as_markdown()}<!-- /{table.name} -->"
        marked = re.compile(rf"<!-- {re.escape(table.name)} -->.*?<!-- /{re.escape(table.name)} -->", re.DOTALL)
        found = marked.search(text)
        text = text[: found.start()] + block + text[found.end() :] if found else f"{text.rstrip()}\n\n{block}\n"
    file.write_text(text, "utf-8")
