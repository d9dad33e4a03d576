"""Where settings come from, which one wins, what is refused, and that secrets are never shown."""

from __future__ import annotations

import pytest

from tercet.config import leaves, load_settings
from tercet.errors import ConfigurationError
from tercet.settings import Settings

SECRET = "sk-very-secret-123"  # noqa: S105 - no secret of anybody


def write(home, text):
    home.mkdir(parents=True, exist_ok=True)
    (home / "tercet.toml").write_text(text, encoding="utf-8")


def test_options_beat_the_environment_which_beats_the_file_which_beats_the_default(home, monkeypatch):
    write(home, "[retrieval]\nlimit = 3\npreset = 'classic'\n[index]\nbatch_chunks = 9\nrefresh_files = 1\n")
    monkeypatch.setenv("TERCET_RETRIEVAL__LIMIT", "4")
    monkeypatch.setenv("TERCET_INDEX__BATCH_CHUNKS", "8")
    loaded = load_settings({"home": str(home), "retrieval": {"limit": 5}})
    settings, origins = loaded.settings, loaded.origins
    assert (settings.retrieval.limit, origins["retrieval.limit"]) == (5, "option")
    assert (settings.index.batch_chunks, origins["index.batch_chunks"]) == (8, "environment")
    assert (settings.retrieval.preset, origins["retrieval.preset"]) == ("classic", "tercet.toml")
    assert (settings.retrieval.mode, origins["retrieval.mode"]) == ("hybrid", "default")
    assert settings.index.refresh_files == 1
    assert set(origins) == {name for name, _ in leaves(settings)}


def test_the_home_comes_from_option_environment_or_default(home, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings().settings.home == tmp_path / ".tercet"
    monkeypatch.setenv("TERCET_HOME", str(tmp_path / "x"))
    assert load_settings().settings.home == tmp_path / "x"
    assert load_settings({"home": "~/y"}).settings.home == tmp_path / "y"


def test_a_project_local_file_is_never_read(home, tmp_path, monkeypatch):
    """P8: a cloned repository's config cannot redirect endpoints and keys."""
    project = tmp_path / "cloned"
    for name in ("tercet.toml", ".tercet/tercet.toml", ".env", "pyproject.toml"):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('agent = "evil"\nTERCET_AGENT=evil\n[tool.tercet]\nagent = "evil"\n')
    monkeypatch.chdir(project)
    assert load_settings({"home": str(home)}).settings.agent == "main"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[embedding]\nprovidr = 'ollama'\n", ["embedding.providr", "tercet.toml", "no setting"]),
        ("colour = 'red'\n", ["colour", "no setting"]),
        ("[retrieval]\nlimit = 0\n", ["retrieval.limit", "0", "tercet.toml"]),
        ("[retrieval]\nmode = 'psychic'\n", ["retrieval.mode", "psychic"]),
        ("[retrieval]\nvector_weight = 1.5\n", ["retrieval.vector_weight", "1.5"]),
        ("[embedding]\ntimeout_s = 0\n", ["embedding.timeout_s"]),
        ("[embedding]\ndimensions = 'many'\n", ["embedding.dimensions", "many"]),
        ("embedding = 'ollama'\n", ["tercet.toml sets 'embedding'", "[embedding]", "section"]),
        ("[retrieval.constants]\nchunk.vector = 0.5\n", ["'retrieval.constants.chunk'", '"chunk.vector" = 0.5']),
        ("[retrieval.constants]\n\"chunk.vector\" = 'x'\n", ["retrieval.constants.chunk.vector", "tercet.toml"]),
        ("home = '/elsewhere'\n", ["home", "TERCET_HOME"]),
        ("[retrieval\n", ["TOML"]),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_place(home, text, words):
    write(home, text)
    with pytest.raises(ConfigurationError) as raised:
        load_settings({"home": str(home)})
    message = str(raised.value)
    assert all(word in message for word in words), message
    assert str(home) in message


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("TERCET_EMBEDING__PROVIDER", "ollama", ["TERCET_EMBEDING__PROVIDER"]),
        ("TERCET_EMBEDDING__PROVIDR", "ollama", ["embedding.providr", "the environment"]),
        ("TERCET_RETRIEVAL__LIMIT", "many", ["retrieval.limit", "many", "the environment"]),
        ("TERCET_RETRIEVAL__CONSTANTS", "{not json", ["TERCET_RETRIEVAL__CONSTANTS", "JSON"]),
        ("TERCET_EMBEDDING", "ollama", ["TERCET_EMBEDDING ", "JSON"]),
    ],
)
def test_what_is_wrong_in_the_environment_is_named(home, monkeypatch, name, value, words):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as raised:
        load_settings({"home": str(home)})
    assert all(word in str(raised.value) for word in words), raised.value


def test_a_byte_order_mark_in_the_file_is_passed_over(home):
    home.mkdir()
    (home / "tercet.toml").write_bytes(b"\xef\xbb\xbfagent = 'two'\r\n")
    assert load_settings({"home": str(home)}).settings.agent == "two"


def test_a_folder_in_place_of_the_file_is_said(home):
    (home / "tercet.toml").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"tercet\.toml cannot be read"):
        load_settings({"home": str(home)})


def test_how_long_tests_run_is_no_setting(home, monkeypatch):
    monkeypatch.setenv("TERCET_TEST_LONG", "10")
    assert load_settings({"home": str(home)}).settings.agent == "main"


def test_bytes_that_are_no_utf8_in_the_file_are_said(home):
    home.mkdir()
    (home / "tercet.toml").write_bytes(b"agent = '\xff'\n")
    with pytest.raises(ConfigurationError, match=r"tercet\.toml"):
        load_settings({"home": str(home)})


def test_secrets_are_masked_wherever_settings_are_shown(home, monkeypatch):
    monkeypatch.setenv("TERCET_EMBEDDING__API_KEY", SECRET)
    loaded = load_settings({"home": str(home)})
    assert loaded.settings.embedding.api_key.get_secret_value() == SECRET
    shown = dict(leaves(loaded.settings))
    assert shown["embedding.api_key"] == "********"
    assert SECRET not in f"{loaded!r} {loaded.settings!r} {shown}"


def test_a_secret_of_the_wrong_type_is_not_printed_either(home):
    write(home, "[embedding]\napi_key = 9876543210\n")
    with pytest.raises(ConfigurationError) as raised:
        load_settings({"home": str(home)})
    assert "embedding.api_key" in str(raised.value)
    assert "9876543210" not in str(raised.value)


def test_an_address_is_shown_without_its_secrets(home, monkeypatch):
    monkeypatch.setenv("TERCET_EMBEDDING__URL", f"https://ana:{SECRET}@host.example/v1?key={SECRET}")
    monkeypatch.setenv("TERCET_STORE__URL", f"s3://ana:{SECRET}@bucket/prefix")
    shown = dict(leaves(load_settings({"home": str(home)}).settings))
    assert SECRET not in str(shown)
    assert "host.example/v1" in shown["embedding.url"]
    write(home, f"[rerank]\nurl = ['https://ana:{SECRET}@host.example']\n")
    with pytest.raises(ConfigurationError) as raised:
        load_settings({"home": str(home)})
    assert SECRET not in str(raised.value)
    assert "rerank.url" in str(raised.value)


def test_a_secret_set_is_told_apart_from_none(home):
    assert dict(leaves(Settings()))["embedding.api_key"] == "None"
