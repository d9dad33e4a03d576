"""The fixtures of every contract suite over a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tercet.ports.ledger import Ledger


class EmptyLedgers:
    """Gives each test an empty ledger; whoever tests an adapter says how one is opened."""

    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        """Return a function that opens a new, empty ledger."""
        pytest.fail("Give the fixture open_ledger.")

    @pytest.fixture
    async def ledger(self, open_ledger: Callable[[], Awaitable[Ledger]]) -> Ledger:
        """Return an empty ledger."""
        return await open_ledger()
