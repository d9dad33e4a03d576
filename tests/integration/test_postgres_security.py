"""Tenants of one database, attacked: by raw SQL as the service's own role, and by what a caller may hand in."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from tercet.adapters.postgres import PostgresEngine
from tercet.adapters.postgres.database import Database
from tercet.errors import ConfigurationError, EngineUnavailableError
from tercet.filters import Eq, Filter, HasTag, In
from tercet.model import Reach, Space
from tercet.testing.postgres_server import DATABASE, SERVICE_PASSWORD, SERVICE_ROLE
from tercet.testing.samples import OURS, SPACE, both, ids, opened, ours, row, vector

EAST = vector(1, 0, 0, 0)
TABLES = ("passages", "passage_terms", "vectors", "spaces", "passage_stores")
EVERY_LEXEME = "SELECT set_config('app.lexemes', '!''none''', true)"


@pytest.fixture
async def tenants(postgres_server):
    """Two homes with the same agents, anchors and ids, of which only one is the attacker's."""
    mine, victim = postgres_server.new_tenant(), postgres_server.new_tenant()
    for tenant, text in ((mine, "mine"), (victim, "secret")):
        async with opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine:
            await engine.upsert(both("1", f"{text} word", path=text, tags=(text,), vector=EAST))
    return mine, victim


@pytest.fixture
def attacker(postgres_server):
    """A connection as the service has it, with any SQL at hand."""
    with psycopg.connect(postgres_server.url) as connection:
        connection.execute("SET search_path TO tercet, public")
        yield connection


def be(connection, tenant):
    connection.execute("SELECT set_config('app.tenant', %s, true)", (tenant,))
    connection.execute(EVERY_LEXEME)


def count(connection, table, condition="true"):
    return connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").fetchone()[0]  # noqa: S608 - an attacker's own


# -- raw SQL as the service's role ------------------------------------------------------------


def test_every_table_with_a_tenant_binds_its_owner_too(tenants, attacker):
    found = attacker.execute(
        "SELECT relname, relrowsecurity AND relforcerowsecurity, EXISTS (SELECT FROM pg_attribute a"
        " WHERE a.attrelid = c.oid AND attname = 'tenant') FROM pg_class c"
        " WHERE relnamespace = 'tercet'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')"
    ).fetchall()
    assert {name for name, is_bound, _ in found if not is_bound} == {"migrations"}
    assert {name for name, _, has_tenant in found if not has_tenant} == {"migrations"}
    assert {name for name, *_ in found} > set(TABLES)


def test_the_tenant_comes_first_in_every_key(tenants, attacker):
    """So that any distributed PostgreSQL may shard by it; indexes over lexemes and vectors hold it otherwise."""
    found = attacker.execute(
        "SELECT i.indexrelid::regclass::text, (SELECT attname FROM pg_attribute a WHERE a.attrelid = i.indrelid"
        " AND a.attnum = i.indkey[0]) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " JOIN pg_am ON pg_am.oid = c.relam WHERE relnamespace = 'tercet'::regnamespace AND amname = 'btree'"
    ).fetchall()
    assert {name for name, first in found if first != "tenant"} == {"migrations_pkey"}


@pytest.mark.parametrize("table", TABLES)
def test_without_a_tenant_nothing_is_seen(tenants, attacker, table):
    attacker.execute(EVERY_LEXEME)
    assert count(attacker, table) == 0
    be(attacker, "")
    assert count(attacker, table) == 0


@pytest.mark.parametrize("table", TABLES)
def test_another_tenant_is_not_seen_by_asking_for_it(tenants, attacker, table):
    mine, victim = tenants
    be(attacker, mine)
    assert count(attacker, table) >= 1
    assert count(attacker, table, f"tenant = '{victim}'") == 0
    assert count(attacker, table, f"tenant = '{victim}' OR true") == count(attacker, table, f"tenant = '{mine}'")


def test_the_setting_ends_with_its_transaction(tenants, attacker):
    be(attacker, tenants[0])
    assert count(attacker, "passages") == 2
    attacker.commit()
    assert count(attacker, "passages") == 0


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO spaces (tenant, name, description, state) VALUES (%(victim)s, 'x', '', 'filling')",
        "INSERT INTO vectors SELECT %(victim)s, id, space, vector FROM vectors",
        "INSERT INTO passage_terms SELECT %(victim)s, id, agent, anchor, length, lexemes FROM passage_terms",
        "UPDATE spaces SET tenant = %(victim)s",
        "INSERT INTO passage_stores (tenant) VALUES (%(victim)s)",
    ],
)
def test_nothing_is_written_into_another_tenant(tenants, attacker, statement):
    mine, victim = tenants
    be(attacker, mine)
    with pytest.raises(errors.InsufficientPrivilege):
        attacker.execute(statement, {"victim": victim})


