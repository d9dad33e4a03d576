"""``tercet eval``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.given import constants, known_preset
from tercet.interfaces.cli.options import print_json, progress_bar, say, shared_options

if TYPE_CHECKING:
    from tercet.evaluation.summary import Evaluation


@click.command("eval")
@click.argument("questions", metavar="[QUERIES.jsonl]", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--corpus",
    type=click.Path(exists=True, path_type=Path),
    help="Passages to search instead of the home: a JSON-lines file, or a folder of sets that hold corpus.jsonl "
    "and queries.jsonl.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Markdown to index into a temporary home and search instead of the home's folders.",
)
@click.option("--by-conversation", is_flag=True, help="Search each 'conv' of the corpus apart.")
@click.option("--preset", metavar="NAME", callback=known_preset, help="Ranking preset (default: the settings').")
@click.option("--mode", type=click.Choice(["hybrid", "vector", "keyword"]), help="Which legs search.")
@click.option(
    "--set",
    "weights",
    metavar="NAME=VALUE",
    multiple=True,
    callback=constants,
    help="Override one constant of the preset.",
)
@click.option(
    "--baseline",
    type=click.Choice(["vector", "keyword", "bm25", "fusion", "classic", "hybrid", "tuned"]),
    help="Compare with this system, question by question.",
)
@click.option("--k", "k", type=click.IntRange(1, 100), default=10, show_default=True, help="How many hits count.")
@click.option("--tune", is_flag=True, help="Fit the main weights to the questions, if that holds on others.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of vectors that evaluations share, so that the next one is quick.",
)
@shared_options
def command(
    questions: Path | None,
    *,
    corpus: Path | None,
    folder: Path | None,
    by_conversation: bool,
    preset: str | None,
    mode: str | None,
    weights: dict[str, float],
    baseline: str | None,
    k: int,
    tune: bool,
    cache: Path | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Measure how well questions are answered, by the home's folders or by a corpus given here."""
    from typing import cast

    from tercet.app import run_evaluation
    from tercet.config import load_settings
    from tercet.evaluation.evaluate import Request
    from tercet.model import Mode, SearchOptions

    del debug
    if corpus is not None and folder is not None:
        msg = "--corpus and --folder are two ways to evaluate: give one of them."
        raise click.UsageError(msg)
    if corpus is None and questions is None:
        msg = "There are no questions: give a file of one JSON object a line."
        raise click.UsageError(msg)
    if by_conversation and corpus is None:
        msg = "Only a corpus is parted by conversation: give --corpus with --by-conversation, or leave both out."
        raise click.UsageError(msg)
    given = {"home": home, "agent": agent}
    loaded = load_settings({name: value for name, value in given.items() if value is not None})
    request = Request(questions, corpus, folder, baseline, k, tune, by_conversation)
    options = SearchOptions(preset=preset, mode=cast("Mode | None", mode), weights=weights)
    with progress_bar("evaluating", "", quiet=as_json) as bar:

        def show(_what: str, done: int, total: int) -> None:
            if bar is not None:
                bar(done, total)

        evaluation = run_evaluation(loaded, request, options=options, cache=cache, progress=show)
    for reason in evaluation.degraded:
        say(f"degraded: {reason}")
    _print(evaluation, as_json=as_json)


def _print(evaluation: Evaluation, *, as_json: bool) -> None:
    from tercet.evaluation.report import report_json
    from tercet.evaluation.table import report_lines

    if as_json:
        print_json(report_json(evaluation))
        return
    for line in report_lines(evaluation):
        click.echo(line)
