"""The vault of an agent: its layer, its folders as the semantic layer has them, and what is added to its notes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.errors import (
    AmbiguousRefError,
    InvalidInputError,
    NotFoundError,
    TransientError,
    VaultUnavailableError,
    WriteConflictError,
)
from tercet.layers.semantic.lent_roots import LentFolders
from tercet.layers.wiki.layer import WikiParts
from tercet.model import Reach, Scope
from tercet.ports import RootRecord
from tercet.ranking.federation import NOTES_ROOT
from tercet.text.notes.folders import PRIVATE, scope_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tercet.adapters.clock import SystemClock
    from tercet.capture.session_extraction import AppendNote
    from tercet.keeping import Retract
    from tercet.layers.wiki.layer import WikiLayer
    from tercet.ports import WriterLock
    from tercet.settings import Settings


def vault_of(settings: Settings) -> Path:
    """Return the folder of the agent's notes, absolute; it need not be there."""
    return (settings.wiki.vault or settings.home / "vault" / settings.agent).expanduser().absolute()


def make_wiki_parts(settings: Settings, clock: SystemClock) -> WikiParts:
    """Return what the layer is made of; nothing is opened yet."""
    vault = FolderVault(vault_of(settings), settings.agent)
    return WikiParts(settings.agent, vault, SqliteNoteIndex(settings.home, settings.agent), clock)


def lent_folders(vault: Path, agent: str) -> LentFolders:
    """Return the folders of notes that are to be found by meaning too; blocking.

    Shared notes are one folder, each anchor's another, since everything in an indexed folder belongs to
    one scope. An anchor whose name takes several folders is left to the wiki's own search. What is a
    symbolic link may lead to somebody else's notes.
    """
    real = vault.resolve()
    private = real / PRIVATE
    try:
        if not real.is_dir():
            return LentFolders(str(real), None)
        folders = sorted(each.name for each in private.iterdir() if _is_own(each)) if _is_own(private) else []
    except OSError:
        return LentFolders(str(real), None)
    roots = [RootRecord(f"{NOTES_ROOT}@{agent}", str(real), Scope(agent))]
    for name in folders:
        scope = scope_of(agent, f"{PRIVATE}/{name}/note.md")
        if not name.endswith("=") and ": " not in scope.anchor:
            roots.append(RootRecord(f"{NOTES_ROOT}@{agent}@{name}", str(private / name), scope))
    return LentFolders(str(real), tuple(roots))


def _is_own(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink()


def note_retractor(wiki: WikiLayer, lock: WriterLock) -> Retract:
    """Return what takes the facts of forgotten entries out of the notes that an extraction wrote them to."""

    async def retract(told: Sequence[tuple[Scope, str]]) -> None:
        facts: dict[str, set[str]] = {}
        for scope, text in told:
            facts.setdefault(scope.anchor, set()).add(" ".join(text.split()))
        with suppress(TransientError):  # whoever holds it: what stands in the notes now is taken out
            await lock.acquire()
        try:
            for anchor, lines in facts.items():
                await wiki.retract(lines, anchor)
        except (VaultUnavailableError, WriteConflictError, InvalidInputError, NotFoundError) as error:
            msg = f"The entries are forgotten; what of them stands in notes is not ({error}): take it out there."
            raise VaultUnavailableError(msg) from error
        finally:
            lock.release()

    return retract


def note_updater(wiki: WikiLayer) -> AppendNote:
    """Return what adds an extraction's facts to the note of their topic, each line once."""

    async def append(topic: str, heading: str, lines: Sequence[str], sources: Sequence[str], scope: Scope) -> None:
        try:
            there = (await wiki.text_of(topic, Reach(scope.agent, (scope.anchor,)))).text.splitlines()
        except (NotFoundError, AmbiguousRefError):
            there = []
        new = [line for line in (f"- {each}" for each in lines) if line not in there]
        if new:
            await wiki.append(topic, heading, "\n".join(new), sources, anchor=scope.anchor)

    return append
