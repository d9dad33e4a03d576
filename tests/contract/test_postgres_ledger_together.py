"""Several services write to one Postgres ledger at once, and die: counts fit the files, and nothing is left over."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.errors import InvalidInputError, LedgerBusyError
from tercet.model import Reach
from tercet.ports.accesses import Accesses
from tercet.ports.ledger import FileRecord, PassageRecord, RootRecord
from tercet.testing.capture_contract import AT, LATER, entry, stored
from tercet.testing.ledger_contract import FRIEND, MINE, ROOTS, file_of, vector_of
from tercet.testing.postgres_server import PostgresServer

PATHS = ("a.md", "b.md", "c.md", "d.md")
SCOPES = (MINE, FRIEND)
BOTH = Reach("main", ("", "telegram:1"))
LETTERS = "uvwxyz"
MOST_LOOKS = 20_000
"""Some seconds' worth, where what is waited for takes a few."""


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


@st.composite
def _commits(draw: st.DrawFn) -> list[tuple[int, frozenset[str], frozenset[str]] | None]:
    """Draw commits as (scope, paths written, paths removed); None is a reset."""
    paths = st.frozensets(st.sampled_from(PATHS), max_size=4)
    commit = st.tuples(st.integers(0, 1), paths, paths)
    return draw(st.lists(st.one_of(*[commit] * 9, st.none()), min_size=12, max_size=24))


def files_of(number: int, paths: Iterable[str]) -> dict[str, tuple[FileRecord, list[PassageRecord]]]:
    """Return what commit ``number`` writes: the same few ids again, with words of its own."""
    files: dict[str, tuple[FileRecord, list[PassageRecord]]] = {}
    for path in paths:
        draw = random.Random(f"{number} {path}")
        texts = {f"{path}#{n}": " ".join(draw.choices(LETTERS, k=6)) for n in range(draw.randrange(1, 6))}
        files |= file_of("notes", path, texts, size=number)
    return files


# One server for all examples, a tenant for each.
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commits=_commits())
async def test_counts_are_right_however_many_commit_the_same_files_at_once(
    postgres_server: PostgresServer, commits: list[tuple[int, frozenset[str], frozenset[str]] | None]
) -> None:
    """X11: two services, overlapping files, scopes that move, and rebuilds in between, in whatever order they come."""
    services = await opened_by_two(postgres_server)

    async def do(number: int, ledger: PostgresLedger) -> None:
        step = commits[number]
        if step is None:
            await ledger.manifest.reset()
            return
        scope, written, removed = step
        await ledger.manifest.announce("notes", sorted(written | removed))
        await ledger.manifest.commit_files(SCOPES[scope], files_of(number, written), sorted(removed), "notes")

    await asyncio.gather(*(do(number, services[number % 2]) for number in range(len(commits))))
    one, two = services
    files = await one.manifest.files("notes")
    assert await two.manifest.files("notes") == files
    assert await one.manifest.unfinished("notes") == []
    held = {path: files_of(record.size, [path])[path][1] for path, record in files.items()}
    passages = [passage for each in held.values() for passage in each]
    assert await two.manifest.passages("notes", PATHS) == {path: [p.id for p in each] for path, each in held.items()}
    assert await two.manifest.counts("notes") == (len(files), len(passages), len(passages))
    found = await two.terms.statistics(BOTH, list(LETTERS))
    assert found.documents == await one.manifest.passage_count() == len(passages)
    assert found.total_length == 6 * len(passages)
    assert found.document_frequency == Counter(term for passage in passages for term in set(passage.terms))
    assert await one.terms.faults() == []
    for ledger in services:
        await ledger.close()


async def test_files_that_exchange_their_passages_at_once_end_in_one_of_the_orders(
    services: list[PostgresLedger],
) -> None:
    """X11: ids that move between files are where the last commit put them, and are counted once."""

    async def move(ledger: PostgresLedger, source: str, target: str) -> None:
        written = file_of("notes", target, {"one": "x y", "two": "z"})
        await ledger.manifest.commit_files(MINE, written, [source], "notes")

    await move(services[0], "b.md", "a.md")
    for _ in range(10):
        await asyncio.gather(
            *(move(ledger, *pair) for ledger in services for pair in (("a.md", "b.md"), ("b.md", "a.md")))
        )
        held = await services[0].manifest.passages("notes", ["a.md", "b.md"])
        assert list(held.values()) == [["one", "two"]]
        assert await services[1].terms.faults() == []


async def test_a_label_added_twice_at_once_names_one_folder(services: list[PostgresLedger]) -> None:
    wanted = [RootRecord("new", f"/{n}", MINE) for n in range(6)]
    ended = await asyncio.gather(
        *(services[n % 2].manifest.add_root(root) for n, root in enumerate(wanted)), return_exceptions=True
    )
    (held,) = [root for root in await services[0].manifest.roots("main") if root.label == "new"]
    assert [wanted[n] for n, error in enumerate(ended) if error is None] == [held]
    assert sum(isinstance(error, InvalidInputError) for error in ended) == len(wanted) - 1


