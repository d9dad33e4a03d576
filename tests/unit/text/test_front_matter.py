import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.text.front_matter import read_front_matter
from tercet.text.lines import span_text


def test_reads_keys_and_says_where_it_stands() -> None:
    found = read_front_matter("---\nname: Deploy\ntags: [a, b]\n---\n# Body\n")
    assert found is not None
    assert (found.start_line, found.end_line, found.problem) == (1, 4, "")
    assert found.data == {"name": "Deploy", "tags": ["a", "b"]}


def test_raw_keeps_what_yaml_would_change_f13() -> None:
    raw = "yes: 1.10\non: off  # kept\n'1': x\n"
    found = read_front_matter(f"---\n{raw}---\n")
    assert found is not None
    assert found.raw == raw
    assert list(found.data) == ["yes", "on", "1"]
    assert found.data["on"] == "off"


@pytest.mark.parametrize(
    "text",
    ["\ufeff---\r\na: 1\r\n---\r\nbody", "---\na: 1\n...\nbody", "--- \na: 1\n---", "---\n# note\n\na: 1\n---\n"],
)
def test_fences_an_editor_may_write(text: str) -> None:
    found = read_front_matter(text)
    assert found is not None
    assert found.data == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n---\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "---\na: 1\nno end\n",
        "---\n# Title\n\nProse between two rules.\n\n---\n",
        "---\n- a list\n---\n",
        "----\na: 1\n----\n",
    ],
)
def test_what_is_no_front_matter(text: str) -> None:
    assert read_front_matter(text) is None


@pytest.mark.parametrize(
    ("yaml", "line", "cause"),
    [
        ("a: [1\nb: 2\n", 3, "expected"),
        ("a: 1\na: 2\n", 3, "duplicate"),
        ("a: 1\nb: 'x\n", 4, "unexpected end"),
        ("a: 2024-13-45\n", 2, "month"),
        ("t: {{date}}\n", 2, "unhashable"),
        ("a: *gone\n", 2, "undefined alias"),
        ("a: !!python/object:os.system x\n", 2, "constructor"),
        ("a: " + "[" * 5000 + "\n", 2, "deeper than 100"),
        ("a: " + "- " * 3000 + "\n", 2, ""),
        ("a: &a {x: 1}\n" + "b: {<<: [*a, *a]}\n" * 9, 2, "merge keys"),
        ("a: " + "x" * 70_000 + "\n", 2, "not read"),
    ],
)
def test_bad_yaml_is_told_and_never_raised(yaml: str, line: int, cause: str) -> None:
    found = read_front_matter(f"---\n{yaml}---\nbody\n")
    assert found is not None
    assert found.data == {}
    assert found.raw == yaml
    assert found.problem.startswith(f"line {line}: ")
    assert cause in found.problem
    assert "\n" not in found.problem


def test_an_anchor_defined_twice_is_no_warning() -> None:
    found = read_front_matter("---\na: &x 1\nb: &x 2\n---\n")
    assert found is not None
    assert found.data == {"a": 1, "b": 2}


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@?,.\n \t01", max_size=40))
def test_no_content_raises(yaml: str) -> None:
    text = f"---\nk: v\n{yaml}\n---\nrest"
    found = read_front_matter(text)
    assert found is not None
    assert span_text(text, found.start_line, found.end_line).startswith(f"---\n{found.raw}"[:-1])
