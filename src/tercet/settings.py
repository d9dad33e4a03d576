"""Every setting of one home, by section, with its default and its range."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from tercet.model import Placement  # noqa: TC001 - pydantic reads it


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
    """Where memories lie that are no files."""

    url: str | None = None
    """``postgresql://`` for everything but vault and files; a folder or ``s3://`` URI for the LanceDB
    index alone; by default ``lancedb`` under the home."""
    ledger_url: str | None = None
    """``postgresql://`` for the ledger alone; by default where ``url`` points, if that is PostgreSQL, else
    a file of the home."""
    tenant: str = Field(default="main", pattern=r"^[a-z0-9_-]{1,64}$")
    """Name of this home among those that share a database."""
    pool_size: int = Field(default=8, ge=2, le=200)
    """Connections to PostgreSQL that one process has open at once, its locks beside them."""
    endpoint: str | None = None
    """Address of an S3-compatible service; without it that of the URI's own region."""
    region: str | None = None
    access_key: SecretStr | None = None
    secret_key: SecretStr | None = None
    options: dict[str, str] = Field(default_factory=dict)
    """Further storage options of LanceDB by their names, e.g. ``aws_session_token``."""
    consistency_s: float = Field(default=1.0, ge=0, le=600)
    """On object storage: after so long a search sees what another machine wrote; a folder is always current."""


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
    extractor: Literal["rules", "model"] = "rules"
    """Who says what is worth keeping: ``model`` asks that of ``[extraction]``, and the rules where it is down."""


class ExtractionSettings(_Section):
    """A language model that reads conversations; none by default, and nothing is sent anywhere."""

    provider: str = "none"
    """``none``, ``openai`` (any endpoint of its shape, Ollama's too), or the name a plug-in registers."""
    model: str | None = None
    url: str | None = None
    api_key: SecretStr | None = None
    timeout_s: float | None = Field(default=None, gt=0, le=3600)
    max_input_tokens: int | None = Field(default=None, ge=500, le=1_000_000)
    """Of one request; a longer conversation is read in several."""
    max_output_tokens: int | None = Field(default=None, ge=64, le=100_000)
    max_requests: int | None = Field(default=None, ge=1, le=100)
    """Stretches of one session that are asked about; each at most once more to repair its answer."""


class WikiSettings(_Section):
    """Where notes lie."""

    vault: Path | None = None
    """Folder of Markdown notes; by default ``vault/<agent>`` under the home."""


class ActiveSettings(_Section):
    """The window of a conversation, and when it is condensed into entries and notes."""

    window_tokens: int = Field(default=4000, ge=100, le=1_000_000)
    """How much of the latest conversation is kept word for word."""
    min_tokens: int = Field(default=4000, ge=0)
    """Since the last extraction; it is due when this and the next two are reached, all three."""
    min_tool_calls: int = Field(default=8, ge=0)
    min_turns: int = Field(default=4, ge=0)


class RecallSettings(_Section):
    """What of the memory goes before an answer."""

    budget_tokens: int = Field(default=1200, ge=1, le=100_000)
    placement: Placement = "context"
    deadline_s: float = Field(default=2.0, gt=0, le=600)
    """After it the section holds what was found by then, and says so."""
    min_score: float = Field(default=0.1, ge=0, le=1)
    """Hits that score less stay out of the prompt. Higher than a search's own: what a person does not
    need to read costs a glance, what an agent does not need costs its attention."""
    window: bool = False
    """Whether the latest turns of the conversation stand in the section; hosts send those themselves."""
    shared_in_groups: tuple[str, ...] = ()
    """Session keys of groups that may see what the agent shares (its Markdown)."""


class CrossrefSettings(_Section):
    """How files and entries are linked."""

    threshold: float | None = Field(default=None, gt=0, le=1)
    """Cosine from which two are alike; None is .75 with the builtin model, calibrated in other spaces."""


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
    extraction: ExtractionSettings = ExtractionSettings()
    wiki: WikiSettings = WikiSettings()
    active: ActiveSettings = ActiveSettings()
    recall: RecallSettings = RecallSettings()
    crossref: CrossrefSettings = CrossrefSettings()
    identity: IdentitySettings = IdentitySettings()
    plugins: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings of plug-in layers by id, checked against the schema of their manifest."""

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
