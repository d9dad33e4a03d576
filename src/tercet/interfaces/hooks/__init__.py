"""``tercet-hook``: the thin client that agents' hooks start; standard library only, and it fails open.

A hook runs at every event of a conversation, so it must cost next to nothing and must never stand
in the agent's way: whatever is wrong, it prints nothing and exits with 0.
"""

from __future__ import annotations

import sys

AGENTS = ("claude-code",)


def main() -> None:
    """Run one hook: ``tercet-hook AGENT EVENT``, the event's JSON on standard input.

    A wrong command line is a mistake in a configuration file, made once by a person: it is told on
    standard error with exit code 0, so that the agent goes on all the same.
    """
    if len(sys.argv) != 3 or sys.argv[1] not in AGENTS:  # noqa: PLR2004 - program, agent, event
        sys.stderr.write(f"usage: tercet-hook {'|'.join(AGENTS)} EVENT\n")
        return
    from tercet.interfaces.hooks.claude_code import run_event

    try:
        answer = run_event(sys.argv[2], sys.stdin.buffer.read())
        if answer:
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    except Exception:  # noqa: BLE001 - the agent goes on without memory; 'tercet doctor' says what is wrong
        return
