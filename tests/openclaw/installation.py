"""The real OpenClaw with a home, a workspace and Tercet's plug-in; and the service beside it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "integrations" / "openclaw"
GATEWAY_TOKEN = "gateway-token-of-the-test"  # noqa: S105 - of a gateway on loopback that lives for one test


class Service:
    """``tercet serve`` on a free port of loopback."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._process: subprocess.Popen[str] | None = None
        self._log: IO[str] | None = None

    def start(self) -> None:
        self._log = (self.home.parent / "service.log").open("a", encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tercet.interfaces.cli", "serve", "--home", str(self.home), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
        )
        # Its first line says where it listens: it is ready then.
        line = self._process.stdout.readline()
        assert "http://127.0.0.1:" in line, (self.home.parent / "service.log").read_text(encoding="utf-8")[-2000:]

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.communicate(timeout=60)
        if self._log is not None:
            self._log.close()
        self._process = self._log = None

    def tercet(self, *arguments: str) -> Any:
        """Run a command on the service's home and return its JSON."""
        ran = subprocess.run(
            [sys.executable, "-m", "tercet.interfaces.cli", *arguments, "--home", str(self.home), "--json"],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)


class OpenClaw:
    """An installation of its own: state, configuration and workspace below one folder."""

    def __init__(self, installed: Path, folder: Path, model_url: str, tercet_home: Path) -> None:
        self._installed = installed
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir(parents=True)
        self.gateway_port = _free_port()
        self._environment = {
            "PATH": os.pathsep.join(
                [*map(str, (installed / "node_modules").glob("node-linux-*/bin")), os.environ["PATH"]]
            ),
            "HOME": str(folder),
            "OPENCLAW_STATE_DIR": str(folder / ".openclaw"),
            "OPENCLAW_CONFIG_PATH": str(folder / ".openclaw" / "openclaw.json"),
            "TERCET_HOME": str(tercet_home),
            "NO_COLOR": "1",
        }
        (folder / ".openclaw").mkdir()
        Path(self._environment["OPENCLAW_CONFIG_PATH"]).write_text(
            json.dumps(self._configuration(model_url)), encoding="utf-8"
        )

    def _configuration(self, model_url: str) -> dict[str, Any]:
        model = {"id": "stand-in", "name": "stand-in", "contextWindow": 200_000, "maxTokens": 4096}
        provider = {"api": "openai-completions", "baseUrl": model_url, "apiKey": "none", "models": [model]}
        entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {}}
        return {
            "agents": {"defaults": {"workspace": str(self.workspace), "model": "local/stand-in"}},
            "models": {"providers": {"local": provider}},
            "plugins": {
                "load": {"paths": [str(PLUGIN)]},
                "allow": ["tercet"],
                "slots": {"memory": "tercet"},
                "entries": {"tercet": entry},
            },
            "gateway": {
                "mode": "local",
                "port": self.gateway_port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": GATEWAY_TOKEN},
            },
        }

    def run(self, *arguments: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        """Run ``openclaw`` with arguments to its end."""
        return subprocess.run(
            self._command(*arguments),
            env=self._environment,
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        """Run it and return the JSON it prints."""
        ran = self.run(*arguments)
        assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"
        start = min(place for place in (ran.stdout.find("{"), ran.stdout.find("[")) if place >= 0)
        return json.JSONDecoder().raw_decode(ran.stdout[start:])[0]

    def say(self, message: str) -> subprocess.CompletedProcess[str]:
        """Let the agent answer one message of its owner."""
        return self.run("agent", "--local", "--agent", "main", "--message", message, "--json")

    def gateway(self) -> subprocess.Popen[str]:
        """Start the gateway; the caller ends it."""
        return subprocess.Popen(
            self._command("gateway", "run"),
            env=self._environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def _command(self, *arguments: str) -> list[str]:
        return [str(self._installed / "node_modules" / ".bin" / "openclaw"), *arguments]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
