"""The embedder is down, slow, wrong or another one: words alone, said once, and mended by itself (G1 to G9, G23)."""

from __future__ import annotations

import pytest

from tercet.testing.embedding_server import SERVER_ERROR, UNAUTHORISED, EmbeddingServer, hashed_words


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as server:
        yield server


@pytest.fixture
def remote(tercet, server):
    """The command line with a service as its embedder."""
    tercet.environment.clear()
    tercet.environment.update(
        TERCET_EMBEDDING__PROVIDER="openai",
        TERCET_EMBEDDING__URL=f"{server.url}/v1",
        TERCET_EMBEDDING__MODEL="m",
        TERCET_EMBEDDING__TIMEOUT_S="1",
        TERCET_EMBEDDING__QUERY_TIMEOUT_S="0.5",
    )
    return tercet


def answer(tercet, query="ZX-9918 berth"):
    ran = tercet("search", query, "--json")
    assert ran.code == 0, ran.err
    return ran.json


def break_it(server, how):
    if how == "down":
        server.close()
    elif how == "slow":
        server.hold()
    elif how == "error":
        server.fail_with(SERVER_ERROR, None)
    elif how == "401":
        server.fail_with(UNAUTHORISED, None)
    else:
        server.embed = hashed_words(20)


@pytest.mark.parametrize("how", ["down", "slow", "error", "401", "wrong dimensions"])
def test_search_answers_by_words_and_says_so_once(remote, server, notes, how):
    assert remote("index", str(notes)).code == 0
    break_it(server, how)
    found = answer(remote)
    assert found["results"][0]["path"] == "MEMORY.md"
    assert found["degraded"].count("words alone") == 1
    assert "\n" not in found["degraded"]
    status = remote("status", "--json").json
    assert status["embedder"]["ok"] is (how == "wrong dimensions")
    ran = remote("doctor", "--json")
    assert ran.code == 1
    problems = [each for each in ran.json["findings"] if each["verdict"] == "problem"]
    assert problems[0]["mend"]
    if how == "401":
        assert status["embedder"]["permanent"]
    if how == "wrong dimensions":
        assert "reembed" in problems[0]["detail"]
    server.release()


WRONG_MODELS = {
    "no such provider": ({"PROVIDER": "bogus"}, "bogus"),
    "no key": ({"PROVIDER": "openai", "MODEL": "m"}, "embedding.api_key"),
    "no path": ({"PROVIDER": "onnx"}, "embedding.path"),
    "a key no header takes": ({"PROVIDER": "openai", "MODEL": "m", "API_KEY": "schlüssel"}, "embedding.api_key"),
    "a setting of another provider": ({"PROVIDER": "builtin", "MODEL": "m"}, "embedding.model"),
}


@pytest.mark.parametrize(("given", "named"), WRONG_MODELS.values(), ids=WRONG_MODELS)
def test_a_wrong_setting_of_the_model_leaves_words_and_is_named_everywhere(tercet, notes, given, named):
    assert tercet("index", str(notes)).code == 0
    tercet.environment.clear()
    tercet.environment.update({f"TERCET_EMBEDDING__{name}": value for name, value in given.items()})
    found = answer(tercet)
    assert found["results"][0]["path"] == "MEMORY.md"
    assert named in found["degraded"]
    embedder = tercet("status", "--json").json["embedder"]
    assert (embedder["ok"], embedder["permanent"]) == (False, True)
    assert named in embedder["reason"]
    ran = tercet("doctor", "--json")
    assert ran.code == 1
    (problem,) = [each for each in ran.json["findings"] if each["verdict"] == "problem"]
    assert (problem["check"], named in problem["detail"], bool(problem["mend"])) == ("embedder", True, True)
    assert "schlüssel" not in str(ran.json)


@pytest.mark.parametrize(("provider", "named"), [("http", "rerank.url"), ("bogus", "bogus")])
def test_a_wrong_setting_of_the_reranker_leaves_the_fused_order(tercet, notes, provider, named):
    assert tercet("index", str(notes)).code == 0
    tercet.environment["TERCET_RERANK__PROVIDER"] = provider
    found = answer(tercet)
    assert found["results"][0]["path"] == "MEMORY.md"
    assert named in found["degraded"]
    assert named in str(tercet("status", "--json").json["layers"])
    ran = tercet("doctor", "--json")
    assert ran.code == 1
    (problem,) = [each for each in ran.json["findings"] if each["verdict"] == "problem"]
    assert (problem["check"], named in problem["detail"], bool(problem["mend"])) == ("reranker", True, True)


@pytest.mark.parametrize("how", ["down", "slow", "401"])
def test_changed_files_are_found_by_words_within_one_time_out(remote, server, notes, write_notes, how):
    remote("index", str(notes))
    break_it(server, how)
    write_notes(notes, {"new.md": "The parrot is called Bosun.\n", "newer.md": "The dog is called Skipper.\n"})
    found = answer(remote, "Bosun parrot")
    assert found["results"][0]["path"] == "new.md"
    assert found["degraded"].count("words alone") == 1
    # 0.5 s for a question; a loaded machine may take a few seconds for the rest, but not a second time-out of each kind.
    assert len(server.posted()) <= 4
    server.release()


