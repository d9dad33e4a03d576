"""A memory in which every text that others wrote tries to run, to load or to leave."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tercet import build, load_settings
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.bridge import LoopThread
from tercet.model import InboxItem, Scope

if TYPE_CHECKING:
    from pathlib import Path

PAYLOADS = (
    '<img src=x onerror="trap(1)">',
    "<script>trap(2)</script>",
    "</script><script>trap(3)</script>",
    '"><svg onload=trap(4)>',
    "' autofocus onfocus='trap(5)' x='",
    '" autofocus onfocus="trap(6)" x="',
    "[press](javascript:trap(7))",
    "[press](data:text/html,<script>opener.trap(8)</script>)",
    "![picture](http://127.0.0.1:9/seen.png)",
    '<iframe srcdoc="<script>parent.trap(9)</script>"></iframe>',
    '<a href="java&#9;script:trap(10)">press</a>',
    "<style>main { display: none }</style>",
    '<base href="http://127.0.0.1:9/"><link rel=stylesheet href=//127.0.0.1:9/x.css>',
    '<div hx-get="/inspector/assets/htmx.min.js" hx-trigger="load" hx-on:htmx:load="trap(11)">x</div>',
    "<textarea></textarea></textarea><img src=x onerror=trap(12)>",
    "</title><img src=x onerror=trap(13)>",
    "{{ cycler.__init__ }}{% for x in y %}",
    "[press][r]\n\n[r]: javascript:trap(14)",
    "<javascript:trap(15)>",
    "[[javascript:trap(16)]]",
    '[[x|"><img src=x onerror=trap(17)>]]',
    "`<img src=x onerror=trap(18)>`",
)
FILE_NAMES = (
    "<img src=x onerror=trap(20)>.md",
    '" autofocus onfocus="trap(21)" x=".md',
    "javascript:trap(22).md",
    "'); trap(23); ('.md",
    "<svg onload=trap(24)>/<b>bold.md",
    "&lt;script&gt;trap(25)&lt;&#47;script&gt;.md",
    "%3Cscript%3Etrap(26)%3C%2Fscript%3E.md",
    "note#fragment?q=1&x=2.md",
)
QUERY = '"><img src=x onerror=trap(30)>'


def make_hostile_home(folder: Path) -> Path:
    """Return the home of such a memory, made below a folder."""
    home, notes = folder / "home", folder / "<svg onload=trap(19)>"
    home.mkdir(mode=0o700)
    for number, name in enumerate(FILE_NAMES):
        path = notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(number), encoding="utf-8")
    with build(load_settings({"home": str(home)})) as memory:
        memory.index([str(notes)])
        for text in PAYLOADS:
            kept = memory.remember(f"The picture says {text}")
            memory.remember(f"The image says {text}", supersedes=[kept.id])
        for number, text in enumerate(PAYLOADS[:8]):
            memory.wiki.new(text, body=_text(number), aliases=[text], tags=[text], sources=[text], type=text)
        memory.index()
        memory.graph.build()
    loop = LoopThread()
    try:
        loop.run(_bury(home))
    finally:
        loop.close()
    return home


def _text(number: int) -> str:
    """Return a file whose front matter, headings, cells, fences and lines are all hostile."""
    first = PAYLOADS[number]
    front = "".join(f"key{at}: {text!r}\n" for at, text in enumerate(PAYLOADS[:6]))
    body = "\n\n".join(PAYLOADS)
    return f"---\n{front}---\n# {first}\n\n{body}\n\n## {PAYLOADS[-1 - number]}\n\n| a | b |\n|---|---|\n| {first} | x |\n\n```{first}\n{first}\n```\n"


async def _bury(home: Path) -> None:
    ledger = await SqliteLedger.open(home)
    now = datetime.now(UTC)
    for number, text in enumerate(PAYLOADS):
        item = InboxItem(f"dead-{number}", Scope("main", ""), "agent:main:main", text, f"Remember {text}", now, now)
        await ledger.inbox.put([item])
        await ledger.inbox.claim(1, now, 60.0)
        await ledger.inbox.bury([item.id], f"the service said {text}")
    await ledger.close()
