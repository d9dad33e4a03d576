"""Search: what is found and why, why something else stands lower, and what an agent would be given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, get_args

from tercet.errors import InvalidInputError
from tercet.interfaces.inspector.people import people_of
from tercet.interfaces.inspector.score_bars import ScoreBar, score_bar
from tercet.interfaces.inspector.search_fields import MOST_SHOWN, RecallFields, SearchFields, WhyFields
from tercet.interfaces.inspector.shown_hits import place_of, shown, signals_of, weights_in_force
from tercet.interfaces.inspector.signal_words import LAYER_WORDS, SIGNAL_WORDS, SKIP_WORDS
from tercet.model import Category, LayerName, Mode
from tercet.ranking.presets import PRESETS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.responses import Response

    from tercet.interfaces.inspector.shown_hits import Place, ShownHit
    from tercet.interfaces.inspector.visits import Visit
    from tercet.layers.semantic.standing import Standing
    from tercet.model import Hit, SearchOptions

MOST_STANDINGS: Final = 12
"""Passages of one file that are compared at once."""
MOST_RANKED: Final = 1000
"""How far down a search is looked for a passage's signals."""
_CHOICES: Final[Mapping[str, Any]] = {
    "layers": get_args(LayerName),
    "categories": get_args(Category),
    "modes": get_args(Mode),
    "presets": tuple(PRESETS),
    "layer_words": LAYER_WORDS,
    "signal_words": SIGNAL_WORDS,
}
"""Of the form, and what they are called; any: values of a template."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A passage beside the hit that stands above it."""

    place: Place
    standing: Standing
    bar: ScoreBar | None
    """None where it is no candidate, so that it has no signals."""
    above: ShownHit | None
    """None for the first hit."""

    @property
    def signals(self) -> list[tuple[str, float, float]]:
        """(name, what it adds here, what it adds to the one above), for every signal of either."""
        own = _contributions(self.bar)
        other = _contributions(self.above.bar if self.above else None)
        return [(name, own.get(name, 0.0), other.get(name, 0.0)) for name in dict.fromkeys((*other, *own))]


async def _search(visit: Visit) -> Response:
    given = visit.given(SearchFields)
    hits: list[Hit] = []
    degraded, took_ms = None, 0.0
    if given.q:
        found = await visit.memory.search(given.q, _options(visit, given), session_key=visit.session_key)
        hits, degraded, took_ms = list(found), found.degraded, found.took_ms
    tables = weights_in_force(hits)
    return visit.page(
        "search.html",
        here="search",
        given=given,
        hits=[shown(hit, given.q) for hit in hits],
        degraded=degraded,
        took_ms=took_ms,
        tables=tables,
        signals=signals_of(tables),
        people=await people_of(visit),
        most_shown=MOST_SHOWN,
        usual_limit=visit.memory.default_options.limit,
        **_CHOICES,
    )


async def _why(visit: Visit) -> Response:
    given = visit.given(WhyFields)
    compared: list[Comparison] = []
    degraded, count = None, 0
    if given.q and given.ref:
        compared, count, degraded = await _compared(visit, given)
    return visit.page(
        "why.html",
        here="search",
        given=given,
        compared=compared,
        more=count - len(compared),
        degraded=degraded,
    )


async def _recall(visit: Visit) -> Response:
    given = visit.given(RecallFields)
    section = None
    if given.message:
        section = await visit.memory.recall(given.message, visit.session_key, budget_tokens=given.budget)
    reason = section.skipped_reason if section else None
    return visit.page(
        "recall.html",
        here="search",
        given=given,
        section=section,
        reason=SKIP_WORDS.get(reason, reason) if reason else "",
        hits=[shown(hit, given.message) for hit in section.hits] if section else [],
        layer_words=LAYER_WORDS,
    )


async def _compared(visit: Visit, given: WhyFields) -> tuple[list[Comparison], int, str | None]:
    """Return the passages of a ref beside what stands above them, how many there are, and what was degraded."""
    # Only files and entries are ranked in several steps; the hits they stand among are those of that layer.
    options = replace(_options(visit, given), layers=("semantic",))
    standings, degraded = await visit.memory.why(given.ref, given.q, options, session_key=visit.session_key)
    closest = sorted(standings, key=_closeness)[:MOST_STANDINGS]
    hits = await visit.memory.search(given.q, options, session_key=visit.session_key)
    found = list(hits)
    if any(each.rank is None and each.fused_rank for each in closest):
        found += await visit.memory.search(given.q, _deep(options, closest), session_key=visit.session_key)
    own = {hit.passage.id: hit for hit in reversed(found)}
    notes = dict.fromkeys(note for note in (degraded, hits.degraded) if note)
    compared = [_comparison(each, hits, own.get(each.passage.id), given.q) for each in closest]
    return compared, len(standings), " ".join(notes) or None


def _deep(options: SearchOptions, standings: Sequence[Standing]) -> SearchOptions:
    """Return options that also show the signals of candidates that are left out."""
    deepest = max(each.fused_rank or 0 for each in standings)
    return replace(options, limit=min(MOST_RANKED, max(options.limit, deepest)), min_score=0.0)


def _closeness(standing: Standing) -> tuple[bool, int, bool, int, int]:
    """Order standings: hits by rank, then other candidates by their place, then the rest by line."""
    rank, fused = standing.rank, standing.fused_rank
    return rank is None, rank or 0, fused is None, fused or 0, standing.passage.start_line


def _comparison(standing: Standing, hits: Sequence[Hit], own: Hit | None, query: str) -> Comparison:
    above = _above(standing, hits)
    return Comparison(
        place=place_of(standing.passage),
        standing=standing,
        bar=score_bar(own) if own else None,
        above=shown(above, query) if above else None,
    )


def _above(standing: Standing, hits: Sequence[Hit]) -> Hit | None:
    """Return the hit right above a passage; above one that is no hit stand all that score as much or more."""
    places = {hit.passage.id: place for place, hit in enumerate(hits)}
    place = places.get(standing.passage.id)
    if place is None:
        place = sum(hit.score >= standing.score for hit in hits)
    return hits[place - 1] if place else None


def _contributions(bar: ScoreBar | None) -> dict[str, float]:
    return {share.name: share.contribution for share in bar.shares} if bar else {}


def _options(visit: Visit, given: SearchFields) -> SearchOptions:
    if given.preset is not None and given.preset not in PRESETS:
        msg = f"No preset is called {given.preset!r}: take one of {', '.join(PRESETS)}."
        raise InvalidInputError(msg)
    return given.options(visit.memory.default_options.limit)


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "search", _search),
    ("GET", "why", _why),
    ("GET", "recall", _recall),
)
