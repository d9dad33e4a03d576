"""The wire form of notes, links and what lint finds: names in camelCase, for every interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.layers.wiki.linking import LinkEnd, NoteLinks
    from tercet.layers.wiki.lint import LintFinding
    from tercet.layers.wiki.writing import NoteText


def note_json(found: NoteText) -> dict[str, Any]:
    """Return a note with its whole text and the digest that a later write expects."""
    note = found.note
    return {
        **written_json(found),
        "type": note.type or None,
        "anchor": note.scope.anchor or None,
        "tags": list(note.tags),
        "aliases": list(note.aliases),
        "sources": list(note.sources),
        "claims": [
            {"id": claim.id, "text": claim.text, "status": claim.status or None, "confidence": claim.confidence}
            for claim in note.claims
        ],
        "headings": list(note.headings),
        "created": note.created.isoformat() if note.created else None,
        "updated": note.updated.isoformat() if note.updated else None,
        "problems": [{"line": line, "message": problem} for line, problem in note.problems],
        "text": found.text,
    }


def written_json(found: NoteText) -> dict[str, Any]:
    """Return what names a note that was written."""
    note = found.note
    return {"path": note.path, "id": note.id or None, "title": note.title, "sha256": found.sha256}


def links_json(links: NoteLinks) -> dict[str, Any]:
    """Return a note's links, those to it, and the dead ones."""
    return {
        "path": links.path,
        "links": [_end_json(end) for end in links.out],
        "backlinks": [_end_json(end) for end in links.back],
        "dead": [_end_json(end) for end in links.dead],
    }


def finding_json(finding: LintFinding) -> dict[str, Any]:
    """Return one finding."""
    return {"path": finding.path, "line": finding.line, "code": finding.code, "message": finding.message}


def _end_json(end: LinkEnd) -> dict[str, Any]:
    link = end.link
    return {
        "from": end.from_path,
        "line": link.line,
        "target": link.target,
        "heading": link.heading or None,
        "text": link.text or None,
        "embed": link.is_embed,
        "to": end.to_path,
    }
