"""What the forms of a search hold."""

from __future__ import annotations

from datetime import date  # noqa: TC003 - pydantic reads the annotations
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tercet.interfaces.inspector.day_span import begin_of, check_days, end_of
from tercet.model import Category, LayerName, Mode, SearchOptions, TimeRange

MOST_SHOWN: Final = 100
"""Hits of one page."""


class SearchFields(BaseModel):
    """A query and its filters; what is left out is the settings' own."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    q: str = ""
    layer: LayerName | None = None
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    """The last day, itself included."""
    limit: Annotated[int, Field(ge=1, le=MOST_SHOWN)] | None = None
    mode: Mode | None = None
    preset: str | None = None

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        check_days(self.since, self.until)
        return self

    def options(self, default_limit: int) -> SearchOptions:
        """Return them as the facade takes them; days are days of UTC, as times are shown."""
        since, until = begin_of(self.since), end_of(self.until)
        return SearchOptions(
            limit=self.limit or min(default_limit, MOST_SHOWN),
            mode=self.mode,
            preset=self.preset,
            layers=None if self.layer is None else (self.layer,),
            categories=() if self.category is None else (self.category,),
            time_range=None if since is None and until is None else TimeRange(since, until),
            explain=True,
        )

    def given(self) -> dict[str, str]:
        """Return the fields that hold something, as an address has them."""
        own = SearchFields.model_fields
        return {name: str(value) for name, value in self if name in own and value not in (None, "")}

    @property
    def narrows(self) -> bool:
        """Whether anything besides the query is given."""
        return bool(self.given().keys() - {"q"})


class WhyFields(SearchFields):
    """A search, and the passage that is asked about."""

    ref: str = ""


class RecallFields(BaseModel):
    """A message, as a host would hand it over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    message: str = ""
    budget: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Tokens; the settings' own where it is left out."""
