"""Print where a Chromium is: the one on the PATH, or else the distribution's, which is installed for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PACKAGES = ("chromium", "fonts-noto-cjk")
MEND = f"run 'apt-get install --no-install-recommends {' '.join(PACKAGES)}' as root, or put a Chromium on the PATH."


def on_the_path() -> str | None:
    """Return the path of the first Chromium there is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def install() -> None:
    """Install the distribution's, which needs root."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        msg = f"There is no Chromium, and only root can install one: {MEND}"
        raise SystemExit(msg)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        ran = subprocess.run(
            ["apt-get", "--quiet", "--quiet", *arguments], env=environment, stdout=sys.stderr.fileno(), check=False
        )
        if ran.returncode != 0:
            msg = f"'apt-get {arguments[0]}' failed with exit code {ran.returncode}: {MEND}"
            raise SystemExit(msg)


def main() -> None:
    """Find it, install it where it is missing, and print its path."""
    if on_the_path() is None:
        install()
    found = on_the_path()
    if found is None:
        msg = f"{PACKAGES[0]} is installed, and none of {', '.join(NAMES)} is on the PATH: {MEND}"
        raise SystemExit(msg)
    sys.stdout.write(f"{found}\n")


if __name__ == "__main__":
    main()
