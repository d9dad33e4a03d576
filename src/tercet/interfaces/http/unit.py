"""A unit that starts the service with the user's session: systemd on Linux, launchd on macOS."""

from __future__ import annotations

import plistlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.adapters.files.atomic_write import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

SYSTEMD_NAME = "tercet.service"
LAUNCHD_LABEL = "tercet.serve"


def install_unit(home: Path, host: str, port: int, *, platform: str | None = None) -> tuple[Path, str]:
    """Write the unit of this platform below the user's folder.

    Args:
        home: The home it serves.
        host: Where it listens.
        port: Where it listens.
        platform: As ``sys.platform``; None is this one.

    Returns:
        The file, and the command that starts it.
    """
    command = [sys.executable, "-m", "tercet.interfaces.cli", "serve", "--home", str(home)]
    command += ["--host", host, "--port", str(port)]
    if (platform or sys.platform) == "darwin":
        file = Path.home() / "Library" / "LaunchAgents" / f"{LAUNCHD_LABEL}.plist"
        text, start = launchd_plist(command, home), f"launchctl load -w {file}"
    else:
        file = Path.home() / ".config" / "systemd" / "user" / SYSTEMD_NAME
        text, start = systemd_unit(command), f"systemctl --user enable --now {SYSTEMD_NAME}"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, text.encode("utf-8"))
    return file, start


def systemd_unit(command: Sequence[str]) -> str:
    """Return a systemd user unit for a command."""
    return (
        "[Unit]\n"
        "Description=Tercet memory service\n\n"
        "[Service]\n"
        f"ExecStart={' '.join(map(_systemd_word, command))}\n"
        "Restart=on-failure\n"
        "RestartSec=2\n"
        "TimeoutStopSec=90\n"
        "UMask=0077\n"
        "NoNewPrivileges=true\n\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def launchd_plist(command: Sequence[str], home: Path) -> str:
    """Return a launchd property list for a command; its log lies in the home."""
    value = {
        "Label": LAUNCHD_LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "Umask": 0o077,
        "StandardErrorPath": str(home / "service.log"),
    }
    return plistlib.dumps(value).decode("utf-8")


def _systemd_word(word: str) -> str:
    """Quote a word: systemd reads % as a specifier, $ as a variable, and quotes like a shell."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'
