"""An MCP server on standard input and output whose search never answers, and that says when one was given up."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from tercet.interfaces.grants import Grant
from tercet.interfaces.mcp.over_stdio import run_stdio
from tercet.model import FileText


class SlowMemory:
    """Searches hang; reads tell how many searches were given up."""

    def __init__(self, begun: Path) -> None:
        self.begun = begun
        self.given_up = 0

    async def search(self, *_: Any, **__: Any) -> None:
        self.begun.touch()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise

    async def read(self, *_: Any, **__: Any) -> FileText:
        return FileText(str(self.given_up), "x", 1, 1, 1)


if __name__ == "__main__":
    asyncio.run(run_stdio(SlowMemory(Path(sys.argv[1])), Grant("stdio", "", "main")))  # type: ignore[arg-type]