@pytest.mark.parametrize("table", TABLES)
def test_nothing_of_another_tenant_is_changed_or_deleted(postgres_server, tenants, attacker, table):
    mine, victim = tenants
    be(attacker, mine)
    for statement in (f"UPDATE {table} SET tenant = tenant", f"DELETE FROM {table}"):  # noqa: S608 - an attacker's own
        assert attacker.execute(f"{statement} WHERE tenant = '{victim}'").rowcount == 0
        attacker.execute(statement)
    attacker.commit()
    with psycopg.connect(postgres_server.administrator_url) as behind:
        assert count(behind, f"tercet.{table}", f"tenant = '{victim}'") >= 1


def test_copy_functions_and_statistics_tell_nothing(tenants, attacker):
    attacker.execute(EVERY_LEXEME)
    for table in TABLES:
        with attacker.cursor().copy(f"COPY {table} TO STDOUT") as out:
            assert b"".join(out) == b""
    assert attacker.execute("SELECT * FROM ts_stat('SELECT lexemes FROM tercet.passage_terms')").fetchall() == []
    assert (
        attacker.execute("SELECT * FROM pg_stats WHERE schemaname = 'tercet' AND tablename <> 'migrations'").fetchall()
        == []
    )
    assert attacker.execute("SELECT query_to_xml('SELECT body FROM passages', true, true, '')::text").fetchone() == (
        "",
    )


async def test_an_index_over_vectors_shows_no_samples(postgres_server, tenants, attacker):
    """Of a table the planner's samples are hidden with its rows; of an index over an expression they are not."""
    engine = PostgresEngine(postgres_server.url, tenant=tenants[1], exact_rows=0)
    async with opened(engine):
        await engine.maintain(60)
    postgres_server.administer("ANALYZE tercet.vectors")
    made = attacker.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'nearest_%'").fetchone()
    assert made >= (1,)
    assert attacker.execute("SELECT * FROM pg_stats WHERE tablename LIKE 'nearest_%'").fetchall() == []


def test_a_function_that_tells_what_it_is_shown_is_shown_nothing(tenants, attacker):
    """A cheap function is tried before other conditions, unless these are a barrier."""
    attacker.execute(
        "CREATE FUNCTION pg_temp.tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001"
        " AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$"
    )
    told = []
    attacker.add_notice_handler(lambda notice: told.append(notice.message_primary))
    be(attacker, tenants[0])
    attacker.execute("SELECT count(*) FROM passages WHERE pg_temp.tell(body)")
    assert told == ["seen mine word"] * 2


def test_security_cannot_be_switched_off_for_a_query(tenants, attacker):
    be(attacker, tenants[0])
    attacker.execute("SET LOCAL row_security = off")
    with pytest.raises(errors.InsufficientPrivilege):
        attacker.execute("SELECT * FROM passages")


@pytest.mark.parametrize("role", ["postgres", "pg_read_all_data"])
def test_no_stronger_role_can_be_taken(tenants, attacker, role):
    with pytest.raises(errors.InsufficientPrivilege):
        attacker.execute(f"SET ROLE {role}")


# -- by what a caller may hand in -------------------------------------------------------------


@pytest.mark.parametrize(
    "forged",
    [
        "' OR tenant <> '",
        "x') OR true --",
        "x'; SELECT set_config('app.tenant', '{victim}', true); --",
        "$1); SET app.tenant = '{victim}'; --",
        "%(tenant)s",
        "{{victim}}",
        "' | !'none",
        "!x' | 'word",
        "\\' | \\'word",
    ],
)
async def test_forged_values_stay_values(postgres_server, tenants, forged):
    mine, victim = tenants
    forged = forged.format(victim=victim)
    async with opened(PostgresEngine(postgres_server.url, tenant=mine)) as engine:
        for condition in (Eq("path", forged), In("path", (forged, "secret")), HasTag(forged), Eq("id", forged)):
            assert await engine.scan(ours(condition)) == []
            assert await engine.vector_topk(EAST, 9, ours(condition)) == []
            assert await engine.text_topk(["word"], 9, ours(condition)) == []
        assert await engine.text_topk([forged.replace(" ", "_"), "secret"], 9, ours()) == []
        assert await engine.scan(Filter(Reach(forged, ("", forged)))) == []
        assert await engine.get([forged]) == []
        assert ids(await engine.scan(ours(), after=forged)) in ([], ["a/1"])
        await engine.upsert([row("a/2", forged, terms=(forged.replace(" ", "_"),), path=forged, vector=EAST)])
        await engine.delete(ours(Eq("path", "secret")))
        found = await engine.scan(ours())
        assert ids(found) == ["a/1", "a/2"]
        assert [each.passage.text for each in found] == ["mine word", forged]
    async with opened(PostgresEngine(postgres_server.url, tenant=victim)) as engine:
        assert [each.passage.text for each in await engine.scan(ours())] == ["secret word"]


async def test_a_tenant_is_never_made_from_what_is_no_name(postgres_server):
    for name in ("", "x' OR 1=1", "Main", "a" * 65, "a\x00b", "t.x"):
        with pytest.raises(ConfigurationError, match=r"store\.tenant"):
            PostgresEngine(postgres_server.url, tenant=name)


