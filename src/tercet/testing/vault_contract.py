"""What every vault keeps, as a test suite: subclass it and give ``vault`` and ``editor``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tercet.errors import InvalidInputError, NotFoundError, WriteConflictError
from tercet.model import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from tercet.ports.vault import Vault

MAIN = Scope("main")
ANN = Scope("main", "telegram:1")
ANCHORS = (
    "telegram:1",
    "telegram:12",
    "telegram:1:2",
    "telegram:1_2",
    "telegram_1",
    "discord:u_456",
    "whatsapp:+41791234567",
    "whatsapp:group:99@g.us",
    "signal:group:aB=",
    "signal:group:Ab=",
    "matrix:channel:!room:example.org",
    "agent:main:main",
    "agent:main:.",
    "node:modules",
    "con:",
    "x:" + "y" * 500,
    "x:" + "=" * 500,
)


class VaultContract:
    """Behaviour of ``tercet.ports.vault.Vault`` of agent ``main``."""

    @pytest.fixture
    def vault(self) -> Vault:
        """Return an empty vault."""
        pytest.fail("Give the fixture vault.")

    @pytest.fixture
    def editor(self) -> Callable[[str, bytes | None], None]:
        """Return a function that changes a note behind the vault's back; None deletes it."""
        pytest.fail("Give the fixture editor.")

    async def test_an_empty_vault_lists_nothing(self, vault: Vault) -> None:
        assert await vault.files() == []

    async def test_what_is_written_is_read_byte_for_byte(self, vault: Vault) -> None:
        for number, text in enumerate(("", "a", "a\n", "\ufeffa\r\nb\r\n", "语 🎉\n", "a\rb\u2028c\n")):
            digest = await vault.write(f"n{number}.md", text, expected_sha256=None)
            read = await vault.read(f"n{number}.md")
            assert (read.text, read.sha256, read.warning) == (text, digest, "")
            assert digest == hashlib.sha256(text.encode()).hexdigest()

    async def test_files_are_listed_by_path_with_size_and_scope(self, vault: Vault) -> None:
        private = f"{vault.folder_of(ANN)}/b.md"
        for path in ("z.md", "a/b/c.md", private):
            await vault.write(path, "text", expected_sha256=None)
        assert [(file.path, file.size, file.scope) for file in await vault.files()] == [
            ("a/b/c.md", 4, MAIN),
            (private, 4, ANN),
            ("z.md", 4, MAIN),
        ]

    async def test_a_note_is_replaced_only_by_who_read_it_last(self, vault: Vault) -> None:
        first = await vault.write("a.md", "one", expected_sha256=None)
        second = await vault.write("a.md", "two", expected_sha256=first)
        for stale in (first, None):
            with pytest.raises(WriteConflictError, match=r"a\.md"):
                await vault.write("a.md", "three", expected_sha256=stale)
        read = await vault.read("a.md")
        assert (read.text, read.sha256) == ("two", second)

    async def test_an_editors_change_is_read_at_once_and_never_written_over(
        self, vault: Vault, editor: Callable[[str, bytes | None], None]
    ) -> None:
        mine = await vault.write("a.md", "mine", expected_sha256=None)
        before = await vault.files()
        editor("a.md", b"yours, longer")
        assert (await vault.read("a.md")).text == "yours, longer"
        assert await vault.files() != before
        with pytest.raises(WriteConflictError):
            await vault.write("a.md", "mine again", expected_sha256=mine)
        assert (await vault.read("a.md")).text == "yours, longer"

    async def test_a_deleted_note_is_gone_and_not_brought_back_unasked(
        self, vault: Vault, editor: Callable[[str, bytes | None], None]
    ) -> None:
        mine = await vault.write("a.md", "mine", expected_sha256=None)
        editor("a.md", None)
        assert await vault.files() == []
        with pytest.raises(NotFoundError):
            await vault.read("a.md")
        with pytest.raises(WriteConflictError):
            await vault.write("a.md", "mine again", expected_sha256=mine)
        assert await vault.files() == []

    async def test_what_is_no_utf8_is_read_with_a_warning_and_never_written(
        self, vault: Vault, editor: Callable[[str, bytes | None], None]
    ) -> None:
        editor("old.md", "# Caf\xe9\n\nna\xefve".encode("cp1252"))
        read = await vault.read("old.md")
        assert "Caf" in read.text
        assert read.warning
        with pytest.raises(InvalidInputError, match="UTF-8"):
            await vault.write("old.md", read.text, expected_sha256=read.sha256)
        assert (await vault.read("old.md")).sha256 == read.sha256

    async def test_names_are_one_in_whatever_unicode_form_they_are_typed(self, vault: Vault) -> None:
        digest = await vault.write("Cafe\u0301.md", "a", expected_sha256=None)
        assert [file.path for file in await vault.files()] == ["Caf\xe9.md"]
        await vault.write("Caf\xe9.md", "b", expected_sha256=digest)
        assert (await vault.read("Cafe\u0301.md")).text == "b"

    @pytest.mark.parametrize(
        "path",
        [
            "../a.md",
            "a/../../b.md",
            "/a.md",
            "a\\b.md",
            "a\0.md",
            "C:a.md",
            "./a.md",
            "a//b.md",
            "a.txt",
            "a",
            "",
            ".md",
        ],
    )
    async def test_nothing_is_written_where_no_note_may_be(self, vault: Vault, path: str) -> None:
        with pytest.raises(InvalidInputError):
            await vault.write(path, "x", expected_sha256=None)
        with pytest.raises(NotFoundError):
            await vault.read(path)
        assert await vault.files() == []

    def test_shared_notes_lie_in_no_folder_of_their_own(self, vault: Vault) -> None:
        assert vault.folder_of(MAIN) == ""
        assert vault.scope_of("people/Ann.md") == MAIN

    def test_every_anchor_has_a_folder_of_its_own(self, vault: Vault) -> None:
        folders = [vault.folder_of(Scope("main", anchor)) for anchor in ANCHORS]
        assert len({folder.casefold() for folder in folders}) == len(ANCHORS)
        for anchor, folder in zip(ANCHORS, folders, strict=True):
            assert vault.scope_of(f"{folder}/note.md") == Scope("main", anchor)
            assert vault.scope_of(f"{folder}/deep/er/note.md") == Scope("main", anchor)

    async def test_notes_can_be_kept_for_every_anchor(self, vault: Vault) -> None:
        for anchor in ANCHORS:
            await vault.write(f"{vault.folder_of(Scope('main', anchor))}/note.md", anchor, expected_sha256=None)
        files = await vault.files()
        assert {file.scope.anchor for file in files} == set(ANCHORS)
        assert {(await vault.read(file.path)).text for file in files} == set(ANCHORS)

    @pytest.mark.parametrize(
        "path",
        [
            "private/note.md",
            "private/Telegram_1/note.md",
            "Private/telegram_1/note.md",
            "private/=74elegram_1/note.md",
            "private/telegram_1=/note.md",
            "private/=ff/note.md",
            "private/ /note.md",
            "people/../private/telegram_1/note.md",
            "private\\telegram_1\\note.md",
        ],
    )
    def test_an_unknown_private_folder_is_nobodys(self, vault: Vault, path: str) -> None:
        scope = vault.scope_of(path)
        assert scope.agent == "main"
        # No session key holds a space, and the shared scope is the empty anchor.
        assert " " in scope.anchor

    def test_the_notes_of_another_agent_have_no_place_here(self, vault: Vault) -> None:
        with pytest.raises(InvalidInputError, match="other"):
            vault.folder_of(Scope("other", "telegram:1"))
