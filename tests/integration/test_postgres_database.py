"""The ground of everything in PostgreSQL: connections, transactions, migrations, faults."""

from __future__ import annotations

import asyncio
import sys

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.adapters.postgres.database import Database
from tercet.adapters.postgres.migrations import Migration, known_migrations, migrate
from tercet.adapters.postgres.texts import from_stored, to_stored
from tercet.errors import (
    ConfigurationError,
    EngineUnavailableError,
    InvalidInputError,
    LedgerBusyError,
    StoreFormatError,
)
from tercet.testing.postgres_server import SERVICE_PASSWORD, SERVICE_ROLE


@pytest.fixture
def fresh(postgres_server):
    """Return the address of a new database that the service owns."""
    name = postgres_server.new_tenant()
    postgres_server.administer(f"CREATE DATABASE {name} OWNER {SERVICE_ROLE}", database="postgres")
    postgres_server.administer("CREATE EXTENSION vector", database=name)
    yield f"postgresql://{SERVICE_ROLE}:{SERVICE_PASSWORD}@127.0.0.1:{postgres_server.port}/{name}"
    postgres_server.administer(f"DROP DATABASE {name} WITH (FORCE)", database="postgres")


@pytest.fixture
async def database(postgres_server):
    database = await Database.open(postgres_server.url, postgres_server.new_tenant())
    yield database
    await database.close()


async def value(database, statement, *values):
    async with database.transaction() as connection:
        found = await connection.execute(statement, values or None)
        return (await found.fetchone())[0]


# -- migrations -------------------------------------------------------------------------------


def test_migrations_are_numbered_without_a_gap():
    assert [migration.version for migration in known_migrations()] == list(range(1, len(known_migrations()) + 1))


async def test_services_that_start_at_once_migrate_once(fresh):
    script = (
        "import asyncio, sys\n"
        "from tercet.adapters.postgres.database import Database\n"
        "async def main():\n"
        "    databases = await asyncio.gather(*(Database.open(sys.argv[1]) for _ in range(3)))\n"
        "    for database in databases:\n"
        "        await database.close()\n"
        "asyncio.run(main())\n"
    )
    started = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", script, fresh, stderr=asyncio.subprocess.PIPE)
        for _ in range(2)
    ]
    for process in started:
        _, err = await process.communicate()
        assert process.returncode == 0, err
    with psycopg.connect(fresh) as connection:
        found = connection.execute("SELECT version, name FROM tercet.migrations ORDER BY version").fetchall()
    assert found == [(migration.version, migration.name) for migration in known_migrations()]


async def test_a_newer_schema_is_left_alone(fresh):
    await (await Database.open(fresh)).close()
    with psycopg.connect(fresh) as connection:
        connection.execute("INSERT INTO tercet.migrations (version, name) VALUES (9000, '9000_later.sql')")
    with pytest.raises(StoreFormatError, match=r"schema 9000.*update Tercet"):
        await Database.open(fresh)


async def test_a_step_that_fails_leaves_nothing_and_is_tried_again(fresh):
    await (await Database.open(fresh)).close()
    broken = Migration(8000, "8000_x.sql", "CREATE TABLE tercet.half (x int); SELECT no_such_function();")
    mended = Migration(8000, "8000_x.sql", "CREATE TABLE tercet.half (x int);")
    async with await psycopg.AsyncConnection.connect(fresh, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.UndefinedFunction):
            await migrate(connection, [*known_migrations(), broken], "here")
        found = await connection.execute("SELECT to_regclass('tercet.half')")
        assert await found.fetchone() == (None,)
        await migrate(connection, [*known_migrations(), mended], "here")
        await migrate(connection, [*known_migrations(), mended], "here")
        found = await connection.execute("SELECT count(*) FROM tercet.half")
        assert await found.fetchone() == (0,)


async def test_a_database_without_pgvector_is_refused_with_the_mend(postgres_server, fresh):
    name = fresh.rpartition("/")[2]
    postgres_server.administer("DROP EXTENSION vector", database=name)
    with pytest.raises(ConfigurationError, match="CREATE EXTENSION vector"):
        await Database.open(fresh)


async def test_a_database_that_lets_the_role_make_nothing_is_refused(postgres_server, fresh):
    name = fresh.rpartition("/")[2]
    postgres_server.administer(f"ALTER DATABASE {name} OWNER TO postgres", database="postgres")
    with pytest.raises(ConfigurationError, match="permission denied"):
        await Database.open(fresh)


# -- connections ------------------------------------------------------------------------------


async def test_every_connection_searches_behind_a_filter(database):
    async def shown():
        async with database.transaction() as connection:
            found = await connection.execute("SHOW hnsw.iterative_scan")
            await connection.execute("SELECT pg_sleep(0.05)")
            return (await found.fetchone())[0], connection.pgconn.backend_pid

    found = await asyncio.gather(*(shown() for _ in range(6)))
    assert {setting for setting, _ in found} == {"strict_order"}
    assert len({backend for _, backend in found}) > 1


async def test_the_tenant_holds_for_one_transaction(postgres_server):
    databases = [await Database.open(postgres_server.url, postgres_server.new_tenant()) for _ in range(2)]
    for database in (*databases, *databases):
        assert await value(database, "SELECT current_setting('app.tenant')") == database.tenant
    for database in databases:
        await database.close()


