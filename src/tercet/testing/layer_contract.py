# ruff: noqa: D102 - the names of the tests say what they ask
"""What every layer must do; subclass it and give a ``make_layer`` fixture.

::

    class TestMyLayer(LayerContract):
        @pytest.fixture
        def make_layer(self, tmp_path):
            async def make(notes):
                for note in notes: ...  # store note.text for note.scope, your way
                return MyLayer(tmp_path, agent=AGENT)

            return make

The layer belongs to the agent ``AGENT``. pytest-asyncio must be installed.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import pytest_asyncio

from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import BackendStatus, Probe, Reach, Scope, SearchOptions, SearchResult
from tercet.testing.samples import HOSTILE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from tercet.model import Hit
    from tercet.ports import MemorySearchManager

AGENT = "ada"
FRIEND = "telegram:1"
STRANGER = "discord:u_2"


@dataclass(frozen=True, slots=True)
class SampleNote:
    """One text that the layer is to hold."""

    name: str
    """``[a-z]`` only: a file name, a title or a key, as suits the layer."""
    text: str
    scope: Scope


SHARED_NOTES = (
    SampleNote(
        "harbour", "The harbour\n\nThe boat Albatros lies at berth 47.\nIts engine was serviced.\n", Scope(AGENT)
    ),
    SampleNote("garden", "The garden\n\nTomatoes want warmth. Water them in the evening.\n", Scope(AGENT)),
    SampleNote(
        "workshop", "The workshop\n\nThe engine of the mower wants oil.\nOil for the boat engine too.\n", Scope(AGENT)
    ),
    SampleNote("languages", "Words\n\n清华大学 is a university; café, Straße and naïve are words. 🦜\n", Scope(AGENT)),
)
PRIVATE_NOTES = (
    SampleNote("friend", "The key of the boat Albatros hangs behind the clock.\n", Scope(AGENT, FRIEND)),
    SampleNote("stranger", "The boat Albatros is to be sold to a stranger.\n", Scope(AGENT, STRANGER)),
)
QUERIES = ("boat", "engine oil", "When was the engine of the boat Albatros serviced?", "tomatoes", "water", "清华大学")


class MakeLayer(Protocol):
    """Makes a layer that holds these notes and no others."""

    async def __call__(self, notes: Sequence[SampleNote]) -> MemorySearchManager:
        """Return the layer, ready for its first search."""
        ...


def options(
    limit: int = 10, reach: Reach | None = None, **given: Any
) -> SearchOptions:  # Any: whatever options there are
    """Return options that keep every hit unless told otherwise."""
    return SearchOptions(limit=limit, min_score=given.pop("min_score", 0.0), reach=reach, **given)


def shown(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    """Return what two answers are compared by."""
    return [(hit.passage.id, hit.score) for hit in hits]


@pytest.mark.asyncio
class LayerContract:
    """The promises of ``tercet.ports.MemorySearchManager``, for one layer."""

    holds_private = True
    """Set to False for a layer that keeps nothing of one person alone: it then gets shared notes only."""

    @pytest_asyncio.fixture
    async def layer(self, make_layer: MakeLayer) -> AsyncGenerator[MemorySearchManager]:
        """Give a layer that holds the sample notes."""
        layer = await make_layer((*SHARED_NOTES, *(PRIVATE_NOTES if self.holds_private else ())))
        yield layer
        await _close(layer)

    # -- search -------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("query", "words"), [("berth Albatros", "berth 47"), ("tomatoes", "Tomatoes want"), ("mower oil", "mower")]
    )
    async def test_what_has_the_words_comes_first(self, layer: MemorySearchManager, query: str, words: str) -> None:
        found = await layer.search(query, options())
        assert words in found[0].passage.text

    @pytest.mark.parametrize("query", QUERIES)
    async def test_scores_lie_in_0_to_1_and_fall(self, layer: MemorySearchManager, query: str) -> None:
        found = await layer.search(query, options())
        assert isinstance(found, SearchResult)
        assert isinstance(found.is_calibrated, bool)
        assert found.degraded is None or found.degraded.strip()
        scores = [hit.score for hit in found]
        assert all(math.isfinite(score) and 0 <= score <= 1 for score in scores)
        assert all(math.isfinite(hit.relevance) and 0 <= hit.relevance <= 1 for hit in found)
        assert scores == sorted(scores, reverse=True)

    @pytest.mark.parametrize("query", QUERIES)
    async def test_hits_are_distinct_and_say_what_was_found(self, layer: MemorySearchManager, query: str) -> None:
        found = await layer.search(query, options())
        status = await layer.status()
        assert len({hit.passage.id for hit in found}) == len(found)
        for hit in found:
            assert hit.passage.id
            assert hit.passage.text.strip()
            assert hit.snippet.strip()
            assert hit.layer == status.layer

    @pytest.mark.parametrize("query", QUERIES)
    async def test_a_limit_cuts_and_changes_nothing_above(self, layer: MemorySearchManager, query: str) -> None:
        whole = shown(await layer.search(query, options()))
        for limit in range(1, len(whole) + 1):
            assert shown(await layer.search(query, options(limit))) == whole[:limit]

    @pytest.mark.parametrize("query", QUERIES)
    async def test_min_score_keeps_what_reaches_it(self, layer: MemorySearchManager, query: str) -> None:
        whole = shown(await layer.search(query, options()))
        for _, bar in [*whole, ("", 1.0)]:
            kept = shown(await layer.search(query, options(min_score=bar)))
            assert kept == [each for each in whole if each[1] >= bar]

    async def test_the_same_question_has_the_same_answer_also_at_once(self, layer: MemorySearchManager) -> None:
        alone = [shown(await layer.search(query, options())) for query in QUERIES]
        together = await asyncio.gather(*(layer.search(query, options()) for query in QUERIES * 3))
        assert [shown(found) for found in together] == alone * 3

    @pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000"])
    async def test_a_blank_question_is_refused(self, layer: MemorySearchManager, query: str) -> None:
        with pytest.raises(InvalidInputError):
            await layer.search(query, options())

    @pytest.mark.parametrize("query", [*HOSTILE, "?!", "\x00", "word " * 2000, "a" * 10_000, "../../etc/passwd"])
    async def test_no_question_is_too_odd(self, layer: MemorySearchManager, query: str) -> None:
        assert isinstance(await layer.search(query, options()), SearchResult)

    async def test_options_it_may_pass_over_break_nothing(self, layer: MemorySearchManager) -> None:
        given = options(explain=True, deadline_s=30.0, categories=("preference",), mode="keyword")
        assert isinstance(await layer.search("boat", given), SearchResult)

    async def test_an_empty_layer_finds_nothing(self, make_layer: MakeLayer) -> None:
        layer = await make_layer(())
        assert list(await layer.search("boat", options())) == []
        assert (await layer.status()).rows == 0
        await _close(layer)

    # -- whose memory it is -------------------------------------------------------------------

    @pytest.mark.parametrize("query", QUERIES)
    @pytest.mark.parametrize(
        "reach",
        [Reach(AGENT, ()), Reach("bob"), Reach("bob", ("", FRIEND)), Reach("")],
        ids=["none", "bob", "bobs", "?"],
    )
    async def test_out_of_reach_is_nothing(self, layer: MemorySearchManager, query: str, reach: Reach) -> None:
        assert list(await layer.search(query, options(reach=reach))) == []

    @pytest.mark.parametrize("anchors", [("",), ("", FRIEND), (FRIEND,), (STRANGER,), ("", "telegram:11")])
    async def test_hits_lie_within_the_reach(self, layer: MemorySearchManager, anchors: tuple[str, ...]) -> None:
        for query in QUERIES:
            for hit in await layer.search(query, options(reach=Reach(AGENT, anchors))):
                assert hit.passage.scope.agent == AGENT
                assert hit.passage.scope.anchor in anchors

    async def test_what_is_shared_is_found_with_and_without_a_reach(self, layer: MemorySearchManager) -> None:
        for reach in (None, Reach(AGENT), Reach(AGENT, ("", FRIEND))):
            found = await layer.search("berth", options(reach=reach))
            assert any("berth 47" in hit.passage.text for hit in found)

    async def test_what_is_private_is_found_by_its_own_anchor_alone(self, layer: MemorySearchManager) -> None:
        if not self.holds_private:
            pytest.skip("this layer keeps nothing of one person alone")
        for reach, seen in ((Reach(AGENT, ("", FRIEND)), True), (Reach(AGENT, (FRIEND,)), True), (Reach(AGENT), False)):
            found = await layer.search("key clock", options(reach=reach))
            assert any("behind the clock" in hit.passage.text for hit in found) is seen
        found = await layer.search("stranger sold", options(reach=Reach(AGENT, ("", FRIEND))))
        assert not any("to be sold" in hit.passage.text for hit in found)

    # -- reading ------------------------------------------------------------------------------

    @pytest.mark.parametrize("query", QUERIES)
    async def test_a_hit_can_be_read(self, layer: MemorySearchManager, query: str) -> None:
        reach = Reach(AGENT, ("", FRIEND))
        for hit in await layer.search(query, options(reach=reach)):
            read = await layer.read_file(hit.passage.id, reach=reach)
            assert _words(hit.passage.text) in _words(read.text)
            assert 1 <= read.start_line <= read.end_line <= read.total_lines
            assert len(read.text.splitlines()) == read.end_line - read.start_line + 1

    async def test_what_is_shared_is_read_without_a_reach(self, layer: MemorySearchManager) -> None:
        (hit, *_) = await layer.search("berth Albatros", options(1, Reach(AGENT)))
        assert "berth 47" in (await layer.read_file(hit.passage.id)).text

    @pytest.mark.parametrize(
        "reach", [Reach(AGENT, ()), Reach("bob"), Reach(AGENT, (STRANGER,))], ids=["-", "bob", "he"]
    )
    async def test_what_is_out_of_reach_is_not_there_to_read(self, layer: MemorySearchManager, reach: Reach) -> None:
        (hit, *_) = await layer.search("berth Albatros", options(1, Reach(AGENT)))
        with pytest.raises(NotFoundError):
            await layer.read_file(hit.passage.id, reach=reach)

    async def test_what_is_private_is_read_by_its_own_anchor_alone(self, layer: MemorySearchManager) -> None:
        if not self.holds_private:
            pytest.skip("this layer keeps nothing of one person alone")
        (hit, *_) = await layer.search("key clock", options(1, Reach(AGENT, (FRIEND,))))
        assert "behind the clock" in (await layer.read_file(hit.passage.id, reach=Reach(AGENT, (FRIEND,)))).text
        for reach in (None, Reach(AGENT), Reach(AGENT, ("", STRANGER))):
            with pytest.raises(NotFoundError):
                await layer.read_file(hit.passage.id, reach=reach)

    async def test_a_path_and_lines_of_a_hit_lead_back_to_it(self, layer: MemorySearchManager) -> None:
        (hit, *_) = await layer.search("berth Albatros", options(1, Reach(AGENT)))
        passage = hit.passage
        if not passage.path:
            pytest.skip("this layer's hits have no path")
        read = await layer.read_file(f"{passage.root}:{passage.path}#L{passage.start_line}-L{passage.end_line}")
        assert (read.start_line, read.end_line) == (passage.start_line, passage.end_line)
        assert _words(passage.text) in _words(read.text)

    async def test_some_lines_are_these_lines(self, layer: MemorySearchManager) -> None:
        (hit, *_) = await layer.search("mower", options(1, Reach(AGENT)))
        whole = await layer.read_file(hit.passage.id, start=1)
        lines = whole.text.splitlines()
        for start in range(1, len(lines) + 1):
            read = await layer.read_file(hit.passage.id, start=start, lines=1)
            assert (read.start_line, read.end_line, read.text.rstrip("\r\n")) == (start, start, lines[start - 1])
        assert (await layer.read_file(hit.passage.id, start=1, lines=100_000)).end_line == whole.total_lines

    @pytest.mark.parametrize(("start", "lines"), [(0, None), (-1, None), (1_000_000, None), (1, 0), (1, -3)])
    async def test_lines_that_are_not_there_are_refused(
        self, layer: MemorySearchManager, start: int, lines: int | None
    ) -> None:
        (hit, *_) = await layer.search("mower", options(1, Reach(AGENT)))
        with pytest.raises(InvalidInputError):
            await layer.read_file(hit.passage.id, start=start, lines=lines)

    @pytest.mark.parametrize("ref", ["no such thing", "", "../../../../etc/passwd", "/etc/passwd", "x\x00", *HOSTILE])
    async def test_a_ref_to_nothing_is_refused(self, layer: MemorySearchManager, ref: str) -> None:
        with pytest.raises((NotFoundError, InvalidInputError)):
            await layer.read_file(ref)

    # -- health -------------------------------------------------------------------------------

    async def test_status_counts_what_it_holds(self, layer: MemorySearchManager) -> None:
        status = await layer.status()
        assert isinstance(status, BackendStatus)
        assert status.healthy
        assert status.rows >= len(SHARED_NOTES) + (len(PRIVATE_NOTES) if self.holds_private else 0)
        assert status.bytes_on_disk >= 0

    async def test_probes_answer_and_say_why_not(self, layer: MemorySearchManager) -> None:
        for _ in range(2):
            for probe in (await layer.probe_embedding_availability(), await layer.probe_vector_availability()):
                assert isinstance(probe, Probe)
                assert probe.ok or probe.reason

    async def test_it_can_be_closed_twice(self, make_layer: MakeLayer) -> None:
        layer = await make_layer(SHARED_NOTES[:1])
        await _close(layer)
        await _close(layer)


def _words(text: str) -> str:
    return " ".join(text.split())


async def _close(layer: MemorySearchManager) -> None:
    close = getattr(layer, "close", None)
    if close is not None:
        await close()