async def test_tenants_may_hold_different_spaces_at_once(postgres_server, tenants):
    other = Space("contract", "wide", 7)
    async with opened(PostgresEngine(postgres_server.url, tenant=postgres_server.new_tenant()), other) as engine:
        await engine.upsert([row("a/1", "word", vector=vector(1, 0, 0, 0, 0, 0, 0))])
        assert ids(await engine.vector_topk(vector(1, 0, 0, 0, 0, 0, 0), 9, ours())) == ["a/1"]
    async with opened(PostgresEngine(postgres_server.url, tenant=tenants[0])) as engine:
        assert ids(await engine.vector_topk(EAST, 9, ours())) == ["a/1"]


async def test_a_discarded_index_takes_no_other_tenants_rows(postgres_server, tenants):
    mine, victim = tenants
    engine = PostgresEngine(postgres_server.url, tenant=mine)
    await engine.open(SPACE)
    await engine.discard()
    assert not engine.has_store()
    await engine.close()
    async with opened(PostgresEngine(postgres_server.url, tenant=victim)) as theirs:
        assert (await theirs.stats()).rows == 2


# -- who may be the service -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        ("SUPERUSER", "is a superuser or has BYPASSRLS"),
        ("BYPASSRLS", "is a superuser or has BYPASSRLS"),
        ("IN ROLE postgres", "may become 'postgres'"),
    ],
)
async def test_a_role_that_no_policy_binds_is_refused(postgres_server, rights, said):
    name = "strong_" + postgres_server.new_tenant()
    postgres_server.administer(f"CREATE ROLE {name} LOGIN {rights} PASSWORD 'p'")
    url = f"postgresql://{name}:p@127.0.0.1:{postgres_server.port}/{DATABASE}"
    with pytest.raises(ConfigurationError, match=said) as caught:
        await PostgresEngine(url).open(SPACE)
    assert "NOBYPASSRLS" in str(caught.value)
    postgres_server.administer(f"DROP ROLE {name}")


async def test_a_role_that_owns_nothing_serves_and_leaves_upkeep_to_the_owner(postgres_server, tenants):
    name = "guest_" + postgres_server.new_tenant()
    postgres_server.administer(
        f"CREATE ROLE {name} LOGIN PASSWORD 'p'",
        f"GRANT USAGE ON SCHEMA tercet TO {name}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tercet TO {name}",
    )
    url = f"postgresql://{name}:p@127.0.0.1:{postgres_server.port}/{DATABASE}"
    async with opened(PostgresEngine(url, tenant=tenants[0])) as engine:
        await engine.upsert(both("2", "more word", vector=EAST))
        assert ids(await engine.text_topk(["word"], 9, ours())) == ["a/1", "a/2"]
        assert "owner" in await engine.maintain(10)
        await engine.delete(["a/2", "b/2"])
    postgres_server.administer(f"DROP OWNED BY {name}", f"DROP ROLE {name}")


# -- secrets ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://tercet:hunter2-s3cret@127.0.0.1:{port}/memory", ConfigurationError),
        ("postgresql://tercet:hunter2-s3cret@127.0.0.1:{port}/absent", ConfigurationError),
        ("postgresql://tercet:hunter2-s3cret@127.0.0.1:1/memory", EngineUnavailableError),
        ("postgresql://tercet:hunter2-s3cret@[::1/memory", ConfigurationError),
        ("postgresql://tercet@127.0.0.1:{port}/memory?password=hunter2-s3cret", ConfigurationError),
        ("postgresql://tercet:hunter2-s3cret@127.0.0.1:{port}/memory?hunter2-s3cret", ConfigurationError),
        ("postgresql://tercet:hunter2%s3cret@127.0.0.1:{port}/memory", ConfigurationError),
        ("host=127.0.0.1 password=hunter2-s3cret", ConfigurationError),
        ("mysql://tercet:hunter2-s3cret@127.0.0.1/memory", ConfigurationError),
    ],
)
async def test_no_error_shows_the_password(postgres_server, url, kind):
    with pytest.raises(kind) as caught:
        await PostgresEngine(url.format(port=postgres_server.port)).open(SPACE)
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in str(error)
        assert "\n" not in str(error) or error is not caught.value
        error = error.__cause__


async def test_no_error_of_the_right_password_shows_it(postgres_server, tenants):
    engine = PostgresEngine(postgres_server.url, tenant=tenants[0])
    for probe in (await engine.probe(), repr(engine), repr(Database(postgres_server.url))):
        assert SERVICE_PASSWORD not in str(probe)
    with pytest.raises(EngineUnavailableError) as caught:
        await engine.scan(ours())
    assert SERVICE_PASSWORD not in str(caught.value)
    assert SERVICE_ROLE not in str(caught.value).partition("/")[0]


async def test_rows_of_ours_name_no_tenant(postgres_server, tenants):
    async with opened(PostgresEngine(postgres_server.url, tenant=tenants[0])) as engine:
        (found,) = await engine.scan(ours(Eq("id", "a/1")))
        assert found.passage.scope == OURS