async def test_a_block_that_fails_leaves_nothing(database):
    async def work(connection):
        await connection.execute("INSERT INTO passage_stores (tenant) VALUES (%s)", (database.tenant,))
        raise KeyError

    with pytest.raises(KeyError):
        await database.run(work)
    assert await value(database, "SELECT count(*) FROM passage_stores") == 0


async def test_connect_may_be_called_again_and_close_too(postgres_server):
    database = Database(postgres_server.url)
    assert not database.is_connected
    with pytest.raises(EngineUnavailableError, match="not open"):
        async with database.transaction(unavailable=EngineUnavailableError):
            pass
    await asyncio.gather(database.connect(), database.connect())
    assert await value(database, "SELECT 1") == 1
    await database.close()
    await database.close()
    await database.connect()
    assert await value(database, "SELECT 1") == 1
    await database.close()


async def test_connections_that_died_are_passed_over(database):
    async def backend():
        async with database.transaction() as connection:
            await connection.execute("SELECT pg_sleep(0.02)")
            return connection.pgconn.backend_pid

    first = set(await asyncio.gather(*(backend() for _ in range(5))))
    with psycopg.connect(database._url, autocommit=True) as other:
        for pid in first:
            other.execute("SELECT pg_terminate_backend(%s)", (pid,))
    assert set(await asyncio.gather(*(backend() for _ in range(5)))).isdisjoint(first)


async def test_a_connection_that_dies_in_the_middle_is_a_transient_fault(database):
    async def work(connection):
        await connection.execute("INSERT INTO passage_stores (tenant) VALUES (%s)", (database.tenant,))
        with psycopg.connect(database._url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (connection.pgconn.backend_pid,))
        await connection.execute("SELECT 1")

    with pytest.raises(EngineUnavailableError):
        await database.run(work, "write rows", unavailable=EngineUnavailableError)
    assert await value(database, "SELECT count(*) FROM passage_stores") == 0


async def test_a_server_that_stops_and_comes_back(own_postgres_server):
    server = own_postgres_server
    database = Database(server.url, wait_s=0.5)
    await database.connect()
    server.stop("immediate")
    for _ in range(2):
        with pytest.raises(LedgerBusyError, match="could not answer"):
            await value(database, "SELECT 1")
    with pytest.raises(EngineUnavailableError):
        await Database(server.url).connect(unavailable=EngineUnavailableError)
    server.resume()
    database._wait_s = 10
    assert await value(database, "SELECT 1") == 1
    await database.close()


# -- faults -----------------------------------------------------------------------------------


async def test_a_deadlock_is_tried_again(database):
    """Two transactions that take two rows in opposite order: one is undone, and done again."""
    async with database.transaction() as connection:
        for name in "ab":
            await connection.execute(
                "INSERT INTO spaces (tenant, name, description, state) VALUES (%s, %s, '', %s)",
                (database.tenant, name, {"a": "active", "b": "filling"}[name]),
            )
    barrier, attempts = asyncio.Barrier(2), []

    def taking(order):
        is_first = True

        async def work(connection):
            nonlocal is_first
            attempts.append(order)
            await connection.execute("SELECT FROM spaces WHERE name = %s FOR UPDATE", (order[0],))
            if is_first:
                is_first = False
                await barrier.wait()
            await connection.execute("SELECT FROM spaces WHERE name = %s FOR UPDATE", (order[1],))
            return order

        return work

    done = await asyncio.gather(database.run(taking("ab")), database.run(taking("ba")))
    assert done == ["ab", "ba"]
    assert len(attempts) == 3


async def test_other_faults_are_not_tried_again(database):
    calls = []

    async def work(connection):
        calls.append(1)
        await connection.execute("SELECT pg_sleep(1)")

    async def impatient(connection):
        await connection.execute("SET LOCAL statement_timeout = '10ms'")
        await work(connection)

    with pytest.raises(LedgerBusyError, match="statement timeout"):
        await database.run(impatient)
    assert len(calls) == 1


async def test_what_may_not_be_done_is_permanent(database):
    with pytest.raises(ConfigurationError, match="permission denied"):
        await value(database, "SELECT 1 FROM pg_authid LIMIT 1")


async def test_half_a_character_is_refused(database):
    with pytest.raises(InvalidInputError, match="half a character"):
        await value(database, "SELECT %s::text", "a\ud800b")


async def test_a_mistake_in_our_sql_is_no_fault_of_the_server(database):
    with pytest.raises(psycopg.errors.SyntaxError):
        await value(database, "SELEC 1")


# -- texts ------------------------------------------------------------------------------------

TEXTS = st.text(alphabet=st.sampled_from("\x00\x01\x02\x03a€🦜"), max_size=8)


@given(TEXTS)
def test_a_stored_text_comes_back(text):
    assert "\x00" not in to_stored(text)
    assert from_stored(to_stored(text).encode()) == text


@settings(max_examples=200)
@given(TEXTS, TEXTS)
def test_stored_texts_keep_their_order(one, other):
    assert (to_stored(one) < to_stored(other)) == (one < other)


async def test_texts_with_nul_pass_through_the_server(database):
    for text in ("a\x00b", "\x00", "\x01", "\x01\x01\x02\x00", "plain", ""):
        assert await value(database, "SELECT %s::text", text) == text
        assert await value(database, "SELECT ARRAY[%s]::text[]", text) == [text]
        assert await value(database, "SELECT %s::text[]", [text, "x"]) == [text, "x"]
        assert await value(database, "SELECT %s::text = %s::text", text, text) is True
