"""Which links a body holds, and which note each means."""

import pytest

from tercet.model import Note, Scope, WikiLink
from tercet.text.notes.links import LinkTargets, is_attachment, links_of, resolve


@pytest.mark.parametrize(
    ("body", "link"),
    [
        ("[[Ann]]", WikiLink("Ann", 1)),
        ("[[Ann|her]]", WikiLink("Ann", 1, "her")),
        ("[[Ann#Tea]]", WikiLink("Ann", 1, "", "Tea")),
        ("[[Ann#Tea#Green|that]]", WikiLink("Ann", 1, "that", "Tea#Green")),
        ("[[Ann#^a1b2]]", WikiLink("Ann", 1, "", "^a1b2")),
        ("[[#Tea]]", WikiLink("", 1, "", "Tea")),
        ("![[cat.png|300]]", WikiLink("cat.png", 1, "300", is_embed=True)),
        ("| a | [[Ann\\|her]] |\n|---|---|", WikiLink("Ann", 1, "her")),
        ("[[ people/Ann Lee ]]", WikiLink("people/Ann Lee", 1)),
        ("[[安娜|她]]", WikiLink("安娜", 1, "她")),
        ("> - **[[Ann]]**", WikiLink("Ann", 1)),
    ],
)
def test_every_form_of_link(body: str, link: WikiLink) -> None:
    assert links_of(body) == (link,)


@pytest.mark.parametrize(
    "body",
    [
        "`[[no]]`",
        "`` ` [[no]] ``",
        "```\n[[no]]\n```",
        "~~~md\n[[no]]\n~~~",
        "- item\n  ```\n  [[no]]\n  ```",
        "%% [[no]] %%",
        "%%\n\n[[no]]\n\n%%",
        "<!-- [[no]] -->",
        "text <!-- a\n[[no]] --> text",
        "<pre>\n[[no]]\n</pre>",
        "\\[[no]]",
        "[[]] [[|x]] [[a\nb]] [no] [[no]",
    ],
)
def test_code_and_comments_hold_no_links(body: str) -> None:
    assert links_of(body) == ()
    assert links_of(body + "\n\n[[yes]]")[0].target == "yes"


def test_links_come_in_order_with_the_files_line() -> None:
    body = "a\n[[b]] ![[c]]\r\n\r\n`x` [[d]]\u2028[[e]]"
    assert [(link.target, link.line) for link in links_of(body, 10)] == [("b", 11), ("c", 11), ("d", 13), ("e", 13)]


def test_what_opens_first_hides_the_others_mark() -> None:
    assert [link.target for link in links_of("`%%` [[a]] `%%` [[b]]")] == ["a", "b"]
    assert [link.target for link in links_of("%% ` %% [[a]] `[[no]]`")] == ["a"]
    assert [link.target for link in links_of("\\`[[a]]`[[no]]`")] == ["a"]


def test_a_body_that_begins_with_a_rule_hides_nothing() -> None:
    assert [link.target for link in links_of("---\na: [[b]]\n---\n[[c]]")] == ["b", "c"]


@pytest.mark.parametrize("target", ["cat.png", "Cat.JPG", "a/b.pdf", "Trips.base", "talk.mp3", "plan.canvas"])
def test_other_files_are_attachments(target: str) -> None:
    assert is_attachment(target)


@pytest.mark.parametrize("target", ["Ann", "v1.2", "Dr. Lee", "note.md", "2026.01.05", ""])
def test_a_dot_in_a_name_makes_no_attachment(target: str) -> None:
    assert not is_attachment(target)


def notes_at(*paths: str, **more: tuple[str, ...]) -> dict[str, Note]:
    titles = {"people/ann.md": "Ann Lee"}
    return {
        path: Note("", titles.get(path, "T " + path), "", path, Scope("main"), "", 1, aliases=more.get("aliases", ()))
        for path in paths
    }


@pytest.mark.parametrize(
    ("target", "from_path", "path"),
    [
        ("people/ann", "x.md", "people/ann.md"),
        ("people/ann.md", "x.md", "people/ann.md"),
        ("PEOPLE/Ann", "x.md", "people/ann.md"),
        ("ann", "x.md", "people/ann.md"),
        ("Ann Lee", "x.md", "people/ann.md"),
        ("ann  lee", "x.md", "people/ann.md"),
        ("b/note", "x.md", "a/b/note.md"),
        ("note", "a/b/x.md", "a/b/note.md"),
        ("note", "a/x.md", "a/b/note.md"),
        ("note", "c/x.md", "c/note.md"),
        ("note", "x.md", "c/note.md"),
        ("./note", "c/x.md", "c/note.md"),
        ("../c/note", "a/x.md", "c/note.md"),
        ("/c/note", "a/b/x.md", "c/note.md"),
        ("", "a/x.md", "a/x.md"),
        ("Cafe\u0301", "x.md", "Caf\xe9.md"),
        ("STRASSE", "x.md", "straße.md"),
    ],
)
def test_a_link_means_the_note_that_obsidian_opens(target: str, from_path: str, path: str) -> None:
    notes = notes_at("people/ann.md", "a/b/note.md", "c/note.md", "Caf\xe9.md", "straße.md", "a/x.md")
    assert resolve(target, from_path, notes) == path


@pytest.mark.parametrize("target", ["nobody", "b", "ann/people", "../../people/ann", "/ann", "./ann", "cat.png"])
def test_a_link_to_no_note(target: str) -> None:
    assert resolve(target, "x/y.md", notes_at("people/ann.md", "a/b/note.md")) is None


def test_a_path_comes_before_a_name_and_a_name_before_an_alias() -> None:
    targets = LinkTargets([*notes_at("deep/ann.md", "ann.md").values(), *notes_at("ben.md", aliases=("Ann",)).values()])
    assert targets.resolve("ann", "deep/x.md") == "ann.md"
    assert LinkTargets([*notes_at("ben.md", aliases=("Ann",)).values()]).resolve("ann", "x.md") == "ben.md"
    assert (
        LinkTargets([*notes_at("z/ann.md").values(), *notes_at("ben.md", aliases=("Ann",)).values()]).resolve(
            "ann", "x.md"
        )
        == "z/ann.md"
    )
