"""``tercet wiki`` over a real vault."""

import io
import json
import os
import re
import sys
from pathlib import Path

import pytest


@pytest.fixture
def wiki(tercet):
    return lambda *arguments: tercet("wiki", *arguments)


@pytest.fixture
def vault(home):
    return home / "vault" / "main"


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """Set $EDITOR to a program that rewrites the file with a line of Python about ``text``."""
    monkeypatch.delenv("VISUAL", raising=False)

    def use(statement):
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\ntext = file.read_bytes().decode()\n"
            f"{statement}\nfile.write_bytes(text.encode())\n",
            "utf-8",
        )
        monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")

    return use


def kept_file(ran):
    """Return the file that a message names."""
    return Path(re.search(r"kept in (.+?\.md)", ran.err)[1])


def test_new_then_show_then_search(wiki, vault):
    made = wiki(
        "new", "王小明", "--body", "生日是三月初八。", "--type", "entity", "--tag", "朋友", "--alias", "Ming", "--json"
    )
    assert made.json["path"] == "王小明.md"
    assert made.json["title"] == "王小明"
    assert (vault / "王小明.md").read_text("utf-8") == wiki("show", "ming").out
    shown = wiki("show", made.json["id"], "--json").json
    assert (shown["type"], shown["tags"], shown["aliases"], shown["anchor"]) == ("entity", ["朋友"], ["Ming"], None)
    (hit,) = wiki("search", "誰的生日是三月初八", "--json").json["results"]
    assert (hit["path"], hit["layer"], hit["kind"], hit["category"]) == ("王小明.md", "wiki", "note", "entity")
    assert "三月初八" in wiki("search", "生日").out


def test_new_takes_its_body_from_standard_input(wiki, vault, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("From a pipe.\n"))
    assert wiki("new", "Pipe", "--body", "-").out == "Pipe.md\n"
    assert "From a pipe." in (vault / "Pipe.md").read_text("utf-8")


def test_a_session_has_its_own_notes(wiki, vault):
    path = wiki("new", "Secret", "--body", "tea", "--session", "telegram:1", "--json").json["path"]
    assert path.startswith("private/")
    assert wiki("show", "Secret").code == 1
    assert wiki("search", "tea", "--json").json["results"] == []
    assert wiki("search", "tea", "--session", "telegram:1", "--json").json["results"][0]["path"] == path
    assert wiki("show", "Secret", "--session", "telegram:2").code == 1


def test_edit_changes_the_intended_lines_alone(wiki, vault, editor):
    file = vault / "Tea.md"
    vault.mkdir(parents=True)
    file.write_bytes(b"---\r\nid: x   # kept\r\nodd: 'as is'\r\n---\r\nGreen tea.\r\nLast line")
    before = file.read_bytes()
    editor("text = text.replace('Green', 'Black')")
    ran = wiki("edit", "Tea", "--json")
    assert ran.code == 0
    assert ran.json["changed"] is True
    assert file.read_bytes() == before.replace(b"Green", b"Black")


def test_edit_without_a_change_writes_nothing(wiki, vault, editor):
    wiki("new", "Tea")
    os.utime(vault / "Tea.md", (1_700_000_000, 1_700_000_000))
    editor("pass")
    ran = wiki("edit", "Tea")
    assert "Nothing changed: Tea.md" in ran.err
    assert (vault / "Tea.md").stat().st_mtime == 1_700_000_000


def test_an_edit_that_breaks_the_front_matter_is_kept_and_can_be_mended(wiki, vault, editor):
    wiki("new", "Tea", "--body", "Green.")
    before = (vault / "Tea.md").read_text("utf-8")
    editor("text = text.replace('title: Tea', 'title: [Tea') + 'More.'")
    ran = wiki("edit", "Tea")
    assert ran.code == 1
    assert "front matter" in ran.err
    assert (vault / "Tea.md").read_text("utf-8") == before
    kept = kept_file(ran)
    kept.write_text(kept.read_text("utf-8").replace("[Tea", "Tea"), "utf-8")
    assert wiki("edit", "Tea", "--from", str(kept)).code == 0
    assert (vault / "Tea.md").read_text("utf-8") == before + "More."
    assert kept.exists()


