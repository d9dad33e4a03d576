"""``tercet why``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tercet.interfaces.cli.given import LIMIT, known_preset, not_blank
from tercet.interfaces.cli.options import open_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.cli.times import parse_moment

if TYPE_CHECKING:
    from tercet.layers.semantic.standing import Standing


@click.command("why")
@click.argument("ref", callback=not_blank)
@click.argument("query", callback=not_blank)
@click.option("-n", "--limit", type=LIMIT, help="How many hits the search would return.")
@click.option("--now", metavar="ISO", help="The time that relative dates are counted from.")
@click.option("--preset", metavar="NAME", callback=known_preset, help="Ranking preset.")
@shared_options
def command(
    ref: str,
    query: str,
    *,
    limit: int | None,
    now: str | None,
    preset: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Say where the passage at REF stands for QUERY in each step, or which rule left it out."""
    del debug
    with open_memory(home, agent) as memory:
        options = replace(memory.default_options, now=parse_moment(now, "--now"), preset=preset)
        found, degraded = memory.why(ref, query, replace(options, limit=limit) if limit is not None else options)
    if as_json:
        print_json({"passages": [_json(each) for each in found], "degraded": degraded})
        return
    if degraded:
        say(f"degraded: {degraded}")
    for each in found:
        _print(each)


def _json(standing: Standing) -> dict[str, Any]:
    passage = standing.passage
    return {
        "id": passage.id,
        "path": passage.path or None,
        "startLine": passage.start_line or None,
        "endLine": passage.end_line or None,
        "vector": {"rank": standing.vector_rank, "of": standing.vector_of},
        "keyword": {"rank": standing.keyword_rank, "of": standing.keyword_of},
        "fused": {"rank": standing.fused_rank, "of": standing.fused_of},
        "rank": standing.rank,
        "score": standing.score,
        "rule": standing.rule or None,
    }


def _print(standing: Standing) -> None:
    passage = standing.passage
    where = f"{passage.root}:{passage.path}#L{passage.start_line}-L{passage.end_line}" if passage.path else passage.id
    click.echo(printed_line(f"{where}  {passage.header}"))
    click.echo(f"  by meaning    {_place(standing.vector_rank, standing.vector_of)}")
    click.echo(f"  by words      {_place(standing.keyword_rank, standing.keyword_of)}")
    click.echo(f"  fused         {_place(standing.fused_rank, standing.fused_of)}")
    outcome = f"hit number {standing.rank}, score {standing.score:.3f}" if standing.rank else f"no hit: {standing.rule}"
    click.echo(f"  outcome       {outcome}")


def _place(rank: int | None, count: int) -> str:
    return f"{rank} of {count}" if rank is not None else f"not among the {count} found"
