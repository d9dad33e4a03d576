"""Folders of anchors never mix two people up."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.model import SHARED, Scope
from tercet.text.notes.folders import checked_note_path, folder_of, is_nobodys, scope_of

ANCHORS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=300)


@pytest.mark.parametrize(
    ("anchor", "folder"),
    [
        ("telegram:123", "private/telegram_123"),
        ("whatsapp:+41791234567", "private/whatsapp_+41791234567"),
        ("agent:main:main", "private/agent_main_main"),
        ("matrix:channel:!room:example.org", "private/matrix_channel_!room_example.org"),
        ("discord:u_456", "private/discord_u=5f456"),
    ],
)
def test_folders_are_readable(anchor: str, folder: str) -> None:
    assert folder_of(Scope("main", anchor)) == folder


@settings(max_examples=200, deadline=None)
@given(ANCHORS)
@example("::pycache::")
@example("x" * 119 + "=")
@example("x" * 120 + ".git")
@example("x" * 120 + "con")
@example("." * 130)
def test_a_folder_tells_its_anchor_and_no_file_system_minds_it(anchor: str) -> None:
    folder = folder_of(Scope("main", anchor))
    assert scope_of("main", f"{folder}/note.md") == Scope("main", anchor)
    assert scope_of("main", f"{folder}/sub/note.md") == Scope("main", anchor)
    for name in folder.split("/"):
        assert len(name) <= 130
        assert name == name.lower()
        assert not name.startswith(".")
        assert not name.endswith(".")
        assert not set(name) & set('\\:*?"<>|')
        assert name.partition(".")[0] not in {"con", "nul", "aux", "prn", "com1", "node_modules", "__pycache__"}


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("pPrivate/_=0612.eg:ff MT"), max_size=40))
def test_a_folder_that_is_given_to_nobody_is_nobodys(path: str) -> None:
    """Whatever lies below private/ is an anchor's only when that anchor's folder is that very one."""
    scope = scope_of("main", f"private/{path}/note.md")
    assert scope.anchor != SHARED
    if not is_nobodys(scope):
        assert f"private/{path}/note.md".startswith(folder_of(scope) + "/")


@pytest.mark.parametrize("path", ["note.md", "a/b/note.md", "privately/note.md", "a/private/telegram_1/note.md"])
def test_everything_else_is_shared(path: str) -> None:
    assert scope_of("main", path) == Scope("main")


@pytest.mark.parametrize("path", ["n" * 300 + ".md", "\ud800.md", "a/\ud800/b.md"])
def test_a_path_that_no_disk_takes_is_refused(path: str) -> None:
    with pytest.raises(InvalidInputError, match="no place for a note"):
        checked_note_path(path)
