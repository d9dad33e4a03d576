"""From a ref to the lines it points at, as the file has them now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercet.errors import AmbiguousRefError, EngineUnavailableError, InvalidInputError, NotFoundError
from tercet.layers.semantic.refs import format_ref, parse_file_ref
from tercet.model import FileText
from tercet.text.lines import span_text, split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.layers.semantic.refs import FileRef
    from tercet.model import Passage, Reach
    from tercet.ports import FileStore, Ledger, RootRecord

_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{24}")
"""Of a chunk or an entry."""


class Reader:
    """Reads what refs point at, within one reach."""

    def __init__(self, files: FileStore, ledger: Ledger, access: EngineAccess) -> None:
        """Hold the parts."""
        self._files = files
        self._ledger = ledger
        self._access = access

    async def read(self, ref: str, start: int | None, lines: int | None, reach: Reach) -> FileText:
        """Return lines of a file, or the text of an entry.

        Args:
            ref: An id, a path, ``root:path``, or either of these with ``#L1-L4``.
            start: First line instead of the ref's own, >= 1.
            lines: How many lines, >= 1; None reads to the end of the ref's span, or of the file.
            reach: What the caller may see; anything else is not found.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        if _ID.fullmatch(ref.strip()):
            passage = await self._passage(ref.strip(), reach)
            if not passage.path:
                return _own_text(passage, start, lines)
            ref = format_ref(passage.root, passage.path, passage.start_line, passage.end_line)
        roots = [r for r in await self._ledger.manifest.roots(reach.agent) if r.scope.anchor in reach.anchors]
        target = parse_file_ref(ref, {root.label for root in roots})
        root, path = await self._locate(target, roots, or_listed=True)
        content = await self._files.read(root.directory, path)
        return _span(content.text, path, *_wanted(target, start, lines))

    async def passages(self, ref: str, reach: Reach) -> list[Passage]:
        """Return the indexed passages that a ref points at, in line order.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        if _ID.fullmatch(ref.strip()):
            return [await self._passage(ref.strip(), reach)]
        roots = [r for r in await self._ledger.manifest.roots(reach.agent) if r.scope.anchor in reach.anchors]
        target = parse_file_ref(ref, {root.label for root in roots})
        root, path = await self._locate(target, roots)
        ids = (await self._ledger.manifest.passages(root.label, [path])).get(path, [])
        engine = await self._access.ready()
        first, last = target.start_line or 1, target.end_line or 1 << 30
        found = [row.passage for row in await engine.get(ids)]
        inside = [each for each in found if each.start_line <= last and first <= each.end_line]
        if not inside:
            msg = f"No passage of {path} covers those lines: blank lines and bare headings are part of no passage."
            raise NotFoundError(msg)
        return inside

    async def _passage(self, passage_id: str, reach: Reach) -> Passage:
        try:
            engine = await self._access.ready()
        except EngineUnavailableError as error:
            msg = f"The id {passage_id} cannot be looked up now ({error}): read by path instead."
            raise NotFoundError(msg) from error
        for row in await engine.get([passage_id]):
            scope = row.passage.scope
            if scope.agent == reach.agent and scope.anchor in reach.anchors:
                return row.passage
        msg = f"There is no passage {passage_id}; its file may have changed since: search again."
        raise NotFoundError(msg)

    async def _locate(
        self, target: FileRef, roots: Sequence[RootRecord], *, or_listed: bool = False
    ) -> tuple[RootRecord, str]:
        meant = [root for root in roots if target.root in (None, root.label)]
        found = [root for root in meant if target.path in await self._ledger.manifest.files(root.label)]
        if not found and or_listed:
            # While an index is rebuilt its files are not recorded, but they are where they were.
            found = [root for root in meant if await self._is_listed(root, target.path)]
        if len(found) > 1:
            choices = ", ".join(f"{root.label}:{target.path}" for root in found)
            msg = f"{target.path!r} is in several indexed folders: say which, {choices}."
            raise AmbiguousRefError(msg)
        if not found:
            msg = f"{target.path!r} is no indexed file and no id: take a ref from 'tercet search', or index its folder."
            raise NotFoundError(msg)
        return found[0], target.path

    async def _is_listed(self, root: RootRecord, path: str) -> bool:
        try:
            listing = await self._files.list(root.directory)
        except NotFoundError:
            return False
        return any(file.path == path for file in listing.files)


def _wanted(target: FileRef, start: int | None, lines: int | None) -> tuple[int, int | None]:
    first = start if start is not None else target.start_line or 1
    if lines is not None:
        return first, first + lines - 1
    return first, target.end_line if start is None or (target.end_line or 0) >= first else None


def _span(text: str, path: str, first: int, last: int | None) -> FileText:
    total = len(split_lines(text))
    if not 1 <= first <= max(total, 1):
        what = "past its end" if first > 1 else "none of them; the first is 1"
        msg = f"{path} has {total} lines; line {first} is {what}."
        raise InvalidInputError(msg)
    end = min(total, total if last is None else last)
    return FileText(span_text(text, first, end) if total else "", path, first, end, total)


def _own_text(passage: Passage, start: int | None, lines: int | None) -> FileText:
    first = 1 if start is None else start
    return _span(passage.text, passage.id, first, None if lines is None else first + lines - 1)
