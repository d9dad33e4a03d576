"""Work that goes on when the hook has ended."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def in_background(work: Callable[[], None]) -> None:
    """Do some work in a process of its own, which outlives this one and holds none of its pipes.

    The host waits until the hook's output is closed, so the child gives its streams up first. It is
    forked, not started anew: a second interpreter would cost more than the work. Nothing is open
    yet that a fork could hurt, and this process has one thread. Where there is no fork the work is
    done here, within the hook's time limit.

    Claude Code's own asynchronous hooks are no way to this: they end with it, and a turn of
    ``claude -p`` was lost (seen with 2.1.197).
    """
    if not hasattr(os, "fork"):
        work()
        return
    if os.fork():
        return
    status = 0
    try:
        _let_go()
        work()
    except Exception:  # noqa: BLE001 - nobody is left to tell; what was not delivered is found by the next event
        status = 1
    finally:
        # Not sys.exit: what the parent has in its buffers is the parent's to write.
        os._exit(status)


def _let_go() -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
