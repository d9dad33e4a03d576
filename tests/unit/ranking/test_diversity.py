"""Copies leave room for others, and what stays depends only on what stands before."""

from __future__ import annotations

from tercet.ranking.diversity import redundant

_TEMPLATE = "# Reflection {}\n## What was decided and why\n## What went wrong\n## Open questions\n## {}\n"


def test_later_copies_and_template_kin_are_named(build):
    passages = [
        build.row("a", "The port is 8443.").passage,
        build.row("b", " The port is 8443.\n").passage,
        build.row("c", _TEMPLATE.format(1, "Mood")).passage,
        build.row("d", "The port was 80.").passage,
        build.row("e", _TEMPLATE.format(2, "Weather")).passage,
        build.row("f", "# Trip\n## Hotel\n## Train\n## Food\n").passage,
    ]
    assert redundant(passages) == {1: "duplicate", 4: "template"}
    for cut in range(len(passages)):
        shorter = redundant(passages[:cut])
        assert shorter == {k: v for k, v in redundant(passages).items() if k < cut}
