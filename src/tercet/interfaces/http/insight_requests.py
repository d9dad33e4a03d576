"""What requests about salience and cross-references hold."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tercet.interfaces.http.requests import AboutSession, Given, Moment, Words


class AskingSalience(Given):
    """``GET /v1/salience``."""

    top: int = Field(default=10, ge=1, le=1000)
    now: Moment | None = Field(default=None, description="The time from which days are counted.")
    whole: bool = Field(default=False, description="All that each score was made from, unrounded.")


class NamingItem(AboutSession):
    """``GET /v1/crossref/neighbours``."""

    ref: Words = Field(description="A path, root:path, or an entry's id.")


class BuildingGraph(AboutSession):
    """``POST /v1/crossref/build``."""

    threshold: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None, description="Cosine from which two are alike; default: the settings', else calibrated."
    )
    full: bool = Field(default=False, description="Compare everything again, not only what changed.")
