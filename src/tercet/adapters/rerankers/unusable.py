"""Stands in for a reranker that cannot be made as it is set: a wrong setting must not stop search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.errors import PermanentError


class UnusableReranker:
    """A ``Reranker`` whose every call raises what was wrong when it was to be made."""

    def __init__(self, identity: str, fault: PermanentError) -> None:
        """Hold provider and model in words, and the fault; its message names the setting to mend."""
        self._identity = identity
        self._fault = fault

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._identity

    async def rerank(self, query: str, texts: Sequence[str]) -> NoReturn:
        """Raise the fault (permanent)."""
        del query, texts
        # A new one each time: the same error would gather the traceback of every call.
        raise type(self._fault)(str(self._fault)) from self._fault

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""
