"""The Postgres ledger keeps the contract, also when several services write to it at once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest

from tercet.adapters.postgres.database import Database
from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.errors import InvalidInputError, LedgerBusyError, StoreFormatError
from tercet.model import Reach
from tercet.ports.ledger import Ledger
from tercet.testing.ledger_contract import AT, FRIEND, MINE, ROOTS, LedgerContract, file_of, vector_of
from tercet.testing.postgres_server import PostgresServer

BOTH = Reach("main", ("", "telegram:1"))


class TestPostgresLedger(LedgerContract):
    @pytest.fixture
    async def open_ledger(self, postgres_server: PostgresServer) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[PostgresLedger] = []

        async def open_one() -> Ledger:
            opened.append(await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), pool_size=1))
            return opened[-1]

        yield open_one
        for ledger in opened:
            assert await ledger.terms.faults() == []
            await ledger.close()


async def opened_by_two(server: PostgresServer) -> list[PostgresLedger]:
    """Return the ledgers of two services of one new tenant, which has the three roots."""
    tenant = server.new_tenant()
    services = [await PostgresLedger.open(server.url, tenant, pool_size=4) for _ in range(2)]
    for root in ROOTS:
        await services[0].manifest.add_root(root)
    return services


@pytest.fixture
async def services(postgres_server: PostgresServer) -> AsyncIterator[list[PostgresLedger]]:
    opened = await opened_by_two(postgres_server)
    yield opened
    for ledger in opened:
        await ledger.close()


async def test_what_was_acknowledged_outlives_a_crash_of_the_server(
    services: list[PostgresLedger], postgres_server: PostgresServer
) -> None:
    """L6: the ledger that was open goes on when the server is back."""
    one = services[0]
    await one.manifest.announce("notes", ["a.md", "b.md"])
    await one.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x y"}), (), "notes")
    await one.set_value("space", "s")
    postgres_server.stop("immediate")
    postgres_server.resume()
    assert await one.get_value("space") == "s"
    assert list(await one.manifest.files("notes")) == ["a.md"]
    assert await one.manifest.unfinished("notes") == ["b.md"]
    assert (await one.terms.statistics(BOTH, ["x"])).document_frequency == {"x": 1}
    assert await one.terms.faults() == []


async def test_a_second_service_sees_every_change_at_once(services: list[PostgresLedger]) -> None:
    """X10: the list of files is kept in memory, and yet never stale."""
    one, two = services

    async def sizes() -> dict[str, int]:
        """Ask both, so that each holds the list when the next change comes."""
        seen = [await service.manifest.files("notes") for service in services]
        assert seen[0] == seen[1]
        return {path: record.size for path, record in seen[0].items()}

    assert await sizes() == {}
    for size in (1, 2):
        await one.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}, size=size), (), "notes")
        assert await sizes() == {"a.md": size}
    await two.manifest.touch_files([replace((await two.manifest.files("notes"))["a.md"], size=3)])
    assert await sizes() == {"a.md": 3}
    await one.manifest.announce("notes", ["a.md"])
    assert await sizes() == {}
    await one.manifest.commit_files(MINE, file_of("notes", "a.md", {}), ["b.md"], "notes")
    assert await sizes() == {"a.md": 1}
    await two.manifest.reset()
    assert await sizes() == {}


async def test_a_folder_added_anew_is_not_taken_for_the_old_one(services: list[PostgresLedger]) -> None:
    """X10: as many changes as before, of other files."""
    one, two = services
    for path in ("a.md", "b.md"):
        await one.manifest.commit_files(MINE, file_of("notes", path, {"1": "x"}), (), "notes")
        assert [list(await service.manifest.files("notes")) for service in services] == [[path], [path]]
        await one.manifest.commit_files(MINE, {}, [path], "notes")
        await one.manifest.remove_root("notes")
        assert await one.manifest.files("notes") == {}
        await one.manifest.add_root(ROOTS[0])
    assert await two.manifest.files("notes") == {}


async def test_two_tenants_share_a_database_and_nothing_in_it(postgres_server: PostgresServer) -> None:
    """L8: the same label, ids, terms, keys and words on both sides."""
    services = [await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant()) for _ in range(2)]
    for ledger, text, number in zip(services, ("x y", "x z"), (1, 2), strict=True):
        await ledger.manifest.add_root(ROOTS[0])
        await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": text}, size=number), (), "notes")
        await ledger.cache.put("s", {"k": vector_of(number)})
        await ledger.set_value("key", text)
        await ledger.log_query(text, ["1"], AT, best=0.1, reach=BOTH)
        await ledger.accesses.note(["1"] * number, "read", AT)
    for ledger, text, number in zip(services, ("x y", "x z"), (1, 2), strict=True):
        assert (await ledger.manifest.files("notes"))["a.md"].size == number
        found = await ledger.terms.statistics(BOTH, ["x", "y", "z"])
        assert (found.documents, found.document_frequency) == (1, dict.fromkeys(text.split(), 1))
        assert (await ledger.cache.get("s", ["k"]))["k"].item() == number
        assert await ledger.get_value("key") == text
        assert await ledger.logged_queries(9) == [(text, ["1"])]
        assert [each.query for each in await ledger.accesses.weak_queries(BOTH, AT, 1.0)] == [text]
        assert (await ledger.accesses.counts(AT))["1"].count == number
    await services[0].manifest.reset()
    await services[0].cache.forget(["k"])
    assert await services[0].manifest.passage_count() == 0
    assert await services[1].manifest.passage_count() == 1
    assert list(await services[1].cache.get("s", ["k"])) == ["k"]
    for ledger in services:
        await ledger.close()


async def test_the_embedding_cache_keeps_the_newest(postgres_server: PostgresServer) -> None:
    ledger = await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), cache_rows=3)
    await ledger.cache.put("s", {"a": vector_of(0)})
    await ledger.cache.put("s", {"b": vector_of(1), "c": vector_of(2)})
    await ledger.cache.put("s", {"a": vector_of(9)})
    await ledger.cache.put("t", {"d": vector_of(1), "e": vector_of(2)})
    assert {key: v.item() for key, v in (await ledger.cache.get("s", list("abcde"))).items()} == {"a": 9}
    assert sorted(await ledger.cache.get("t", list("abcde"))) == ["d", "e"]
    await ledger.close()


async def test_wrong_counts_are_found_and_a_rebuild_mends_them(
    services: list[PostgresLedger], postgres_server: PostgresServer
) -> None:
    one = services[0]
    await one.manifest.commit_files(FRIEND, file_of("notes", "a.md", {"1": "unheardof y"}), (), "notes")
    assert await one.terms.faults() == []
    postgres_server.administer("UPDATE tercet.term_count SET documents = 2 WHERE term = 'unheardof'")
    assert await one.terms.faults() == ["The term counts of main/telegram:1 differ from its passages."]
    await one.manifest.reset()
    assert await one.terms.faults() == []


async def test_counts_never_go_below_nothing(services: list[PostgresLedger], postgres_server: PostgresServer) -> None:
    """Counts that were lost are said to be wrong, with the mend, and no file is dropped over them."""
    one = services[0]
    await one.manifest.commit_files(FRIEND, file_of("notes", "a.md", {"1": "neverheard y"}), (), "notes")
    postgres_server.administer("UPDATE tercet.term_count SET documents = 0 WHERE term = 'neverheard'")
    with pytest.raises(StoreFormatError, match="index --rebuild"):
        await one.manifest.commit_files(FRIEND, {}, ["a.md"], "notes")
    assert list(await one.manifest.files("notes")) == ["a.md"]
    await one.manifest.reset()
    assert await one.terms.faults() == []


async def test_texts_that_a_database_does_not_hold_come_back_or_are_refused(services: list[PostgresLedger]) -> None:
    one = services[0]
    await one.log_query("half\0word", [], AT)
    assert await one.logged_queries(1) == [("half\0word", [])]
    await one.manifest.commit_files(MINE, file_of("notes", "nul.md", {"0\x01": "x\0y x\x01"}), (), "notes")
    assert await one.manifest.passages("notes", ["nul.md"]) == {"nul.md": ["0\x01"]}
    found = await one.terms.statistics(BOTH, ["x\0y", "x\x01", "x"])
    assert found.document_frequency == {"x\0y": 1, "x\x01": 1}
    await one.manifest.commit_files(MINE, {}, ["nul.md"], "notes")
    assert await one.terms.faults() == []
    with pytest.raises(InvalidInputError, match="half a character"):
        await one.set_value("a", "x\ud800")
    written = file_of("notes", "a.md", {"1": "x"}) | file_of("notes", "b.md", {"2": "y\udcff"})
    with pytest.raises(InvalidInputError, match="half a character"):
        await one.manifest.commit_files(MINE, written, (), "notes")
    assert await one.manifest.files("notes") == {}


async def test_a_shared_database_outlives_the_ledger(postgres_server: PostgresServer) -> None:
    database = await Database.open(postgres_server.url, postgres_server.new_tenant(), pool_size=1)
    for _ in range(2):
        ledger = await PostgresLedger.open(database)
        await ledger.set_value("key", "v")
        await ledger.close()
        assert database.is_connected
    await database.close()
    with pytest.raises(LedgerBusyError, match="is not open"):
        await ledger.get_value("key")
