"""What every ledger keeps, as a test suite: subclass it and give the fixture ``open_ledger``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import Reach, Scope
from tercet.ports.ledger import FileRecord, PassageRecord, RootRecord

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.model import Vector
    from tercet.ports.ledger import Ledger

MINE = Scope("main")
FRIEND = Scope("main", "telegram:1")
OTHER = Scope("work")
ROOTS = (RootRecord("notes", "/notes", MINE), RootRecord("friend", "/friend", FRIEND), RootRecord("job", "/job", OTHER))
AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def file_of(
    root: str, path: str, passages: dict[str, str], *, vector: bool = False, size: int = 1
) -> dict[str, tuple[FileRecord, list[PassageRecord]]]:
    """Return a file as ``commit_files`` takes it; ``passages``: id -> terms, with single spaces between."""
    record = FileRecord(root, path, size, 10**18, "ab" * 32, 10**18 + 1)
    return {path: (record, [PassageRecord(name, tuple(text.split()), vector) for name, text in passages.items()])}


def vector_of(*numbers: float) -> Vector:
    """Return a float32 vector."""
    return np.array(numbers, dtype=np.float32)


@st.composite
def _histories(draw: st.DrawFn) -> list[tuple[int, dict[str, list[list[str]]], list[str]] | None]:
    """Draw commits as (root, path -> passages' terms, removed); None is a reset."""
    paths = st.sampled_from(["a.md", "b.md", "c.md"])
    passages = st.lists(st.lists(st.sampled_from("uvwxyz记"), max_size=5), max_size=3)
    commit = st.tuples(
        st.integers(0, len(ROOTS) - 1), st.dictionaries(paths, passages, max_size=3), st.lists(paths, max_size=2)
    )
    return draw(st.lists(st.one_of(commit, commit, commit, st.none()), max_size=8))


class LedgerContract:
    """Behaviour of ``tercet.ports.Ledger``; the fixture gives an empty ledger at each call and closes it after."""

    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        """Return a function that opens a new, empty ledger."""
        pytest.fail("Give the fixture open_ledger.")

    @pytest.fixture
    async def ledger(self, open_ledger: Callable[[], Awaitable[Ledger]]) -> Ledger:
        """An empty ledger that knows the three roots."""
        ledger = await open_ledger()
        for root in ROOTS:
            await ledger.manifest.add_root(root)
        return ledger

    async def test_roots_belong_to_their_agent(self, ledger: Ledger) -> None:
        assert await ledger.manifest.roots("main") == [ROOTS[1], ROOTS[0]]
        assert await ledger.manifest.roots("work") == [ROOTS[2]]
        assert await ledger.manifest.roots("wor") == []
        assert await ledger.manifest.roots(None) == [ROOTS[1], ROOTS[2], ROOTS[0]]

    async def test_a_label_names_one_folder_and_scope(self, ledger: Ledger) -> None:
        await ledger.manifest.add_root(ROOTS[0])
        for other in (RootRecord("notes", "/elsewhere", MINE), RootRecord("notes", "/notes", OTHER)):
            with pytest.raises(InvalidInputError, match="notes"):
                await ledger.manifest.add_root(other)
        assert await ledger.manifest.roots("main") == [ROOTS[1], ROOTS[0]]

    async def test_a_root_goes_only_when_its_files_are_gone(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await ledger.manifest.announce("notes", ["b.md"])
        with pytest.raises(InvalidInputError, match="remove them first"):
            await ledger.manifest.remove_root("notes")
        await ledger.manifest.commit_files(MINE, {}, ["a.md"], "notes")
        await ledger.manifest.remove_root("notes")
        await ledger.manifest.remove_root("notes")
        assert await ledger.manifest.roots("main") == [ROOTS[1]]
        assert await ledger.manifest.unfinished("notes") == []
        with pytest.raises(NotFoundError):
            await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        with pytest.raises(NotFoundError):
            await ledger.manifest.announce("notes", ["a.md"])

    async def test_a_committed_file_is_returned_as_it_was(self, ledger: Ledger) -> None:
        record = FileRecord("notes", "日记/a.md", 2**40, 2**62, "cd" * 32, 2**62 + 1, "3 bytes are no UTF-8")
        await ledger.manifest.commit_files(MINE, {record.path: (record, [])}, (), "notes")
        assert await ledger.manifest.files("notes") == {record.path: record}
        assert await ledger.manifest.files("friend") == {}

    async def test_passages_come_in_line_order_by_path(self, ledger: Ledger) -> None:
        written = file_of("notes", "a.md", {"z": "x", "m": "y", "a": "z"}) | file_of("notes", "empty.md", {})
        await ledger.manifest.commit_files(MINE, written, (), "notes")
        await ledger.manifest.commit_files(FRIEND, file_of("friend", "a.md", {"f": "x"}), (), "friend")
        assert await ledger.manifest.passages("notes", ["a.md", "empty.md", "none.md"]) == {"a.md": ["z", "m", "a"]}
        assert await ledger.manifest.passages("friend", ["a.md"]) == {"a.md": ["f"]}

    async def test_the_list_of_files_belongs_to_the_caller(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {}), (), "notes")
        (await ledger.manifest.files("notes")).clear()
        assert list(await ledger.manifest.files("notes")) == ["a.md"]

    async def test_an_announced_file_is_unfinished_until_committed(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await ledger.manifest.announce("notes", ["b.md", "a.md", "gone.md"])
        await ledger.manifest.announce("notes", ["a.md"])
        assert await ledger.manifest.unfinished("notes") == ["a.md", "b.md", "gone.md"]
        assert await ledger.manifest.unfinished("friend") == []
        assert await ledger.manifest.files("notes") == {}
        assert await ledger.manifest.passages("notes", ["a.md"]) == {"a.md": ["1"]}
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"2": "x"}), ["gone.md"], "notes")
        assert await ledger.manifest.unfinished("notes") == ["b.md"]
        assert list(await ledger.manifest.files("notes")) == ["a.md"]

    async def test_touching_renews_the_record_and_keeps_the_passages(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        renewed = FileRecord("notes", "a.md", 5, 6, "ef" * 32, 7, "note")
        await ledger.manifest.touch_files([renewed, FileRecord("notes", "gone.md", 1, 1, "", 1)])
        assert await ledger.manifest.files("notes") == {"a.md": renewed}
        assert await ledger.manifest.passages("notes", ["a.md"]) == {"a.md": ["1"]}

    async def test_vectors_are_waited_for_until_marked(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x", "2": "y", "3": "z"}), (), "notes")
        await ledger.manifest.commit_files(OTHER, file_of("job", "a.md", {"0": "x"}, vector=True), (), "job")
        assert await ledger.manifest.counts("notes") == (1, 3, 3)
        assert await ledger.manifest.counts("job") == (1, 1, 0)
        assert await ledger.manifest.passage_count() == 4
        assert await ledger.manifest.waiting(2) == ["1", "2"]
        await ledger.manifest.mark_embedded(iter(["1", "3", "unknown"]))
        assert await ledger.manifest.waiting(10) == ["2"]
        assert await ledger.manifest.waiting(0) == []
        assert await ledger.manifest.counts("notes") == (1, 3, 1)
        assert await ledger.manifest.counts("nowhere") == (0, 0, 0)

    async def test_counts_stay_within_their_scope(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x x y", "2": "x"}), (), "notes")
        await ledger.manifest.commit_files(FRIEND, file_of("friend", "a.md", {"3": "x z"}), (), "friend")
        await ledger.manifest.commit_files(OTHER, file_of("job", "a.md", {"4": "x x x x"}), (), "job")
        await self._expect(ledger, Reach("main"), [["x", "x", "y"], ["x"]])
        await self._expect(ledger, Reach("main", ("telegram:1",)), [["x", "z"]])
        await self._expect(ledger, Reach("main", ("", "telegram:1", "")), [["x", "x", "y"], ["x"], ["x", "z"]])
        await self._expect(ledger, Reach("work"), [["x"] * 4])
        await self._expect(ledger, Reach("main", ()), [])
        await self._expect(ledger, Reach("mai", ("", "telegram:1")), [])

    async def test_only_terms_asked_for_are_counted_each_once(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x y", "2": "x"}), (), "notes")
        found = await ledger.terms.statistics(Reach("main"), ["x", "none", "x"])
        assert +Counter(found.document_frequency) == {"x": 2}
        assert (await ledger.terms.statistics(Reach("main"), [])).documents == 2
        many = await ledger.terms.statistics(Reach("main"), [f"t{n}" for n in range(5000)] + ["y"])
        assert +Counter(many.document_frequency) == {"y": 1}

    async def test_a_scope_that_moved_is_taken_back_where_it_was_counted(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await ledger.manifest.commit_files(FRIEND, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await self._expect(ledger, Reach("main"), [])
        await self._expect(ledger, Reach("main", ("telegram:1",)), [["x"]])

    async def test_an_id_is_never_counted_twice(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await ledger.manifest.announce("friend", ["b.md"])
        same = file_of("friend", "ok.md", {"0": "y"}) | file_of("friend", "b.md", {"2": "x", "1": "x"})
        with pytest.raises(InvalidInputError, match=r"notes:a\.md and from friend:b\.md"):
            await ledger.manifest.commit_files(FRIEND, same, (), "friend")
        within = file_of("notes", "b.md", {"7": "x"}) | file_of("notes", "c.md", {"7": "x"})
        with pytest.raises(InvalidInputError, match=r"notes:b\.md and from notes:c\.md"):
            await ledger.manifest.commit_files(MINE, within, (), "notes")
        assert await ledger.manifest.unfinished("friend") == ["b.md"]
        assert await ledger.manifest.passage_count() == 1
        await self._expect(ledger, Reach("main", ("", "telegram:1")), [["x"]])

    async def test_a_moved_file_keeps_its_id(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await ledger.manifest.commit_files(MINE, file_of("notes", "b.md", {"1": "x"}), ["a.md"], "notes")
        assert await ledger.manifest.passages("notes", ["a.md", "b.md"]) == {"b.md": ["1"]}
        await self._expect(ledger, Reach("main"), [["x"]])

    async def test_a_record_of_another_file_is_refused(self, ledger: Ledger) -> None:
        record, passages = file_of("notes", "a.md", {"1": "x"})["a.md"]
        with pytest.raises(InvalidInputError, match=r"notes:b\.md"):
            await ledger.manifest.commit_files(MINE, {"b.md": (record, passages)}, (), "notes")
        with pytest.raises(InvalidInputError, match=r"friend:a\.md"):
            await ledger.manifest.commit_files(FRIEND, {"a.md": (record, passages)}, (), "friend")
        assert await ledger.manifest.passage_count() == 0

    async def test_reset_keeps_the_roots_alone(self, ledger: Ledger) -> None:
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
        await ledger.manifest.announce("job", ["b.md"])
        await ledger.set_value("space", "s")
        await ledger.manifest.reset()
        assert await ledger.manifest.roots("main") == [ROOTS[1], ROOTS[0]]
        assert await ledger.manifest.files("notes") == {}
        assert await ledger.manifest.unfinished("job") == []
        assert (await ledger.manifest.passage_count(), await ledger.manifest.waiting(9)) == (0, [])
        assert await ledger.get_value("space") == "s"
        await self._expect(ledger, Reach("main"), [])

    # One suite for many ledgers (differing executors), a new ledger for each example (the fixture is a function).
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(history=_histories())
    async def test_counts_equal_those_made_anew(
        self,
        open_ledger: Callable[[], Awaitable[Ledger]],
        history: list[tuple[int, dict[str, list[list[str]]], list[str]] | None],
    ) -> None:
        ledger = await open_ledger()
        for root in ROOTS:
            await ledger.manifest.add_root(root)
        held: dict[tuple[int, str], list[list[str]]] = {}
        for step in history:
            if step is None:
                await ledger.manifest.reset()
                held.clear()
                continue
            number, written, removed = step
            root = ROOTS[number]
            files: dict[str, tuple[FileRecord, list[PassageRecord]]] = {}
            for path, passages in written.items():
                ids = [f"{root.label}/{path}/{ordinal}" for ordinal in range(len(passages))]
                terms = map(" ".join, passages)
                files |= file_of(root.label, path, dict(zip(ids, terms, strict=True)))
            await ledger.manifest.commit_files(root.scope, files, removed, root.label)
            for path in removed:
                held.pop((number, path), None)
            held |= {(number, path): passages for path, passages in written.items()}
        for number, root in enumerate(ROOTS):
            expected = [passage for (at, _), passages in held.items() if at == number for passage in passages]
            await self._expect(ledger, Reach(root.scope.agent, (root.scope.anchor,)), expected)
        both = [passage for (at, _), passages in held.items() if at < 2 for passage in passages]
        await self._expect(ledger, Reach("main", ("", "telegram:1")), both)

    async def test_vectors_come_back_by_space_and_key(self, ledger: Ledger) -> None:
        await ledger.cache.put("one", {"a": vector_of(1, 2.5), "b": vector_of(-1, 0)})
        await ledger.cache.put("two", {"a": vector_of(3, 4, 5)})
        found = await ledger.cache.get("one", ["b", "a", "none", "a"])
        assert {key: vector.tolist() for key, vector in found.items()} == {"a": [1, 2.5], "b": [-1, 0]}
        assert all(vector.dtype == np.float32 for vector in found.values())
        assert (await ledger.cache.get("two", ["a"]))["a"].tolist() == [3, 4, 5]
        assert await ledger.cache.get("three", ["a"]) == {}

    async def test_a_vector_put_again_is_renewed(self, ledger: Ledger) -> None:
        await ledger.cache.put("one", {"a": vector_of(1, 0)})
        await ledger.cache.put("one", {"a": vector_of(0, 1)})
        assert (await ledger.cache.get("one", ["a"]))["a"].tolist() == [0, 1]

    async def test_a_forgotten_vector_is_gone_in_every_space(self, ledger: Ledger) -> None:
        for space in ("one", "two"):
            await ledger.cache.put(space, {"a": vector_of(1), "b": vector_of(2)})
        await ledger.cache.forget(["a", "none"])
        for space in ("one", "two"):
            assert list(await ledger.cache.get(space, ["a", "b"])) == ["b"]

    async def test_no_broken_vector_is_kept(self, ledger: Ledger) -> None:
        for broken in (vector_of(1, float("nan")), vector_of(float("inf")), np.zeros((2, 2), dtype=np.float32)):
            with pytest.raises(InvalidInputError, match="'bad'"):
                await ledger.cache.put("one", {"good": vector_of(1), "bad": broken})
        assert await ledger.cache.get("one", ["good", "bad"]) == {}

    async def test_thousands_of_vectors_in_one_call(self, ledger: Ledger) -> None:
        vectors = {f"k{n}": vector_of(n) for n in range(2500)}
        await ledger.cache.put("one", vectors)
        found = await ledger.cache.get("one", list(vectors))
        assert {key: vector.item() for key, vector in found.items()} == {f"k{n}": n for n in range(2500)}

    async def test_named_values(self, ledger: Ledger) -> None:
        assert await ledger.get_value("space") is None
        await ledger.set_value("space", "one")
        await ledger.set_value("space", "二")
        await ledger.set_value("other", "")
        assert (await ledger.get_value("space"), await ledger.get_value("other")) == ("二", "")
        await ledger.set_value("space", None)
        await ledger.set_value("space", None)
        assert await ledger.get_value("space") is None

    async def test_queries_are_logged_newest_first_with_ten_hits(self, ledger: Ledger) -> None:
        await ledger.log_query("first", [], AT)
        await ledger.log_query("第二", [str(n) for n in range(15)], AT)
        assert await ledger.logged_queries(5) == [("第二", [str(n) for n in range(10)]), ("first", [])]
        assert await ledger.logged_queries(1) == [("第二", [str(n) for n in range(10)])]
        assert await ledger.logged_queries(0) == []
        with pytest.raises(InvalidInputError, match="zone"):
            await ledger.log_query("naive", [], AT.replace(tzinfo=None))

    async def test_the_query_log_is_bounded(self, ledger: Ledger) -> None:
        for n in range(2005):
            await ledger.log_query(str(n), [], AT)
        logged = await ledger.logged_queries(5000)
        assert [query for query, _ in logged] == [str(n) for n in range(2004, 4, -1)]

    async def _expect(self, ledger: Ledger, reach: Reach, passages: Sequence[Sequence[str]]) -> None:
        """Compare the counts of everything in reach with those made from these passages."""
        expected = Counter(term for passage in passages for term in set(passage))
        found = await ledger.terms.statistics(reach, list("uvwxyz记"))
        assert (found.documents, found.total_length) == (len(passages), sum(map(len, passages)))
        assert +Counter(found.document_frequency) == expected
