"""What is read below a folder, and what is refused."""

import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from tercet.adapters.files import reading
from tercet.adapters.files.reading import read
from tercet.errors import NotFoundError


def put(folder: Path, path: str, data: bytes) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data)


def refusal(folder: Path, path: str, **options: int) -> str:
    with pytest.raises(NotFoundError) as caught:
        read(str(folder), path, **options)
    return str(caught.value)


def test_a_file_comes_decoded_with_the_identity_of_its_bytes(tmp_path: Path) -> None:
    data = "\ufeff# 日记\r\nline\n".encode()
    put(tmp_path, "sub/a.md", data)
    os.utime(tmp_path / "sub" / "a.md", ns=(1, 1_700_000_000_000_000_001))
    content = read(str(tmp_path), "sub/a.md")
    assert content.text == "# 日记\r\nline\n"
    assert content.sha256 == hashlib.sha256(data).hexdigest()
    assert (content.size, content.mtime_ns, content.warning) == (len(data), 1_700_000_000_000_000_001, "")


def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"")
    assert read(str(tmp_path), "a.md").text == ""


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    """F12, F15."""
    put(tmp_path, "a.md", b"first\nsecond " + b"\xff\xfe\xfd" + b" mostly plain text here\n" * 20)
    content = read(str(tmp_path), "a.md")
    assert content.text.startswith("first\nsecond ")
    assert content.warning


def test_a_binary_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    put(tmp_path, "a.md", bytes(range(256)) * 20)
    assert "a.md: " in refusal(tmp_path, "a.md")
    assert "binary" in refusal(tmp_path, "a.md")


@pytest.mark.parametrize(
    "path", ["../out.md", "sub/../../out.md", "sub/../a.md", "/etc/motd.md", "a\x00.md", "", ".", "./a.md", "sub//b.md"]
)
def test_a_path_that_is_no_plain_path_below_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    put(tmp_path, "in/a.md", b"a")
    put(tmp_path, "in/sub/b.md", b"b")
    put(tmp_path, "out.md", b"secret")
    assert "leaves the folder" in refusal(tmp_path / "in", path) or "give a path" in refusal(tmp_path / "in", path)


def test_a_link_out_of_the_folder_is_refused_at_any_level(tmp_path: Path) -> None:
    """F2."""
    put(tmp_path, "out/secret.md", b"secret")
    put(tmp_path, "in/a.md", b"a")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "file.md").symlink_to("../out/secret.md")
    for path in ("folder/secret.md", "file.md"):
        assert refusal(tmp_path / "in", path) == f"{path}: the symbolic link leaves the folder"


def test_links_within_the_folder_are_followed(tmp_path: Path) -> None:
    put(tmp_path, "data/notes.txt", b"text")
    put(tmp_path, "sub/a.md", b"a")
    (tmp_path / "notes.md").symlink_to("data/notes.txt")
    (tmp_path / "alias").symlink_to("sub")
    assert read(str(tmp_path), "notes.md").text == "text"
    assert read(str(tmp_path), "alias/a.md").text == "a"


def test_what_a_walk_passes_by_is_not_read_either(tmp_path: Path) -> None:
    put(tmp_path, ".tercetignore", b"private/\n*.draft.md\n")
    for path in (".git/a.md", "private/a.md", "x.draft.md", ".env"):
        put(tmp_path, path, b"secret")
    (tmp_path / "alias").symlink_to("private")
    for path in (".git/a.md", "private/a.md", "x.draft.md", "alias/a.md"):
        assert "not part of the indexed folder" in refusal(tmp_path, path)
    assert refusal(tmp_path, ".env") == ".env: not a Markdown file"


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"a")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    assert refusal(tmp_path, "gone.md") == "gone.md: no such file"
    assert refusal(tmp_path, "a.md/b.md").startswith("a.md/b.md: ")
    assert refusal(tmp_path, "é/b.md") == "é/b.md: no such file"
    assert refusal(tmp_path, "folder.md") == "folder.md: not a regular file"
    assert refusal(tmp_path, "pipe.md") == "pipe.md: not a regular file"
    assert "symbolic links" in refusal(tmp_path, "loop.md")
    assert "gone cannot be read" in refusal(tmp_path / "gone", "a.md")


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"12345")
    assert refusal(tmp_path, "a.md", max_bytes=4) == "a.md: larger than the limit (5 of 4 bytes)"
    assert read(str(tmp_path), "a.md", max_bytes=5).text == "12345"


def interrupt_reads(monkeypatch: pytest.MonkeyPatch, write: Callable[[int], None]) -> None:
    """Let ``write(n)`` happen after the n-th read of a file's bytes and before its second stat."""
    reads = 0

    class Interrupted(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:  # type: ignore[override] # never None: a blocking file
            nonlocal reads
            data = super().read(-1 if size is None else size)
            reads += 1
            write(reads)
            return data or b""

    def open_interrupted(descriptor: int, mode: str, *, closefd: bool) -> IO[bytes]:
        return Interrupted(descriptor, mode, closefd=closefd)  # type: ignore[return-value] # a raw file reads like one

    monkeypatch.setattr(reading, "open", open_interrupted, raising=False)


def test_a_file_written_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X13."""
    put(tmp_path, "a.md", b"old")

    def write(number: int) -> None:
        if number == 1:
            put(tmp_path, "a.md", b"new text")

    interrupt_reads(monkeypatch, write)
    content = read(str(tmp_path), "a.md")
    assert (content.text, content.size, content.warning) == ("new text", 8, "")


def test_a_file_that_never_rests_is_taken_with_a_caveat_and_an_old_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "a.md", b"0")

    def write(number: int) -> None:
        put(tmp_path, "a.md", b"x" * (number + 1))
        os.utime(tmp_path / "a.md", ns=(number, number))

    interrupt_reads(monkeypatch, write)
    content = read(str(tmp_path), "a.md")
    assert "changed while it was read" in content.warning
    assert content.mtime_ns < (tmp_path / "a.md").stat().st_mtime_ns, "the next walk must see a difference"
