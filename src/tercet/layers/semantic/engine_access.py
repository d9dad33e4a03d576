"""Opens the engine at first use, in the embedder's space, and knows what is wrong with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tercet.errors import EngineUnavailableError, PermanentError, SpaceMismatchError, TransientError
from tercet.layers.semantic.recorded import recorded_count
from tercet.ports import DisposableEngine

if TYPE_CHECKING:
    from tercet.model import Space
    from tercet.ports import Embedder, Engine, Ledger

MISSING_ROWS = "The vector store is empty although {count} passages are recorded: run 'tercet index --rebuild'."


class EngineAccess:
    """The engine of one home, opened once.

    A run that finds nothing to do never gets here, so that neither the engine's library nor the
    model is loaded for it.
    """

    def __init__(self, engine: Engine, embedder: Embedder | None, ledger: Ledger) -> None:
        """Hold the parts; nothing is opened yet."""
        self._engine = engine
        self._embedder = embedder
        self._ledger = ledger
        self._opening = asyncio.Lock()
        self._is_open = False
        self._has_rows = False
        self._space: Space | None = None
        self.mismatch: str | None = None
        """Why vectors are not used although there are some; None when all is well."""
        self.embedder_failure: str | None = None
        """Why the embedder did not tell its space; None when it did."""

    @property
    def space(self) -> Space | None:
        """The space the engine serves vectors in; None while it serves words alone."""
        return self._space

    async def ready(self, *, even_if_empty: bool = False) -> Engine:
        """Return the open engine.

        Args:
            even_if_empty: Do not mind that rows are missing; only for whoever holds the writer lock
                and brings them back. Anyone else would make an empty store where one is missed.

        Raises:
            EngineUnavailableError: it cannot be opened, or its rows are gone (transient).
            StoreFormatError: permanent.
        """
        async with self._opening:
            if not even_if_empty and not self._has_rows:
                await self._check_store()
            if not self._is_open:
                await self._open(await self._embedder_space())
            elif self._space is None and self.embedder_failure is not None:
                space = await self._embedder_space()
                if space is not None:
                    await self._open(space)
            if not even_if_empty and not self._has_rows:
                await self._check_rows()
        return self._engine

    async def has_store(self) -> bool:
        """Say whether the engine has a store at all, as far as it can tell without being opened."""
        # In a thread: a store elsewhere is asked over the network.
        return not isinstance(self._engine, DisposableEngine) or await asyncio.to_thread(self._engine.has_store)

    def look_again(self) -> None:
        """Open the engine anew at its next use: its store failed, was replaced, or changed its space."""
        self._is_open = self._has_rows = False

    async def discard(self) -> None:
        """Throw the store away where it cannot even be opened, so that it can be made anew.

        Raises:
            EngineUnavailableError: the engine has no way to do that.
        """
        if not isinstance(self._engine, DisposableEngine):
            msg = "This engine's store cannot be thrown away from here: mend it with its own tools."
            raise EngineUnavailableError(msg)
        async with self._opening:
            await self._engine.discard()
            self.look_again()

    async def _open(self, space: Space | None) -> None:
        self._has_rows = False
        try:
            await self._engine.open(space)
            self._space, self.mismatch = space, None
        except SpaceMismatchError as error:
            # Trigger: another model than the index was made with. Why: vectors of two spaces cannot
            # be compared. Outcome: words only, said in every answer, until 'tercet reembed'.
            self._space, self.mismatch = None, str(error)
        self._is_open = True

    async def _embedder_space(self) -> Space | None:
        if self._embedder is None:
            return None
        try:
            space = await self._embedder.space()
        except (TransientError, PermanentError) as error:
            self.embedder_failure = str(error)
            return None
        self.embedder_failure = None
        return space

    async def _check_store(self) -> None:
        """Refuse to open a store that is gone: opening would make an empty one in its place."""
        recorded = await recorded_count(self._ledger)
        if recorded and not await self.has_store():
            self.look_again()
            raise EngineUnavailableError(MISSING_ROWS.format(count=recorded))

    async def _check_rows(self) -> None:
        recorded = await recorded_count(self._ledger)
        try:
            rows = (await self._engine.stats()).rows if recorded else 0
        except EngineUnavailableError:
            self.look_again()
            raise
        if recorded and not rows:
            self.look_again()
            raise EngineUnavailableError(MISSING_ROWS.format(count=recorded))
        self._has_rows = bool(recorded)

    async def close(self) -> None:
        """Close the engine."""
        await self._engine.close()
        self._is_open = False
