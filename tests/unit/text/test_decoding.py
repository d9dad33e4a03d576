import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.text.decoding import decode


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "# 会议记录\n今天讨论了数据库迁移的时间，决定在六月完成。\n"),
        ("gb18030", "数据"),
        ("gb18030", "# hi\n数据库在哪里\n"),
        ("big5", "# 會議記錄\n今天討論了資料庫遷移的時間，決定在六月完成。\n"),
        ("big5", "資料庫"),
        ("shift_jis", "# 会議メモ\n今日はデータベースの移行について話しました。\n"),
        ("euc_kr", "# 회의 기록\n오늘 데이터베이스 이전에 대해 이야기했습니다.\n"),
        ("cp1252", "# Réunion\nNous avons décidé de déplacer la base à l'été – “voilà”.\n"),
        ("cp1252", "café"),
        ("cp1251", "# Встреча\nМы решили перенести базу данных в июне.\n"),
        ("utf-16-le", "# Hello 数据库\n"),
        ("utf-16-be", "# 会议记录\n今天\n"),
    ],
)
def test_encodings_without_a_mark_are_told_and_named(encoding: str, text: str) -> None:
    found = decode(text.encode(encoding))
    assert (found.text, found.encoding) == (text, encoding)
    assert f"read as {encoding}" in found.warning


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_dropped(encoding: str) -> None:
    found = decode("hi 数据\r\n".encode(encoding))
    assert found.text == "hi 数据\r\n"
    assert found.warning == ""


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=60))
def test_utf8_is_read_as_it_is(text: str) -> None:
    text = text.lstrip("\ufeff")
    found = decode(text.encode())
    assert (found.text, found.encoding, found.warning) == (text, "utf-8", "")


def test_a_few_bad_bytes_are_replaced_counted_and_placed_f15() -> None:
    found = decode("数据库迁移\n".encode() * 3 + b"x \xff y\n" + b"\xc3(\n")
    assert found.text == "数据库迁移\n" * 3 + "x \ufffd y\n\ufffd(\n"
    assert found.encoding == "utf-8"
    assert found.warning == "2 places are no UTF-8 and became replacement characters, the first in line 4"


def test_a_stray_byte_in_english_is_damage_and_not_another_script_f15() -> None:
    found = decode(b"# Note\n\nbad \xff byte, " + b"plain words " * 50)
    assert found.encoding == "utf-8"
    assert "1 place is no UTF-8" in found.warning
    assert "line 3" in found.warning


def test_half_a_character_in_a_long_file_is_damage_f15() -> None:
    found = decode(b"plain words\n" * 50 + b" \xe2\x80 x")
    assert (found.encoding, found.text[-4:]) == ("utf-8", " \ufffd x")


def test_replacement_characters_that_were_there_are_not_counted() -> None:
    assert decode("x\ufffdy \ufffd".encode() + b" \xff").warning.startswith("1 place is ")


def test_a_cut_utf16_file_is_read_to_its_end() -> None:
    found = decode("hi\n".encode("utf-16") + b"\x61")
    assert found.text == "hi\n\ufffd"
    assert "line 2" in found.warning


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01",
        b"abc\x00def\n",
        b"abc\x00def",
        b"\x01\x02\x03\x04abc\x0e\x0f",
        bytes(range(256)) * 4,
        b"\x7fELF\x02\x01\x01" + b"\x00" * 40,
        "a\x00b".encode("utf-16"),
    ],
)
def test_binary_files_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(InvalidInputError, match="binary file"):
        decode(data)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        found = decode(data)
    except InvalidInputError:
        return
    assert "\x00" not in found.text
    assert "\n" not in found.warning


def test_an_empty_file_is_text() -> None:
    assert decode(b"").text == ""
