"""``tercet search``."""

from __future__ import annotations

from typing import Any, cast

import click

from tercet.interfaces.cli.given import LIMIT, constants, known_preset, not_blank, share
from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.cli.times import parse_moment
from tercet.interfaces.wire import result_json
from tercet.layers.semantic.snippets import best_lines
from tercet.model import Hit, LayerName, Mode, SearchOptions

SHOWN_LINES = 6


@click.command("search")
@click.argument("query", callback=not_blank)
@click.option("-n", "--limit", type=LIMIT, help="How many hits (default: the settings' 10).")
@click.option(
    "--layer", "layers", multiple=True, type=click.Choice(["semantic", "wiki", "active"]), help="Only this layer."
)
@click.option("--now", metavar="ISO", help="The time that relative dates are counted from.")
@click.option("--min-score", type=float, callback=share, help="Leave out hits that score less (0 to 1).")
@click.option("--mode", type=click.Choice(["hybrid", "vector", "keyword"]), help="Which legs search.")
@click.option("--preset", metavar="NAME", callback=known_preset, help="Ranking preset: tuned, hybrid or classic.")
@click.option("--category", "categories", multiple=True, help="Only entries of this category.")
@click.option(
    "--set",
    "weights",
    metavar="NAME=VALUE",
    multiple=True,
    callback=constants,
    help="Override one constant of the preset.",
)
@click.option("--session", metavar="KEY", help="Who asks, e.g. telegram:123 (default: the agent's owner).")
@click.option(
    "--related",
    metavar="N",
    type=click.IntRange(0, 20),
    default=0,
    help="Tell up to N items that each hit is linked to, as 'crossref build' last saw it.",
)
@click.option("--explain", is_flag=True, help="Show every signal, weight and rule of each score.")
@shared_options
def command(
    query: str,
    *,
    limit: int | None,
    layers: tuple[str, ...],
    now: str | None,
    min_score: float | None,
    mode: str | None,
    preset: str | None,
    categories: tuple[str, ...],
    weights: dict[str, float],
    session: str | None,
    related: int,
    explain: bool,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Find passages by meaning and by words, best first."""
    del debug
    with open_served_memory(home, agent) as memory:
        options = SearchOptions(
            limit=memory.default_options.limit if limit is None else limit,
            min_score=min_score,
            mode=cast("Mode | None", mode),
            preset=preset,
            weights=weights,
            layers=cast("tuple[LayerName, ...]", layers) or None,
            categories=categories,
            now=parse_moment(now, "--now"),
            explain=explain,
            related=related,
        )
        result = memory.search(query, options, session_key=session)
    if as_json:
        print_json(result_json(result))
        return
    if result.degraded:
        say(f"degraded: {result.degraded}")
    if not result:
        say("Nothing found.")
    for rank, hit in enumerate(result, start=1):
        _print_hit(rank, hit, query)


def _print_hit(rank: int, hit: Hit, query: str) -> None:
    passage = hit.passage
    where = f"{passage.root}:{passage.path}#L{passage.start_line}-L{passage.end_line}" if passage.path else passage.id
    title = f"  {passage.header}" if passage.header else ""
    click.echo(f"{rank:2}. {hit.score:.3f}  {printed_line(where + title)}")
    # The JSON form has the whole snippet; a terminal gets the lines that answer.
    for line in best_lines(hit.snippet, query, SHOWN_LINES):
        click.echo(f"      {printed_line(line)}")
    for other in hit.related:
        kinds = ", ".join(kind.replace("_", " ") for kind in other.kinds)
        click.echo(f"      ~ {printed_line(f'{other.ref} ({kinds})')}")
    if hit.explanation is not None:
        _print_explanation(hit)
    click.echo()


def _print_explanation(hit: Hit) -> None:
    explanation: Any = hit.explanation
    for part in explanation.parts:
        click.echo(f"      | {part.name:<12} {part.value:6.3f} x {part.weight:6.3f} = {part.contribution:+.4f}")
    for name, factor in explanation.multipliers:
        click.echo(f"      | x {name:<10} {factor:.4f}")
    click.echo(f"      | found by {' and '.join(explanation.legs) or 'no leg'}; preset {explanation.preset}")
    for note in explanation.notes:
        click.echo(f"      | {note}")
