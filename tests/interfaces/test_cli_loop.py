"""The memory loop on the command line: store, list, recall, correct, forget, bring back, link, capture."""

from __future__ import annotations

import json

import pytest

TEA = "I drink gyokuro tea every morning"


def remember(tercet, text, *options):
    ran = tercet("remember", text, "--json", *options)
    assert ran.code == 0, ran.err
    return ran.json["entry"]


def texts(tercet, *options):
    return [entry["text"] for entry in tercet("list", "--json", *options).json["entries"]]


def found(tercet, query, *options):
    return [hit["snippet"] for hit in tercet("search", query, "--json", *options).json["results"]]


def transcript(folder, *messages, **line):
    path = folder / "talk.jsonl"
    lines = [{"role": "user", "content": text, **line} for text in messages]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return str(path)


def test_a_fact_is_stored_listed_found_and_recalled(tercet):
    entry = remember(tercet, TEA, "--category", "preference", "--importance", "0.9")
    assert (entry["category"], entry["importance"], entry["anchor"]) == ("preference", 0.9, "agent:main:main")
    assert texts(tercet) == [TEA]
    assert found(tercet, "gyokuro") == [TEA]
    assert tercet("read", entry["id"]).out.strip() == TEA
    recalled = tercet("recall", "which gyokuro tea do I drink", "--json").json
    assert TEA in recalled["text"]
    assert recalled["text"].startswith("<tercet-memory>")
    assert recalled["results"][0]["id"] == entry["id"]
    plain = tercet("recall", "which gyokuro tea do I drink")
    assert plain.out.strip() == recalled["text"]


def test_secrets_are_blacked_out_before_they_are_stored(tercet):
    entry = remember(tercet, "The api key is sk-abcdefghijklmnopqrstuvwxyz123456 for the map")
    assert "sk-abc" not in entry["text"]
    assert "[redacted" in entry["text"]


def test_a_key_longer_than_an_entry_is_blacked_out_whole(tercet):
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAx0ZZZQvTk9aBcDeFgHiJk\n" * 90 + "-----END PRIVATE KEY-----"
    remember(tercet, f"My key is {key} for the map")
    assert texts(tercet) == ["My key is [redacted: private key] for the map"]
    assert not [path for path in tercet.home.rglob("*") if path.is_file() and b"ZZZQvTk9" in path.read_bytes()]


def test_half_a_character_is_stored_as_none_and_nothing_visible_is_nothing(tercet):
    remember(tercet, "The boat \udce9 is blue")
    assert texts(tercet) == ["The boat \ufffd is blue"]
    for text in ("", " \n", "\u200b", "\x00"):
        ran = tercet("remember", text)
        assert (ran.code, len(ran.err.strip().splitlines())) == (1, 1)


def test_a_secret_in_a_question_is_in_no_file(tercet):
    remember(tercet, TEA)
    for command in ("search", "recall"):
        assert TEA in tercet(command, "gyokuro tea, and my password is Tr0ub4dor&3xyz").out
    assert not [path for path in tercet.home.rglob("*") if path.is_file() and b"Tr0ub4dor" in path.read_bytes()]


def test_an_agent_brings_back_only_its_own(tercet):
    entry = remember(tercet, TEA, "--agent", "two")
    tercet("forget", entry["id"], "--agent", "two")
    assert tercet("undo", entry["id"]).code == 1
    assert texts(tercet, "--agent", "two") == []
    assert tercet("undo", entry["id"], "--agent", "two").code == 0


def test_the_same_again_is_one_entry_told_twice(tercet):
    first = remember(tercet, TEA)
    again = remember(tercet, f"  {TEA.upper()}. ")
    assert again["id"] == first["id"]
    assert again["seen"] == 2
    assert texts(tercet) == [TEA]


