"""The Graph page: drawn, moved, filtered, asked about a node; built where there is none."""

from __future__ import annotations

GRAPH = "document.getElementById('graph').graph"
TALL = {"width": 1280, "height": 1300}
"""So that nothing need be scrolled: right after that the wheel still belongs to the page."""


def place_of(page, label):
    """Return where a node is on the screen."""
    return page.evaluate(
        """(label) => {
          const place = document.getElementById("graph"), box = place.getBoundingClientRect();
          const at = place.graph.nodes().filter((node) => node.data("label") === label)[0].renderedPosition();
          return { x: box.x + at.x, y: box.y + at.y };
        }""",
        label,
    )


def painted(page) -> int:
    """Return how many pixels of the picture hold something."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#graph canvas")].reduce((sum, canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          for (let at = 3; at < data.length; at += 4) if (data[at]) sum += 1;
          return sum;
        }, 0)"""
    )


def test_the_graph_is_drawn_with_all_that_is_linked(look, example, keep):
    tab = look(example)
    page = tab.open("graph")
    keep(tab, "graph")
    assert painted(page) > 1000
    nodes, edges = page.evaluate(f"[{GRAPH}.nodes().length, {GRAPH}.edges().length]")
    status = page.get_by_role("status").filter(has_text="files and entries").inner_text()
    told = [int(word) for word in status.replace(",", "").split() if word.isdigit()]
    assert nodes == told[0] - told[3], "what is linked to nothing stands in the table alone"
    assert edges == told[1]


def test_it_zooms_by_button_wheel_and_key_and_shows_all_again(look, example):
    page = look(example, viewport=TALL).open("graph")
    level = f"{GRAPH}.zoom()"
    at_first = page.evaluate(level)
    page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate(level) > at_first
    page.get_by_role("button", name="Show all").click()
    fitted = page.evaluate(level)
    picture = page.locator("#graph")
    picture.hover()
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"(before) => {level} !== before", arg=fitted)
    picture.focus()
    page.keyboard.press("0")
    before = page.evaluate(level)
    page.keyboard.press("+")
    assert page.evaluate(level) > before
    left = page.evaluate(f"{GRAPH}.pan().x")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{GRAPH}.pan().x") < left


def test_a_click_on_a_node_tells_its_links_and_leads_to_the_file(look, example, keep):
    tab = look(example, viewport=TALL)
    page = tab.open("graph")
    at = place_of(page, "wiki:Maud.md")
    page.mouse.click(at["x"], at["y"])
    panel = page.locator("#node")
    panel.get_by_role("heading", name="wiki:Maud.md").wait_for()
    keep(tab, "graph-node")
    assert "wiki:Farid.md" in panel.inner_text()
    assert "one links to the other" in panel.inner_text()
    panel.get_by_role("link", name="Open it").click()
    page.get_by_role("heading", level=1, name="Maud.md").wait_for()


def test_a_node_is_found_by_its_name(look, example):
    page = look(example).open("graph")
    page.get_by_label("Find a node").fill("tobias")
    page.get_by_label("Find a node").press("Enter")
    page.locator("#node").get_by_role("heading", name="workspace:memory/people/tobias.md").wait_for()


def test_kinds_and_strength_hide_links(look, example):
    page = look(example).open("graph")
    shown = f"{GRAPH}.edges(':visible').length"
    everything = page.evaluate(shown)
    page.get_by_label("name the same person or thing").uncheck()
    page.wait_for_function(f"(before) => {shown} < before", arg=everything)
    some = page.evaluate(shown)
    assert some > 0
    page.get_by_label("At least this strong").fill("0.9")
    page.wait_for_function(f"(before) => {shown} < before", arg=some)
    assert "0.90" in page.locator("#least-shown").inner_text()


def test_it_is_drawn_in_the_colours_of_the_scheme_and_follows_a_change(look, example):
    page = look(example, color_scheme="light").open("graph")
    colour = f"{GRAPH}.nodes()[0].style('color')"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(before) => {colour} !== before", arg=light)


def test_the_table_says_the_same_without_scripts(look, example):
    page = look(example, java_script_enabled=False).page
    page.goto(f"{example.url}/inspector/graph")
    table = page.get_by_role("region", name="Nodes", exact=True)
    assert table.get_by_role("row").count() > 10
    table.get_by_role("link", name="Links of wiki:Maud.md").click()
    page.get_by_role("heading", level=1, name="Links of a node").wait_for()
    assert "wiki:Farid.md" in page.get_by_role("main").inner_text()


def test_the_list_of_nodes_has_further_pages(look, example):
    page = look(example).open("graph")
    first = page.get_by_role("region", name="Nodes", exact=True).inner_text()
    page.get_by_role("link", name="After").click()
    page.wait_for_url("**page=2**")
    assert page.get_by_role("region", name="Nodes", exact=True).inner_text() != first


def test_a_graph_is_built_from_the_page(look, unbuilt):
    page = look(unbuilt).open("graph")
    assert "No graph of what is seen here is built yet" in page.get_by_role("main").inner_text()
    page.get_by_role("button", name="Build the graph").click()
    page.locator("#graph[data-ready=true]").wait_for()
    assert page.evaluate(f"{GRAPH}.nodes().length") > 5
