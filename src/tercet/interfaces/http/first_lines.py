"""What a service says when it starts: where it is, where its token lies, and what to paste where."""

from __future__ import annotations

import json
from pathlib import Path


def first_lines(url: str, tokens_file: Path) -> str:
    """Return the lines; the token itself is not among them, for terminals are logged.

    Args:
        url: Of the service, without a final slash.
        tokens_file: Where its tokens lie.
    """
    bearer = "Bearer <token>"
    mcp = {"mcpServers": {"tercet": {"type": "http", "url": f"{url}/mcp", "headers": {"Authorization": bearer}}}}
    stdio = {"mcpServers": {"tercet": {"command": "tercet", "args": ["mcp"]}}}
    openclaw = {
        "plugins": {
            "load": {"paths": [_plugin_folder()]},
            "allow": ["tercet"],
            "slots": {"memory": "tercet"},
            "entries": {
                "tercet": {
                    "enabled": True,
                    "hooks": {"allowConversationAccess": True},
                    "config": {"home": str(tokens_file.parent)},
                }
            },
        }
    }
    return "\n".join(
        (
            f"Tercet answers at {url} (MCP at {url}/mcp).",
            "Look into the memory with 'tercet inspect'.",
            f"Its token lies in {tokens_file}, for you alone.",
            "",
            "For an MCP client that starts its servers itself:",
            json.dumps(stdio, indent=2),
            "",
            "For an MCP client over HTTP (put the token in):",
            json.dumps(mcp, indent=2),
            "",
            "For OpenClaw, in openclaw.json:",
            json.dumps(openclaw, indent=2),
            "",
            "Ctrl-C ends it; what was handed over is kept.",
        )
    )


def _plugin_folder() -> str:
    """Return where OpenClaw's plug-in lies beside this source; installed alone, a place to fill in."""
    folder = Path(__file__).parents[4] / "integrations" / "openclaw"
    return str(folder) if (folder / "openclaw.plugin.json").is_file() else "/path/to/tercet/integrations/openclaw"
