"""Stands in for an extractor that cannot be made as it is set: a wrong setting must not stop capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.errors import PermanentError
    from tercet.ports.extraction import SessionLine


class UnusableExtractor:
    """An ``Extractor`` and ``SessionExtractor`` whose every call raises what was wrong when it was to be made."""

    def __init__(self, identity: str, fault: PermanentError) -> None:
        """Hold provider and model in words, and the fault; its message names the setting to mend."""
        self._identity = identity
        self._fault = fault

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._identity

    async def extract(self, text: str) -> NoReturn:
        """Raise the fault (permanent)."""
        del text
        self._fail()

    async def extract_session(self, lines: Sequence[SessionLine]) -> NoReturn:
        """Raise the fault (permanent)."""
        del lines
        self._fail()

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def _fail(self) -> NoReturn:
        # A new one each time: the same error would gather the traceback of every call.
        raise type(self._fault)(str(self._fault)) from self._fault
