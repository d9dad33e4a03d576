"""The manifest of a plug-in, ``openclaw.plugin.json``, read without importing anything of the plug-in."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from tercet.errors import ConfigurationError
from tercet.model import LayerName

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

MANIFEST_FILE = "openclaw.plugin.json"
SLOTS: tuple[LayerName, ...] = get_args(LayerName)
MEMORY_KIND = "memory"
"""The kind of every plug-in that fills a slot."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a plug-in says of itself; keys that only OpenClaw reads are passed over."""

    id: str
    kind: str
    name: str
    description: str
    config_schema: Mapping[str, Any]
    """JSON Schema of its settings."""
    slot: LayerName | None
    """The layer it stands for; None for an engine, embedder, reranker or extractor."""


def manifest_path(point: EntryPoint) -> Path | None:
    """Return where the manifest of an entry point lies; None when there is none.

    It is looked for beside the module that the entry point names, then in each package above it. Only the
    top package is located, which imports nothing; the packages below it are folders of its own.
    """
    top, *below = point.module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.submodule_search_locations is None:
        return None
    for location in spec.submodule_search_locations:
        for depth in range(len(below), -1, -1):
            path = Path(location, *below[:depth], MANIFEST_FILE)
            if path.is_file():
                return path
    return None


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        ConfigurationError: it cannot be read, is no JSON object, or lacks what it must say.
    """
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        msg = f"its manifest {path} cannot be read ({error})"
        raise ConfigurationError(msg) from error
    return parse_manifest(document)


def parse_manifest(document: Any) -> Manifest:  # Any: JSON of a stranger
    """Check a manifest's JSON and return what it says.

    Raises:
        ConfigurationError: a key is missing or wrong; the message names it, not the plug-in.
    """
    if not isinstance(document, dict):
        msg = f"its manifest holds a {type(document).__name__}, not an object"
        raise ConfigurationError(msg)
    given = cast("dict[str, Any]", document)  # keys of a JSON object are strings
    identifier = _text(given, "id")
    if not _ID.fullmatch(identifier):
        msg = f"its manifest has the id {identifier!r}: use at most 64 of a-z, 0-9, '.', '_' and '-'"
        raise ConfigurationError(msg)
    schema = given.get("configSchema")
    if not isinstance(schema, dict):
        msg = "its manifest has no configSchema object"
        raise ConfigurationError(msg)
    slot = given.get("layer")
    if slot is not None and slot not in SLOTS:
        msg = f"its manifest has the layer {slot!r}: use one of {', '.join(SLOTS)}"
        raise ConfigurationError(msg)
    return Manifest(
        identifier,
        _text(given, "kind"),
        _text(given, "name"),
        _text(given, "description"),
        cast("dict[str, Any]", schema),  # keys of a JSON object are strings
        slot,
    )


def layer_manifest(point: EntryPoint) -> Manifest:
    """Return the manifest of a layer, which must have one that names its slot.

    Raises:
        ConfigurationError: there is none, or it does not fit the entry point; the message does not name
            the plug-in.
    """
    path = manifest_path(point)
    if path is None:
        msg = f"there is no {MANIFEST_FILE} in the package of {point.module!r}"
        raise ConfigurationError(msg)
    manifest = read_manifest(path)
    if manifest.id != point.name:
        msg = f"its manifest has the id {manifest.id!r}, its entry point the name {point.name!r}: give both one name"
        raise ConfigurationError(msg)
    if manifest.kind != MEMORY_KIND:
        msg = f"its manifest has the kind {manifest.kind!r}: a layer is of kind {MEMORY_KIND!r}"
        raise ConfigurationError(msg)
    if manifest.slot is None:
        msg = f"its manifest does not say which layer it stands for: give 'layer', one of {', '.join(SLOTS)}"
        raise ConfigurationError(msg)
    return manifest


def optional_manifest(point: EntryPoint) -> Manifest | None:
    """Return the manifest of another kind of plug-in; None when its package holds none of that id.

    Raises:
        ConfigurationError: there is one, and it cannot be read.
    """
    path = manifest_path(point)
    if path is None:
        return None
    manifest = read_manifest(path)
    return manifest if manifest.id == point.name else None


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value.strip():
        msg = f"its manifest has no {key!r}: give it as text"
        raise ConfigurationError(msg)
    return value
