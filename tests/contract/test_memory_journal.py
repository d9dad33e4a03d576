"""Inbox, journal and links in memory keep the contract, so that tests over it mean something."""

from collections.abc import Awaitable, Callable

import pytest

from tercet.ports.ledger import Ledger
from tercet.testing.capture_contract import CaptureContract
from tercet.testing.memory_ledger import MemoryLedger


class TestMemoryCapture(CaptureContract):
    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        async def open_one() -> Ledger:
            return MemoryLedger()

        return open_one
