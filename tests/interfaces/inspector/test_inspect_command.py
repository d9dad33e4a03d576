"""``tercet inspect``: an address that opens the pages of the running service."""

from __future__ import annotations

import json

import httpx2
import pytest

from tercet.interfaces.cli import run


def test_it_prints_an_address_that_signs_a_browser_in(service, capsys):
    assert run(["inspect", "--no-browser", "--json", "--home", str(service.home)]) == 0
    url = json.loads(capsys.readouterr().out)["url"]
    with httpx2.Client(timeout=30, trust_env=False) as browser:
        assert browser.get(url).status_code == 303
        assert browser.get(f"{service.url}/inspector/health").status_code == 200


def test_an_agent_named_on_the_command_line_is_the_one_that_is_shown(service, capsys):
    assert run(["inspect", "--no-browser", "--home", str(service.home), "--agent", "guest"]) == 0
    with httpx2.Client(timeout=30, trust_env=False) as browser:
        answer = browser.get(capsys.readouterr().out.strip())
        assert answer.headers["location"] == "/inspector/search?agent=guest"


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_without_a_service_it_says_how_to_start_one(tmp_path, capsys, arguments):
    assert run(["inspect", "--home", str(tmp_path), *arguments]) == 1
    shown = capsys.readouterr()
    assert "tercet serve" in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out
