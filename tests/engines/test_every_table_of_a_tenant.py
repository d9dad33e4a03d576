"""Every table there is, attacked: the rows of whole memories, by raw SQL as the service's own role."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import psycopg
import pytest
from psycopg import errors, sql

from tercet import Message, Turn, build_async, load_settings
from tercet.testing.embedding_server import EmbeddingServer, hashed_words

ANNA = "telegram:1"
OF_NOBODY = {"migrations"}
EVERY_LEXEME = "SELECT set_config('app.lexemes', '!''none''', true)"
FORGED = [
    "true",
    "tenant = {victim}",
    "tenant = {victim} OR 1 = 1",
    "tenant IN (SELECT tenant FROM {table})",
    "tenant <> current_setting('app.tenant', true)",
    "EXISTS (SELECT FROM {table} AS other WHERE other.tenant = {victim})",
]
"""Filters that ask for the rows of others."""
SELDOM = [
    "INSERT INTO tercet.announced (tenant, root, path) SELECT tenant, label, 'cut.md' FROM tercet.root ON CONFLICT DO NOTHING",
    "INSERT INTO tercet.named_value (tenant, key, value) SELECT tenant, 'seldom', 'x' FROM tercet.root ON CONFLICT DO NOTHING",
    "INSERT INTO tercet.entry_link (tenant, entry_id, other_id) SELECT tenant, id, id FROM tercet.entry ON CONFLICT DO NOTHING",
]
"""Rows that a memory leaves in the middle of something alone."""


@dataclass(frozen=True)
class Scene:
    """Two tenants with rows in every table, of which only one is the attacker's."""

    mine: str
    victim: str
    tables: tuple[str, ...]


async def fill(server, tenant, home, folder):
    """Do with a memory whatever leaves a row somewhere."""
    with EmbeddingServer(hashed_words(16)) as service:
        embedding = {"provider": "openai", "url": f"{service.url}/v1", "model": "m"}
        given = {"home": str(home), "store": {"url": server.url, "tenant": tenant}, "embedding": embedding}
        memory = await build_async(load_settings(given))
        await memory.index([str(folder)])
        await memory.read("boat.md")
        await memory.search("Which chimney sweep did the roofer recommend?")
        for number, text in enumerate(("I have two cats", "My sister lives in Ghent", "My sister has a boat")):
            await memory.agent_end(Turn(ANNA, (Message("user", text, id=f"m{number}"), Message("assistant", "Ok."))))
        await memory.session_flush()
        old = await memory.remember("The boat lies at berth 12")
        await memory.remember("The boat lies at berth 47", supersedes=[old.id])
        await memory.link("anna", [ANNA, "discord:7"])
        await memory.close()


@pytest.fixture(scope="module")
def scene(postgres_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tenants")
    (folder / "boat.md").write_text("# Boat\n\nIt lies at berth 47; the roofer is called Wim.\n", "utf-8")
    mine, victim = postgres_server.new_tenant(), postgres_server.new_tenant()
    for tenant in (mine, victim):
        asyncio.run(fill(postgres_server, tenant, folder / tenant, folder))
    postgres_server.administer(*SELDOM)
    with psycopg.connect(postgres_server.administrator_url) as behind:
        found = behind.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'tercet'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')"
        )
        tables = tuple(sorted(name for (name,) in found if name not in OF_NOBODY))
        for tenant in (mine, victim):
            assert {table for table in tables if not count(behind, table, tenant)} == set(), "a table is not tried"
    return Scene(mine, victim, tables)


@pytest.fixture
def attacker(postgres_server):
    """A connection as the service has it, with any SQL at hand."""
    with psycopg.connect(postgres_server.url) as connection:
        yield connection


def be(connection, tenant):
    connection.execute("SELECT set_config('app.tenant', %s, true)", (tenant,))
    connection.execute(EVERY_LEXEME)


def count(connection, table, tenant, condition="tenant = {victim}"):
    statement = sql.SQL("SELECT count(*) FROM {table} WHERE tenant = {victim} AND ({condition})").format(
        table=sql.Identifier("tercet", table),
        victim=sql.Literal(tenant),
        condition=sql.SQL(condition).format(table=sql.Identifier("tercet", table), victim=sql.Literal(tenant)),
    )
    return connection.execute(statement).fetchone()[0]


def attack(template, table, victim):
    return sql.SQL(template).format(table=sql.Identifier("tercet", table), victim=sql.Literal(victim))


def test_every_table_has_forced_policies_that_ask_for_the_tenant(scene, attacker):
    forced = attacker.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'tercet'::regnamespace AND relrowsecurity AND relforcerowsecurity"
    )
    assert {name for (name,) in forced} == set(scene.tables)
    policies = attacker.execute(
        "SELECT tablename, cmd, permissive, qual, with_check FROM pg_policies WHERE schemaname = 'tercet'"
    ).fetchall()
    commands = {table: {cmd for name, cmd, *_ in policies if name == table} for table in scene.tables}
    assert {
        table for table, cmds in commands.items() if cmds not in ({"ALL"}, {"SELECT", "INSERT", "UPDATE", "DELETE"})
    } == set()
    for table, cmd, _, seen, written in policies:
        for condition, is_wanted in ((seen, cmd != "INSERT"), (written, cmd in {"INSERT", "UPDATE"})):
            assert condition is not None or not is_wanted, (table, cmd)
            assert condition is None or "app.tenant" in condition, (table, cmd)


@pytest.mark.parametrize("tenant", [None, "", "nobody", "%", "*"])
def test_without_a_tenant_of_ones_own_no_table_shows_a_row(scene, attacker, tenant):
    attacker.execute(EVERY_LEXEME)
    if tenant is not None:
        be(attacker, tenant)
    seen = {table: count(attacker, table, scene.victim) + count(attacker, table, scene.mine) for table in scene.tables}
    assert seen == dict.fromkeys(scene.tables, 0)


@pytest.mark.parametrize("condition", FORGED)
def test_no_filter_shows_a_row_of_another_tenant(scene, attacker, condition):
    be(attacker, scene.mine)
    for table in scene.tables:
        assert count(attacker, table, scene.mine) > 0, table
        with attacker.transaction(force_rollback=True):
            be(attacker, scene.mine)
            assert count(attacker, table, scene.victim, condition) == 0, table


def test_no_table_takes_a_row_for_another_tenant_or_gives_one_of_theirs(postgres_server, scene, attacker):
    with psycopg.connect(postgres_server.administrator_url) as behind:
        before = {table: contents(behind, table, scene.victim) for table in scene.tables}
    for table in scene.tables:
        be(attacker, scene.mine)
        for template in (
            "DELETE FROM {table} WHERE tenant = {victim}",
            "UPDATE {table} SET tenant = {victim} WHERE tenant = {victim}",
        ):
            assert attacker.execute(attack(template, table, scene.victim)).rowcount == 0, table
        with pytest.raises(errors.Error) as refused, attacker.transaction():
            attacker.execute(attack("UPDATE {table} SET tenant = {victim}", table, scene.victim))
        assert isinstance(refused.value, errors.InsufficientPrivilege), table
    attacker.commit()
    with psycopg.connect(postgres_server.administrator_url) as behind:
        assert {table: contents(behind, table, scene.victim) for table in scene.tables} == before


def contents(connection, table, tenant):
    """Return a tenant's rows as text, in any steady order."""
    found = connection.execute(
        attack("SELECT t::text FROM {table} AS t WHERE tenant = {victim} ORDER BY 1", table, tenant)
    )
    return found.fetchall()
