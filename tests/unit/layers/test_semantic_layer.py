"""The layer over ports in memory: what it does when parts are lost, down or changed."""

from __future__ import annotations

import pytest

from tercet.errors import EmbedderUnavailableError, EngineUnavailableError, NotFoundError, StoreFormatError
from tercet.layers.semantic.layer import NOTHING_INDEXED
from tercet.layers.semantic.upkeep import SWEEP_KEY
from tercet.model import Reach, Scope, SearchOptions
from tercet.ports import RootRecord
from tercet.testing.memory_engine import MemoryEngine

DOWN = EmbedderUnavailableError("The embedder is down.")


async def indexed(world, agent="main", directory="/notes", **texts):
    for path, text in (texts or {"a": "an albatross", "b": "a badger"}).items():
        world.files.write(directory, f"{path}.md", f"{text}\n")
    await world.ledger.manifest.add_root(RootRecord(directory.rpartition("/")[2], directory, Scope(agent)))
    layer = world.layer(agent)
    report = await layer.index(())
    return layer, report


async def paths(layer, query="albatross", **options):
    return [hit.passage.path for hit in await layer.search(query, SearchOptions(**options))]


async def test_a_run_and_a_second_one(world):
    layer, report = await indexed(world)
    assert (report.files, report.chunks, report.embedded, report.waiting) == (2, 2, 2, 0)
    world.files.read_paths.clear()
    again = await layer.index(())
    assert (again.files, again.changed, again.embedded) == (2, 0, 0)
    assert world.files.read_paths == []
    assert (await paths(layer))[0] == "a.md"


async def test_nothing_indexed_is_said_and_nothing_opened(world):
    class Untouchable(MemoryEngine):
        async def open(self, space):
            raise AssertionError

    result = await world.layer(engine=Untouchable()).search("x", SearchOptions())
    assert (list(result), result.degraded) == ([], NOTHING_INDEXED)


async def test_rows_that_no_known_folder_has_are_never_shown(world):
    _, _ = await indexed(world)
    ghosts = world.store
    world.ledger = type(world.ledger)()
    layer, _ = await indexed(world, directory="/other", c="another albatross")
    assert len(ghosts.rows) == 3
    assert await paths(layer) == ["c.md"]


async def test_a_lost_ledger_over_an_old_store_leaves_no_ghosts_of_the_folder(world):
    await indexed(world)
    world.ledger = type(world.ledger)()
    del world.files.folders["/notes"]["a.md"]
    _, report = await indexed(world, b="a badger")
    assert report.swept == 1
    assert [stored.row.passage.path for stored in world.store.rows.values()] == ["b.md"]


async def test_a_lost_store_is_answered_from_files_and_healed_with_nothing_embedded(world):
    await indexed(world)
    world.store.rows.clear()
    world.store.active = None
    layer = world.layer()
    world.files.write("/notes", "new.md", "a new cormorant\n")
    result = await layer.search("albatross", SearchOptions())
    assert result[0].passage.path == "a.md"
    assert "straight from the files" in result.degraded
    assert await paths(layer, "cormorant") == ["new.md"]
    assert world.store.rows == {}, "a search must not leave a part of a store that looks whole"
    world.embedder.texts.clear()
    report = await world.layer().index(())
    assert (report.chunks, len(world.embedder.texts)) == (3, 1)
    assert (await layer.search("albatross", SearchOptions())).degraded is None


async def test_a_rebuild_with_a_folder_away_keeps_its_rows_until_it_is_back(world):
    layer, _ = await indexed(world)
    away = world.files.folders.pop("/notes")
    report = await layer.index((), rebuild=True)
    assert "kept" in report.degraded
    assert (await paths(layer))[0] == "a.md"
    assert await world.ledger.get_value(SWEEP_KEY)
    world.files.folders["/notes"] = away
    report = await layer.index(())
    assert (report.chunks, report.embedded, report.degraded) == (2, 0, None)
    assert await world.ledger.get_value(SWEEP_KEY) is None


async def test_a_rebuild_by_one_agent_keeps_the_rows_of_the_other(world):
    await indexed(world, "ada", "/ada", a="ada's albatross")
    layer, _ = await indexed(world, "bob", "/bob", b="bob's badger")
    await layer.index((), rebuild=True)
    assert await paths(world.layer("ada")) == ["a.md"]
    assert await paths(world.layer("bob"), "badger") == ["b.md"]
    assert await paths(world.layer("bob"), "albatross", mode="keyword") == []


@pytest.mark.parametrize("failure", [EngineUnavailableError("corrupt."), StoreFormatError("too new.")])
async def test_an_engine_that_does_not_open_is_answered_around_and_shown(world, failure):
    await indexed(world)

    class Broken(MemoryEngine):
        async def open(self, space):
            raise failure

    layer = world.layer(engine=Broken(world.store))
    result = await layer.search("albatross", SearchOptions())
    assert [hit.passage.path for hit in result] == ["a.md"]
    assert str(failure) in result.degraded
    status = await layer.status()
    assert not status.healthy
    assert str(failure) in status.notes
    probe = await layer.probe_vector_availability()
    assert (bool(probe), probe.permanent) == (False, isinstance(failure, StoreFormatError))


async def test_an_engine_that_fails_in_use_is_opened_again(world):
    layer, _ = await indexed(world)
    engine = layer._parts.engine
    await engine.close()
    assert "files" in (await layer.search("albatross", SearchOptions())).degraded
    assert (await layer.search("albatross", SearchOptions())).degraded is None


