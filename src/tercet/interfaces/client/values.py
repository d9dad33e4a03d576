"""From the wire form back to the values of the model; the inverse of ``wire.py``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tercet.diagnosis import CaptureStatus, MemoryStatus
from tercet.keeping import ForgetReport
from tercet.model import (
    BackendStatus,
    Entry,
    Explanation,
    FileText,
    FolderStatus,
    Hit,
    Passage,
    Probe,
    RecallSection,
    Related,
    Scope,
    SearchResult,
    SignalPart,
)

Json = dict[str, Any]
"""Any: what JSON holds; the service's own answers, checked by their keys."""


def result_of(value: Json) -> SearchResult:
    """Return what ``result_json(..., whole=True)`` wrote."""
    return SearchResult(_hits_of(value), degraded=value["degraded"], took_ms=value["tookMs"])


def section_of(value: Json) -> RecallSection:
    """Return what ``section_json(..., whole=True)`` wrote."""
    return RecallSection(
        value["text"],
        tuple(_hits_of(value)),
        value["skippedReason"],
        value["degraded"],
        value["tokens"],
        value["placement"],
    )


def entry_of(value: Json, agent: str) -> Entry:
    """Return what ``entry_json`` wrote of an agent's entry."""
    return Entry(
        id=value["id"],
        scope=Scope(agent, value["anchor"] or ""),
        text=value["text"],
        category=value["category"],
        importance=value["importance"],
        said_at=_moment(value["saidAt"]),
        stored_at=_moment(value["storedAt"]),
        origin=value["origin"],
        session=value["session"] or "",
        message_id=value["messageId"] or "",
        state=value["state"],
        superseded_by=value["supersededBy"] or "",
        seen=value["seen"],
        last_seen=_moment(value["lastSeen"]),
        links=tuple(value["links"]),
    )


def forget_of(value: Json, agent: str) -> ForgetReport:
    """Return what ``forget_json`` wrote."""
    return ForgetReport(
        tuple(entry_of(entry, agent) for entry in value["candidates"]),
        tuple(value["removed"]),
        value["waitingRemoved"],
        _moment(value["purgeAt"]),
        tuple(value["notesLeft"]),
    )


def file_of(value: Json) -> FileText:
    """Return what ``file_json`` wrote."""
    return FileText(value["text"], value["path"], value["startLine"], value["endLine"], value["totalLines"])


def status_of(value: Json) -> MemoryStatus:
    """Return what ``status_json`` wrote."""
    capture = value["capture"]
    return MemoryStatus(
        home=value["home"],
        agent=value["agent"],
        settings=tuple((each["name"], each["value"], each["origin"]) for each in value["settings"]),
        folders=tuple(
            FolderStatus(each["label"], each["directory"], each["files"], each["chunks"], each["waiting"])
            for each in value["folders"]
        ),
        layers=tuple(
            BackendStatus(each["layer"], each["healthy"], each["rows"], each["bytes"], tuple(each["notes"]))
            for each in value["layers"]
        ),
        embedder=value["embedder"]["identity"],
        embedding=_probe_of(value["embedder"]),
        vector=_probe_of(value["vectorStore"]),
        capture=CaptureStatus(
            capture["waiting"],
            _moment(capture["oldest"]),
            capture["dead"],
            capture["spooled"],
            capture["unreadable"],
            dict(capture["counts"]),
        ),
    )


def _hits_of(value: Json) -> list[Hit]:
    return [_hit_of(each) for each in value["results"]]


def _hit_of(value: Json) -> Hit:
    whole = value["passage"]
    passage = Passage(
        id=value["id"],
        kind=value["kind"],
        scope=Scope(whole["agent"], whole["anchor"]),
        text=whole["text"],
        header=value["header"],
        context=whole["context"],
        root=value["root"] or "",
        path=value["path"] or "",
        start_line=value["startLine"] or 0,
        end_line=value["endLine"] or 0,
        timestamp=_moment(value["timestamp"]),
        importance=value["importance"],
        category=value["category"] or "",
        origin=value["origin"],
        speaker=whole["speaker"],
        session=whole["session"],
        ordinal=whole["ordinal"],
        tags=tuple(whole["tags"]),
    )
    related = tuple(Related(each["ref"], each["weight"], tuple(each["kinds"])) for each in value.get("related", ()))
    return Hit(
        passage, value["score"], value["relevance"], value["layer"], value["snippet"], _explanation_of(value), related
    )


def _explanation_of(value: Json) -> Explanation | None:
    if "explanation" not in value:
        return None
    said = value["explanation"]
    parts = (
        SignalPart(name, part["value"], part["weight"], part["contribution"]) for name, part in value["signals"].items()
    )
    return Explanation(
        said["preset"], tuple(parts), tuple(said["multipliers"].items()), tuple(said["legs"]), tuple(said["notes"])
    )


def _probe_of(value: Json) -> Probe:
    return Probe(value["ok"], value["reason"] or "", value["permanent"])


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
