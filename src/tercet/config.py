"""Settings: defaults, then ``tercet.toml`` under the home, then the environment, then options.

Environment names are ``TERCET_`` and the path of the setting with two underscores a level
(``TERCET_EMBEDDING__PROVIDER``). Only the home's own file is read: a project folder cannot change
endpoints, keys or models.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_settings import EnvSettingsSource

from tercet.errors import ConfigurationError
from tercet.settings import Settings
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SETTINGS_FILE = "tercet.toml"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings with the place each value came from."""

    settings: Settings
    origins: Mapping[str, str]
    """Dotted name to ``option``, ``environment``, ``tercet.toml`` or ``default``."""


def load_settings(options: Mapping[str, Any] | None = None) -> LoadedSettings:
    """Read every source and say for each value where it came from.

    Args:
        options: Nested mapping of what was given on the command line or in code; it wins.

    Raises:
        ConfigurationError: a value is wrong or a name unknown; the message names both and the
            place it stands in.
    """
    given = dict(options or {})
    environment = _read_environment()
    home = _home(str(given.get("home") or environment.get("home") or "~/.tercet"))
    file = home / SETTINGS_FILE
    toml = _read_toml(file)
    if "home" in toml:
        msg = f"{file} sets 'home', but it lies in that home: set TERCET_HOME or --home instead."
        raise ConfigurationError(msg)
    sources = (("option", given), ("environment", environment), (SETTINGS_FILE, toml))
    merged: dict[str, Any] = {}
    for _, source in reversed(sources):
        _merge(merged, source)
    merged["home"] = home
    try:
        settings = Settings(**merged)
    except ValidationError as error:
        raise ConfigurationError(_first_problem(error, sources, file)) from error
    origins = {name: _origin(name.split("."), sources) for name, _ in leaves(settings)}
    return LoadedSettings(settings, origins)


def leaves(settings: Settings) -> list[tuple[str, str]]:
    """Return every setting as (dotted name, shown value), secrets masked, in declared order."""
    shown: list[tuple[str, str]] = []

    def visit(prefix: str, model: BaseModel) -> None:
        for name in type(model).model_fields:
            value = getattr(model, name)
            if isinstance(value, BaseModel):
                visit(f"{prefix}{name}.", value)
            else:
                shown.append((prefix + name, "********" if isinstance(value, SecretStr) else shown_url(str(value))))

    visit("", settings)
    return shown


def _home(named: str) -> Path:
    try:
        return Path(named).expanduser().absolute()
    except RuntimeError as error:
        msg = f"The home {named} names no user of this machine: write the folder out."
        raise ConfigurationError(msg) from error


def _read_environment() -> dict[str, Any]:
    # A variable of ours that names no setting is a typing mistake worth a word: pydantic-settings
    # passes it over in silence at the top level.
    known = {name.upper() for name in Settings.model_fields}
    for variable in os.environ:
        if not variable.startswith("TERCET_") or variable.startswith("TERCET_TEST_"):
            continue
        if variable.removeprefix("TERCET_").split("__")[0] not in known:
            msg = f"Environment variable {variable} names no setting: unset it, or see 'tercet status' for the names."
            raise ConfigurationError(msg)
    source = EnvSettingsSource(Settings)
    try:
        return dict(source())
    except ValueError as error:
        msg = f"Environment variable {_unreadable_variable(source)} cannot be read: give JSON, such as '{{\"a\": 1}}'."
        raise ConfigurationError(msg) from error


def _unreadable_variable(source: EnvSettingsSource) -> str:
    """Return which variable it is: pydantic-settings names the field at most."""
    everything = source.env_vars
    for variable, value in everything.items():
        if not variable.upper().startswith("TERCET_"):
            continue
        source.env_vars = {variable: value}
        try:
            source()
        except ValueError:
            return variable.upper()
    return "TERCET_*"


def _read_toml(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    try:
        # Some editors put a byte order mark in front; TOML has none.
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        msg = f"{file} cannot be read as TOML ({error}): mend it or move it away."
        raise ConfigurationError(msg) from error


def _merge(into: dict[str, Any], source: Mapping[str, Any]) -> None:
    for name, value in source.items():
        present = into.get(name)
        if isinstance(value, dict) and isinstance(present, dict):
            _merge(present, value)  # pyright: ignore[reportUnknownArgumentType] - keys are strings in every source
        elif value is not None:
            into[name] = dict(value) if isinstance(value, dict) else value  # pyright: ignore[reportUnknownArgumentType] - as above


def _origin(place: Sequence[str], sources: tuple[tuple[str, Mapping[str, Any]], ...]) -> str:
    for label, source in sources:
        node: Any = source
        for part in place:
            node = node.get(part) if isinstance(node, dict) else None  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType] - untyped sources
        if node is not None:
            return label
    return "default"


def _first_problem(error: ValidationError, sources: tuple[tuple[str, Mapping[str, Any]], ...], file: Path) -> str:
    problem = error.errors()[0]
    parts = [str(part) for part in problem["loc"]]
    name = ".".join(parts)
    origin = _origin(parts, sources)
    place = {"option": "the options", "environment": "the environment", SETTINGS_FILE: str(file)}.get(origin, origin)
    if problem["type"] == "extra_forbidden":
        return f"{place} sets {name!r}, which is no setting: remove it, or see 'tercet status' for the names."
    if problem["type"] == "model_type":
        return f"{place} sets {name!r} to one value, but it is a section: write [{name}] and its settings below it."
    if parts[:2] == ["retrieval", "constants"] and isinstance(problem["input"], dict):
        return f'{place} sets constants below {name!r}: put the whole name in quotes, like "chunk.vector" = 0.5.'
    reason = str(problem["msg"]).lower()
    shown = "********" if name.endswith("api_key") else shown_url(repr(problem["input"]))
    return f"Setting {name} = {shown} from {place} is not valid: {reason}."
