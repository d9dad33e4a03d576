"""Folders of another layer, such as the notes of the vault, that are to be found by meaning too.

They are lent: their files are read and never written, and they come and go with the folder they stand
for. A user's own folder that is one of them, or lies in one, steps back, so that nothing is indexed twice.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tercet.ranking.federation import LENT_NOTES, NOTES_ROOT
from tercet.text.notes.folders import PRIVATE, scope_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.layers.semantic.indexing import Indexer
    from tercet.ports import Listing, Manifest, RootRecord

    LentRoots = Callable[[], "LentFolders"]
    """Blocking; looks at the disk."""

LENT_MARK: Final = "@"
"""In the label of every lent folder, and of no other."""


@dataclass(frozen=True, slots=True)
class LentFolders:
    """What is lent now."""

    directory: str = ""
    """In which all of it lies; empty when nothing is lent."""
    roots: tuple[RootRecord, ...] | None = ()
    """None while the directory is away or cannot be read: what is indexed of it stays."""


async def settle_lent_roots(lent: LentRoots, manifest: Manifest, agent: str, indexer: Indexer) -> None:
    """Bring the recorded folders to what is lent now; the caller holds the writer lock.

    Raises:
        EngineUnavailableError, LedgerBusyError: transient.
    """
    now = await asyncio.to_thread(lent)
    known = await manifest.roots(agent)
    wanted = _kept(known, now.directory) if now.roots is None else now.roots
    for root in known:
        if root not in wanted and (is_lent(root) or _lies_in_one_of(root, wanted)):
            await indexer.remove(root)
    for root in wanted:
        if root not in known:
            await manifest.add_root(root)


def is_lent(root: RootRecord) -> bool:
    """Say whether a folder is another layer's."""
    return LENT_MARK in root.label


def own_listing(root: RootRecord, listing: Listing) -> Listing:
    """Return what of a lent folder's listing is in the folder's own scope; any other folder's as it is.

    Whoever indexes may know nothing of the vault: one agent's rebuild takes in all agents' folders.
    """
    lent = LENT_NOTES.fullmatch(root.label)
    if lent is None:
        return listing
    above = f"{PRIVATE}/{lent['folder']}/" if lent["folder"] else ""
    mine = [scope_of(root.scope.agent, above + file.path) == root.scope for file in listing.files]
    return replace(listing, files=tuple(file for file, is_own in zip(listing.files, mine, strict=True) if is_own))


def lent_ref(ref: str, agent: str) -> str:
    """Return a ref to a note as answers give it (``wiki:private/telegram_1/a.md``) as one into its lent folder.

    Any other ref is returned as it is.
    """
    label, colon, path = ref.strip().partition(":")
    if not colon or label != NOTES_ROOT:
        return ref
    above, _, rest = path.partition("/")
    folder, _, below = rest.partition("/")
    is_private = above == PRIVATE and bool(below)
    return f"{label}@{agent}@{folder}:{below}" if is_private else f"{label}@{agent}:{path}"


def _kept(known: Sequence[RootRecord], directory: str) -> list[RootRecord]:
    return [root for root in known if is_lent(root) and Path(root.directory).is_relative_to(directory)]


def _lies_in_one_of(root: RootRecord, lent: Sequence[RootRecord]) -> bool:
    return any(Path(root.directory).is_relative_to(each.directory) for each in lent)
