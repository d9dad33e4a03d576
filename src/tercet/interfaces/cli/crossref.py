"""``tercet crossref``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.given import not_blank
from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.insight_wire import graph_json, neighbours_json, report_json, statistics_json

if TYPE_CHECKING:
    from tercet.insight.graph import Evidence, GraphStatistics

ORPHANS_SHOWN = 10

_as_session = click.option("--session", metavar="KEY", help="Whose graph, e.g. telegram:123 (default: the owner's).")


@click.group("crossref")
def command() -> None:
    """Link files and entries that belong together: alike, linked, of one name or day, or superseded."""


@command.command("build")
@click.option(
    "--threshold",
    metavar="X",
    type=click.FloatRange(0, 1, min_open=True),
    help="Cosine from which two are alike (default: the settings', else .75, calibrated).",
)
@click.option("--full", is_flag=True, help="Compare everything again, not only what changed.")
@_as_session
@shared_options
def build(
    *,
    threshold: float | None,
    full: bool,
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Build the graph, or bring it up to date with what changed."""
    del debug
    with open_served_memory(home, agent) as memory:
        report = memory.graph.build(threshold=threshold, full=full, session_key=session)
    if as_json:
        print_json(report_json(report))
        return
    if report.degraded:
        say(f"degraded: {report.degraded}")
    say(f"{_counts(report.statistics)}; {report.asked} compared, alike from {report.threshold:.2f}")


@command.command("show")
@click.argument("path", callback=not_blank)
@_as_session
@shared_options
def show(path: str, *, session: str | None, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """List what the file PATH (or an entry's id) is linked to and why, the strongest first."""
    del debug
    with open_served_memory(home, agent) as memory:
        node, neighbours = memory.graph.show(path, session_key=session)
    if as_json:
        print_json(neighbours_json(node, neighbours))
        return
    if not neighbours:
        say(f"{printed_line(node)} is linked to nothing.")
    for each in neighbours:
        reasons = ", ".join(_reason(evidence) for evidence in each.evidence)
        click.echo(printed_line(f"{each.weight:.3f}  {each.ref}  ({reasons})"))


@command.command("graph")
@click.option(
    "--format", "form", type=click.Choice(["json", "graphml"]), help="Print nodes and edges in this form, not figures."
)
@_as_session
@shared_options
def graph(
    *, form: str | None, session: str | None, home: str | None, agent: str | None, as_json: bool, debug: bool
) -> None:
    """Show the figures of the graph: nodes, edges, groups, hubs and orphans; or export it."""
    del debug
    from tercet.insight.graph import as_graphml

    with open_served_memory(home, agent) as memory:
        found = memory.graph.graph(session_key=session)
    if form == "graphml":
        click.echo(as_graphml(found), nl=False)
    elif form == "json":
        print_json(graph_json(found))
    elif as_json:
        print_json(statistics_json(found.statistics()))
    else:
        _print_statistics(found.statistics())


def _print_statistics(figures: GraphStatistics) -> None:
    click.echo(_counts(figures))
    for kind, count in figures.by_kind.items():
        click.echo(f"  {count:5} {kind}")
    click.echo("Most linked:")
    for ref, count in figures.hubs:
        click.echo(printed_line(f"  {count:5} {ref}"))
    click.echo(f"Linked to nothing: {len(figures.orphans)}")
    for ref in figures.orphans[:ORPHANS_SHOWN]:
        click.echo(printed_line(f"        {ref}"))


def _counts(figures: GraphStatistics) -> str:
    return f"{figures.nodes} nodes, {figures.edges} edges, {figures.components} groups"


def _reason(evidence: Evidence) -> str:
    words = evidence.kind.replace("_", " ")
    if evidence.kind == "similar":
        return f"{words} {evidence.weight:.2f}, lines {evidence.one_line} and {evidence.two_line}"
    return f"{words} {evidence.detail}" if evidence.detail else words
