"""Rows of two tenants and hostile texts, from which the contract suites build their cases."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pytest
import pytest_asyncio

from tercet.filters import Filter
from tercet.model import Passage, Reach, Row, Scope, Space
from tercet.ports.engine import ReembeddableEngine

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tercet.filters import Condition
    from tercet.model import Vector
    from tercet.ports.engine import Engine

DIMENSIONS = 4
SPACE = Space("contract", "first", DIMENSIONS)
OTHER_SPACE = Space("contract", "second", 3, document_prefix="passage: ")

OURS = Scope("ada", "telegram:1")
THEIRS = Scope("bob", "telegram:1")
"""Another agent with the same anchor: whatever leaks between tenants leaks here."""
OUR_REACH = Reach("ada", ("", "telegram:1"))
THEIR_REACH = Reach("bob", ("", "telegram:1"))

HOSTILE = (
    "y' OR 1=1 --",
    "y\\' OR 1=1 --",
    "y'' OR 1=1 --",
    "'; DROP TABLE passages; --",
    '"id"',
    "''",
    "100%",
    "under_score",
    "back\\slash",
    "a\nb\tc",
    "?",
    "$1",
    "🦜🧠",
    "清华大学",
    "e\u0301 against \u00e9",
    "x\x1fy%1Fz",
)
"""Texts that break an engine which builds its questions by hand."""


class MakeEngine(Protocol):
    """Makes an engine that is not open yet; each call gives a new one over the same store."""

    def __call__(self) -> Engine:
        """Return the engine."""
        ...


def vector(*numbers: float) -> Vector:
    """Return float32 numbers as they are; with 0, 1 and 0.5 all distances are exact."""
    return np.array(numbers, dtype=np.float32)


def row(
    identifier: str,
    text: str = "",
    *,
    scope: Scope = OURS,
    vector: Vector | None = None,
    terms: tuple[str, ...] | None = None,
    **fields: Any,  # Any: whatever fields a passage has
) -> Row:
    """Return a row; its terms are the words of its text unless given."""
    words = tuple(text.split()) if terms is None else terms
    return Row(Passage(identifier, fields.pop("kind", "entry"), scope, text, **fields), words, vector)


def both(identifier: str, text: str = "", **fields: Any) -> list[Row]:  # Any: whatever fields a passage has
    """Return the same row for two tenants, ``a/...`` ours and ``b/...`` theirs."""
    return [row(f"a/{identifier}", text, **fields), row(f"b/{identifier}", text, scope=THEIRS, **fields)]


def ours(*conditions: Condition) -> Filter:
    """Return a filter over what we may see."""
    return Filter(OUR_REACH, conditions)


def theirs(*conditions: Condition) -> Filter:
    """Return a filter over what the other tenant may see."""
    return Filter(THEIR_REACH, conditions)


def ids(found: Any) -> list[str]:  # Any: rows or matches
    """Return the ids of rows or matches, in their order."""
    return [getattr(item, "row", item).passage.id for item in found]


@asynccontextmanager
async def opened(engine: Engine, space: Space | None = SPACE) -> AsyncGenerator[Engine]:
    """Open an engine, and close it whatever happens."""
    try:
        await engine.open(space)
        yield engine
    finally:
        await engine.close()


def reembeddable(engine: object) -> ReembeddableEngine:
    """Return the engine by its other protocol."""
    assert isinstance(engine, ReembeddableEngine)
    return engine


class EngineFixtures:
    """The fixtures of the suites; a subclass overrides ``make_engine``."""

    @pytest.fixture
    def make_engine(self) -> MakeEngine:
        """Return what makes engines over one store that is empty at first."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def engine(self, make_engine: MakeEngine) -> AsyncGenerator[Engine]:
        """Return an engine open for ``SPACE``."""
        async with opened(make_engine()) as engine:
            yield engine
