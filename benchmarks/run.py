"""Measure the ratios of RESULTS.md; ``make bench``.

Every figure is a ratio within one run on one machine, the median of several rounds, so that a slow
or busy machine does not change what it says. ``--write`` puts the tables into RESULTS.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import crossref
import indexing
import ranking_speed
import salience
import service
import startup
import wiki
from tables import Table, write_tables

RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS = {
    "indexing": indexing.measure,
    "ranking-speed": ranking_speed.measure,
    "startup": startup.measure,
    "service": service.measure,
    "wiki": wiki.measure,
    "crossref": crossref.measure,
    "salience": salience.measure,
}


def main() -> None:
    """Run the parts asked for and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    given = parser.parse_args()
    unknown = set(given.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    tables: list[Table] = []
    for name in given.parts or PARTS:
        table = PARTS[name]()
        print(table.as_markdown(), flush=True)
        tables.append(table)
    if given.write:
        write_tables(RESULTS, tables)


if __name__ == "__main__":
    main()
