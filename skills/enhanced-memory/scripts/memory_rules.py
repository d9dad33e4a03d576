"""Tercet's own rules of text, from the copy beside this file: the scripts need nothing installed."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - told in one line, not by a traceback
    sys.exit(f"enhanced-memory needs Python 3.11 or newer; this is {sys.version.split()[0]}.")

VENDOR = Path(__file__).resolve().parent / "vendor"

# The copy comes first: another version of Tercet, installed here, might cut and date otherwise.
sys.path.insert(0, str(VENDOR))

from tercet.layers.semantic.snippets import snippet
from tercet.model import Passage, Scope, TimeRange
from tercet.text.dates import dates_in_path, dates_in_text, query_intervals
from tercet.text.indexed_text import embedded_text, indexed_text
from tercet.text.markdown import chunk_markdown
from tercet.text.terms import query_terms, terms

__all__ = [
    "Passage",
    "Scope",
    "TimeRange",
    "chunk_markdown",
    "dates_in_path",
    "dates_in_text",
    "embedded_text",
    "indexed_text",
    "query_intervals",
    "query_terms",
    "rules_digest",
    "snippet",
    "terms",
]


def rules_digest() -> str:
    """Return a text that changes when a rule does: chunks and terms of other rules are made anew."""
    digest = hashlib.sha256()
    for path in sorted(VENDOR.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
