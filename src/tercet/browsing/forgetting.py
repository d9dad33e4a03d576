"""What waits, and what a forget would take of entries, messages and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from tercet.browsing.values import ForgetPreview, NoteLines, WaitingItem
from tercet.errors import NotFoundError
from tercet.ranking.federation import NOTES_ROOT
from tercet.text.envelopes import sanitise_user_text
from tercet.text.lines import split_lines
from tercet.text.notes.edit import without_facts
from tercet.text.redaction import redact
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from tercet.model import Entry, InboxItem, Reach, Scope
    from tercet.ports import Ledger, Unworked

    NotesWith: TypeAlias = Callable[[Collection[str], str], Awaitable[Mapping[str, str]]]
    """From words and an anchor to the texts of its notes that hold any of them, by path in the vault."""

MOST_UNWORKED: Final = 1_000_000
"""Messages among which those that a forget takes are sought: all of them."""


async def preview_of(ids: Sequence[str], reach: Reach, ledger: Ledger, notes_with: NotesWith) -> ForgetPreview:
    """Return what a forget of these ids would take.

    Raises:
        NotFoundError: an id is no entry in reach and no message that waits or was given up (permanent).
    """
    wanted = dict.fromkeys(ids)
    entries = await ledger.journal.get(list(wanted), reach)
    unworked = await ledger.inbox.unworked(reach, MOST_UNWORKED)
    told = {(entry.scope, text_digest(entry.text)) for entry in entries}
    named = {each.item.id for each in unworked if each.item.id in wanted}
    for missing in wanted.keys() - named - {entry.id for entry in entries}:
        msg = f"There is no entry {missing!r} here: take a whole id from the timeline or from a search."
        raise NotFoundError(msg)
    going = [waiting_item(each) for each in unworked if each.item.id in named or _says(each.item) in told]
    return ForgetPreview(tuple(entries), tuple(going), tuple(await _note_lines(entries, notes_with)))


def waiting_item(unworked: Unworked) -> WaitingItem:
    """Return a message as a person is shown it."""
    item = unworked.item
    return WaitingItem(
        id=item.id,
        anchor=item.scope.anchor,
        session=item.session,
        text=redact(sanitise_user_text(item.text).text).text,
        said_at=item.said_at,
        received_at=item.received_at,
        attempts=item.attempts,
        is_dead=unworked.is_dead,
        reason=unworked.reason,
        next_try=unworked.not_before,
    )


async def _note_lines(entries: Sequence[Entry], notes_with: NotesWith) -> list[NoteLines]:
    facts: dict[str, set[str]] = {}
    for entry in entries:
        facts.setdefault(entry.scope.anchor, set()).add(_in_one_line(entry.text))
    found: list[NoteLines] = []
    for anchor, told in facts.items():
        texts = await notes_with(told, anchor)
        found += [_lines_about(f"{NOTES_ROOT}:{path}", text, told) for path, text in texts.items()]
    return found


def _says(item: InboxItem) -> tuple[Scope, str]:
    return item.scope, text_digest(item.text)


def _lines_about(ref: str, text: str, facts: Collection[str]) -> NoteLines:
    """Return the lines of a note that hold a fact, as a forget takes them out or leaves them."""
    held = _holding(text, facts)
    left = _holding(without_facts(text, facts), facts)
    gone = list(held)
    for line in left:
        gone.remove(line)
    return NoteLines(ref, tuple(gone), tuple(left))


def _holding(text: str, facts: Collection[str]) -> list[str]:
    lines = [_in_one_line(line) for line in split_lines(text)]
    return [line for line in lines if any(fact in line for fact in facts)]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