async def test_while_the_embedder_is_down_words_are_indexed_and_vectors_follow(world):
    world.embedder.failure = DOWN
    layer, report = await indexed(world)
    assert (report.files, report.waiting, report.embedded, report.degraded) == (2, 2, 0, str(DOWN))
    result = await layer.search("albatross", SearchOptions())
    assert result[0].passage.path == "a.md"
    assert result.degraded.count("Answered by words alone") == 1
    assert "2 passages wait" in " ".join((await layer.status()).notes)
    world.embedder.failure = None
    world.seconds += 60
    assert (await layer.search("albatross", SearchOptions())).degraded is None
    assert await world.ledger.manifest.waiting(9) == []


async def test_a_search_fills_in_no_more_than_its_share(world, monkeypatch):
    monkeypatch.setattr("tercet.layers.semantic.layer.WAITING_FILLED_BY_SEARCH", 3)
    world.embedder.failure = DOWN
    await indexed(world, **{f"n{n}": f"note {n}" for n in range(8)})
    world.embedder.failure = None
    layer = world.layer(batch_chunks=2)
    await layer.search("note", SearchOptions())
    assert len(world.embedder.texts) == 3
    report = await layer.index(())
    assert (report.embedded, report.waiting) == (5, 0)


async def test_one_search_over_a_dead_embedder_asks_it_once(world):
    layer, _ = await indexed(world)
    world.files.write("/notes", "new.md", "a new cormorant\n")
    world.embedder.failure = DOWN
    world.embedder.calls = 0
    assert (await paths(layer, "cormorant"))[0] == "new.md"
    assert world.embedder.calls == 1


async def test_another_embedder_is_words_until_reembedded_and_the_open_layer_goes_on(world):
    await indexed(world, a="an albatross", **{f"n{n}": f"number {n} of many" for n in range(60)})
    before = await world.ledger.get_value("background_cosines")
    assert before
    world.embedder = type(world.embedder)(96)
    layer = world.layer()
    result = await layer.search("albatross", SearchOptions())
    assert result[0].passage.path == "a.md"
    assert "reembed" in result.degraded
    world.files.write("/notes", "new.md", "a new cormorant\n")
    await layer.index(())
    report = await layer.reembed()
    assert (report.rows, report.space.dimensions) == (62, 96)
    assert await world.ledger.manifest.waiting(9) == []
    assert (await layer.search("albatross", SearchOptions())).degraded is None
    assert (await layer.search("cormorant", SearchOptions(mode="vector", preset="hybrid")))[0].passage.path == "new.md"
    assert await world.ledger.get_value("background_cosines") != before, "cosines of another space say nothing here"


async def test_a_layer_that_is_open_survives_a_move_by_another_one(world):
    layer, _ = await indexed(world)
    assert (await layer.search("albatross", SearchOptions())).degraded is None
    old, world.embedder = world.embedder, type(world.embedder)(96)
    await world.layer().reembed()
    world.embedder = old
    result = await layer.search("albatross", SearchOptions())
    assert result[0].passage.path == "a.md"
    assert "reembed" in result.degraded


async def test_reembedding_a_lost_store_says_so_instead_of_moving_nothing(world):
    await indexed(world)
    world.store.rows.clear()
    world.store.active = None
    with pytest.raises(EngineUnavailableError, match="rebuild"):
        await world.layer().reembed()


async def test_reading_by_id_and_path_stays_within_reach(world):
    ada, _ = await indexed(world, "ada", "/ada", a="ada's albatross\n\nsecond line")
    bob, _ = await indexed(world, "bob", "/bob", b="bob's badger")
    hit = (await ada.search("albatross", SearchOptions()))[0]
    assert (await ada.read_file(hit.passage.id)).text == "ada's albatross\n\nsecond line"
    assert (await ada.read_file("a.md", 3)).text == "second line"
    assert (await ada.read_file("a.md#L1-L3", None, 1)).text == "ada's albatross"
    for ref in (hit.passage.id, "a.md", "ada:a.md"):
        with pytest.raises(NotFoundError):
            await bob.read_file(ref)


async def test_a_reach_without_anchors_sees_nothing(world):
    layer, _ = await indexed(world)
    assert await paths(layer, reach=Reach("main", ())) == []
    assert await paths(layer, reach=Reach("other")) == []


async def test_a_search_while_another_writes_answers_from_what_is_there(world):
    layer, _ = await indexed(world)
    world.files.write("/notes", "new.md", "a new cormorant\n")
    world.lock.held = True
    assert "new.md" not in await paths(layer, "cormorant")
    assert world.lock.held, "it must not give back a lock it never took"
    world.lock.held = False
    assert (await paths(layer, "cormorant"))[0] == "new.md"
    assert not world.lock.held


async def test_a_file_that_vanishes_or_is_unreadable_during_the_run_leaves_the_index(world):
    layer, _ = await indexed(world)
    world.files.write("/notes", "a.md", "changed\n")
    read = world.files.read

    async def gone(directory, path):
        if path == "a.md":
            world.files.folders["/notes"].pop("a.md", None)
        return await read(directory, path)

    world.files.read = gone
    report = await layer.index(())
    assert [each.path for each in report.skipped] == ["a.md"]
    assert (report.removed, report.files) == (1, 1)
    assert "a.md" not in await paths(layer, mode="keyword")


async def test_removing_a_folder_that_is_away_takes_its_rows(world):
    layer, _ = await indexed(world, directory="/nowhere/notes")
    del world.files.folders["/nowhere/notes"]
    root = (await layer.roots())[0]
    assert await layer._indexer.remove(root) == 2
    assert world.store.rows == {}
    assert await layer.roots() == []
