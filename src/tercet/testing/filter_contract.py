# ruff: noqa: D102 - the names of the tests say what they ask
"""What every engine must do with a filter: the closed language, hostile texts, reach and paging."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tercet.filters import Eq, Filter, HasTag, HasVector, In, Range
from tercet.model import Reach
from tercet.testing.samples import HOSTILE, THEIRS, EngineFixtures, both, ids, ours, row, theirs, vector

if TYPE_CHECKING:
    from tercet.ports.engine import Engine

EAST, NORTH = vector(1, 0, 0, 0), vector(0, 1, 0, 0)
MOMENT = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=timezone(timedelta(hours=8)))


@pytest.mark.asyncio
class FilterContract(EngineFixtures):
    """The promises of ``tercet.filters``, kept on every path that reads or deletes."""

    async def test_nothing_in_reach_nothing_seen(self, engine: Engine) -> None:
        """S1, S7: without a scope there are no rows, on any path."""
        await engine.upsert(both("1", "word", vector=EAST))
        for reach in (Reach("ada", ()), Reach("nobody"), Reach("ada", ("telegram:12", "elegram:1", "TELEGRAM:1"))):
            where = Filter(reach)
            assert await engine.scan(where) == []
            assert await engine.text_topk(["word"], 5, where) == []
            assert await engine.vector_topk(EAST, 5, where) == []

    async def test_reach_joins_anchors_of_one_agent(self, engine: Engine) -> None:
        scopes = {"1": "", "2": "telegram:1", "3": "discord:9"}
        await engine.upsert([row(f"a/{n}", scope=replace(THEIRS, anchor=anchor)) for n, anchor in scopes.items()])
        assert ids(await engine.scan(theirs())) == ["a/1", "a/2"]
        assert ids(await engine.scan(Filter(Reach("bob", ("discord:9",))))) == ["a/3"]

    async def test_each_kind_of_condition(self, engine: Engine) -> None:
        await engine.upsert(
            [
                *both("1", kind="chunk", root="r", path="a.md", start_line=1, importance=0.2, tags=("x", "yy")),
                *both("2", kind="note", root="r", path="b.md", start_line=5, importance=0.8, tags=("y",), vector=EAST),
                *both("3", session="s", ordinal=3, category="fact", timestamp=MOMENT, tags=('x","y',)),
                *both("4", session="s", ordinal=4, timestamp=MOMENT + timedelta(milliseconds=1), origin="untrusted"),
            ]
        )
        milliseconds = int(MOMENT.timestamp() * 1000)
        for condition, expected in (
            (Eq("kind", "chunk"), "1"),
            (Eq("id", "a/2"), "2"),
            (Eq("id", "b/2"), ""),
            (Eq("category", "fact"), "3"),
            (Eq("origin", "untrusted"), "4"),
            (Eq("place", "s#4"), "4"),
            (In("path", ("a.md", "b.md", "c.md")), "12"),
            (In("place", ("s#2", "s#3")), "3"),
            (In("path", ()), ""),
            (Range("start_line", 1, 5), "1"),
            (Range("start_line", 0.5, 5.5), "12"),
            (Range("start_line", None, 1), "34"),
            (Range("ordinal", 4), "4"),
            (Range("importance"), "12"),
            (Range("importance", high=0.8), "1"),
            (Range("importance", low=0.2), "12"),
            (Range("timestamp_ms"), "34"),
            (Range("timestamp_ms", milliseconds, milliseconds + 1), "3"),
            (Range("timestamp_ms", milliseconds + 0.5), "4"),
            (Range("timestamp_ms", -1e300, 1e300), "34"),
            (Range("timestamp_ms", 1e300), ""),
            (HasTag("x"), "1"),
            (HasTag("y"), "2"),
            (HasTag("%"), ""),
            (HasVector(), "2"),
            (HasVector(present=False), "134"),
        ):
            assert ids(await engine.scan(ours(condition))) == [f"a/{n}" for n in expected], condition

    async def test_conditions_are_joined_and_act_before_the_cut(self, engine: Engine) -> None:
        """R7: a filter acts before ranking, not on its result."""
        near = [found for n in range(60) for found in both(f"near{n:02}", "word word", vector=EAST)]
        await engine.upsert([*near, *both("far", "word", vector=NORTH, category="decision", root="r")])
        where = ours(Eq("category", "decision"), Eq("root", "r"))
        assert ids(await engine.vector_topk(EAST, 3, where)) == ["a/far"]
        assert ids(await engine.text_topk(["word"], 3, where)) == ["a/far"]
        assert await engine.scan(ours(Eq("category", "decision"), Eq("root", "other"))) == []
        assert await engine.scan(ours(HasVector(), HasVector(present=False))) == []
        assert ids(await engine.scan(ours(HasVector(), Eq("root", "r")))) == ["a/far"]

    @pytest.mark.parametrize("hostile", HOSTILE)
    async def test_hostile_texts_are_only_texts(self, engine: Engine, hostile: str) -> None:
        await engine.upsert([*both("1", "t"), *both("2", "t", path=hostile, tags=(hostile, "z"), vector=EAST)])
        mine = row("c/" + hostile, scope=replace(THEIRS, agent=hostile, anchor=hostile))
        await engine.upsert([mine])
        for condition in (Eq("path", hostile), In("path", (hostile, "none")), HasTag(hostile)):
            assert ids(await engine.scan(ours(condition))) == ["a/2"], condition
            assert ids(await engine.scan(ours(condition, HasVector()))) == ["a/2"], condition
            assert ids(await engine.scan(ours(condition, HasVector(present=False)))) == [], condition
        assert ids(await engine.scan(Filter(Reach(hostile, (hostile,))))) == [mine.passage.id]
        assert ids(await engine.scan(Filter(Reach("ada", (hostile,)), (HasVector(present=False),)))) == []
        await engine.delete(ours(Eq("category", hostile)))
        await engine.delete([hostile])
        assert ids(await engine.get([mine.passage.id, "a/2", hostile])) == [mine.passage.id, "a/2"]
        await engine.delete([mine.passage.id])
        assert (await engine.stats()).rows == 4

    async def test_scan_pages_by_id(self, engine: Engine) -> None:
        names = ["0", "A", "a", "b", "é", "文", "🦜"]
        await engine.upsert([found for name in names[::-1] for found in both(name)])
        assert ids(await engine.scan(ours())) == [f"a/{name}" for name in names]
        seen: list[str] = []
        while page := await engine.scan(ours(), after=seen[-1] if seen else "", limit=3):
            assert len(page) <= 3
            seen += ids(page)
        assert seen == [f"a/{name}" for name in names]
