"""What lint finds, and where links lead."""

from tercet.layers.wiki.linking import links_at
from tercet.layers.wiki.lint import lint
from tercet.model import Scope
from tercet.text.notes.parse import parse_note

SOUND = "---\nid: {}\ntitle: {}\n---\nText. [[{}]]\n"


def linted(**texts):
    """Lint notes given as path (without .md) to text."""
    files = {f"{name}.md": text for name, text in texts.items()}
    notes = [parse_note(text, path, Scope("main")) for path, text in files.items()]
    return [(finding.path, finding.line, finding.code) for finding in lint(notes, files)]


def test_two_sound_notes_that_link_each_other_have_nothing_to_mend():
    assert linted(a=SOUND.format("1", "A", "B"), b=SOUND.format("2", "B", "A")) == []


def test_a_missing_id_is_found():
    assert linted(a="# A\n\n[[b]]\n", b="# B\n\n[[a]]\n") == []
    assert linted(a="# A\n\n[[b]]\n", b=SOUND.format("2", "B", "A")) == [("a.md", 1, "missing-id")]


def test_a_double_id_is_found_at_its_line_in_each_note():
    found = linted(a="---\ntitle: A\nid: x\n---\n[[b]]\n", b='---\nid: "x"\n---\n[[a]]\n')
    assert found == [("a.md", 3, "duplicate-id"), ("b.md", 2, "duplicate-id")]


def test_a_dead_link_is_found_at_its_line_and_a_picture_is_none():
    found = linted(a="---\nid: 1\n---\n# A\n\n![[photo.png]] [[a]] `[[code]]`\n[[Nobody|her]]\n")
    assert ("a.md", 7, "dead-link") in found
    assert [code for _, _, code in found] == ["orphan", "dead-link"]


def test_a_note_that_links_only_itself_is_an_orphan():
    assert linted(a="---\nid: 1\n---\n# A\n\nSee [[A]].\n") == [("a.md", 1, "orphan")]


def test_bad_front_matter_is_found_at_its_line():
    found = linted(a="---\nid: 1\ntags: [x\n---\n# A\n\n[[b]]\n", b=SOUND.format("2", "B", "A"))
    assert ("bad-front-matter") in [code for path, line, code in found if path == "a.md" and line > 1]


def test_a_claim_told_in_two_ways_is_found_at_both_lines():
    note = "---\nid: {}\nclaims:\n  - id: berth\n    text: Berth {}.\n    status: supported\n---\n# {}\n\n[[{}]]\n"
    found = linted(a=note.format(1, 47, "A", "B"), b=note.format(2, 12, "B", "A"))
    assert found == [("a.md", 4, "claim-conflict"), ("b.md", 4, "claim-conflict")]
    assert linted(a=note.format(1, 47, "A", "B"), b=note.format(2, 47, "B", "A")) == []


def test_one_note_that_contradicts_itself_is_found():
    text = "---\nid: 1\nclaims:\n  - {id: c, text: One.}\n  - {id: c, text: Two.}\n---\n# A\n\n[[b]]\n"
    assert {code for _, _, code in linted(a=text, b=SOUND.format("2", "B", "A"))} == {"claim-conflict"}


def test_a_note_without_text_is_found_behind_its_front_matter():
    found = linted(a="---\nid: 1\n---\n\n", b="---\nid: 2\n---\n[[a]]\n")
    assert found == [("a.md", 4, "empty")]


def test_a_note_that_nothing_names_is_found():
    found = linted(**{"note-0123abcd": "---\nid: 1\n---\nText. [[b]]\n", "b": "---\nid: 2\n---\nx\n"})
    assert found == [("note-0123abcd.md", 1, "missing-title")]
    assert linted(**{"2023-09-12": "---\nid: 1\n---\n[[b]]\n", "b": "---\nid: 2\n---\nx\n"}) == []


def test_links_of_a_note_are_told_from_both_ends():
    texts = {
        "a.md": "---\npeople: '[[b]]'\n---\n[[b#Part|her]] and [[nobody]] and [[a]]\n",
        "b.md": "[[a]]\n\n![[a]]\n",
        "c.md": "[[A|x]] [[b]]\n",
    }
    found = links_at("a.md", [parse_note(text, path, Scope("main")) for path, text in texts.items()])
    assert [(end.to_path, end.link.line) for end in found.out] == [("b.md", 2), ("b.md", 4), ("a.md", 4)]
    assert [(end.from_path, end.link.line, end.link.is_embed) for end in found.back] == [
        ("b.md", 1, False),
        ("b.md", 3, True),
        ("c.md", 1, False),
    ]
    assert [end.link.target for end in found.dead] == ["nobody"]
