"""``tercet serve`` over a home of the tests, for a browser to look into."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Self

COMMAND = "import sys; from tercet.interfaces.cli.serve import command; command(prog_name='tercet serve')"


class InspectedService:
    """The service on a free port of loopback; what it logs lies beside the home."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home.parent / f"{home.name}.log"
        self.url = ""
        self.token = ""
        self._process: subprocess.Popen[str] | None = None
        self._log: IO[str] | None = None

    def __enter__(self) -> Self:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TERCET_")}
        self._log = self.log.open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "--home", str(self.home), "--port", "0", "--json"],
            env=clean,
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
        )
        first = self._process.stdout.readline()
        assert first, f"the service did not start: {self.log.read_text(encoding='utf-8')[-2000:]}"
        said = json.loads(first)
        self.url = said["url"]
        self.token = json.loads(Path(said["tokens"]).read_text(encoding="utf-8"))["tokens"][0]["token"]
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=60)
        self._log.close()

    def mistakes(self) -> list[str]:
        """Return the lines of its log that tell of a mistake of its own."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if '"unexpected error"' in line or "Traceback" in line]
