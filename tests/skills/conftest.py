"""The skills as their users run them: by the system's Python, with no packages, in a workspace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tercet.testing.embedding_server import EmbeddingServer

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "skills" / "enhanced-memory" / "scripts"
NOW = "2026-03-01T09:00:00+01:00"

MEMORIES = {
    "MEMORY.md": "# Memory\n\n## Boat\n\nThe boat Albatros lies at berth 47, code ZX-9918.\n\n## Tea\n\nShe drinks oolong.\n",
    "AGENTS.md": "# Rules\n\nAnswer in the language of the question.\n",
    "README.md": "# Not a memory\n\nNobody indexes the albatross of this file.\n",
    "memory/2026-02-08.md": "# Sunday\n\nMet the roofer. He wants 14 500 for slates.\n\n- call him back on Monday\n",
    "memory/2026-02-09.md": "# Monday\n\nCalled the roofer back: he comes on 12 March.\n",
    "memory/deep/2025-12-20-party.md": "# Party\n\nAnna brought a cake with plums.\n",
    "memory/projects/ledger.md": "# Ledger\n\n```sh\n# no heading\nmake ledger\n```\n\nWe chose PostgreSQL, because two services write.\n",
    "memory/zh/备忘.md": "# 备忘\n\n妈妈的生日是三月初八。\n\n备份存在哈林机器上。\n",
    "memory/short.md": "Pin: 4711\n",
}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@dataclass
class Skill:
    """The scripts of the skill over one workspace and one stand-in for Ollama."""

    workspace: Path
    home: Path
    server: EmbeddingServer
    scripts: Path = SCRIPTS

    def __call__(self, script: str, *arguments: str) -> Ran:
        return self.python(str(SCRIPTS / script), *arguments)

    def python(self, *arguments: str, stdin: str = "") -> Ran:
        interpreter = shutil.which("python3", path="/usr/bin:/usr/local/bin:/opt/homebrew/bin")
        if interpreter is None:
            pytest.skip("there is no python3 outside of environments")
        environment = {
            "PATH": os.defpath,
            "TERCET_HOME": str(self.home),
            "OLLAMA_HOST": self.server.url,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        ran = subprocess.run(
            [interpreter, "-S", *arguments],
            cwd=self.workspace,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            input=stdin,
            check=False,
            timeout=60,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def search(self, query: str, limit: int = 5):
        """Return the JSON of one search that ended well."""
        ran = self("enhanced_memory_search.py", "--json", "--now", NOW, query, str(limit))
        assert ran.code == 0, ran.err
        return ran.json

    def index(self) -> str:
        """Index the workspace and return what was said."""
        ran = self("embed_memories.py")
        assert ran.code == 0, ran.err
        return ran.out + ran.err

    @property
    def stored(self):
        return json.loads((self.workspace / "memory" / "vectors.json").read_bytes())


@pytest.fixture
def server():
    with EmbeddingServer(spread) as running:
        yield running


@pytest.fixture
def skill(tmp_path: Path, server: EmbeddingServer, write_notes) -> Skill:
    return Skill(write_notes(tmp_path / "workspace", MEMORIES), tmp_path / "home", server)


def spread(texts):
    """Embed by letters and their neighbours: near texts are near, and no two are the same."""
    rows = []
    for text in texts:
        row = [1e-3] * 48
        for one, two in zip(text.lower(), text.lower()[1:], strict=False):
            row[(ord(one) * 7 + ord(two) * 3) % 48] += 1.0
        rows.append(row)
    return rows
