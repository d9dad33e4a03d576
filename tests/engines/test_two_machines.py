"""Two processes with homes of their own, as on two machines, over one database: one memory."""

from __future__ import annotations

import json

import pytest

ANNA = "telegram:1"


@pytest.fixture
def machines(postgres_server, tercet, home):
    """The command line of each of two homes."""
    tenant = postgres_server.new_tenant()
    tercet.environment |= {"TERCET_STORE__URL": postgres_server.url, "TERCET_STORE__TENANT": tenant}
    other = type(tercet)(home.with_name("other"), tercet.capture, tercet.patch, dict(tercet.environment))
    return tercet, other


def end(*processes):
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors


def transcript(folder, name, texts):
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in texts), "utf-8")
    return str(path)


def entries(machine):
    return sorted(entry["text"] for entry in machine("list", "--session", ANNA, "--json").json["entries"])


def paths(machine, query):
    return [hit["path"] for hit in machine("search", query, "--json").json["results"]]


def test_both_index_and_capture_at_once_and_each_thing_is_there_once(machines, notes, tmp_path):
    told = [f"I like the quail of garden {number}" for number in range(30)]
    halves = [transcript(tmp_path, "one", told[:20]), transcript(tmp_path, "two", told[10:])]
    end(
        *(machine.start("index", str(notes)) for machine in machines),
        *(machine.start("capture", half, "--session", ANNA) for machine, half in zip(machines, halves, strict=True)),
    )
    for machine in machines:
        assert entries(machine) == sorted(told)
        assert paths(machine, "boat Albatros berth")[0] == "MEMORY.md"
        assert machine("status", "--json").json["folders"][0]["files"] == 4
        findings = {each["check"]: each["verdict"] for each in machine("doctor", "--json").json["findings"]}
        assert "problem" not in findings.values(), findings


def test_what_one_forgets_the_other_does_not_find(machines):
    one, other = machines
    made = one("remember", "The code of the boat is ZX-9918", "--json").json
    assert "ZX-9918" in other("search", "code of the boat").out
    other("forget", made["entry"]["id"])
    assert "ZX-9918" not in one("search", "code of the boat").out
    one("undo")
    assert "ZX-9918" in other("search", "code of the boat").out


def test_a_folder_that_one_takes_out_is_out_for_both(machines, notes):
    one, other = machines
    one("index", str(notes))
    assert "MEMORY.md" in paths(other, "boat Albatros berth")
    other("index", "--remove", str(notes))
    assert paths(one, "boat Albatros berth") == []
