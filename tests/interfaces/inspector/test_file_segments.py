"""Every line of a file stands once on its page, under the chunk that has it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.browsing import ChunkSpan
from tercet.interfaces.inspector.file_segments import LONGEST_LINE, part_with, parts, segments, touched
from tercet.text.lines import split_lines, without_line_end
from tercet.text.markdown import chunk_markdown

PARAGRAPHS = st.lists(
    st.sampled_from(
        [
            "# One\n",
            "\n",
            "## Two\r\n",
            "words " * 60 + "\n",
            "- item of a list\n",
            "```\ncode\n\nmore\n```\n",
            "---\n",
            "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 90,
            "x" * 4000 + "\n",
        ]
    ),
    max_size=14,
)


def spans(*lines: tuple[int, int]) -> list[ChunkSpan]:
    return [ChunkSpan(f"c{start}", start, end, "", has_vector=True, terms=1) for start, end in lines]


@given(PARAGRAPHS)
@settings(max_examples=60, deadline=None)
def test_all_lines_are_shown_once_and_in_order(paragraphs):
    text = "".join(paragraphs)
    chunks = [(each.chunk.start_line, each.chunk.end_line) for each in chunk_markdown(text)]
    found = segments(text, spans(*chunks))
    assert [line for each in found for line in each.lines] == [without_line_end(line) for line in split_lines(text)]
    assert [each.number for each in found if each.chunk] == list(range(1, len(chunks) + 1))
    pages = parts(found, most_chars=2_000)
    assert [each for page in pages for each in page] == found
    for page, shown in enumerate(pages, start=1):
        for each in shown:
            assert not each.lines or part_with(each.start, pages) == page


def test_what_two_chunks_share_stands_with_the_first_and_the_second_says_so():
    first, second = segments("a\nb\nc\nd\n", spans((1, 3), (2, 4)))
    assert (first.lines, first.repeated) == (("a", "b", "c"), 0)
    assert (second.lines, second.start, second.repeated) == (("d",), 4, 2)


def test_a_line_of_several_chunks_stands_with_the_first():
    found = segments("long\nend\n", spans((1, 1), (1, 1), (2, 2)))
    assert [each.lines for each in found] == [("long",), (), ("end",)]


def test_lines_in_no_chunk_are_shown_apart():
    found = segments("# Bare\n\ntext\n\n", spans((3, 3)))
    assert [(each.number, each.start, each.lines, each.is_blank) for each in found] == [
        (0, 1, ("# Bare", ""), False),
        (1, 3, ("text",), False),
        (0, 4, ("",), True),
    ]


def test_an_endless_line_is_cut_and_says_how_much_is_missing():
    (found,) = segments("x" * (LONGEST_LINE + 7), spans((1, 1)))
    assert found.lines[0].endswith(" … and 7 more characters")


def test_the_chunks_that_hold_lines_are_named():
    found = segments("a\nb\nc\nd\n", spans((1, 2), (2, 3), (4, 4)))
    assert list(touched(found, 2, 2)) == [1, 2]
    assert list(touched(found, 4, 9)) == [3]


def test_an_empty_file_is_one_empty_part():
    assert segments("", []) == []
    assert parts([]) == [[]]
    assert part_with(5, [[]]) == 1
