"""``tercet crossref``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tercet.interfaces.cli.given import not_blank
from tercet.interfaces.cli.options import open_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line

if TYPE_CHECKING:
    from tercet.insight.graph import Evidence, GraphStatistics, Neighbour

ORPHANS_SHOWN = 10

_as_session = click.option("--session", metavar="KEY", help="Whose graph, e.g. telegram:123 (default: the owner's).")


@click.group("crossref")
def command() -> None:
    """Link files and entries that belong together: alike, linked, of one name or day, or superseded."""


@command.command("build")
@click.option(
    "--threshold", metavar="X", type=float, help="Cosine from which two are alike (default: .75, calibrated)."
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
    with open_memory(home, agent) as memory:
        report = memory.graph.build(threshold=threshold, full=full, session_key=session)
    if as_json:
        figures = _statistics_json(report.statistics)
        print_json({**figures, "asked": report.asked, "threshold": report.threshold, "degraded": report.degraded})
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
    with open_memory(home, agent) as memory:
        node, neighbours = memory.graph.show(path, session_key=session)
    if as_json:
        print_json({"ref": node, "neighbours": [_neighbour_json(each) for each in neighbours]})
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
    from tercet.insight.graph import as_json as graph_json

    with open_memory(home, agent) as memory:
        found = memory.graph.graph(session_key=session)
    if form == "graphml":
        click.echo(as_graphml(found), nl=False)
    elif form == "json":
        print_json(graph_json(found))
    elif as_json:
        print_json(_statistics_json(found.statistics()))
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


def _statistics_json(figures: GraphStatistics) -> dict[str, Any]:
    return {
        "nodes": figures.nodes,
        "edges": figures.edges,
        "byKind": dict(figures.by_kind),
        "components": figures.components,
        "hubs": [{"ref": ref, "edges": count} for ref, count in figures.hubs],
        "orphans": list(figures.orphans),
    }


def _neighbour_json(neighbour: Neighbour) -> dict[str, Any]:
    return {
        "ref": neighbour.ref,
        "weight": neighbour.weight,
        "evidence": [asdict(evidence) for evidence in neighbour.evidence],
    }


def _reason(evidence: Evidence) -> str:
    words = evidence.kind.replace("_", " ")
    if evidence.kind == "similar":
        return f"{words} {evidence.weight:.2f}, lines {evidence.one_line} and {evidence.two_line}"
    return f"{words} {evidence.detail}" if evidence.detail else words
