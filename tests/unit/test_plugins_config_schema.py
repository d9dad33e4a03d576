"""Settings of a plug-in are checked against its schema, named when wrong, and never fetched for or spilt."""

from __future__ import annotations

import pytest

from tercet.errors import ConfigurationError
from tercet.plugins.config_schema import check_config, check_schema

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["folder"],
    "properties": {
        "folder": {"type": "string"},
        "depth": {"type": "integer", "minimum": 1},
        "apiKey": {"type": "string", "minLength": 20},
        "service": {"type": "object", "properties": {"port": {"type": "integer"}}},
    },
}


def test_settings_that_fit_pass():
    check_config({"folder": "x", "depth": 2, "service": {"port": 80}}, SCHEMA)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "'folder' is a required property"),
        ({"folder": 3}, "setting folder = 3 .* type 'string'"),
        ({"folder": "x", "depth": 0}, "setting depth = 0 .* minimum 1"),
        ({"folder": "x", "colour": "red"}, "'colour' was unexpected"),
        ({"folder": "x", "service": {"port": "http"}}, r"setting service\.port = 'http'"),
    ],
)
def test_a_setting_that_breaks_the_schema_is_named(config, said):
    with pytest.raises(ConfigurationError, match=said):
        check_config(config, SCHEMA)


def test_a_secret_is_not_shown():
    with pytest.raises(ConfigurationError, match="setting apiKey is not valid") as caught:
        check_config({"folder": "x", "apiKey": "hunter2"}, SCHEMA)
    assert "hunter2" not in str(caught.value)


def test_a_secret_below_a_rule_of_the_whole_is_not_shown():
    schema = {"anyOf": [{"required": ["folder"]}, {"required": ["url"]}]}
    with pytest.raises(ConfigurationError) as caught:
        check_config({"token": "hunter2"}, schema)
    assert "hunter2" not in str(caught.value)


def test_what_is_no_schema_is_said():
    with pytest.raises(ConfigurationError, match=r"no JSON Schema.*type"):
        check_schema({"type": "thing"})


@pytest.mark.parametrize("ref", ["http://127.0.0.1:9/schema.json", "#/definitions/none", "file:///etc/passwd"])
def test_a_reference_out_of_the_schema_is_refused_and_not_followed(ref):
    with pytest.raises(ConfigurationError, match="refers to"):
        check_config({"folder": "x"}, {"properties": {"folder": {"$ref": ref}}})


def test_a_reference_inside_the_schema_is_followed():
    schema = {"properties": {"folder": {"$ref": "#/$defs/text"}}, "$defs": {"text": {"type": "string"}}}
    check_config({"folder": "x"}, schema)
    with pytest.raises(ConfigurationError, match="folder = 1"):
        check_config({"folder": 1}, schema)
