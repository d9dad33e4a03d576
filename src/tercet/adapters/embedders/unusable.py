"""Stands in for an embedder that cannot be made as it is set: a wrong setting must not stop word search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from tercet.model import Probe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.errors import PermanentError
    from tercet.model import Space


class UnusableEmbedder:
    """An ``Embedder`` whose every call raises what was wrong when it was to be made."""

    def __init__(self, identity: str, fault: PermanentError) -> None:
        """Hold provider and model in words, and the fault; its message names the setting to mend."""
        self._identity = identity
        self._fault = fault

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._identity

    async def space(self) -> Space:
        """Raise the fault (permanent)."""
        self._fail()

    async def embed_documents(self, texts: Sequence[str]) -> NoReturn:
        """Raise the fault (permanent)."""
        del texts
        self._fail()

    async def embed_queries(self, texts: Sequence[str]) -> NoReturn:
        """Raise the fault (permanent)."""
        del texts
        self._fail()

    async def probe(self) -> Probe:
        """Return the fault."""
        return Probe(ok=False, reason=str(self._fault), permanent=True)

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def _fail(self) -> NoReturn:
        # A new one each time: the same error would gather the traceback of every call.
        raise type(self._fault)(str(self._fault)) from self._fault
