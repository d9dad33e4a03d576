"""What requests hold: names in camelCase, those with underscores are taken too; nothing else is."""

from __future__ import annotations

import re
from datetime import datetime  # noqa: TC003 - pydantic reads the annotations
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from tercet.model import Category, LayerName, Message, Mode, SearchOptions, TimeRange, Turn

EARLIEST_YEAR, LATEST_YEAR = 1000, 8999
MOST_MESSAGES = 1000
MOST_IDS = 1000


def _in_range(moment: datetime) -> datetime:
    # Outside, a zone's offset or "a year ago" may lie before the first or behind the last year there is.
    if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
        msg = f"give a year from {EARLIEST_YEAR} to {LATEST_YEAR}"
        raise ValueError(msg)
    return moment


def _not_blank(text: str) -> str:
    if not re.search(r"\S", text):
        msg = "it is blank: give at least one word"
        raise ValueError(msg)
    return text


def _integral(value: object) -> object:
    """Take 5.0 for 5, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_MOMENT_SCHEMA = {"type": "string", "format": "date-time", "pattern": "^[1-8][0-9]{3}-"}
Moment: TypeAlias = Annotated[AwareDatetime, AfterValidator(_in_range), WithJsonSchema(_MOMENT_SCHEMA)]
AgentId: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,64}$", description="Default: the service's agent.")]
SessionKey: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=512,
        json_schema_extra={"format": "session-key"},
        description="Who asks or speaks, e.g. telegram:123; default: the agent's owner.",
    ),
]
Words: TypeAlias = Annotated[
    str, Field(min_length=1, json_schema_extra={"format": "words"}), AfterValidator(_not_blank)
]
EntryId: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]
INTEGRAL = BeforeValidator(_integral)
"""After the range in an ``Annotated``: before it, the range would be missing from the schema."""
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class _Strict(BaseModel):
    """Nothing but what is documented, and no number that is none."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        allow_inf_nan=False,
    )


class Given(_Strict):
    """What every request may hold."""

    agent: AgentId | None = None


class AboutSession(Given):
    """A request about one session's memory."""

    session_key: SessionKey | None = None


class TimeSpan(_Strict):
    """A half-open interval of time; an open side is left out."""

    start: Moment | None = None
    end: Moment | None = None


class Searching(AboutSession):
    """``POST /v1/search``."""

    query: Words
    limit: Annotated[int, Field(ge=1, le=1000), INTEGRAL] | None = None
    min_score: Share | None = None
    mode: Mode | None = None
    preset: Literal["tuned", "hybrid", "classic", "entry"] | None = None
    weights: dict[str, float] = Field(default_factory=dict[str, float], description="Constants of the preset.")
    layers: tuple[LayerName, ...] | None = None
    categories: tuple[str, ...] = ()
    time_range: TimeSpan | None = None
    now: Moment | None = Field(default=None, description="Relative dates count from it.")
    explain: bool = False
    deadline_s: float | None = Field(default=None, gt=0, le=60)
    related: Annotated[int, Field(ge=0, le=20), INTEGRAL] = Field(
        default=0, description="How many items each hit tells that it is linked to, as the graph was last built."
    )
    whole: bool = Field(default=False, description="Whole passages beside the snippets.")
    shared_only: bool = Field(default=False, description="Only what the agent shares with everyone it speaks to.")

    def options(self, default_limit: int) -> SearchOptions:
        """Return them as the facade takes them."""
        span = self.time_range
        return SearchOptions(
            limit=self.limit or default_limit,
            min_score=self.min_score,
            mode=self.mode,
            preset=self.preset,
            weights=self.weights,
            layers=self.layers,
            categories=self.categories,
            time_range=TimeRange(span.start, span.end) if span else None,
            now=self.now,
            explain=self.explain,
            deadline_s=self.deadline_s,
            related=self.related,
        )


class Recalling(AboutSession):
    """``POST /v1/recall``."""

    message: str
    now: Moment | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=100_000), INTEGRAL] | None = None
    whole: bool = False


class Said(_Strict):
    """One message of a turn."""

    role: Literal["user", "assistant", "tool", "system"]
    text: str
    id: str | None = Field(default=None, max_length=512, description="The host's own; the same id twice is kept once.")
    timestamp: Moment | None = None


class Capturing(AboutSession):
    """``POST /v1/capture``."""

    messages: tuple[Said, ...] = Field(max_length=MOST_MESSAGES)

    def turn(self, session_key: str) -> Turn:
        """Return it as the facade takes it."""
        return Turn(
            session_key, tuple(Message(each.role, each.text, each.id or "", each.timestamp) for each in self.messages)
        )


class Remembering(AboutSession):
    """``POST /v1/memories``."""

    text: Words
    category: Category = "fact"
    importance: Share = 0.7
    supersedes: tuple[EntryId, ...] = Field(default=(), max_length=MOST_IDS)


class Correcting(AboutSession):
    """``PATCH /v1/memories/{id}``."""

    text: Words | None = None
    category: Category | None = None
    importance: Share | None = None


class Forgetting(AboutSession):
    """``POST /v1/memories/forget``: exactly one of ids, query, session and anchor."""

    ids: tuple[EntryId, ...] = Field(default=(), max_length=MOST_IDS)
    query: Words | None = None
    session: SessionKey | None = Field(default=None, description="All that came from this session.")
    anchor: str | None = Field(default=None, max_length=512, description="Everything about a person.")
    confirm: bool = Field(default=False, description="Remove what the query finds.")


class Restoring(Given):
    """``POST /v1/memories/undo``; no id means the last forget."""

    ids: tuple[EntryId, ...] = Field(default=(), max_length=MOST_IDS)


class Listing(AboutSession):
    """``GET /v1/memories``."""

    since: Moment | None = None


class Reading(AboutSession):
    """``GET /v1/files``."""

    ref: Words = Field(description="An id, a path, or root:path#L1-L4.")
    start: int | None = Field(default=None, ge=1, le=1_000_000_000)
    lines: int | None = Field(default=None, ge=1, le=1_000_000_000)
