"""Manifests are read as files, beside the code that they describe, which is never imported for it."""

from __future__ import annotations

import json
import sys
from importlib.metadata import EntryPoint

import pytest

from tercet.errors import ConfigurationError
from tercet.plugins.manifests import layer_manifest, manifest_path, optional_manifest

GOOD = {
    "id": "jotter",
    "kind": "memory",
    "layer": "wiki",
    "name": "Jotter",
    "description": "Jottings.",
    "configSchema": {"type": "object"},
    "uiHints": {"folder": {"label": "Where"}},
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package whose every import raises, with a manifest in the folder named."""

    def make(document, folder="jotter_plugin", text=None):
        root = tmp_path / "jotter_plugin"
        for package in (root, root / "inner"):
            package.mkdir(exist_ok=True)
            (package / "__init__.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
        if document is not None or text is not None:
            (tmp_path / folder / "openclaw.plugin.json").write_text(text or json.dumps(document), encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        return EntryPoint("jotter", "jotter_plugin.inner.code:create", "tercet.backends")

    yield make
    assert [name for name in sys.modules if name.startswith("jotter_plugin")] == []


@pytest.mark.parametrize("folder", ["jotter_plugin", "jotter_plugin/inner"])
def test_a_manifest_is_found_beside_the_code_or_above_it_without_importing(package, folder):
    manifest = layer_manifest(package(GOOD, folder))
    assert (manifest.id, manifest.slot, manifest.name) == ("jotter", "wiki", "Jotter")
    assert manifest.config_schema == {"type": "object"}


def test_the_nearest_manifest_counts(package):
    package({**GOOD, "id": "other"}, "jotter_plugin")
    assert layer_manifest(package(GOOD, "jotter_plugin/inner")).id == "jotter"


def test_a_folder_without_init_is_a_package_too(tmp_path, monkeypatch):
    (tmp_path / "jotter_space").mkdir()
    (tmp_path / "jotter_space" / "openclaw.plugin.json").write_text(json.dumps(GOOD), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert layer_manifest(EntryPoint("jotter", "jotter_space.code:create", "tercet.backends")).slot == "wiki"


def test_a_package_that_is_not_there_has_no_manifest():
    assert manifest_path(EntryPoint("x", "no_such_package.code:create", "tercet.backends")) is None
    assert manifest_path(EntryPoint("x", "colorsys:rgb_to_hsv", "tercet.backends")) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": None}, "no 'id'"),
        ({"id": "Not An Id"}, "'Not An Id'"),
        ({"id": "other"}, "'other'.*'jotter'"),
        ({"kind": "channel"}, "'channel'"),
        ({"kind": ""}, "no 'kind'"),
        ({"name": 7}, "no 'name'"),
        ({"description": None}, "no 'description'"),
        ({"configSchema": None}, "no configSchema"),
        ({"configSchema": []}, "no configSchema"),
        ({"layer": None}, "does not say which layer"),
        ({"layer": "attic"}, "'attic'.*semantic, wiki, active"),
    ],
)
def test_what_a_manifest_lacks_is_named(package, change, said):
    document = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(ConfigurationError, match=said):
        layer_manifest(package(document))


@pytest.mark.parametrize("text", ["{", "[]", "[" * 200_000, '"text"', "\x00"])
def test_a_file_that_is_no_manifest_is_a_plain_error(package, text):
    with pytest.raises(ConfigurationError, match="its manifest"):
        layer_manifest(package(None, text=text))


def test_a_layer_without_a_manifest_is_refused_and_an_embedder_is_not(package):
    point = package(None)
    with pytest.raises(ConfigurationError, match=r"there is no openclaw\.plugin\.json"):
        layer_manifest(point)
    assert optional_manifest(point) is None


def test_an_embedder_does_not_take_the_manifest_of_the_layer_it_lies_beside(package):
    package(GOOD)
    assert optional_manifest(EntryPoint("jot-vectors", "jotter_plugin:create", "tercet.embedders")) is None


@pytest.mark.parametrize(
    ("identifier", "slot"), [("memory-lancedb", "semantic"), ("memory-wiki", "wiki"), ("active-memory", "active")]
)
def test_the_built_in_layers_have_manifests(identifier, slot):
    point = EntryPoint(identifier, f"tercet.layers.{slot}.layer:create", "tercet.backends")
    assert layer_manifest(point).slot == slot
