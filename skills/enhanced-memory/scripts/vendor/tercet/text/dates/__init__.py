"""A closed grammar for dates in English and Chinese: phrases in, half-open ranges out.

It knows what it knows and nothing else: an ordinary sentence has no date in it. Nothing here reads
a clock; the moment that relative words count from, and its zone, are arguments.
"""

from __future__ import annotations

from tercet.text.dates.finder import DateMention, find_dates
from tercet.text.dates.passages import dates_in_text
from tercet.text.dates.paths import dates_in_path
from tercet.text.dates.queries import query_intervals

__all__ = ["DateMention", "dates_in_path", "dates_in_text", "find_dates", "query_intervals"]
