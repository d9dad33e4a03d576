"""The wire form of salience and of cross-references: names in camelCase, one place for every interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.insight.prompts import prompt_for

if TYPE_CHECKING:
    from tercet.insight.graph import Evidence, Graph, GraphStatistics, Neighbour
    from tercet.insight.salience import Salient
    from tercet.relating import CrossrefReport

DECIMALS = 4


def salient_json(salient: Salient, *, whole: bool = False) -> dict[str, Any]:
    """Return one item with what its score is made of.

    Args:
        salient: Of ``Memory.salience``.
        whole: Add ``item``: all that the score was made from, unrounded.
    """
    item = salient.item
    value: dict[str, Any] = {
        "ref": item.ref,
        "kind": item.kind,
        "score": round(salient.score, DECIMALS),
        "importance": round(salient.importance, DECIMALS),
        "staleness": round(salient.staleness, DECIMALS),
        "daysUnseen": round(salient.days_unseen, 2),
        "accesses": item.accesses,
        "questions": [{"text": question.text, "times": question.times} for question in item.questions],
        "prompt": prompt_for(salient),
    }
    if whole:
        value["item"] = {
            "name": item.name,
            "weight": item.weight,
            "size": item.size,
            "changedAt": item.changed_at.isoformat(),
            "accessedAt": item.accessed_at.isoformat() if item.accessed_at else None,
            "importance": salient.importance,
            "staleness": salient.staleness,
            "daysUnseen": salient.days_unseen,
        }
    return value


def graph_json(graph: Graph) -> dict[str, Any]:
    """Return all nodes and edges."""
    return {
        "nodes": [{"ref": ref, "kind": kind} for ref, kind in graph.nodes.items()],
        "edges": [
            {"one": edge.one, "two": edge.two, "weight": edge.weight, "evidence": _reasons(edge.evidence)}
            for edge in graph.edges
        ],
    }


def statistics_json(figures: GraphStatistics) -> dict[str, Any]:
    """Return the figures of a graph."""
    return {
        "nodes": figures.nodes,
        "edges": figures.edges,
        "byKind": dict(figures.by_kind),
        "components": figures.components,
        "hubs": [{"ref": ref, "edges": count} for ref, count in figures.hubs],
        "orphans": list(figures.orphans),
    }


def report_json(report: CrossrefReport) -> dict[str, Any]:
    """Return what a build made."""
    return {
        **statistics_json(report.statistics),
        "asked": report.asked,
        "threshold": report.threshold,
        "degraded": report.degraded,
    }


def neighbours_json(node: str, neighbours: list[Neighbour]) -> dict[str, Any]:
    """Return what a node is linked to."""
    return {
        "ref": node,
        "neighbours": [
            {"ref": each.ref, "weight": each.weight, "evidence": _reasons(each.evidence)} for each in neighbours
        ],
    }


def _reasons(evidence: tuple[Evidence, ...]) -> list[dict[str, Any]]:
    return [
        {
            "kind": each.kind,
            "weight": each.weight,
            "detail": each.detail,
            "oneLine": each.one_line,
            "twoLine": each.two_line,
        }
        for each in evidence
    ]
