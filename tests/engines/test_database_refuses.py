"""A database that refuses, and a URL that is none: one line with the mend, nothing made, no password."""

from __future__ import annotations

import pytest

from tercet import Message, Turn, build_async, load_settings
from tercet.errors import LedgerBusyError
from tercet.testing.postgres_server import SERVICE_PASSWORD, SERVICE_ROLE

ANNA = "telegram:1"
SAID = "I am allergic to penicillin"


@pytest.fixture
def allow(own_postgres_server):
    """Alter what the service's role may do."""

    def altered(rights: str) -> None:
        own_postgres_server.administer(f"ALTER ROLE {SERVICE_ROLE} {rights}")

    return altered


def refused(ran):
    assert (ran.code, ran.out) == (1, "")
    (line,) = ran.err.strip().splitlines()
    assert "unexpected" not in line
    return line


@pytest.mark.parametrize("command", [("remember", SAID)])
def test_a_server_that_takes_no_writing_is_named_with_the_mend(own_postgres_server, allow, tercet, command):
    tercet.environment |= {"TERCET_STORE__URL": own_postgres_server.url}
    assert tercet("list").code == 0
    allow("SET default_transaction_read_only = on")
    line = refused(tercet(*command))
    assert "read-only transaction. It takes no writing now" in line
    assert SERVICE_PASSWORD not in line


async def test_what_is_told_while_nothing_can_be_written_is_kept_for_later(own_postgres_server, allow, home):
    given = {"home": str(home), "store": {"url": own_postgres_server.url}, "embedding": {"provider": "none"}}
    memory = await build_async(load_settings(given))
    try:
        await memory.flush()
        allow("SET default_transaction_read_only = on")
        # The role's setting holds for new connections.
        own_postgres_server.administer(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{SERVICE_ROLE}'"  # noqa: S608 - a constant of the tests
        )
        with pytest.raises(LedgerBusyError):
            await memory.remember("The quail of Ostend")
        await memory.agent_end(Turn(ANNA, (Message("user", SAID, id="m1"),)))
        allow("RESET default_transaction_read_only")
        own_postgres_server.administer(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{SERVICE_ROLE}'"  # noqa: S608 - a constant of the tests
        )
        await memory.flush()
        assert [entry.text for entry in await memory.list_entries(ANNA)] == [SAID]
    finally:
        await memory.close()


def test_a_database_without_free_connections_is_told_as_that(own_postgres_server, allow, tercet):
    tercet.environment |= {"TERCET_STORE__URL": own_postgres_server.url}
    allow("CONNECTION LIMIT 0")
    line = refused(tercet("list"))
    assert "too many connections" in line
    assert "has connections free" in line


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://tercet:hunter2@ss3cret:w@127.0.0.1/memory",
        "postgresql://tercet:p@s3cret:w/rd@127.0.0.1/memory",
        "postgresql://tercet:12/s3cret@127.0.0.1/memory",
        "postgresql://tercet:s3cret@[::1/memory",
        "host=127.0.0.1 user=tercet password=s3cret",
        "password=s3cret host=127.0.0.1 options=a://b",
    ],
)
def test_a_url_that_is_none_is_refused_without_its_password(tercet, tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    tercet.environment |= {"TERCET_STORE__URL": url}
    line = refused(tercet("remember", SAID))
    assert "store.url" in line
    assert "s3cret" not in line
    assert [path for path in tmp_path.rglob("*") if "s3cret" in path.name] == []


@pytest.mark.parametrize("value", ["sslmode=nonsense", "port=x", "sslmode=require"])
def test_a_value_that_the_library_refuses_is_a_fault_of_the_url(postgres_server, tercet, value):
    tercet.environment |= {"TERCET_STORE__URL": f"{postgres_server.url}?{value}"}
    assert "Check store.url" in refused(tercet("list"))
