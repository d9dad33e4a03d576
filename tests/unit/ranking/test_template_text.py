"""How much of a text is empty template."""

from __future__ import annotations

import time

import pytest

from tercet.ranking.template_text import template_factor, template_family, template_share

EMPTY = """# Reflection 2026-02-03
## What was decided and why
## What went wrong with the messages

- [ ]

## Open questions
N/A

## 下一步
暂无
"""


def test_empty_sections_and_placeholders_are_template():
    assert template_share(EMPTY) == 1.0
    assert template_share(EMPTY + "\nA real sentence under the last heading, as long as others are.\n") < 0.7


@pytest.mark.parametrize(
    "text",
    [
        "One plain fact.",
        "# Title\n\n## Server\nPort 8443.\n\n## Router\n10.0.0.1\n\n## NAS\n10.0.0.2",
        "# Title\n## Part\n### Detail\nA sentence.",
        "# Note\n\nStarted.\n\n## To do\n\n## Later\n",
        "```sh\n# first\n# second\n# third\n# fourth\nls\n```",
        "**Name:** Ann\n**Port:** 22\n**Host:** example.org\n**User:** root",
    ],
    ids=["plain", "filled", "nested", "two-empty", "comments-in-a-fence", "labels-with-values"],
)
def test_real_notes_are_not(text: str):
    assert template_share(text) == 0.0


def test_bold_lines_are_headings_too():
    assert template_share("**Decisions**\n\n**Risks**\nnone yet\n\n**Next steps**\n- [ ]\n") == 1.0


def test_labels_without_a_value_are_headings_too():
    assert template_share("Decisions:\n\nRisks: none\n- Mood: N/A\n下一步：\n") == 1.0
    assert template_share("Decisions: move to Hamburg\nRisks: rain\nMood: fine\nNext: pack") == 0.0


@pytest.mark.parametrize(("text", "factor"), [(EMPTY, 0.1), ("One plain fact.", 1.0)])
def test_the_penalty_is_declared_and_bounded(text: str, factor: float):
    assert template_factor(text, 0.9) == pytest.approx(factor)
    assert template_factor(text, 0.0) == 1.0


def test_a_note_with_some_open_sections_keeps_its_score():
    note = (
        "# Trip\n\n" + "Booked the night train to Vienna, arriving at seven. " * 4 + "\n## Hotel\n## Food\n## Money\n"
    )
    assert 0 < template_share(note) < 0.3
    assert template_factor(note, 0.9) == 1.0


def test_a_family_is_its_headings_without_numbers():
    assert template_family(EMPTY) == template_family(EMPTY.replace("2026-02-03", "2025-11-30"))
    assert template_family("# Title\nA real note.") == frozenset()


def test_long_lines_are_no_trouble():
    started = time.process_time()
    template_share("\n#" * 3 + "|-" * 50_000 + "x" + "\n**" * 1000 + "*" * 50_000)
    assert time.process_time() - started < 1.0
