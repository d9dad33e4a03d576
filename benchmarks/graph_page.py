"""Frames of the Graph page with 2,000 nodes while it is zoomed and dragged, in a real Chromium; run by hand.

``python benchmarks/graph_page.py`` with the test environment; it needs a Chromium (``make test-browser``
installs one). The picture is painted without a graphics card, so that a desktop only does better.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright
from tables import Table

from tercet import build, load_settings

BROWSER_TESTS = Path(__file__).resolve().parents[1] / "tests" / "browser"
sys.path.append(str(BROWSER_TESTS))

from chromium import on_the_path  # noqa: E402 - lies beside the tests of the browser
from inspected_service import InspectedService  # noqa: E402
from watched_pages import sign_in  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page, Route

NODES, EDGES, HUBS = 2_000, 6_000, 40
STEPS = 120
"""Turns of the wheel, and moves of the mouse."""
WINDOW = {"width": 1280, "height": 1300}
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu"]
RECORD = """() => {
  window.frames_ms = [];
  let before = performance.now();
  const step = (now) => { window.frames_ms.push(now - before); before = now; window.recording = requestAnimationFrame(step); };
  window.recording = requestAnimationFrame(step);
}"""
STOP = "() => { cancelAnimationFrame(window.recording); return window.frames_ms.slice(1); }"


def measure() -> Table:
    """Return milliseconds until the picture stands, and of the frames while it is moved."""
    with tempfile.TemporaryDirectory(prefix="tercet-graph-") as scratch, sync_playwright() as playwright:
        home = _home(Path(scratch))
        browser = playwright.chromium.launch(executable_path=on_the_path(), args=FLAGS)
        with InspectedService(home) as service:
            context = browser.new_context(viewport=WINDOW)
            sign_in(context, service.url, service.token)
            page = context.new_page()
            page.route("**/graph/data*", _answer)
            start = time.perf_counter()
            page.goto(f"{service.url}/inspector/graph")
            page.locator("#graph[data-ready=true]").wait_for()
            drawn_ms = 1000 * (time.perf_counter() - start)
            zoomed, dragged = _zoomed(page), _dragged(page)
            browser.close()
    rows = (
        ("until the picture stands", f"{drawn_ms:,.0f} ms", "", ""),
        _row("a frame while the wheel turns", zoomed),
        _row("a frame while it is dragged", dragged),
    )
    title = f"The Graph page with {NODES:,} nodes and {EDGES:,} links, software rendering"
    return Table("graph_page", title, ("what", "p50", "p95", "longest"), rows)


def _home(scratch: Path) -> Path:
    """Return a home with a graph, whose data the benchmark's own takes the place of."""
    folder, home = scratch / "notes", scratch / "home"
    folder.mkdir()
    home.mkdir(mode=0o700)
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text("# Albatros\n\nMet Bram on 2026-01-09 about the Albatros.\n", "utf-8")
    with build(load_settings({"home": str(home)})) as memory:
        memory.index([str(folder)])
        memory.graph.build()
    return home


def _answer(route: Route) -> None:
    rng = random.Random(9)
    hubs = range(HUBS)
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < EDGES:
        one = rng.choice(hubs) if rng.random() < 0.3 else rng.randrange(NODES)
        two = min(NODES - 1, max(0, one + rng.randint(-25, 25))) if rng.random() < 0.7 else rng.randrange(NODES)
        if one != two:
            pairs.add((min(one, two), max(one, two)))
    degrees = [0] * NODES
    for pair in pairs:
        for node in pair:
            degrees[node] += 1
    nodes = [
        {"ref": f"notes:{at}.md", "label": f"note {at}.md", "kind": "file", "degree": degrees[at]}
        for at in range(NODES)
    ]
    edges = [
        {"one": one, "two": two, "weight": round(rng.uniform(0.3, 1.0), 2), "kinds": ["similar"]}
        for one, two in sorted(pairs)
    ]
    body = json.dumps({"nodes": nodes, "edges": edges, "nodesLeftOut": 0, "edgesLeftOut": 0})
    route.fulfill(body=body, content_type="application/json")


def _zoomed(page: Page) -> list[float]:
    box = _box(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(RECORD)
    for step in range(STEPS):
        page.mouse.wheel(0, -60 if step < STEPS / 2 else 60)
    return page.evaluate(STOP)


def _dragged(page: Page) -> list[float]:
    """Drag the picture by a place where no node lies."""
    box = _box(page)
    x, y = box["x"] + 20, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(RECORD)
    for step in range(STEPS):
        page.mouse.move(x + 3 * (step % 60), y + 2 * (step % 40))
    frames = page.evaluate(STOP)
    page.mouse.up()
    return frames


def _box(page: Page) -> FloatRect:
    box = page.locator("#graph").bounding_box()
    if box is None:
        message = "The picture is not on the screen."
        raise RuntimeError(message)
    return box


def _row(what: str, frames_ms: list[float]) -> tuple[str, ...]:
    p95 = statistics.quantiles(frames_ms, n=20)[-1]
    return what, f"{statistics.median(frames_ms):.0f} ms", f"{p95:.0f} ms", f"{max(frames_ms):.0f} ms"


if __name__ == "__main__":
    print(measure().as_markdown())
