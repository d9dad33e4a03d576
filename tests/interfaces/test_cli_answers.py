"""What the commands print: the documented keys, JSON alone, refs that lead back, exit codes, one line an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

HIT_KEYS = {
    "id",
    "layer",
    "path",
    "startLine",
    "endLine",
    "score",
    "relevance",
    "snippet",
    "header",
    "root",
    "kind",
    "category",
    "importance",
    "origin",
    "timestamp",
}


@pytest.fixture
def indexed(tercet, notes):
    assert tercet("index", str(notes)).code == 0
    return tercet


def test_search_has_the_documented_keys(indexed):
    answer = indexed("search", "boat Albatros", "--json").json
    assert set(answer) == {"results", "degraded", "tookMs"}
    hit = answer["results"][0]
    assert set(hit) == HIT_KEYS
    assert (hit["path"], hit["startLine"], hit["layer"], hit["kind"]) == ("MEMORY.md", 1, "semantic", "chunk")
    assert 0 < hit["score"] <= hit["relevance"] <= 1
    assert answer["tookMs"] >= 0
    explained = indexed("search", "boat Albatros", "--json", "--explain").json["results"][0]
    assert set(explained) == HIT_KEYS | {"signals", "explanation"}
    assert explained["explanation"]["preset"]


def test_index_status_doctor_and_read_have_the_documented_keys(indexed):
    assert {"files", "chunks", "embedded", "removed", "skipped", "degraded"} <= set(indexed("index", "--json").json)
    status = indexed("status", "--json").json
    assert set(status) == {"home", "agent", "folders", "layers", "embedder", "vectorStore", "capture", "settings"}
    assert status["folders"][0] | {"directory": ""} == {
        "label": "notes",
        "directory": "",
        "files": 4,
        "chunks": 4,
        "waiting": 4,
    }
    assert status["layers"][0]["rows"] == 4
    assert status["layers"][0]["bytes"] > 0
    doctor = indexed("doctor", "--json").json
    assert doctor["ok"]
    assert {each["check"] for each in doctor["findings"]} >= {"home", "embedder", "vector store", "index", "round trip"}
    read = indexed("read", "notes:table.md#L3-L4", "--json").json
    assert read == {
        "path": "table.md",
        "startLine": 3,
        "endLine": 4,
        "totalLines": 6,
        "text": "| host | address |\n|---|---|",
    }


def test_standard_output_holds_json_alone_and_the_rest_goes_to_standard_error(tercet, notes):
    (notes / "binary.md").write_bytes(b"\x00\x01" * 99)
    ran = tercet("index", str(notes), "--json")
    assert json.loads(ran.out)["skipped"][0]["path"] == "binary.md"
    assert "skipped binary.md" in ran.err
    for arguments in (("search", "nothing of that sort", "--json"), ("status", "--json"), ("doctor", "--json")):
        json.loads(tercet(*arguments).out)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["search", "  "], 2, "blank"),
        (["search", ""], 2, "blank"),
        (["why", "notes:MEMORY.md", " "], 2, "blank"),
        (["why", "", "boat"], 2, "blank"),
        (["why", "notes:MEMORY.md", "boat", "-n", "0"], 2, "limit"),
        (["why", "notes:MEMORY.md", "boat", "--preset", "best"], 2, "best"),
        (["remember", "x", "--importance", "nan"], 2, "importance"),
        (["search", "x", "-n", "0"], 2, "limit"),
        (["search", "x", "-n", "1001"], 2, "limit"),
        (["search", "x", "--min-score", "1.0001"], 2, "min-score"),
        (["search", "x", "--min-score", "nan"], 2, "min-score"),
        (["search", "x", "--min-score", "inf"], 2, "min-score"),
        (["search", "x", "--preset", "best"], 2, "best"),
        (["search", "x", "--set", "vectr=1"], 2, "did you mean vector"),
        (["search", "x", "--set", "qqqq=1"], 2, "the signals are"),
        (["search", "x", "--set", "vector=99"], 2, "vector"),
        (["search", "x", "--agent", "Not An Id"], 2, "agent id"),
        (["eval"], 2, "no questions"),
        (["eval", "--corpus", ".", "--folder", "."], 2, "two ways"),
        (["eval", "x.jsonl", "--preset", "best"], 2, "best"),
        (["read", "gone.md"], 1, "gone.md"),
        (["read", "0123456789abcdef0123456789abcdef"], 1, "search again"),
        (["read", "notes:MEMORY.md#L9-L2"], 1, "upwards"),
        (["read", "notes:MEMORY.md#L999"], 1, "past its end"),
        (["read", "notes:../../etc/passwd"], 1, "no indexed file"),
        (["read", ""], 2, "blank"),
        (["search"], 2, "usage"),
        (["search", "x", "--mode", "psychic"], 2, "psychic"),
        (["search", "x", "--set", "vector"], 2, "NAME=NUMBER"),
        (["search", "x", "--now", "yesterday"], 2, "ISO"),
        (["index", "/no/such/folder"], 2, "/no/such/folder"),
        (["index", "--remove"], 2, "--remove"),
        (["index", ""], 2, "blank"),
        (["index", "--remove", ""], 2, "blank"),
        (["index", "--remove", "~nobody-of-that-name"], 1, "no user"),
        (["search", "x", "--now", "0001-01-01"], 2, "out of range"),
        (["search", "x", "--now", "9999-12-31T23:59-12:00"], 2, "out of range"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_errors_have_their_exit_code_and_one_plain_line(indexed, arguments, code, words):
    ran = indexed(*arguments)
    assert ran.code == code
    assert ran.out == ""
    assert words.lower() in ran.err.lower()
    assert "Traceback" not in ran.err
    if code == 1:
        assert ran.err.startswith("tercet: ")
        assert ran.err.count("\n") == 1


def test_debug_shows_the_traceback(indexed):
    from tercet.errors import NotFoundError

    with pytest.raises(NotFoundError):
        indexed("read", "gone.md", "--debug")


def test_an_error_of_our_own_making_is_one_line_too(indexed, monkeypatch):
    from tercet.memory import Memory

    def broken(self, *arguments, **options):
        msg = "a bug\nover two lines"
        raise RuntimeError(msg)

    monkeypatch.setattr(Memory, "search", broken)
    ran = indexed("search", "x")
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert "--debug" in ran.err
    with pytest.raises(RuntimeError):
        indexed("search", "x", "--debug")


def test_a_search_by_meaning_without_an_embedder_says_that_words_answered(indexed):
    answer = indexed("search", "Albatros", "--mode", "vector", "--json").json
    assert answer["results"]
    assert "embedding.provider" in answer["degraded"]
    assert indexed("search", "Albatros", "--json").json["degraded"] is None


def test_limit_min_score_and_now_act(indexed):
    assert len(indexed("search", "the a of boat kompas roofer", "-n", "2", "--json").json["results"]) == 2
    assert indexed("search", "boat", "--min-score", "1", "--json").json["results"] == []
    dated = indexed(
        "search", "what happened last Friday", "--now", "2026-01-12T09:00+01:00", "--json", "--explain"
    ).json
    assert dated["results"][0]["path"] == "daily/2026-01-09.md"


def test_text_output_gives_a_ref_that_read_takes(indexed):
    line = indexed("search", "kompas").out.splitlines()[0]
    ref = line.split()[2]
    assert ref == "notes:table.md#L1-L6"
    assert "| kompas | 10.20.0.5 |" in indexed("read", ref).out
    assert indexed("read", ref, "--from", "5", "--lines", "1").out == "| kompas | 10.20.0.5 |\n"
    ran = indexed("search", "xylophone")
    assert ran.code == 0
    assert "Nothing found" in ran.err


def test_a_broken_pipe_is_silent(indexed, notes, write_notes):
    write_notes(notes, {f"p{n}.md": f"# Penguin {n}\n\n" + f"penguin number {n} " * 60 for n in range(60)})
    command = indexed.command("search", "penguin", "-n", "60", "--json")
    environment = {**indexed.environment, "PATH": "/usr/bin", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=120)


def test_help_and_version_and_the_module_form_work():
    for arguments in (["--help"], ["index", "--help"], ["--version"]):
        command = [sys.executable, "-m", "tercet.interfaces.cli", *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0
        assert ran.stdout
        assert ran.stderr == ""


def test_the_lines_printed_hold_what_was_asked_for(tercet, write_notes, tmp_path):
    filler = "".join(f"- errand number {n}\n" for n in range(12))
    folder = write_notes(tmp_path / "n", {"day.md": f"# Friday\n\n{filler}- The plotter says E-4117.\n"})
    tercet("index", str(folder))
    out = tercet("search", "E-4117").out
    assert "The plotter says E-4117." in out
    assert len(out.strip().split("\n")) <= 7


def test_no_more_lines_are_printed_than_the_ref_says_and_nothing_steers_the_terminal(tercet, write_notes, tmp_path):
    """F16: a file whose lines end in CR alone is one line."""
    folder = write_notes(tmp_path / "n", {"old.md": "zebra one\rzebra\u2028two\x0cthree\x1b[2J"})
    tercet("index", str(folder))
    ran = tercet("search", "zebra")
    assert "old.md#L1-L1" in ran.out
    assert ran.out.strip().split("\n")[1:] == ["      zebra one\\rzebra\\u2028two\\x0cthree\\x1b[2J"]
    assert tercet("search", "zebra", "--json").json["results"][0]["snippet"].startswith("zebra one\rzebra")


def test_files_that_were_indexed_a_moment_ago_are_not_called_changed(tercet, write_notes, tmp_path):
    """The files are younger than the clock of a file system can tell apart; none differs."""
    folder = write_notes(tmp_path / "fresh", {f"{n}.md": f"note {n}" for n in range(8)})
    assert tercet("index", str(folder)).code == 0
    ran = tercet("search", "note 3", TERCET_INDEX__REFRESH_FILES="5")
    assert "not indexed yet" not in ran.err


def test_a_home_of_nobody_is_refused_in_one_line(capsys):
    from tercet.interfaces.cli import run

    assert run(["search", "x", "--home", "~nobody-of-that-name/t"]) == 1
    err = capsys.readouterr().err
    assert "names no user" in err
    assert "report" not in err


def test_a_folder_within_an_indexed_one_is_said_to_be_part_of_it(indexed, notes):
    ran = indexed("index", str(notes / "zh"), "--json")
    assert (ran.code, len(ran.json["notes"])) == (0, 1)
    assert f"zh is part of {notes}" in ran.err
    assert indexed("status", "--json").json["folders"][0]["directory"] == str(notes)


def test_an_agent_without_folders_is_told_so_and_sees_no_figures_of_another(indexed):
    ran = indexed("search", "boat", "--agent", "other")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing is indexed yet" in ran.err
    assert indexed("status", "--agent", "other", "--json").json["layers"][0]["rows"] == 0
    assert indexed("remember", "I keep a boat", "--agent", "other").code == 0
    assert "I keep a boat" in indexed("search", "boat", "--agent", "other").out
    assert indexed("status", "--agent", "other", "--json").json["layers"][0]["rows"] == 1
    assert indexed("status", "--json").json["layers"][0]["rows"] == 4


def test_one_is_one_file_and_a_name_of_two_lines_is_printed_on_one(tercet, write_notes, tmp_path):
    folder = write_notes(tmp_path / "n", {"only.md": "one zebra", "two\nlines.md": "x"})
    (folder / "nul.md").write_bytes(b"\x00\x01" * 99)
    (folder / "two\nlines.md").write_bytes(b"\x00\x01" * 99)
    ran = tercet("index", str(folder))
    assert ran.out.startswith("1 file, 1 chunk; 1 file read, ")
    assert "1 passage waits for a vector" in ran.out or "passage" not in ran.out
    said = ran.err.strip().split("\n")
    assert len(said) == 2
    assert said[0].startswith("skipped nul.md: binary file")
    assert "two\\nlines.md" in said[1]
    skipped = tercet("index", "--json").json["skipped"]
    assert skipped[0]["reason"].startswith("binary file")
    status = tercet("status").out
    assert "1 file, 1 chunk" in status
    assert "1 passage," in status


def test_a_watch_prints_one_object_a_line(tercet, notes, write_notes, monkeypatch):
    from tercet.layers.semantic.indexing import IndexReport
    from tercet.memory import Memory

    monkeypatch.setattr(Memory, "watch", lambda _, on_report: [on_report(IndexReport(changed=n)) for n in (1, 2)])
    lines = tercet("index", str(notes), "--watch", "--json").out.strip().split("\n")
    assert [json.loads(line)["changed"] for line in lines] == [4, 1, 2]


def test_a_store_address_that_is_wrong_is_named_and_no_rebuild_advised(indexed):
    ran = indexed("search", "boat Albatros", TERCET_STORE__URL="ftp://x")
    assert ran.code == 1
    assert ran.err == "tercet: store.url cannot be used: There is no engine 'ftp': use one of lancedb, postgresql.\n"
    assert "Albatros" in indexed("search", "boat Albatros").out


def test_a_layer_that_is_not_there_is_said_to_be_absent(indexed):
    assert indexed("plugins", "disable", "memory-wiki").code == 0
    ran = indexed("search", "boat", "--layer", "wiki")
    assert indexed("plugins", "enable", "memory-wiki").code == 0
    assert (ran.code, ran.out) == (0, "")
    assert "the wiki layer is not enabled" in ran.err


def test_an_entry_is_printed_on_its_line_and_steers_no_terminal(tercet):
    assert tercet("remember", "a zebra\x1b[2J\x07 and\u2028an okapi").code == 0
    (line,) = tercet("list").out.strip().split("\n")
    assert "\x1b" not in line
    assert "zebra\\x1b[2J" in line
