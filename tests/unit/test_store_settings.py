"""Each setting of a bucket reaches the engine, by the name its library knows."""

from __future__ import annotations

import pytest

from tercet.app import stores
from tercet.config import load_settings


class RecordedEngine:
    """Keeps what it was given."""

    def __init__(self, url, **given):
        self.url, self.given = url, given


@pytest.fixture
def engine_of(home, monkeypatch):
    monkeypatch.setattr(stores, "load", lambda group, name: RecordedEngine)

    def made(**store):
        settings = load_settings({"home": str(home), "store": {"url": "s3://bucket/team", **store}}).settings
        return stores.make_engine(settings, stores.Databases())

    return made


@pytest.mark.parametrize(
    ("setting", "value", "option"),
    [
        ("endpoint", "https://storage.example.org", "aws_endpoint"),
        ("region", "eu-west-3", "region"),
        ("access_key", "an-id", "aws_access_key_id"),
        ("secret_key", "a-word", "aws_secret_access_key"),
    ],
)
def test_a_setting_of_the_bucket_is_handed_over(engine_of, setting, value, option):
    assert option not in engine_of().given["storage_options"]
    assert engine_of(**{setting: value}).given["storage_options"][option] == value


def test_plain_http_only_where_the_address_says_so(engine_of):
    assert engine_of(endpoint="http://127.0.0.1:8333").given["storage_options"]["allow_http"] == "true"
    assert engine_of(endpoint="https://storage.example.org").given["storage_options"]["allow_http"] == "false"


def test_options_beat_what_is_set_without_them(engine_of):
    given = engine_of(options={"aws_virtual_hosted_style_request": "true", "client_retry_timeout": "90"}).given[
        "storage_options"
    ]
    assert given["aws_virtual_hosted_style_request"] == "true"
    assert given["client_retry_timeout"] == "90"
    assert engine_of().given["storage_options"]["client_retry_timeout"] != "90"


def test_consistency_is_handed_over_for_a_bucket_alone(engine_of, tmp_path):
    assert engine_of(consistency_s=7.5).given["consistency_s"] == 7.5
    assert engine_of(url=str(tmp_path / "folder"), consistency_s=7.5).given == {}
