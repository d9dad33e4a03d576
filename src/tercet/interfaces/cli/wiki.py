"""``tercet wiki``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.given import LIMIT, not_blank, share
from tercet.interfaces.cli.options import open_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.cli.wiki_edit import edited_text, keeping
from tercet.interfaces.wiki_wire import finding_json, links_json, note_json, written_json
from tercet.interfaces.wire import result_json
from tercet.model import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.layers.wiki.linking import LinkEnd
    from tercet.model import Hit

SHOWN_LINES = 6

_as_session = click.option("--session", metavar="KEY", help="Who asks, e.g. telegram:123 (default: the agent's owner).")


@click.group("wiki")
def command() -> None:
    """Keep notes on people and topics: one Markdown file each, in a vault that Obsidian opens too."""


@command.command("new")
@click.argument("title", callback=not_blank)
@click.option("--body", metavar="TEXT", default="", help="Markdown below the title; - reads standard input.")
@click.option("--type", "kind", metavar="TYPE", default="", help="entity, concept, synthesis, source, report, ...")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag, without #.")
@click.option("--alias", "aliases", metavar="NAME", multiple=True, help="Another name of it.")
@click.option("--source", "sources", metavar="TEXT", multiple=True, help="What it rests on.")
@_as_session
@shared_options
def new(
    title: str,
    *,
    body: str,
    kind: str,
    tags: tuple[str, ...],
    aliases: tuple[str, ...],
    sources: tuple[str, ...],
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Write a new note TITLE; another note of that title keeps its own file."""
    del debug
    text = sys.stdin.read() if body == "-" else body
    with open_memory(home, agent) as memory:
        made = memory.wiki.new(
            title, body=text, type=kind, tags=tags, aliases=aliases, sources=sources, session_key=session
        )
    if as_json:
        print_json(written_json(made))
    else:
        click.echo(printed_line(made.note.path))


@command.command("show")
@click.argument("ref", callback=not_blank)
@_as_session
@shared_options
def show(ref: str, *, session: str | None, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Print the note REF: a title, an alias, a path or an id."""
    del debug
    with open_memory(home, agent) as memory:
        found = memory.wiki.show(ref, session_key=session)
    if as_json:
        print_json(note_json(found))
    else:
        click.echo(found.text, nl=not found.text.endswith("\n"))


@command.command("edit")
@click.argument("ref", callback=not_blank)
@click.option("--from", "source", metavar="FILE", help="Take the new text from FILE (-: standard input); no editor.")
@_as_session
@shared_options
def edit(
    ref: str,
    *,
    source: str | None,
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Open the note REF in $VISUAL or $EDITOR, check what is saved, and write it in one step.

    What cannot be written (a fault in the front matter, somebody else's change meanwhile) is kept in
    a file that is named.
    """
    del debug
    with open_memory(home, agent) as memory:
        before = memory.wiki.text_of(ref, session_key=session)
    edited = edited_text(before, source)
    after = before
    if edited.text != before.text:
        # Opened anew: an editor may stay open for hours.
        with keeping(edited), open_memory(home, agent) as memory:
            after = memory.wiki.replace(f"wiki:{before.note.path}", edited.text, before.sha256, session_key=session)
    edited.discard()
    is_changed = after.sha256 != before.sha256
    if as_json:
        print_json({**written_json(after), "changed": is_changed})
    else:
        say(f"{'Written' if is_changed else 'Nothing changed'}: {printed_line(after.note.path)}")


@command.command("search")
@click.argument("query", callback=not_blank)
@click.option("-n", "--limit", type=LIMIT, default=10, show_default=True, help="How many notes.")
@click.option("--type", "types", metavar="TYPE", multiple=True, help="Only notes of this type.")
@click.option("--min-score", type=float, callback=share, help="Leave out notes that score less (0 to 1).")
@click.option("--explain", is_flag=True, help="Show every signal, weight and rule of each score.")
@_as_session
@shared_options
def search(
    query: str,
    *,
    limit: int,
    types: tuple[str, ...],
    min_score: float | None,
    explain: bool,
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Find notes by words, best first."""
    del debug
    options = SearchOptions(limit=limit, min_score=min_score, categories=types, explain=explain)
    with open_memory(home, agent) as memory:
        result = memory.wiki.search(query, options, session_key=session)
    if as_json:
        print_json(result_json(result))
        return
    if result.degraded:
        say(f"degraded: {result.degraded}")
    if not result:
        say("Nothing found.")
    for rank, hit in enumerate(result, start=1):
        _print_hit(rank, hit)


@command.command("lint")
@_as_session
@shared_options
def lint(*, session: str | None, home: str | None, agent: str | None, as_json: bool, debug: bool) -> int:
    """Name what is wrong in the vault, with file and line; exit code 1 when anything is."""
    del debug
    with open_memory(home, agent) as memory:
        findings = memory.wiki.lint(session_key=session)
    if as_json:
        print_json({"findings": [finding_json(finding) for finding in findings]})
        return int(bool(findings))
    for finding in findings:
        click.echo(printed_line(f"{finding.path}:{finding.line}: {finding.code}: {finding.message}"))
    if not findings:
        say("Nothing to mend.")
    return int(bool(findings))


@command.command("links")
@click.argument("ref", callback=not_blank)
@_as_session
@shared_options
def links(ref: str, *, session: str | None, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """List where the links of the note REF lead, and what leads to it."""
    del debug
    with open_memory(home, agent) as memory:
        found = memory.wiki.links(ref, session_key=session)
    if as_json:
        print_json(links_json(found))
        return
    if not (found.out or found.back or found.dead):
        say("No links.")
    _print_ends("links to", found.out, lambda end: f"{end.to_path} (line {end.link.line})")
    _print_ends("linked from", found.back, lambda end: f"{end.from_path}:{end.link.line}")
    _print_ends("dead", found.dead, lambda end: f"{end.link.target} (line {end.link.line})")


def _print_hit(rank: int, hit: Hit) -> None:
    passage = hit.passage
    where = f"{passage.root}:{passage.path}#L{passage.start_line}-L{passage.end_line}"
    click.echo(f"{rank:2}. {hit.score:.3f}  {printed_line(f'{where}  {passage.header}')}")
    for line in hit.snippet.split("\n")[:SHOWN_LINES]:
        click.echo(f"      {printed_line(line)}")
    if hit.explanation is not None:
        for part in hit.explanation.parts:
            click.echo(f"      | {part.name:<12} {part.value:6.3f} x {part.weight:6.3f} = {part.contribution:+.4f}")
        for name, factor in hit.explanation.multipliers:
            click.echo(f"      | x {name:<10} {factor:.4f}")
        for note in hit.explanation.notes:
            click.echo(f"      | {printed_line(note)}")
    click.echo()


def _print_ends(what: str, ends: Sequence[LinkEnd], shown: Callable[[LinkEnd], str]) -> None:
    for end in ends:
        click.echo(printed_line(f"{what:<12} {shown(end)}"))