def test_files_indexed_while_it_is_down_get_their_vectors_by_themselves(remote, server, notes):
    server.fail_with(SERVER_ERROR, None)
    ran = remote("index", str(notes), "--json")
    assert ran.code == 0
    assert (ran.json["files"], ran.json["waiting"], ran.json["embedded"]) == (4, 4, 0)
    assert ran.json["degraded"]
    assert "wait for a vector" in remote("status").out
    assert answer(remote)["results"][0]["path"] == "MEMORY.md"
    server.recover()
    assert answer(remote)["degraded"] is None
    assert remote("status", "--json").json["folders"][0]["waiting"] == 0
    assert remote("index", "--json").json["embedded"] == 0
    assert answer(remote, "the boat")["results"][0]["path"] == "MEMORY.md"


def test_it_stops_half_way_and_the_next_run_embeds_only_the_rest(remote, server, notes, write_notes):
    write_notes(notes, {f"n{number}.md": f"# Note\n\nnumber {number}\n" for number in range(8)})
    remote.environment["TERCET_INDEX__BATCH_CHUNKS"] = "3"
    after_two = [0]
    embed = hashed_words()

    def fading(texts):
        after_two[0] += 1
        if after_two[0] == 3:
            server.fail_with(SERVER_ERROR, None)
        return embed(texts)

    server.embed = fading
    first = remote("index", str(notes), "--json").json
    assert first["files"] == 12
    assert 0 < first["waiting"] < 12
    server.embed = embed
    server.recover()
    second = remote("index", "--json").json
    assert (second["waiting"], second["changed"]) == (0, 0)
    assert second["embedded"] == first["waiting"]
    assert second["degraded"] is None


def test_another_embedder_means_words_until_reembedding_and_meaning_after_it(remote, notes):
    remote("index", str(notes))
    with EmbeddingServer(hashed_words(48)) as other:
        remote.environment["TERCET_EMBEDDING__URL"] = f"{other.url}/v1"
        found = answer(remote)
        assert found["results"][0]["path"] == "MEMORY.md"
        assert "tercet reembed" in found["degraded"]
        assert remote("index", "--json").code == 0
        assert "tercet reembed" in remote("status").out
        ran = remote("reembed", "--json")
        assert ran.code == 0, ran.err
        assert ran.json == {"rows": 4, "embedded": 4, "space": {"provider": "openai", "model": "m", "dimensions": 48}}
        assert answer(remote)["degraded"] is None
        assert remote("doctor").code == 0
        again = remote("reembed", "--json").json
        assert again["embedded"] == 0


def test_status_and_doctor_agree_that_another_embedder_wants_reembedding(remote, notes, write_notes):
    assert remote("index", str(notes)).code == 0
    with EmbeddingServer(hashed_words(48)) as other:
        remote.environment["TERCET_EMBEDDING__URL"] = f"{other.url}/v1"
        write_notes(notes, {"new.md": "# New\n\nA capercaillie.\n"})
        assert remote("index").code == 0
        (note,) = [each for each in remote("status", "--json").json["layers"][0]["notes"] if "wait" in each]
        assert "tercet reembed" in note
        findings = {each["check"].split()[0]: each for each in remote("doctor", "--json").json["findings"]}
        assert findings["vector"]["mend"].startswith("Run 'tercet reembed'")
        assert findings["folder"]["mend"].startswith("Run 'tercet reembed'")
        assert "another model" in findings["round"]["detail"]
        assert "no working embedder" not in str(findings)
        assert remote("reembed").code == 0
        assert remote("doctor").code == 0


def test_files_changed_under_another_embedder_are_complete_after_reembedding(remote, notes, write_notes):
    remote("index", str(notes))
    with EmbeddingServer(hashed_words(48)) as other:
        remote.environment["TERCET_EMBEDDING__URL"] = f"{other.url}/v1"
        write_notes(notes, {"new.md": "The parrot is called Bosun.\n"})
        report = remote("index", "--json").json
        assert report["waiting"] == 1
        assert answer(remote, "Bosun")["results"][0]["path"] == "new.md"
        assert remote("reembed").code == 0
        assert remote("status", "--json").json["folders"][0]["waiting"] == 0
        assert remote("index", "--json").json["embedded"] == 0
        assert answer(remote, "parrot")["degraded"] is None


def test_an_open_memory_is_told_when_the_store_moved_to_another_embedder(remote, server, notes):
    from tercet.app import build
    from tercet.config import load_settings

    remote("index", str(notes))
    old = {"provider": "openai", "url": f"{server.url}/v1", "model": "m"}
    with EmbeddingServer(hashed_words(48)) as other:
        remote.environment["TERCET_EMBEDDING__URL"] = f"{other.url}/v1"
        with build(load_settings({"home": str(remote.home), "embedding": old})) as memory:
            assert memory.search("berth").degraded is None
            assert remote("reembed").code == 0
            result = memory.search("berth")
            assert result[0].passage.path == "MEMORY.md"
            assert "reembed" in result.degraded


def test_no_embedder_then_one_gives_every_passage_its_vector(tercet, server, notes):
    assert tercet("index", str(notes), "--json").json["embedded"] == 0
    assert tercet("search", "berth", "--json").json["degraded"] is None
    tercet.environment.update(
        TERCET_EMBEDDING__PROVIDER="openai", TERCET_EMBEDDING__URL=f"{server.url}/v1", TERCET_EMBEDDING__MODEL="m"
    )
    assert tercet("index", "--json").json["embedded"] == 4
    assert tercet("search", "berth", "--json").json["degraded"] is None
    assert tercet("doctor").code == 0
