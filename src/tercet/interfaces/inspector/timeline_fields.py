"""What the forms of the timeline, of a forget and of an undo hold."""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 - pydantic reads the annotations
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tercet.interfaces.inspector.day_span import begin_of, check_days, end_of
from tercet.model import Category  # noqa: TC001 - pydantic reads the annotations

MOST_SHOWN: Final = 200
"""Entries of one page."""
MOST_IDS: Final = 150
"""Of one forget or undo; a form holds no more than 200 fields."""
State: TypeAlias = Literal["live", "superseded", "forgotten"]
Done: TypeAlias = Literal["remembered", "corrected", "forgotten", "restored", "gone", "nothing"]
"""What the page before did, said above the timeline."""


def _several(value: object) -> object:
    """Take a field that was given once for a list of one."""
    return [value] if isinstance(value, str) else value


def _unix_lines(value: object) -> object:
    """Undo what browsers do to the ends of lines."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


EntryId: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]
Ids: TypeAlias = Annotated[tuple[EntryId, ...], BeforeValidator(_several), Field(max_length=MOST_IDS)]
Words: TypeAlias = Annotated[str, BeforeValidator(_unix_lines)]
Importance: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class TimelineFields(_Fields):
    """Which entries, and where the page begins."""

    state: State | None = None
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    """The last day, itself included."""
    limit: Annotated[int, Field(ge=1, le=MOST_SHOWN)] = 50
    before: str | None = None
    """Cursor of the page before."""
    entry: EntryId | None = None
    """Only this entry, with what it replaced and what replaced it."""
    done: Done | None = None
    count: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Of what was done."""

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        check_days(self.since, self.until)
        return self

    @property
    def begins(self) -> datetime | None:
        """When the first day begins, in UTC, as times are shown."""
        return begin_of(self.since)

    @property
    def ends(self) -> datetime | None:
        """When the last day is over."""
        return end_of(self.until)

    @property
    def narrows(self) -> bool:
        """Whether entries are left out."""
        return any(each is not None for each in (self.state, self.category, self.since, self.until))

    def kept(self) -> dict[str, str]:
        """Return the filters, as the address of the next page has them."""
        names = ("state", "category", "since", "until", "limit")
        given = {name: getattr(self, name) for name in names if name in self.model_fields_set}
        return {name: str(value) for name, value in given.items() if value is not None}


class RememberFields(_Fields):
    """A fact to store."""

    text: Words
    category: Category = "fact"
    importance: Importance = 0.7


class CorrectFields(_Fields):
    """An entry as it should be."""

    id: EntryId
    text: Words
    category: Category
    importance: Importance


class ForgetFields(_Fields):
    """What to forget: by ids, or by what it is about."""

    id: Ids = ()
    q: str | None = None


class UndoFields(_Fields):
    """What to bring back; the whole last forget where nothing is named."""

    id: Ids = ()
