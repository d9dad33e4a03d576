"""What every access log keeps, as a test suite: subclass it and give ``open_ledger``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tercet.errors import InvalidInputError
from tercet.model import Reach
from tercet.ports.accesses import Accesses, WeakQuery
from tercet.ports.ledger import FileRecord, PassageRecord, RootRecord
from tercet.testing.capture_contract import ANN, AT, LATER, OF_ANN, OF_BEN, OF_WORK, entry, stored
from tercet.testing.empty_ledgers import EmptyLedgers

if TYPE_CHECKING:
    from tercet.ports.ledger import Ledger

MOMENT = timedelta(milliseconds=1)


class AccessContract(EmptyLedgers):
    """Behaviour of ``tercet.ports.accesses``; the fixture gives an empty ledger at each call."""

    async def test_accesses_are_counted_since_a_time(self, ledger: Ledger) -> None:
        log = ledger.accesses
        assert await log.counts(AT) == {}
        await log.note(["notes:a.md", "1"], "search", AT)
        await log.note([], "recall", AT)
        await log.note(["notes:a.md"], "read", LATER)
        assert await log.counts(AT) == {"notes:a.md": Accesses(2, LATER), "1": Accesses(1, AT)}
        assert await log.counts(AT + MOMENT) == {"notes:a.md": Accesses(1, LATER)}
        with pytest.raises(InvalidInputError, match="zone"):
            await log.note(["1"], "read", AT.replace(tzinfo=None))

    async def test_the_access_log_is_bounded(self, ledger: Ledger) -> None:
        await ledger.accesses.note(["first"], "search", AT)
        await ledger.accesses.note(["kept"] * 19_999, "search", AT)
        assert (await ledger.accesses.counts(AT))["first"].count == 1
        await ledger.accesses.note(["last"], "search", AT)
        assert {item: each.count for item, each in (await ledger.accesses.counts(AT)).items()} == {
            "kept": 19_999,
            "last": 1,
        }

    async def test_a_forgotten_entry_leaves_no_access_and_gets_none(self, ledger: Ledger) -> None:
        """L8: not even one that was noted behind an answer and is written after the forget."""
        await ledger.journal.apply([stored(entry("1", "cats")), stored(entry("2", "dogs"))], at=AT)
        await ledger.accesses.note(["1", "2"], "search", AT)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        await ledger.accesses.note(["1", "2"], "recall", AT)
        assert await ledger.accesses.counts(AT) == {"2": Accesses(2, AT)}
        await ledger.journal.undo(["1"], at=AT)
        await ledger.accesses.note(["1"], "read", LATER)
        assert (await ledger.accesses.counts(AT))["1"] == Accesses(1, LATER)

    async def test_weak_queries_are_those_of_the_asker_below_the_score(self, ledger: Ledger) -> None:
        """Two people and two agents: nobody is told what another asked."""
        for query, best, reach, hits in (
            ("weak", 0.1, OF_ANN, ["1"]),
            ("none", 0.0, OF_ANN, []),
            ("weak", 0.2, OF_ANN, ["2", "1"]),
            ("good", 0.45, OF_ANN, ["1"]),
            ("ben's", 0.1, OF_BEN, []),
            ("of work", 0.1, OF_WORK, []),
        ):
            await ledger.log_query(query, hits, AT, best=best, reach=reach)
        await ledger.log_query("of nobody", [], AT, best=0.1)
        await ledger.log_query("unknown", [], AT, reach=OF_ANN)
        weak = ledger.accesses.weak_queries
        assert await weak(OF_ANN, AT, 0.45) == [WeakQuery("weak", 2, ("2", "1")), WeakQuery("none", 1)]
        assert await weak(OF_BEN, AT, 0.45) == [WeakQuery("ben's", 1)]
        both = Reach("main", (*OF_ANN.anchors, *OF_BEN.anchors))
        await ledger.log_query("both", [], AT, best=0.1, reach=both)
        assert [each.query for each in await weak(both, AT, 0.45)] == ["both", "ben's", "weak", "none"]
        assert "both" not in [each.query for each in await weak(OF_ANN, AT, 0.45)]
        assert await weak(OF_ANN, AT + MOMENT, 0.45) == []

    async def test_a_weak_query_that_showed_a_forgotten_entry_is_gone(self, ledger: Ledger) -> None:
        await ledger.journal.apply([stored(entry("1", "cats"))], at=AT)
        await ledger.log_query("which cats", ["1"], AT, best=0.1, reach=OF_ANN)
        await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
        assert await ledger.accesses.weak_queries(OF_ANN, AT, 0.45) == []

    async def test_paths_with_says_which_terms_a_file_holds(self, ledger: Ledger) -> None:
        def passage(passage_id: str, *terms: str) -> PassageRecord:
            return PassageRecord(passage_id, terms, has_vector=False)

        await ledger.manifest.add_root(RootRecord("notes", "/notes", ANN))
        written = {
            path: (FileRecord("notes", path, 1, 1, "ab" * 32, 1), passages)
            for path, passages in {
                "a.md": [passage("p", "cat", "cat"), passage("q", "dog", "hen")],
                "b.md": [passage("r", "hen")],
            }.items()
        }
        await ledger.manifest.commit_files(ANN, written, (), "notes")
        found = await ledger.manifest.paths_with("notes", ["cat", "dog", "cow"])
        assert found == {"a.md": {"cat", "dog"}}
        assert await ledger.manifest.paths_with("notes", []) == await ledger.manifest.paths_with("x", ["cat"]) == {}