def test_a_correction_takes_its_place_and_stands_in_the_history(tercet):
    old = remember(tercet, "The office is on the second floor")
    new = remember(tercet, "The office is in another building", "--supersedes", old["id"])
    assert texts(tercet) == ["The office is in another building"]
    chain = tercet("history", new["id"], "--json").json["entries"]
    assert [(entry["text"], entry["state"]) for entry in chain] == [
        ("The office is on the second floor", "superseded"),
        ("The office is in another building", "live"),
    ]
    assert "second floor" not in str(found(tercet, "office floor"))


def test_superseding_what_is_not_there_is_refused_in_one_line(tercet):
    ran = tercet("remember", TEA, "--supersedes", "0" * 32)
    assert ran.code == 1
    assert len(ran.err.splitlines()) == 1
    assert texts(tercet) == []


def test_forgetting_by_id_prints_what_went_and_until_when_it_can_be_undone(tercet):
    entry = remember(tercet, TEA)
    ran = tercet("forget", entry["id"])
    assert ran.code == 0
    assert f"removed {entry['id']}" in ran.out
    assert "bytes remain until" in ran.out
    assert texts(tercet) == []
    assert found(tercet, "gyokuro") == []
    assert tercet("undo", "--json").json["restored"] == [entry["id"]]
    assert texts(tercet) == [TEA]
    assert found(tercet, "gyokuro") == [TEA]


def test_forgetting_by_query_shows_first_and_removes_with_yes(tercet):
    entry = remember(tercet, TEA)
    remember(tercet, "The bicycle is blue")
    shown = tercet("forget", "--query", "gyokuro tea")
    assert shown.code == 1
    assert TEA in shown.out
    assert f"tercet forget {entry['id']}" in shown.err
    assert len(texts(tercet)) == 2
    assert tercet("forget", "--query", "gyokuro tea", "--yes").code == 0
    assert texts(tercet) == ["The bicycle is blue"]


def test_nothing_is_guessed_when_an_id_is_not_there(tercet):
    remember(tercet, TEA)
    ran = tercet("forget", "1")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)
    assert "tercet list" in ran.err
    assert texts(tercet) == [TEA]


@pytest.mark.parametrize("arguments", [[], ["a", "--anchor", "telegram:1"], ["a", "--query", "x"]])
def test_one_way_of_saying_what_to_forget(tercet, arguments):
    assert tercet("forget", *arguments).code == 2


def test_forgetting_a_person_names_the_notes_that_stay(tercet):
    assert tercet("remember", TEA, "--session", "telegram:7").code == 0
    assert tercet("wiki", "new", "Ann", "--body", "likes tea", "--session", "telegram:7").code == 0
    ran = tercet("forget", "--anchor", "telegram:7", "--json")
    assert ran.code == 0, ran.err
    assert (len(ran.json["removed"]), ran.json["notesLeft"]) == (1, ["private/telegram_7/Ann.md"])
    assert "private/telegram_7/Ann.md" in tercet("forget", "--anchor", "telegram:7").out


def test_undo_says_which_of_the_named_it_did_not_bring_back(tercet):
    entry = remember(tercet, "Lotte has her school bag in the hall")
    assert tercet("forget", entry["id"]).code == 0
    ran = tercet("undo", entry["id"], "no-such-entry", "--json")
    assert (ran.code, ran.json) == (0, {"restored": [entry["id"]], "notRestored": ["no-such-entry"]})
    assert "no-such-entry" in ran.err


def test_undo_with_nothing_to_undo_says_so(tercet):
    ran = tercet("undo")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)


def test_links_make_both_histories_visible_and_part_them_again(tercet):
    remember(tercet, TEA, "--session", "telegram:123")
    assert texts(tercet, "--session", "discord:u_456") == []
    linked = tercet("identity", "link", "owner", "telegram:123", "discord:u_456", "--json").json["links"]
    assert linked == {"owner": ["discord:u_456", "telegram:123"]}
    assert texts(tercet, "--session", "discord:u_456") == [TEA]
    assert found(tercet, "gyokuro", "--session", "discord:u_456") == [TEA]
    assert "owner: discord:u_456, telegram:123" in tercet("identity", "list").out
    assert tercet("identity", "unlink", "owner", "telegram:123").code == 0
    assert texts(tercet, "--session", "discord:u_456") == []
    assert found(tercet, "gyokuro", "--session", "discord:u_456") == []


