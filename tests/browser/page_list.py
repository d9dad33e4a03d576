"""The pages that are looked at whatever they are about, over the example memory."""

from __future__ import annotations

from urllib.parse import quote

PAGES = {
    "search": "search",
    "found": "search?q=walnut+tables+for+the+canteen",
    "found-chinese": f"search?q={quote('妈妈的生日')}",
    "why": "why?q=walnut+tables&ref=workspace:memory/projects/canteen-aalst.md",
    "recalled": "recall?message=What+did+we+decide+about+the+canteen+tables%3F",
    "timeline": "timeline",
    "forgetting": "forget?q=walnut+tables",
    "undoing": "undo",
    "files": "files",
    "file": "files/view?ref=workspace:memory/projects/rietkraag-hall.md",
    "source": "files/view?ref=workspace:memory/projects/rietkraag-hall.md&view=source",
    "note": f"files/view?ref={quote('wiki:Reverb plan.md')}",
    "editing": f"files/edit?ref={quote('wiki:Maud.md')}",
    "new-note": "files/new",
    "lint": "files/lint",
    "graph": "graph",
    "health": "health",
    "findings": "health/findings",
}
"""Addresses below ``/inspector/`` by the name of what they show."""
MAIN_PAGES = ("search", "timeline", "files", "graph", "health")
