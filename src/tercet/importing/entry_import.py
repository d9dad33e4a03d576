"""Facts of another memory into the journal: each once, however often it is imported."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.importing.facts import NOTHING_LEFT, entries_of
from tercet.model import Reach
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.capture.worker import CaptureWorker
    from tercet.importing.facts import ImportedFact
    from tercet.model import Entry, Scope
    from tercet.ports import Ledger


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of facts: ``found`` is the sum of all the others."""

    found: int = 0
    imported: int = 0
    merged: int = 0
    """Counted with an entry that says the same."""
    already_there: int = 0
    """Imported, merged or forgotten before."""
    skipped: tuple[tuple[str, int], ...] = ()
    """Why some are left out, and how many, most frequent first."""

    def plus(self, other: ImportReport) -> ImportReport:
        """Return the report of the facts of both."""
        reasons = Counter(dict(self.skipped))
        reasons.update(dict(other.skipped))
        return ImportReport(
            self.found + other.found,
            self.imported + other.imported,
            self.merged + other.merged,
            self.already_there + other.already_there,
            tuple(reasons.most_common()),
        )


def left_out(skipped: Sequence[tuple[str, int]]) -> ImportReport:
    """Return the report of facts that were left out, by (why, how many)."""
    return ImportReport(found=sum(count for _, count in skipped), skipped=tuple(skipped))


async def import_facts(
    worker: CaptureWorker, ledger: Ledger, scope: Scope, facts: Sequence[ImportedFact]
) -> ImportReport:
    """Make facts entries of a scope; to be called by whoever holds the lock of entries.

    Killed anywhere it is begun again and ends the same. What was forgotten since stays forgotten.

    Args:
        worker: Compares, writes and tells the index.
        ledger: The worker's own.
        scope: Whose the facts become.
        facts: Oldest first.

    Raises:
        TransientError: the ledger is busy; what was written stays.
    """
    merged_before = await _merged_before(ledger, scope)
    drafts = {fact.source: entries_of(fact, scope) for fact in facts if fact.source not in merged_before}
    fresh = await _fresh(ledger, scope, drafts)
    done = await worker.take_over([entry for entries in fresh.values() for entry in entries])
    imported = _with_any(fresh, done.added)
    told = _with_any(fresh, done.told)
    if told:
        # Those that became entries stand in the journal; nothing else would know these.
        await ledger.set_value(_key(scope), json.dumps(sorted(merged_before | told)))
    return _report(facts, drafts, len(imported), len(told - imported))


async def preview_facts(ledger: Ledger | None, scope: Scope, facts: Sequence[ImportedFact]) -> ImportReport:
    """Say what an import would do, and write nothing.

    What says the same in other words is seen only when it is embedded: here it counts as imported.

    Args:
        ledger: None where there is no home yet.
        scope: Whose the facts would become.
        facts: Oldest first.
    """
    merged_before = await _merged_before(ledger, scope) if ledger else set[str]()
    drafts = {fact.source: entries_of(fact, scope) for fact in facts if fact.source not in merged_before}
    fresh = await _fresh(ledger, scope, drafts) if ledger else {key: own for key, own in drafts.items() if own}
    digests = {source: {text_digest(entry.text) for entry in entries} for source, entries in fresh.items()}
    every = sorted(set[str]().union(*digests.values()))
    seen = set(await ledger.journal.by_text(scope, every)) if ledger else set[str]()
    imported = 0
    for own in digests.values():
        imported += not own <= seen
        seen |= own
    return _report(facts, drafts, imported, len(fresh) - imported)


async def _merged_before(ledger: Ledger, scope: Scope) -> set[str]:
    value = await ledger.get_value(_key(scope))
    return set(json.loads(value)) if value else set()


def _key(scope: Scope) -> str:
    return f"import.merged:{scope.agent}:{scope.anchor}"


async def _fresh(ledger: Ledger, scope: Scope, drafts: Mapping[str, list[Entry]]) -> dict[str, list[Entry]]:
    """Return the facts of which the journal lacks an entry: all, or what a kill left out."""
    ids = [entry.id for entries in drafts.values() for entry in entries]
    held = {entry.id for entry in await ledger.journal.get(ids, Reach(scope.agent, (scope.anchor,)))}
    return {source: entries for source, entries in drafts.items() if any(entry.id not in held for entry in entries)}


def _with_any(drafts: Mapping[str, list[Entry]], ids: Sequence[str]) -> set[str]:
    wanted = set(ids)
    return {source for source, entries in drafts.items() if any(entry.id in wanted for entry in entries)}


def _report(
    facts: Sequence[ImportedFact], drafts: Mapping[str, list[Entry]], imported: int, merged: int
) -> ImportReport:
    empty = sum(not entries for entries in drafts.values())
    already_there = len(facts) - imported - merged - empty
    return ImportReport(len(facts), imported, merged, already_there, ((NOTHING_LEFT, empty),) if empty else ())
