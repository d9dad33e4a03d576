"""From its start to its end: one a home, found by a file, and what it took in stays."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.app import build
from tercet.config import load_settings
from tercet.errors import ConfigurationError
from tercet.interfaces.client.discovery import RunningService, find_service, write_service_file
from tercet.interfaces.client.opening import usable_service
from tercet.interfaces.http.first_lines import first_lines
from tercet.interfaces.http.serving import Serving, serve
from tercet.interfaces.http.tokens import Tokens
from tercet.interfaces.http.unit import install_unit, launchd_plist, systemd_unit

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is tested
TURN = {
    "sessionKey": "telegram:1",
    "messages": [{"role": "user", "text": "My sister Ines moved to Porto in May.", "id": "m1"}],
}


def nothing_starts(_):
    pytest.fail("it started")


def loaded(home: Path, **given):
    return load_settings({"home": str(home), "embedding": {"provider": "none"}, **given})


def entries_of(home: Path) -> list[str]:
    """What a process finds that looks into the home by itself."""
    with build(loaded(home)) as memory:
        memory.flush()
        return [entry.text for entry in memory.list_entries("telegram:1")]


def test_what_was_accepted_twice_is_there_once_after_the_stop_and_the_log_has_no_word_of_it(start_service, home):
    service = start_service(home)
    for _ in range(2):
        assert service.post("/v1/capture", TURN).status_code == 202
    service.post("/v1/search", {"query": "Where did Ines move?", "sessionKey": "telegram:1"})
    service.get("/v1/files", params={"ref": "Ines.md"})
    service.get("/v1/memories/Ines")
    service.post("/mcp", {"Ines": "Porto"})
    code, log = service.stop()
    assert code == 0
    assert [each["event"] for each in log][-2:] == ["stopping", "stopped"]
    assert not (home / "service.json").exists()
    routes = [each["route"] for each in log if each["event"] == "request"]
    assert routes[:3] == ["/v1/capture", "/v1/capture", "/v1/search"]
    for word in ("Ines", "Porto", "telegram", service.token):
        assert word not in json.dumps(log)
    assert entries_of(home) == [TURN["messages"][0]["text"]]


def test_what_was_accepted_is_there_after_the_service_was_killed(start_service, home):
    service = start_service(home)
    assert service.post("/v1/capture", TURN).status_code == 202
    service.process.kill()
    service.process.communicate()
    left = (home / "service.json").read_bytes()
    assert find_service(home) is None
    assert (home / "service.json").read_bytes() == left
    assert entries_of(home) == [TURN["messages"][0]["text"]]


def test_a_service_is_found_by_its_own_settings_and_version_and_a_second_says_where_it_is(
    start_service, home, monkeypatch
):
    service = start_service(home)
    found = find_service(home)
    assert found is not None
    assert (found.url, found.pid, found.token) == (service.url, service.pid, service.token)
    # The service was started with the environment, these settings with options: only values count.
    assert usable_service(loaded(home)) == usable_service(loaded(home, agent="other")) == found
    assert usable_service(loaded(home, retrieval={"preset": "classic"})) is None
    with monkeypatch.context() as patch:
        patch.setattr("tercet.interfaces.client.fingerprint.__version__", "0.0.1")
        assert usable_service(loaded(home)) is None  # left running by an update
    with pytest.raises(ConfigurationError, match=f"runs already at {service.url} .process {service.pid}"):
        serve(loaded(home), Serving(port=0), nothing_starts)
    assert service.get("/healthz").status_code == 200
    (home / "service.json").chmod(0o666)
    assert find_service(home) is None  # whoever may write it could send us anywhere


def test_an_address_that_others_reach_needs_a_token(home, start_service):
    with pytest.raises(ConfigurationError, match="tercet serve --new-token"):
        serve(loaded(home), Serving(EVERYWHERE, 0), nothing_starts)
    Tokens(home).add("phone", "main", "telegram:1")
    service = start_service(home, "--host", EVERYWHERE, "--allow-host", "memory.example")
    assert service.url.startswith("http://127.0.0.1:")
    own = find_service(home)
    assert own is not None
    assert own.token != service.token  # who is at home is not bound as the phone is
    assert service.get("/v1/memories").json() == {"entries": []}
    assert service.get("/v1/memories", headers={"Host": "memory.example"}).status_code == 200
    assert service.get("/v1/memories", headers={"Host": "other.example"}).status_code == 421
    assert service.get("/v1/memories", headers={"Authorization": ""}).status_code == 401


def test_a_port_that_is_taken_is_one_line(home):
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ConfigurationError, match="another --port"),
    ):
        serve(loaded(home), Serving(port=taken.getsockname()[1]), nothing_starts)
    assert not (home / "service.json").exists()


def test_a_stranger_on_the_port_gets_no_token(tmp_path):
    stranger = subprocess.Popen(
        [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        port = stranger.stdout.readline().split("port ")[1].split()[0]
        (tmp_path / "healthz").write_text(json.dumps({"instance": "another"}))
        url = f"http://127.0.0.1:{port}"
        write_service_file(tmp_path, RunningService(url, os.getpid(), "secret-token", "mine", ""))
        assert find_service(tmp_path) is None
        (tmp_path / "healthz").write_text(json.dumps({"instance": "mine"}))
        assert find_service(tmp_path) is not None
    finally:
        stranger.kill()
        _, err = stranger.communicate()
    assert "GET /healthz" in err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"url": 1}', '{"url": "x", "pid": "y"}'])
def test_a_file_that_is_no_announcement_is_no_service(tmp_path, text):
    (tmp_path / "service.json").write_text(text)
    (tmp_path / "service.json").chmod(0o600)
    assert find_service(tmp_path) is None


def test_the_first_lines_have_the_blocks_and_not_the_token(tmp_path):
    text = first_lines("http://127.0.0.1:8372", tmp_path / "tokens.json")
    assert str(tmp_path / "tokens.json") in text
    blocks = [
        json.loads(block) for block in text.split("\n\n") for block in [block.partition("\n")[2]] if block[:1] == "{"
    ]
    stdio, http, openclaw = blocks
    assert stdio["mcpServers"]["tercet"] == {"command": "tercet", "args": ["mcp"]}
    assert http["mcpServers"]["tercet"]["url"] == "http://127.0.0.1:8372/mcp"
    assert openclaw["plugins"]["slots"]["memory"] == "tercet"
    assert "tercet" in openclaw["plugins"]["allow"]
    (folder,) = openclaw["plugins"]["load"]["paths"]
    assert json.loads((Path(folder) / "openclaw.plugin.json").read_text("utf-8"))["id"] == "tercet"
    assert openclaw["plugins"]["entries"]["tercet"]["config"] == {"home": str(tmp_path)}
    assert openclaw["plugins"]["entries"]["tercet"]["hooks"]["allowConversationAccess"] is True


def test_a_unit_of_systemd_starts_this_very_command():
    unit = systemd_unit(["/usr/bin/py thon", "-m", "x", "--home", '/h/100%/"q"/$HOME'])
    line = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    words = [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line.removeprefix("ExecStart="))]
    assert words == ["/usr/bin/py thon", "-m", "x", "--home", '/h/100%/"q"/$HOME']
    assert "WantedBy=default.target" in unit


def test_a_property_list_of_launchd_starts_this_very_command(tmp_path):
    value = plistlib.loads(launchd_plist(["/usr/bin/python", "-m", "x & y"], tmp_path).encode())
    assert value["ProgramArguments"] == ["/usr/bin/python", "-m", "x & y"]
    assert value["RunAtLoad"] is True


@pytest.mark.parametrize(
    ("platform", "place", "start"),
    [
        ("linux", ".config/systemd/user/tercet.service", "systemctl --user"),
        ("darwin", "Library/LaunchAgents/tercet.serve.plist", "launchctl"),
    ],
)
def test_installing_writes_the_unit_below_the_user(tmp_path, monkeypatch, platform, place, start):
    monkeypatch.setenv("HOME", str(tmp_path))
    file, command = install_unit(tmp_path / "home", "127.0.0.1", 8372, platform=platform)
    assert file == tmp_path / place
    assert str(tmp_path / "home") in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert command.startswith(start)
