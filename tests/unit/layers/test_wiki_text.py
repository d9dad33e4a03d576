"""Pure parts of the wiki: names and mentions, claims, sections, plans of a refresh."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.layers.wiki.claims import conflicts, dispute_share, warnings_of
from tercet.layers.wiki.freshness import RACY_WINDOW_NS, plan_refresh
from tercet.layers.wiki.indexing import recipe
from tercet.layers.wiki.names import is_written_in, keys_of, mention_keys, names_of, passage_id, ref_keys
from tercet.layers.wiki.refs import NoteRef, lines_of, parse_note_ref
from tercet.layers.wiki.sections import MAX_SNIPPET_CHARS, best_lines, best_section
from tercet.model import Claim, Note, Scope
from tercet.ports.note_index import FileState
from tercet.ports.vault import VaultFile
from tercet.text.terms import query_terms


def note(path="a.md", **fields):
    return Note(
        path=path, scope=Scope("main"), **{"id": "", "title": "a", "type": "", "body": "", "body_line": 1, **fields}
    )


# -- names ------------------------------------------------------------------------------------


def test_a_note_has_its_title_its_aliases_and_its_files_name_each_once():
    assert names_of(note("x/Boat.md", title="Albatros", aliases=("albatros", "Seagull"))) == (
        "Albatros",
        "Seagull",
        "Boat",
    )


@pytest.mark.parametrize(
    "ref", ["n-1", "x/Boat.md", "x/Boat", "wiki:x/Boat", "X/BOAT.md", "Albatros", "  ALBATROS ", "Boat"]
)
def test_every_ref_to_a_note_is_one_of_its_keys(ref):
    keys = keys_of(note("x/Boat.md", id="n-1", title="Albatros"))
    assert set(ref_keys(ref)) & set(keys)


@pytest.mark.parametrize("ref", ["Boa", "Albatros 2", "wiki:Albatros", "x", "y/Boat"])
def test_no_other_ref_is(ref):
    assert not set(ref_keys(ref)) & set(keys_of(note("x/Boat.md", id="n-1", title="Albatros")))


def test_an_id_in_answers_is_of_the_place_and_the_agent():
    assert passage_id("main", "a.md") == passage_id("main", "a.md")
    assert len({passage_id("main", "a.md"), passage_id("main", "b.md"), passage_id("other", "a.md")}) == 3
    assert passage_id("main", "a.md").startswith("note-")


@pytest.mark.parametrize(
    ("title", "message", "is_named"),
    [
        ("Anna Müller", "How is anna müller?", True),
        ("Anna Müller", "How is Anna? And Müller?", False),
        ("王小明", "你知道王小明住哪裡嗎？", True),
        ("王小明", "小明住哪裡？", False),
        ("C++", "Is C++ hard?", True),
        ("Brown butter nectarine tart", "the recipe of the brown butter nectarine tart, please", True),
        ("one two three four five six seven eight nine", "one two three four five six seven eight nine", False),
    ],
)
def test_a_message_names_a_note_by_a_run_of_its_terms(title, message, is_named):
    mentioned = mention_keys(message).keys() & set(keys_of(note("zzz.md", title=title)))
    assert bool(mentioned) is is_named


@pytest.mark.parametrize(
    ("name", "text", "is_written"),
    [
        ("Books", "Can you book a table?", False),
        ("Books", "My BOOKS, please.", True),
        ("Anna", "Anna's boat", True),
        ("Ann", "Anna's boat", False),
        ("王小明", "你知道王小明住哪裡嗎", True),
        ("C++", "is c++ hard", True),
        ("🦜", "a 🦜!", True),
        ("New York", "new\n york", True),
        (" ", "a b", False),
    ],
)
def test_a_name_is_written_as_whole_words(name, text, is_written):
    assert is_written_in(name, text) is is_written


# -- claims -----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["contested", "Superseded", "REFUTED", " contradicted ", "disputed."])
def test_a_disputed_claim_is_told_with_its_status(status):
    disputed = note(
        claims=(Claim("c1", "It  is\nso.", status), Claim("c2", "Sure.", "supported"), Claim("c3", "?", ""))
    )
    assert dispute_share(disputed) == 1 / 3
    (warning,) = warnings_of(disputed)
    assert warning == f"claim {status.strip(' .').casefold()}: It is so."


def test_a_note_without_claims_is_not_disputed():
    assert dispute_share(note()) == 0
    assert warnings_of(note()) == []


def test_claims_of_one_id_conflict_when_text_or_status_differs():
    same = Claim("c1", "It is so.", "supported")
    spaced = Claim("c1", "It is  so.", "Supported")
    assert conflicts([note("a.md", claims=(same,)), note("b.md", claims=(spaced,))]) == {}
    for other in (Claim("c1", "It is not so.", "supported"), Claim("c1", "It is so.", "refuted")):
        found = conflicts([note("a.md", claims=(same,)), note("b.md", claims=(other,))])
        assert [place.path for place, _ in found["c1"]] == ["a.md", "b.md"]
    assert conflicts([note("a.md", claims=(Claim("", "x"), Claim("", "y")))]) == {}


# -- sections ---------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["boat", "berth", "tea", "# Head", "## Part", "- item", "", "```", "| a | b |", "茶", "x" * 300]
)


def worth(query):
    return dict.fromkeys(query_terms(query), 1.0)


@given(st.lists(WORDS, max_size=40), st.sampled_from(["boat berth", "tea", "茶", "nothing"]))
def test_a_section_is_lines_of_the_file_and_its_snippet_lies_in_it(lines, query):
    text = "\n".join(lines)
    section = best_section(text, worth(query), 1)
    here = "\n".join(text.split("\n")[section.start_line - 1 : section.end_line])
    assert section.text in here
    snippet = best_lines(section, worth(query))
    assert snippet in here
    assert len(snippet) <= MAX_SNIPPET_CHARS


def test_front_matter_is_shown_only_where_nothing_else_answers():
    text = "---\ntitle: Tea\nowner: Frieda\n---\n\nGreen tea.\n"
    shown = best_section(text, worth("tea"), 5)
    assert (shown.text, shown.start_line, shown.end_line) == ("Green tea.", 6, 6)
    assert "Frieda" in best_section(text, worth("frieda"), 5).text


def test_of_a_line_too_long_for_one_section_the_piece_that_answers_is_shown():
    text = "茶" * 900 + "王小明" + "茶" * 900
    section = best_section(text, worth("王小明"), 1)
    assert "王小明" in section.text
    assert len(section.text) < 900
    assert (section.start_line, section.end_line) == (1, 1)


def test_an_empty_note_has_an_empty_section():
    assert best_section("", worth("tea"), 1).text == ""


# -- refs -------------------------------------------------------------------------------------


def test_a_ref_may_end_in_lines():
    assert parse_note_ref(" Tea#L3-L5 ") == NoteRef("Tea", 3, 5)
    assert parse_note_ref("a.md#L3") == NoteRef("a.md", 3, 3)
    assert parse_note_ref("C#") == NoteRef("C#")


@pytest.mark.parametrize("ref", ["", "  ", "#L3", "a#L0", "a#L5-L3"])
def test_a_ref_to_nothing_is_refused(ref):
    with pytest.raises(InvalidInputError):
        parse_note_ref(ref)


def test_lines_given_go_before_those_of_the_ref():
    text = "1\n2\n3\n4\n"

    def read(ref, start=None, lines=None):
        return lines_of(text, "a.md", parse_note_ref(ref), start, lines).text

    assert read("a#L2-L3") == "2\n3"
    assert read("a#L2-L3", 3) == "3"
    assert read("a#L2-L3", 4) == "4"
    assert read("a#L2-L3", None, 1) == "2"
    assert read("a", 2, 99) == "2\n3\n4"


# -- freshness --------------------------------------------------------------------------------


def file(path, size=1, mtime_ns=10**18):
    return VaultFile(path, size, mtime_ns, Scope("main"))


def state(size=1, mtime_ns=10**18, indexed_at_ns=2 * 10**18):
    return FileState(size, mtime_ns, "sha", indexed_at_ns)


def test_a_plan_reads_what_is_new_or_differs_the_latest_first():
    known = {"same": state(), "longer": state(), "later": state(), "gone": state()}
    files = [file("same"), file("longer", size=2), file("later", mtime_ns=10**18 + 5), file("new", mtime_ns=10**18 + 9)]
    plan = plan_refresh(files, known)
    assert [each.path for each in plan.to_read] == ["new", "later", "longer"]
    assert plan.to_check == ()
    assert plan.gone == ("gone",)


@pytest.mark.parametrize(("age_ns", "is_checked"), [(0, True), (RACY_WINDOW_NS - 1, True), (RACY_WINDOW_NS, False)])
def test_a_file_written_just_before_it_was_indexed_is_looked_at_again(age_ns, is_checked):
    plan = plan_refresh([file("a")], {"a": state(indexed_at_ns=10**18 + age_ns)})
    assert [each.path for each in plan.to_check] == (["a"] if is_checked else [])
    assert plan.to_read == ()


def test_a_moved_note_is_read_in_its_new_place():
    plan = plan_refresh([file("b")], {"a": state()})
    assert [each.path for each in plan.to_read] == ["b"]
    assert plan.gone == ("a",)


def test_the_recipe_changes_with_the_rules_that_make_terms(monkeypatch):
    before = recipe()
    assert recipe() == before
    monkeypatch.setattr("tercet.layers.wiki.indexing.terms", lambda text: text.split())
    assert recipe() != before