def wait_until_blocked(server: PostgresServer, count: int) -> list[int]:
    """Return the process ids of so many connections that wait for a lock, as soon as they all do."""
    waits = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND backend_type = 'client backend'"
    with psycopg.connect(server.administrator_url, autocommit=True) as looking:
        for _ in range(MOST_LOOKS):
            blocked = looking.execute(waits).fetchall()
            if len(blocked) == count:
                return [pid for (pid,) in blocked]
    pytest.fail(f"{len(blocked)} connections wait for a lock, not {count}")


async def test_a_commit_whose_connection_dies_changes_nothing_and_stays_announced(
    services: list[PostgresLedger], postgres_server: PostgresServer
) -> None:
    """L6: killed within the transaction, while it waits for the counts that another holds."""
    manifest = services[0].manifest
    await manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
    await manifest.announce("notes", ["a.md", "b.md"])
    with psycopg.connect(postgres_server.administrator_url) as holder:
        holder.execute("SELECT FROM tercet.scope FOR UPDATE")
        written = file_of("notes", "a.md", {"2": "y"}) | file_of("notes", "b.md", {"3": "z"})
        commit = asyncio.create_task(manifest.commit_files(MINE, written, (), "notes"))
        (blocked,) = await asyncio.to_thread(wait_until_blocked, postgres_server, 1)
        postgres_server.administer(f"SELECT pg_terminate_backend({blocked})")
        with pytest.raises(LedgerBusyError, match="could not record files"):
            await commit
    assert await services[1].manifest.unfinished("notes") == ["a.md", "b.md"]
    assert await services[1].manifest.passages("notes", ["a.md", "b.md"]) == {"a.md": ["1"]}
    assert await services[1].terms.faults() == []
    await manifest.commit_files(MINE, written, (), "notes")
    assert await manifest.unfinished("notes") == []
    assert (await services[1].terms.statistics(BOTH, ["x", "y"])).document_frequency == {"y": 1}


async def test_queries_logged_at_once_are_all_there_and_bounded(services: list[PostgresLedger]) -> None:
    asked = [f"q{n}" for n in range(40)]
    await asyncio.gather(*(services[n % 2].log_query(query, [], AT) for n, query in enumerate(asked)))
    assert sorted(query for query, _ in await services[0].logged_queries(99)) == sorted(asked)


async def test_vectors_cached_and_dropped_at_once_leave_no_more_than_the_bound(postgres_server: PostgresServer) -> None:
    tenant = postgres_server.new_tenant()
    services = [await PostgresLedger.open(postgres_server.url, tenant, cache_rows=20) for _ in range(2)]
    keys = [f"k{n}" for n in range(30)]
    await asyncio.gather(
        *(
            services[n % 2].cache.put("s", {key: vector_of(n) for key in random.Random(n).sample(keys, 15)})
            for n in range(20)
        )
    )
    await services[0].cache.put("s", {"last": vector_of(1)})
    held = await services[1].cache.get("s", [*keys, "last"])
    assert "last" in held
    assert len(held) == 20
    for ledger in services:
        await ledger.close()


async def test_an_access_noted_while_its_entry_is_forgotten_is_not_there(
    services: list[PostgresLedger], postgres_server: PostgresServer
) -> None:
    """L8: the access waits for the forget, and finds the entry gone."""
    one, two = services
    await one.journal.apply([stored(entry("1", "cats")), stored(entry("2", "dogs"))], at=AT)
    with psycopg.connect(postgres_server.administrator_url) as holder:
        holder.execute("LOCK TABLE tercet.query_log")
        forgetting = asyncio.create_task(one.journal.forget(at=AT, purge_at=LATER, ids=["1"]))
        await asyncio.to_thread(wait_until_blocked, postgres_server, 1)
        noting = asyncio.create_task(two.accesses.note(["1", "2"], "search", AT))
        await asyncio.to_thread(wait_until_blocked, postgres_server, 2)
    await asyncio.gather(forgetting, noting)
    assert await one.accesses.counts(AT) == {"2": Accesses(1, AT)}


async def test_an_entry_forgotten_while_its_access_is_noted_leaves_none(
    services: list[PostgresLedger], postgres_server: PostgresServer
) -> None:
    """L8: the forget waits for the access, and takes it along."""
    one, two = services
    await one.journal.apply([stored(entry("1", "cats")), stored(entry("2", "dogs"))], at=AT)
    await one.accesses.note(["2"], "search", AT)
    with psycopg.connect(postgres_server.administrator_url) as holder:
        holder.execute("SELECT FROM tercet.log_position FOR UPDATE")
        noting = asyncio.create_task(two.accesses.note(["1", "2"], "search", AT))
        await asyncio.to_thread(wait_until_blocked, postgres_server, 1)
        forgetting = asyncio.create_task(one.journal.forget(at=AT, purge_at=LATER, ids=["1"]))
        await asyncio.to_thread(wait_until_blocked, postgres_server, 2)
    await asyncio.gather(forgetting, noting)
    assert await one.accesses.counts(AT) == {"2": Accesses(2, AT)}
