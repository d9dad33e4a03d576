"""Forgetting and bringing back: what would go or return is shown first, and happens when it is confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.browsing import TimelineItem
from tercet.errors import InvalidInputError, NotFoundError
from tercet.interfaces.inspector.timeline_fields import ForgetFields, UndoFields
from tercet.model import Entry, Scope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.responses import Response

    from tercet.interfaces.inspector.visits import Visit

MOST_RETURNING = 500
"""Forgotten entries of which more than the id is shown."""
UNDO = "undo"


async def _ask(visit: Visit) -> Response:
    """Show what would go: of some ids, or what is found about something, to choose from."""
    given = visit.given(ForgetFields)
    if given.id:
        return await _preview(visit, given.id)
    candidates: Sequence[Entry] = ()
    if given.q is not None:
        candidates = (await visit.memory.forget(query=given.q, session_key=visit.session_key)).candidates
    return visit.page("forget_query.html", here="timeline", given=given, candidates=candidates)


async def _preview(visit: Visit, ids: Sequence[str]) -> Response:
    preview = await visit.memory.browse.forget_preview(ids, session_key=visit.session_key)
    return visit.page(
        "forget_preview.html",
        here="timeline",
        ids=tuple(dict.fromkeys(ids)),
        preview=preview,
        can_undo=visit.grant.session_key is None,
    )


async def _forget(visit: Visit) -> Response:
    given = visit.given(ForgetFields)
    if not given.id:
        msg = "Nothing was chosen: mark what to forget, and send it again."
        raise InvalidInputError(msg)
    try:
        report = await visit.memory.forget(given.id, session_key=visit.session_key)
    except NotFoundError:  # e.g. the form was sent twice; nothing was removed
        return visit.moved("timeline", done="gone")
    return visit.moved("timeline", done="forgotten", count=len(report.removed) + report.waiting_removed)


async def _ask_back(visit: Visit) -> Response:
    """Show what would return: some entries, or all that the last forget took."""
    visit.grant.refuse_if_bound(UNDO)
    given = visit.given(UndoFields)
    last = await visit.memory.browse.undo_preview(session_key=visit.session_key)
    forgotten = await _forgotten(visit)
    wanted = given.id or last.ids
    # Whose memory is not looked at here may still be part of the last forget: its id alone is shown.
    unseen = {
        each: TimelineItem(Entry(each, Scope(visit.whose.agent, ""), ""), (), "", last.until) for each in last.ids
    }
    known = {**unseen, **forgotten}
    return visit.page(
        "forget_undo.html",
        here="timeline",
        items=[known[each] for each in dict.fromkeys(wanted) if each in known],
        seen=frozenset(forgotten),
    )


async def _bring_back(visit: Visit) -> Response:
    visit.grant.refuse_if_bound(UNDO)
    given = visit.given(UndoFields)
    if not given.id:
        msg = "Nothing was chosen: mark what to bring back, and send it again."
        raise InvalidInputError(msg)
    try:
        back = await visit.memory.undo(given.id)
    except NotFoundError:  # e.g. the form was sent twice
        return visit.moved("timeline", done="nothing")
    return visit.moved("timeline", done="restored", count=len(back))


async def _forgotten(visit: Visit) -> dict[str, TimelineItem]:
    page = await visit.memory.browse.timeline(
        session_key=visit.session_key, states=("forgotten",), limit=MOST_RETURNING
    )
    return {item.entry.id: item for item in page.items}


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "forget", _ask),
    ("POST", "forget", _forget),
    ("GET", "undo", _ask_back),
    ("POST", "undo", _bring_back),
)
