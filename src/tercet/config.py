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
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from tercet.errors import ConfigurationError
from tercet.model import Placement  # noqa: TC001 - pydantic reads it
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SETTINGS_FILE = "tercet.toml"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbeddingSettings(_Section):
    """Which model makes the vectors; keys a provider does not know are refused by it."""

    provider: str = "builtin"
    """``builtin``, ``english``, ``multilingual``, ``ollama``, ``openai``, ``fastembed``, ``onnx``,
    ``none``, or the name a plug-in registers."""
    model: str | None = None
    url: str | None = None
    api_key: SecretStr | None = None
    dimensions: int | None = Field(default=None, ge=1, le=16384)
    path: Path | None = None
    """Folder of a local ONNX model."""
    document_prefix: str | None = None
    query_prefix: str | None = None
    threads: int = Field(default=2, ge=1, le=64)
    batch_size: int | None = Field(default=None, ge=1, le=4096)
    timeout_s: float = Field(default=60.0, gt=0, le=3600)
    """For one batch while indexing."""
    query_timeout_s: float = Field(default=8.0, gt=0, le=600)
    """For the question of one search; after it the answer is lexical."""


class StoreSettings(_Section):
    """Where the derived index lies."""

    url: str | None = None
    """``s3://`` URI or folder; by default ``lancedb`` under the home."""


class IndexSettings(_Section):
    """How files become chunks."""

    max_file_bytes: int = Field(default=10_000_000, ge=1)
    refresh_files: int = Field(default=500, ge=0)
    """How many changed files one search takes in before it answers; 0 turns that off."""
    batch_chunks: int = Field(default=256, ge=1, le=10_000)


class RetrievalSettings(_Section):
    """How passages are ranked."""

    preset: str = "tuned"
    mode: Literal["hybrid", "vector", "keyword"] = "hybrid"
    limit: int = Field(default=10, ge=1, le=1000)
    min_score: float | None = Field(default=None, ge=0, le=1)
    """None leaves it to the preset."""
    vector_weight: float | None = Field(default=None, ge=0, le=1)
    keyword_weight: float | None = Field(default=None, ge=0, le=1)
    constants: dict[str, float] = Field(default_factory=dict)
    """Overrides of the preset's constants by name."""


class RerankSettings(_Section):
    """A model that reads question and passage together; none by default."""

    provider: str = "none"
    """``none``, ``http``, ``onnx``, ``fastembed``, or the name a plug-in registers."""
    model: str | None = None
    url: str | None = None
    api_key: SecretStr | None = None
    path: Path | None = None
    shape: str | None = None
    """What an HTTP service wants: ``documents`` (Jina, Cohere, vLLM) or ``texts`` (TEI)."""
    scale: str | None = None
    """What its numbers are: ``auto``, ``logits`` or ``probabilities``."""
    threads: int | None = Field(default=None, ge=1, le=64)
    depth: int = Field(default=30, ge=1, le=200)
    """How many of the best fused hits it reads."""
    weight: float = Field(default=0.5, ge=0, le=1)
    """Of its number beside the fused relevance."""
    timeout_s: float = Field(default=3.0, gt=0, le=600)
    """After it the fused order stands."""


class CaptureSettings(_Section):
    """What is kept of what the user says."""

    enabled: bool = True
    """False hands nothing over: ``agent_end`` and ``tercet capture`` keep nothing."""
    select: Literal["rules", "all"] = "rules"
    """``all`` keeps every sentence that is left after sanitising."""
    max_per_turn: int = Field(default=12, ge=1, le=1000)
    """Entries that one message may give."""


class RecallSettings(_Section):
    """What of the memory goes before an answer."""

    budget_tokens: int = Field(default=1200, ge=1, le=100_000)
    placement: Placement = "context"
    deadline_s: float = Field(default=2.0, gt=0, le=600)
    """After it the section holds what was found by then, and says so."""
    min_score: float = Field(default=0.1, ge=0, le=1)
    """Hits that score less stay out of the prompt. Higher than a search's own: what a person does not
    need to read costs a glance, what an agent does not need costs its attention."""
    shared_in_groups: tuple[str, ...] = ()
    """Session keys of groups that may see what the agent shares (its Markdown)."""


class IdentitySettings(_Section):
    """Which session keys are one person."""

    links: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Name to session keys; those of ``tercet identity link`` are added."""


class Settings(BaseSettings):
    """Every setting of one home."""

    model_config = SettingsConfigDict(
        env_prefix="TERCET_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    home: Path = Path("~/.tercet")
    agent: str = "main"
    embedding: EmbeddingSettings = EmbeddingSettings()
    store: StoreSettings = StoreSettings()
    index: IndexSettings = IndexSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    rerank: RerankSettings = RerankSettings()
    capture: CaptureSettings = CaptureSettings()
    recall: RecallSettings = RecallSettings()
    identity: IdentitySettings = IdentitySettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take values from where ``load_settings`` put them, and from nowhere else."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


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
