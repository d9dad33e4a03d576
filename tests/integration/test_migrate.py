"""A home carried to another store and back: the same answers, and nothing forgotten returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tercet.adapters.lock import WriterLock
from tercet.app import build_async, migrating
from tercet.app.migrating import migrate
from tercet.config import load_settings
from tercet.errors import InvalidInputError, LedgerBusyError, NotFoundError
from tercet.model import Message, Turn

EXAMPLES = Path(__file__).parents[2] / "examples" / "workspace"
QUESTIONS = ("E-4117", "妈妈的生日按什么历过", "Who teaches Lotte the piano?", "What happened on 14 November 2025?")


def settings_of(home: Path, **store: str):
    return load_settings({"home": str(home), "store": store})


async def fill(loaded) -> str:
    """Put files, entries of two people, a correction, a forgotten entry and a conversation in; returns the forgotten."""
    memory = await build_async(loaded)
    try:
        await memory.index([str(EXAMPLES)])
        old = await memory.remember("Lotte's piano teacher is called Hanne Dewulf.")
        await memory.remember("Lotte's piano teacher is called Bram Stevens now.", supersedes=[old.id])
        await memory.remember("The alarm code of the shed is 4471.", session_key="telegram:7")
        gone = await memory.remember("The spare key lies under the blue pot.")
        await memory.link("ines", ["telegram:7", "discord:u_9"])
        await memory.agent_end(Turn("telegram:7", (Message("user", "I prefer trains to planes, always.", "m1"),)))
        await memory.flush()
        await memory.wiki.new("Reverb plan", body="Panels along the north wall.")
        await memory.search("reverb panels")
        await memory.forget([gone.id])
        return gone.id
    finally:
        await memory.close()


async def answers(loaded) -> list[object]:
    """Return what a reader sees of a memory."""
    memory = await build_async(loaded)
    try:
        found: list[object] = []
        for question in QUESTIONS:
            hits = await memory.search(question)
            assert hits.degraded is None
            found.append([(hit.passage.id, hit.passage.text, round(hit.score, 6)) for hit in hits])
        for key in (None, "telegram:7", "discord:u_9"):
            entries = await memory.list_entries(key)
            found.append([(entry.id, entry.text, entry.state) for entry in entries])
        found.append([entry.text for entry in await memory.history((await memory.list_entries())[0].id)])
        found.append(await memory.links())
        found.append([(status.session.key, status.messages, status.state) for status in await memory.session_status()])
        return found
    finally:
        await memory.close()


@pytest.fixture
async def source(tmp_path):
    loaded = settings_of(tmp_path / "home")
    forgotten = await fill(loaded)
    return loaded, forgotten


async def test_to_postgresql_and_back_the_answers_stay_the_same(source, postgres_server, tmp_path):
    loaded, forgotten = source
    before = await answers(loaded)
    tenant = postgres_server.new_tenant()
    report = await migrate(loaded, postgres_server.url, to_tenant=tenant)
    counts = {each.table: each.records for each in report.tables}
    assert counts["entry"] == 5  # one of them replaced, one forgotten
    assert counts["rows"] == counts["passage"] + 3
    shared = settings_of(tmp_path / "home", url=postgres_server.url, tenant=tenant)
    assert await answers(shared) == before

    back = settings_of(tmp_path / "third", url=postgres_server.url, tenant=tenant)
    returned = await migrate(back, str(tmp_path / "third" / "lancedb"))
    assert {e.table: e.digest for e in returned.tables if e.table not in {"query_log", "access"}} == {
        e.table: e.digest
        for e in (await migrate(back, str(tmp_path / "third" / "lancedb"), dry_run=True)).tables
        if e.table not in {"query_log", "access"}
    }
    memory = await build_async(settings_of(tmp_path / "third"))
    try:
        assert forgotten not in [entry.id for entry in await memory.list_entries()]
        assert all(forgotten != hit.passage.id for hit in await memory.search("Where does the spare key lie?"))
        assert await memory.undo() == [forgotten]
        assert forgotten in [hit.passage.id for hit in await memory.search("Where does the spare key lie?")]
        added = await memory.remember("The boat is called Albatros.")
        assert added.id in [entry.id for entry in await memory.list_entries()]
    finally:
        await memory.close()


async def test_what_is_written_after_a_move_does_not_meet_the_numbers_that_came(source, postgres_server, tmp_path):
    loaded, _ = source
    tenant = postgres_server.new_tenant()
    await migrate(loaded, postgres_server.url, to_tenant=tenant)
    memory = await build_async(settings_of(tmp_path / "home", url=postgres_server.url, tenant=tenant))
    try:
        entry = await memory.remember("The boat is called Albatros.")
        assert (await memory.forget([entry.id])).removed == (entry.id,)
        assert await memory.undo() == [entry.id]
        assert (await memory.list_entries())[0].id == entry.id
        await memory.agent_end(Turn("telegram:7", (Message("user", "I always take the window seat.", "m2"),)))
        await memory.flush()
        assert any("window seat" in each.text for each in await memory.list_entries("telegram:7"))
    finally:
        await memory.close()


async def test_a_migration_that_was_killed_goes_on_and_ends_the_same(source, postgres_server, tmp_path, monkeypatch):
    loaded, _ = source
    tenant = postgres_server.new_tenant()
    whole = migrating._carry_table
    carried: list[str] = []

    async def dies_in_the_middle(*given):
        if len(carried) == 7:
            msg = "killed"
            raise KeyboardInterrupt(msg)
        carried.append(given[2].name)
        await whole(*given)

    monkeypatch.setattr(migrating, "_carry_table", dies_in_the_middle)
    with pytest.raises(KeyboardInterrupt):
        await migrate(loaded, postgres_server.url, to_tenant=tenant)
    monkeypatch.setattr(migrating, "_carry_table", whole)
    report = await migrate(loaded, postgres_server.url, to_tenant=tenant)
    assert [each.table for each in report.tables if each.was_there and each.records][:3] == [
        "scope",
        "term_count",
        "root",
    ]
    shared = settings_of(tmp_path / "home", url=postgres_server.url, tenant=tenant)
    assert await answers(shared) == await answers(loaded)
    with pytest.raises(InvalidInputError, match="holds a memory already"):
        await migrate(loaded, postgres_server.url, to_tenant=tenant)


async def test_a_target_with_another_memory_is_left_as_it_is(source, postgres_server, tmp_path):
    loaded, _ = source
    tenant = postgres_server.new_tenant()
    other = settings_of(tmp_path / "other", url=postgres_server.url, tenant=tenant)
    memory = await build_async(other)
    await memory.remember("This memory is somebody else's.")
    await memory.close()
    with pytest.raises(InvalidInputError, match="holds a memory already"):
        await migrate(loaded, postgres_server.url, to_tenant=tenant)
    memory = await build_async(other)
    assert [entry.text for entry in await memory.list_entries()] == ["This memory is somebody else's."]
    await memory.close()
    with pytest.raises(InvalidInputError, match="lies already"):
        await migrate(other, postgres_server.url)


async def test_rows_go_to_a_bucket_and_the_ledger_stays(source, s3_server, tmp_path):
    loaded, _ = source
    before = await answers(loaded)
    store = s3_server.settings(s3_server.new_uri())
    bucket = load_settings({"home": str(tmp_path / "home"), "store": {k: v for k, v in store.items() if k != "url"}})
    report = await migrate(bucket, store["url"])
    assert [each.table for each in report.tables] == ["rows"]
    assert await answers(load_settings({"home": str(tmp_path / "home"), "store": store})) == before


async def test_whoever_writes_the_source_is_waited_for_and_then_named(source, postgres_server, monkeypatch):
    loaded, _ = source
    monkeypatch.setattr(migrating, "LOCK_WAIT_S", 0.2)
    async with WriterLock(loaded.settings.home, timeout_s=1.0):
        with pytest.raises(LedgerBusyError):
            await migrate(loaded, postgres_server.url, to_tenant=postgres_server.new_tenant())


async def test_a_dry_run_counts_and_makes_nothing(source, postgres_server, tmp_path):
    loaded, _ = source
    tenant = postgres_server.new_tenant()
    report = await migrate(loaded, postgres_server.url, to_tenant=tenant, dry_run=True)
    assert {each.table: each.records for each in report.tables}["root"] >= 1
    memory = await build_async(settings_of(tmp_path / "none", url=postgres_server.url, tenant=tenant))
    assert await memory.list_entries() == []
    with pytest.raises(NotFoundError):
        await memory.undo()
    await memory.close()


async def test_a_turn_that_came_in_meanwhile_is_not_left_behind_in_silence(source, postgres_server, monkeypatch):
    loaded, _ = source
    tenant = postgres_server.new_tenant()
    whole = migrating._carry_rows

    async def with_a_turn_before(*given):
        await given[0].stores.ledger.set_value("told.meanwhile", "1")
        return await whole(*given)

    monkeypatch.setattr(migrating, "_carry_rows", with_a_turn_before)
    with pytest.raises(InvalidInputError, match="written meanwhile"):
        await migrate(loaded, postgres_server.url, to_tenant=tenant)
    monkeypatch.setattr(migrating, "_carry_rows", whole)
    assert (await migrate(loaded, postgres_server.url, to_tenant=tenant)).tables


async def test_a_bucket_with_the_rows_of_another_home_is_refused_before_it_is_touched(source, s3_server, tmp_path):
    store = s3_server.settings(s3_server.new_uri())
    other = load_settings({"home": str(tmp_path / "other"), "store": store})
    memory = await build_async(other)
    await memory.remember("This memory is somebody else's.")
    await memory.close()
    bucket = load_settings({"home": str(tmp_path / "home"), "store": {k: v for k, v in store.items() if k != "url"}})
    with pytest.raises(InvalidInputError, match="rows of another memory"):
        await migrate(bucket, store["url"])
    memory = await build_async(other)
    assert [hit.passage.text for hit in await memory.search("Whose memory is this?")] == [
        "This memory is somebody else's."
    ]
    await memory.close()


async def test_what_is_only_half_filled_is_no_source(source, postgres_server, tmp_path, monkeypatch):
    loaded, _ = source
    tenant = postgres_server.new_tenant()

    async def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(migrating, "_carry_rows", dies)
    with pytest.raises(KeyboardInterrupt):
        await migrate(loaded, postgres_server.url, to_tenant=tenant)
    half = settings_of(tmp_path / "third", url=postgres_server.url, tenant=tenant)
    with pytest.raises(InvalidInputError, match="half filled"):
        await migrate(half, str(tmp_path / "third" / "lancedb"))
