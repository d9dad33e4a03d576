from itertools import pairwise

import pytest

from tercet.errors import InvalidInputError
from tercet.text.lines import span_text
from tercet.text.markdown import chunk_markdown
from tercet.text.weights import weighted_length


def spans(text: str, **options: int) -> list[tuple[int, int, tuple[str, ...]]]:
    found = [item.chunk for item in chunk_markdown(text, **options)]
    for chunk in found:
        assert chunk.text == span_text(text, chunk.start_line, chunk.end_line)
    return [(chunk.start_line, chunk.end_line, chunk.headings) for chunk in found]


def words(count: int, word: str = "lorem") -> str:
    return (word + " ") * count


@pytest.mark.parametrize("text", ["", "\n\n", " \t\r\n", "\ufeff", "---\n\n***\n", "---\n---\n"])
def test_nothing_to_say_gives_no_chunk(text: str) -> None:
    assert spans(text) == []


def test_short_facts_are_kept_f9() -> None:
    assert spans("# Ports\n\n## API\n8080\n\n## DB\n5432\n", join_below=0) == [
        (3, 4, ("Ports", "API")),
        (6, 7, ("Ports", "DB")),
    ]
    assert spans("ok") == [(1, 1, ())]


def test_a_heading_without_text_lives_on_in_the_path_below_f9() -> None:
    assert spans("# A\n\n## B\n\n### C\ntext\n", join_below=0) == [(5, 6, ("A", "B", "C"))]


def test_an_empty_section_with_nothing_below_goes_to_the_chunk_before() -> None:
    text = "# A\n## Full\ntext\n\n## Empty\n\n## More\ntext\n"
    assert spans(text, join_below=0) == [(2, 5, ("A", "Full")), (7, 8, ("A", "More"))]


def test_an_empty_section_at_the_top_goes_to_the_chunk_behind() -> None:
    assert spans("## Empty\n---\n## Full\ntext\n", join_below=0) == [(1, 4, ("Full",))]


def test_a_file_of_headings_alone_can_still_be_found() -> None:
    assert spans("# Plan\n\n## Later\n") == [(1, 3, ("Plan",))]


def test_a_small_section_is_read_with_everything_below_it() -> None:
    text = "# Day\n## Morning\nran\n## Evening\nread\n"
    assert spans(text) == [(1, 5, ("Day",))]


def test_siblings_are_not_joined_where_their_parent_is_too_long() -> None:
    text = f"# Day\n{words(140)}\n## Morning\nran\n## Evening\nread\n"
    assert spans(text) == [(1, 2, ("Day",)), (3, 4, ("Day", "Morning")), (5, 6, ("Day", "Evening"))]


def test_front_matter_goes_with_the_first_text() -> None:
    assert spans("---\nname: x\n---\n\n# A\ntext\n") == [(1, 6, ("A",))]
    assert spans("---\nname: x\n---\n") == [(1, 3, ())]


def test_front_matter_too_long_for_the_first_text_stands_alone() -> None:
    text = f"---\nname: {words(100)}\n---\n# A\n{words(230)}\n"
    assert spans(text) == [(1, 3, ()), (4, 5, ("A",))]


def test_paragraphs_stay_whole_where_they_fit() -> None:
    text = "# A\n" + "".join(f"{words(100)}\n{words(20)}\n\n" for _ in range(4))
    assert spans(text, overlap_weight=0) == [(1, 6, ("A",)), (8, 12, ("A",))]


def test_lists_are_cut_between_top_level_items() -> None:
    text = "# A\n" + "".join(f"- item {words(30)}\n  more {words(30)}\n" for _ in range(10))
    found = spans(text, overlap_weight=0)
    assert len(found) > 1
    lines = text.split("\n")
    assert all(lines[start - 1].startswith("- ") for start, _, _ in found[1:])


def test_code_stays_in_one_chunk_when_it_fits() -> None:
    code = "```\n" + "".join(f"call {number};\n\n" for number in range(80)) + "```"
    text = f"# A\n{words(150)}\n\n{code}\n\n{words(150)}\n"
    assert sum(item.chunk.text.count("```") == 2 for item in chunk_markdown(text)) == 1


def test_an_intro_and_a_long_list_share_the_first_chunk() -> None:
    text = "# A\nintro:\n\n" + "".join(f"- item {words(30)}\n" for _ in range(30))
    assert spans(text, overlap_weight=0)[0][1] > 5


def test_a_heading_never_ends_a_chunk_of_its_own() -> None:
    text = f"# A\n\n{'x' * 1598}\n"
    assert spans(text) == [(3, 3, ("A",))]


def test_overlap_repeats_whole_lines_within_its_bound() -> None:
    text = "".join(f"line {number} {words(8)}\n" for number in range(100))
    found = [item.chunk for item in chunk_markdown(text)]
    assert len(found) > 2
    for before, after in pairwise(found):
        repeated = span_text(text, after.start_line, before.end_line)
        assert after.start_line <= before.end_line
        assert weighted_length(repeated) <= 160
        assert weighted_length(after.text) <= 1600
        assert after.end_line > before.end_line


def test_overlap_never_cuts_a_paragraph_that_fits() -> None:
    last = f"{words(130)}\n{words(131)}"
    text = f"{words(230)}\n\n{words(16)}\n\n{last}\n"
    assert chunk_markdown(text)[-1].chunk.text == last


def test_overlap_makes_no_further_chunk_of_what_fits() -> None:
    assert spans(("x" * 99 + "\n") * 32) == [(1, 16, ()), (17, 32, ())]


def test_the_header_of_the_next_table_is_not_continued() -> None:
    found = chunk_markdown("|a|\n|-|\n|x|\n\n|b|\n|-|\n|y|\n", max_weight=14, overlap_weight=0)
    assert [(item.chunk.start_line, item.context) for item in found] == [(1, ""), (5, "")]


def test_a_table_cut_in_two_carries_its_header_beside_the_text() -> None:
    rows = "".join(f"| name {number} | {words(10)} |\n" for number in range(60))
    text = f"# A\n| Name | Words |\n|---|---|\n{rows}\nafter\n"
    found = chunk_markdown(text)
    assert len(found) > 2
    assert found[0].context == ""
    assert {item.context for item in found[1:]} == {"| Name | Words |"}
    assert "| Name |" not in found[1].chunk.text
    spans(text)


def test_a_context_is_bounded_like_everything_else() -> None:
    text = f"|{'x' * 5000}|\n|---|\n" + f"|{'y' * 500}|\n" * 10
    assert max(weighted_length(item.context) for item in chunk_markdown(text)) == 400


def test_one_long_line_becomes_pieces_with_one_line_number_f6() -> None:
    line = "数据 word " * 1000
    found = [item.chunk for item in chunk_markdown(f"# A\nbefore\n\n{line}\n\nafter\n")]
    assert "".join(chunk.text for chunk in found if chunk.start_line == 4) == line
    assert all(weighted_length(chunk.text) <= 1600 for chunk in found)
    assert (found[0].text, found[-1].text) == ("# A\nbefore", "after")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_are_kept_and_counted_as_an_editor_does_f16(end: str) -> None:
    text = end.join(["# A", "one\x0ctwo\rthree\u2028four\x85five", "", "# B", "b"])
    assert spans(text, join_below=0) == [(1, 2, ("A",)), (4, 5, ("B",))]


def test_html_comments_are_text() -> None:
    assert "<!-- secret plan -->" in chunk_markdown("# A\n<!-- secret plan -->\n")[0].chunk.text


def test_a_cap_that_cannot_hold_a_character_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="weight 3"):
        chunk_markdown("x", max_weight=3)