def test_a_group_can_be_linked_with_nobody(tercet):
    ran = tercet("identity", "link", "owner", "telegram:123", "discord:channel:9")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)


@pytest.mark.parametrize("name", ["telegram:77", "main"])
def test_no_link_is_named_like_a_person(tercet, name):
    ran = tercet("identity", "link", name, "telegram:78")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)
    assert tercet("identity", "list", "--json").json["links"] == {}


def test_a_query_that_finds_nothing_to_forget_says_so_once(tercet):
    remember(tercet, TEA)
    ran = tercet("forget", "--query", "harpsichord")
    assert (ran.code, ran.out, ran.err.splitlines()) == (1, "", ["Nothing is about that."])


def test_forgetting_a_person_takes_every_platform(tercet):
    tercet("identity", "link", "ines", "telegram:1", "discord:2")
    for number, key in enumerate(["telegram:1", "discord:2", "telegram:3"]):
        remember(tercet, f"Fact number {number} of the boat", "--session", key)
    ran = tercet("forget", "--anchor", "ines", "--json")
    assert len(ran.json["removed"]) == 2
    assert texts(tercet, "--session", "telegram:3") == ["Fact number 2 of the boat"]
    assert texts(tercet, "--session", "telegram:1") == []


def test_a_transcript_is_captured_once(tercet, tmp_path):
    path = transcript(tmp_path, "Remember that the alarm code is 4471", "/status", "thanks!")
    first = tercet("capture", path, "--session", "telegram:1", "--json")
    assert first.code == 0, first.err
    assert first.json["kept"] == 1
    assert "4471" in texts(tercet, "--session", "telegram:1")[0]
    again = tercet("capture", path, "--session", "telegram:1", "--json")
    assert again.json["kept"] == 0
    assert len(texts(tercet, "--session", "telegram:1")) == 1
    (entry,) = tercet("list", "--session", "telegram:1", "--json").json["entries"]
    assert entry["seen"] == 1
    assert "kept 0" in tercet("capture", path, "--session", "telegram:1").out


def test_what_is_no_transcript_is_said_in_one_line(tercet, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    ran = tercet("capture", str(tmp_path / "x.jsonl"))
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)
    assert "ot a transcript" in ran.err


def test_a_greeting_recalls_nothing_and_says_why(tercet):
    remember(tercet, TEA)
    ran = tercet("recall", "hello!")
    assert (ran.code, ran.out) == (0, "")
    assert "greeting" in ran.err


def test_status_shows_capture(tercet):
    status = tercet("status", "--json").json["capture"]
    assert (status["waiting"], status["dead"], status["spooled"]) == (0, 0, 0)
    assert "0 messages wait" in tercet("status").out


def test_the_doctor_is_content_with_entries_alone(tercet):
    remember(tercet, TEA)
    findings = {each["check"]: each for each in tercet("doctor", "--json").json["findings"]}
    assert findings["index"]["verdict"] == "ok"
    assert findings["capture"]["verdict"] == "ok"


def test_a_rebuild_brings_entries_back_from_the_journal(tercet, notes, home):
    import shutil

    tercet("index", str(notes))
    remember(tercet, TEA)
    gone = remember(tercet, "The bicycle is blue")
    tercet("forget", gone["id"])
    shutil.rmtree(home / "lancedb")
    assert found(tercet, "gyokuro") == [TEA], "straight from the journal"
    assert tercet("index", "--rebuild").code == 0
    assert found(tercet, "gyokuro") == [TEA]
    assert found(tercet, "bicycle") == []
    assert found(tercet, "kompas") != []
    assert tercet("search", "gyokuro", "--json").json["degraded"] is None
