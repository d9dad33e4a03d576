# ruff: noqa: D102 - the names of the tests say what they ask
"""What every engine must do; subclass it and give a ``make_engine`` fixture.

::

    class TestMyEngine(EngineContract):
        @pytest.fixture
        def make_engine(self, tmp_path):
            return lambda: MyEngine(tmp_path)

Each call of ``make_engine`` gives a new engine, not open yet, over the same store: so the suite
reopens it and looks at it from two sides. pytest-asyncio must be installed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tercet.errors import InvalidInputError, SpaceMismatchError, TercetError
from tercet.filters import Eq, Filter, Range
from tercet.model import Reach, Row, Space
from tercet.testing.filter_contract import FilterContract
from tercet.testing.samples import (
    DIMENSIONS,
    OTHER_SPACE,
    MakeEngine,
    both,
    ids,
    opened,
    ours,
    row,
    theirs,
    vector,
)

if TYPE_CHECKING:
    from tercet.model import Vector
    from tercet.ports.engine import Engine

EAST, NORTH, UP = vector(1, 0, 0, 0), vector(0, 1, 0, 0), vector(0, 0, 1, 0)
BETWEEN = vector(0.5, 0.5, 0.5, 0.5)
MOMENT = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=timezone(timedelta(hours=8)))


@pytest.mark.asyncio
class EngineContract(FilterContract):
    """The promises of ``tercet.ports.Engine``, those about filters included, with two tenants in every store."""

    # -- rows ---------------------------------------------------------------------------------

    async def test_a_row_comes_back_as_it_was(self, engine: Engine) -> None:
        written = row(
            "a/1", "Ω the text", kind="chunk", header="A > B", context="| a | b |", root="notes", path="memory/a.md",
            start_line=3, end_line=9, timestamp=MOMENT, importance=0.25, category="decision", origin="untrusted",
            speaker="Ada", session="s#1", ordinal=7, tags=("x", "", "two words", "%1F\x1f"), vector=BETWEEN,
            terms=("the", "text", "the"),
        )  # fmt: skip
        await engine.upsert([written, row("a/2")])
        read, bare = await engine.get(["a/1", "a/2"])
        assert read.passage == written.passage
        assert read.passage.timestamp is not None
        assert read.passage.timestamp.utcoffset() == timedelta(hours=8)
        assert read.terms == written.terms
        assert read.vector is not None
        assert read.vector.dtype == np.float32
        assert read.vector.tolist() == BETWEEN.tolist()
        assert (bare.passage, bare.terms, bare.vector) == (row("a/2").passage, (), None)

    async def test_upsert_is_idempotent_and_replaces_every_field(self, engine: Engine) -> None:
        first = both("1", "old words", importance=0.5, tags=("old",), timestamp=MOMENT, vector=EAST)
        await engine.upsert(first)
        await engine.upsert(first)
        assert (await engine.stats()).rows == 2
        await engine.upsert([row("a/1", "new")])
        (new,) = await engine.get(["a/1"])
        assert (new.passage, new.terms, new.vector) == (row("a/1", "new").passage, ("new",), None)
        assert ids(await engine.text_topk(["old", "words"], 10, ours())) == []
        assert ids(await engine.text_topk(["old", "words"], 10, theirs())) == ["b/1"]
        assert ids(await engine.vector_topk(EAST, 10, ours())) == []

    async def test_the_last_of_equal_ids_in_a_batch_wins(self, engine: Engine) -> None:
        await engine.upsert([row("a/1", "one"), row("a/2", "other"), row("a/1", "two", vector=EAST)])
        assert (await engine.stats()).rows == 2
        assert [found.passage.text for found in await engine.get(["a/1"])] == ["two"]

    async def test_get_keeps_the_order_asked_for(self, engine: Engine) -> None:
        await engine.upsert([row(f"a/{n}") for n in range(5)])
        assert ids(await engine.get(["a/3", "missing", "a/0", "a/4"])) == ["a/3", "a/0", "a/4"]
        assert await engine.get([]) == []

    async def test_delete_by_ids(self, engine: Engine) -> None:
        await engine.upsert([*both("1", "word"), *both("2", "word")])
        await engine.delete(["a/1", "never there", "b/2"])
        await engine.delete([])
        assert ids(await engine.get(["a/1", "a/2", "b/1", "b/2"])) == ["a/2", "b/1"]
        assert ids(await engine.text_topk(["word"], 10, ours())) == ["a/2"]

    async def test_delete_by_filter_stays_in_reach(self, engine: Engine) -> None:
        """L8: deleting one tenant's rows must not touch another's."""
        await engine.upsert([*both("1", root="r"), *both("2", root="other")])
        await engine.delete(ours(Eq("root", "r")))
        assert ids(await engine.get(["a/1", "a/2", "b/1", "b/2"])) == ["a/2", "b/1", "b/2"]
        await engine.delete(Filter(Reach("ada", ())))
        assert ids(await engine.scan(ours())) == ["a/2"]
        await engine.delete(ours())
        assert ids(await engine.scan(ours())) == []
        assert ids(await engine.scan(theirs())) == ["b/1", "b/2"]

    async def test_a_deleted_row_is_gone_from_every_leg(self, engine: Engine) -> None:
        """L20: a deleted row must not come back through another index."""
        await engine.upsert([*both("1", "word", vector=EAST)])
        await engine.maintain(60)
        await engine.delete(["a/1"])
        assert await engine.text_topk(["word"], 10, ours()) == []
        assert await engine.vector_topk(EAST, 10, ours()) == []
        assert await engine.scan(ours()) == []

    async def test_rows_outlive_the_engine(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as first:
            await first.upsert(both("1", "kept", vector=EAST))
        async with opened(make_engine()) as second:
            assert ids(await second.vector_topk(EAST, 5, ours())) == ["a/1"]
            assert ids(await second.text_topk(["kept"], 5, ours())) == ["a/1"]

    async def test_another_engine_sees_writes_at_once(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as first, opened(make_engine()) as second:
            await first.upsert(both("1", "word", vector=EAST))
            assert ids(await second.scan(ours())) == ["a/1"]
            await second.delete(["a/1"])
            assert await first.text_topk(["word"], 5, ours()) == []

    # -- refused input ------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "bad",
        [
            vector(1, 0, 0),
            vector(1, 0, 0, 0, 0),
            vector(float("nan"), 0, 0, 1),
            vector(float("inf"), 0, 0, 1),
            vector(0, 0, 0, 0),
            vector(),
            np.ones((1, DIMENSIONS), dtype=np.float32),
        ],
        ids=["short", "long", "nan", "inf", "zero", "empty", "matrix"],
    )
    async def test_a_bad_vector_is_refused_and_nothing_written(self, engine: Engine, bad: Vector) -> None:
        with pytest.raises(InvalidInputError):
            await engine.upsert([row("a/1", vector=EAST), row("a/2", vector=bad), row("a/3")])
        assert (await engine.stats()).rows == 0

    @pytest.mark.parametrize("bad", [vector(1, 0, 0), vector(float("nan"), 0, 0, 1), vector(float("inf"), 0, 0, 0)])
    async def test_a_bad_query_is_refused(self, engine: Engine, bad: Vector) -> None:
        await engine.upsert(both("1", vector=EAST))
        with pytest.raises(InvalidInputError):
            await engine.vector_topk(bad, 5, ours())

    @pytest.mark.parametrize("term", ["two words", "", "tab\t", "ideographic\u3000space"])
    async def test_a_term_with_white_space_is_refused(self, engine: Engine, term: str) -> None:
        with pytest.raises(InvalidInputError):
            await engine.upsert([row("a/1", terms=("fine", term))])
        assert (await engine.stats()).rows == 0

    # -- by vector ----------------------------------------------------------------------------

    async def test_vector_topk_is_squared_l2_nearest_first(self, engine: Engine) -> None:
        """R23: one metric, and it is the squared distance."""
        await engine.upsert([*both("e", vector=EAST), *both("n", vector=NORTH), *both("m", vector=BETWEEN)])
        for exact in (False, True):
            found = await engine.vector_topk(EAST, 10, ours(), exact=exact)
            assert [(match.row.passage.id, match.raw) for match in found] == [("a/e", 0.0), ("a/m", 1.0), ("a/n", 2.0)]
        assert ids(await engine.vector_topk(EAST, 2, theirs())) == ["b/e", "b/m"]

    async def test_rows_without_vector_are_left_out_of_vector_search_only(self, engine: Engine) -> None:
        await engine.upsert([*both("1", "word", vector=EAST), *both("2", "word")])
        assert ids(await engine.vector_topk(NORTH, 10, ours())) == ["a/1"]
        assert sorted(ids(await engine.text_topk(["word"], 10, ours()))) == ["a/1", "a/2"]
        assert (await engine.stats()).rows_without_vector == 2

    async def test_a_vector_can_come_later(self, engine: Engine) -> None:
        await engine.upsert(both("1", "word"))
        assert await engine.vector_topk(EAST, 10, ours()) == []
        await engine.upsert([row("a/1", "word", vector=EAST)])
        assert ids(await engine.vector_topk(EAST, 10, ours())) == ["a/1"]

    async def test_ties_are_broken_by_id_also_at_the_cut(self, engine: Engine) -> None:
        rows = [found for n in range(40) for found in both(f"{n:02}", "same", vector=EAST)]
        await engine.upsert(rows[::-1])
        assert ids(await engine.vector_topk(NORTH, 3, ours())) == ["a/00", "a/01", "a/02"]
        assert ids(await engine.vector_topk(NORTH, 40, ours())) == [f"a/{n:02}" for n in range(40)]

    @pytest.mark.parametrize("k", [0, -1])
    async def test_no_k_no_rows(self, engine: Engine, k: int) -> None:
        await engine.upsert(both("1", "word", vector=EAST))
        assert await engine.vector_topk(EAST, k, ours()) == []
        assert await engine.text_topk(["word"], k, ours()) == []
        assert await engine.scan(ours(), limit=k) == []

    async def test_k_beyond_the_rows_gives_all(self, engine: Engine) -> None:
        await engine.upsert([*both("1", "word", vector=EAST), *both("2", "word", vector=UP)])
        assert len(await engine.vector_topk(EAST, 5000, ours())) == 2
        assert len(await engine.text_topk(["word"], 5000, ours())) == 2

    # -- by term ------------------------------------------------------------------------------

    async def test_any_of_the_terms_is_enough(self, engine: Engine) -> None:
        """R25: a question's words are joined by OR."""
        await engine.upsert([*both("1", "red apple"), *both("2", "green pear"), *both("3", "blue plum")])
        assert sorted(ids(await engine.text_topk(["apple", "pear", "absent"], 10, ours()))) == ["a/1", "a/2"]

    async def test_scores_fall_and_are_positive(self, engine: Engine) -> None:
        await engine.upsert([*both("1", "apple pear plum"), *both("2", "pear"), *both("3", "pear apple")])
        found = await engine.text_topk(["apple", "plum"], 10, ours())
        assert ids(found) == ["a/1", "a/3"]
        assert found[0].raw >= found[1].raw > 0

    async def test_terms_match_whole_and_as_written(self, engine: Engine) -> None:
        """R22, R26: no substrings, no folding; short terms are terms."""
        await engine.upsert([*both("1", "start c++ AI"), *both("2", "art café go"), *both("3", "x" * 300)])
        for term, expected in {
            "art": ["a/2"], "c++": ["a/1"], "c": [], "AI": ["a/1"], "ai": [], "cafe": [], "go": ["a/2"],
            "x" * 300: ["a/3"], "the": [],
        }.items():  # fmt: skip
            assert ids(await engine.text_topk([term], 10, ours())) == expected, term

    async def test_cjk_bigrams(self, engine: Engine) -> None:
        """C1, C3: two-character terms of a longer run are found."""
        await engine.upsert([*both("1", terms=("清华", "华大", "大学")), *both("2", terms=("東京", "会議"))])
        assert ids(await engine.text_topk(["清华"], 5, ours())) == ["a/1"]
        assert ids(await engine.text_topk(["会議", "没有"], 5, ours())) == ["a/2"]

    async def test_rows_are_searched_before_and_after_maintenance(self, engine: Engine) -> None:
        await engine.upsert(both("1", "word early"))
        assert ids(await engine.text_topk(["word"], 5, ours())) == ["a/1"]
        assert await engine.maintain(60)
        await engine.upsert(both("2", "word late"))
        assert sorted(ids(await engine.text_topk(["word"], 5, ours()))) == ["a/1", "a/2"]
        assert ids(await engine.text_topk(["late"], 5, ours())) == ["a/2"]
        await engine.upsert([row("a/1", "changed")])
        assert ids(await engine.text_topk(["early"], 5, ours())) == []
        assert ids(await engine.text_topk(["changed"], 5, ours())) == ["a/1"]

    @pytest.mark.parametrize(
        "term", ['"', '"word', 'word"', "AND", "OR", "-word", "+word", "word*", "*", "(", "word~2"]
    )
    async def test_operators_are_only_terms(self, engine: Engine, term: str) -> None:
        await engine.upsert([*both("1", "word other"), *both("2", term)])
        assert ids(await engine.text_topk([term], 10, ours())) == ["a/2"]

    async def test_no_terms_no_rows_and_many_terms_no_failure(self, engine: Engine) -> None:
        await engine.upsert(both("1", "w17 w18"))
        assert await engine.text_topk([], 10, ours()) == []
        assert await engine.text_topk(["", " ", "w17 w18"], 10, ours()) == []
        assert ids(await engine.text_topk([f"w{n}" for n in range(5000)], 10, ours())) == ["a/1"]

    # -- spaces -------------------------------------------------------------------------------

    async def test_without_a_space_it_serves_text(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine(), None) as engine:
            await engine.upsert([*both("1", "word"), *both("2", "word", vector=EAST)])
            assert sorted(ids(await engine.text_topk(["word"], 5, ours()))) == ["a/1", "a/2"]
            assert await engine.vector_topk(EAST, 5, ours()) == []
            assert (await engine.stats()).rows_without_vector == 4
        async with opened(make_engine()) as engine:
            await engine.upsert([row("a/1", "word", vector=EAST)])
            assert ids(await engine.vector_topk(EAST, 5, ours())) == ["a/1"]

    async def test_another_space_is_refused_while_vectors_are_held(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", "word", vector=EAST))
        engine = make_engine()
        try:
            with pytest.raises(SpaceMismatchError) as caught:
                await engine.open(OTHER_SPACE)
            for part in ("first", "second", "tercet reembed"):
                assert part in str(caught.value)
            assert ids(await engine.text_topk(["word"], 5, ours())) == ["a/1"]
            assert ids(await engine.scan(theirs())) == ["b/1"]
            with pytest.raises(SpaceMismatchError):
                await engine.vector_topk(vector(1, 0, 0), 5, ours())
            await engine.upsert([row("a/2", "word", vector=vector(1, 0, 0))])
            assert [found.vector for found in await engine.get(["a/2"])] == [None]
            with pytest.raises(InvalidInputError):
                await engine.upsert([row("a/3", vector=EAST)])
        finally:
            await engine.close()
        async with opened(make_engine()) as engine:
            assert ids(await engine.vector_topk(EAST, 5, ours())) == ["a/1"]
            assert (await engine.stats()).rows_without_vector == 1

    async def test_a_space_without_vectors_gives_way(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", "word"))
        async with opened(make_engine(), OTHER_SPACE) as engine:
            await engine.upsert([row("a/2", vector=vector(0, 1, 0))])
            assert ids(await engine.vector_topk(vector(0, 1, 0), 5, ours())) == ["a/2"]
        with pytest.raises(SpaceMismatchError):
            async with opened(make_engine(), Space("contract", "first", DIMENSIONS)):
                pass

    # -- upkeep -------------------------------------------------------------------------------

    async def test_stats_and_probe(self, engine: Engine) -> None:
        await engine.upsert([*both("1", vector=EAST), *both("2")])
        stats = await engine.stats()
        assert (stats.rows, stats.rows_without_vector) == (4, 2)
        assert min(stats.bytes_on_disk, stats.versions, stats.unindexed_rows) >= 0
        assert await engine.probe()

    async def test_probe_of_an_engine_that_is_not_open_says_so(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        try:
            probe = await engine.probe()
            assert not probe
            assert probe.reason
            with pytest.raises(TercetError):
                await engine.scan(ours())
        finally:
            await engine.close()

    async def test_maintenance_changes_no_answer(self, engine: Engine) -> None:
        rows: list[Row] = [found for n in range(30) for found in both(f"{n:02}", f"word w{n}", vector=BETWEEN)]
        for start in range(0, len(rows), 10):
            await engine.upsert(rows[start : start + 10])
        before = ids(await engine.vector_topk(EAST, 7, ours())), ids(await engine.scan(theirs()))
        line = await engine.maintain(60)
        assert line
        assert "\n" not in line
        assert (ids(await engine.vector_topk(EAST, 7, ours())), ids(await engine.scan(theirs()))) == before
        assert ids(await engine.text_topk(["w17"], 7, ours())) == ["a/17"]

    async def test_a_time_before_1970_is_kept(self, engine: Engine) -> None:
        moment = datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
        await engine.upsert(both("1", timestamp=moment))
        assert [found.passage.timestamp for found in await engine.get(["a/1"])] == [moment]
        assert ids(await engine.scan(ours(Range("timestamp_ms", -1, 0)))) == ["a/1"]