def test_an_edit_that_meets_another_is_kept_and_said(wiki, vault, editor):
    wiki("new", "Tea", "--body", "Green.")
    other = vault / "Tea.md"
    editor(f"text += 'Mine.'\nother = pathlib.Path({str(other)!r})\nother.write_text(other.read_text() + 'Theirs.')")
    ran = wiki("edit", "Tea")
    assert ran.code == 1
    assert other.read_text("utf-8").endswith("Theirs.")
    assert kept_file(ran).read_text("utf-8").endswith("Mine.")


def test_an_edit_comes_from_a_pipe_byte_for_byte(wiki, vault, monkeypatch):
    wiki("new", "Tea")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"# Tea\r\n\r\nBlack.\r\n")))
    assert wiki("edit", "Tea", "--from", "-").code == 0
    assert (vault / "Tea.md").read_bytes() == b"# Tea\r\n\r\nBlack.\r\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert "no UTF-8" in wiki("edit", "Tea", "--from", "-").err


def test_an_editor_that_fails_changes_nothing(wiki, vault, editor):
    wiki("new", "Tea")
    before = (vault / "Tea.md").read_text("utf-8")
    editor("sys.exit(3)")
    ran = wiki("edit", "Tea")
    assert ran.code == 1
    assert kept_file(ran).read_text("utf-8") == before
    assert (vault / "Tea.md").read_text("utf-8") == before


def test_no_file_of_a_finished_edit_stays(wiki, vault, editor, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    wiki("new", "Tea")
    editor("text += 'More.'")
    assert wiki("edit", "Tea").code == 0
    assert list((tmp_path / "temporary").iterdir()) == []


def test_lint_names_file_and_line_and_fails(wiki, vault):
    vault.mkdir(parents=True)
    (vault / "a.md").write_text("---\nid: 1\n---\n# A\n\nSee [[nobody]].\n", "utf-8")
    ran = wiki("lint")
    assert ran.code == 1
    assert "a.md:6: dead-link: no note is called 'nobody'" in ran.out
    assert {"path": "a.md", "line": 1, "code": "orphan"}.items() <= wiki("lint", "--json").json["findings"][0].items()


def test_lint_of_a_sound_vault_is_quiet(wiki):
    wiki("new", "A", "--body", "[[B]]")
    wiki("new", "B", "--body", "[[A]]")
    ran = wiki("lint")
    assert (ran.code, ran.out, ran.err) == (0, "", "Nothing to mend.\n")


def test_links_of_a_note(wiki):
    wiki("new", "A", "--body", "[[B]] [[nobody]]")
    wiki("new", "B", "--body", "![[A#Part|it]]")
    shown = wiki("links", "A").out
    assert re.search(r"links to +B\.md", shown)
    assert re.search(r"linked from +B\.md:", shown)
    assert re.search(r"dead +nobody", shown)
    (back,) = wiki("links", "A", "--json").json["backlinks"]
    assert (back["from"], back["heading"], back["text"], back["embed"]) == ("B.md", "Part", "it", True)


def test_a_contested_claim_is_said_in_the_terminal_and_in_json(wiki, vault):
    vault.mkdir(parents=True)
    (vault / "a.md").write_text(
        "---\nclaims:\n  - {id: c, text: Berth 47., status: contested}\n---\nThe berth.\n", "utf-8"
    )
    assert "[claim contested: Berth 47.]" in wiki("search", "berth").out
    (hit,) = wiki("search", "berth", "--explain", "--json").json["results"]
    assert hit["explanation"]["notes"] == ["claim contested: Berth 47."]


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", " "),
        ("show", ""),
        ("search", " "),
        ("search", "x", "-n", "0"),
        ("search", "x", "--min-score", "2"),
        ("nothing",),
    ],
)
def test_a_wrong_command_line_is_exit_code_2(wiki, arguments):
    assert wiki(*arguments).code == 2


def test_what_is_not_there_is_one_line_and_exit_code_1(wiki):
    for name in ("show", "edit", "links"):
        ran = wiki(name, "nobody")
        assert ran.code == 1
        assert ran.err.count("\n") == 1
        assert ran.out == ""
    assert json.loads(wiki("search", "nobody", "--json").out)["results"] == []
