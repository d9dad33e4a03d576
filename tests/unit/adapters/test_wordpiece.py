"""Our WordPiece against the tokenizers library over the same vocabulary."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.adapters.embedders import wordpiece
from tercet.adapters.embedders.model_folder import WordPieceTokenizer
from tercet.adapters.embedders.wordpiece import WordPiece, bundled_vocabulary, read_vocabulary
from tercet.errors import ConfigurationError, ModelIntegrityError

VOCABULARY = bundled_vocabulary()
OURS = WordPiece(VOCABULARY)

FIXED = (
    "Hello, world!",
    "The café's crème brûlée costs €4.50 — naïve, isn't it?",
    "我们明天在北京开会。",
    "日本語のテキスト、カタカナとひらがな。",
    "한국어 문장입니다",
    "Straße ÅNGSTRÖM İstanbul ΣΊΣΥΦΟΣ ΟΔΟΣ",
    "emoji 🙂👩‍👩‍👧 flags 🇮🇪 and ♥️",
    "zero\u200bwidth\u200djoiner \ufeffbom soft\u00adhyphen",
    "tabs\tand\nlines\r\nand\u2028separators\u00a0nbsp\u3000wide",
    "a" * 150 + " " + "b" * 100 + " " + "c" * 101,
    "https://example.org/a/b?c=d&e=f#g user@example.com",
    "def f(x): return x**2 + y_z  # comment",
    "x\x00y\ufffdz \x07bell \x7fdel \x85next",
    "e\u0301 decomposed, \u1e69 stacked, ﬁ ligature, Ⅷ roman, ½",
    "नमस्ते दुनिया",
    "مرحبا بالعالم",
    "שלום עולם",
    "สวัสดีชาวโลก",
    "𠀀𪜀 rare ideographs \U0002f800 and \uf900",
    "«quotes» „low“ ‚single‘ … ‐ – —",
    "$+<=>^`|~ ascii symbols are punctuation here",
    "",
    "   ",
    "don't   stop---now!!!",
    "3,141,592.65 2026-01-05T12:00:00Z v1.2.3-rc.4",
)
WORDS = tuple(word for text in FIXED for word in text.split()) + tuple(VOCABULARY[1996:30522:97])
# The library, our Python and BERT carry different versions of Unicode; characters as old as 3.2 are
# in all of them. Four were given another category since.
RECATEGORISED = "\u166d\u1734\u1885\u1886"
CHARACTERS = st.characters(codec="utf-8", exclude_characters=RECATEGORISED).filter(
    lambda char: unicodedata.ucd_3_2_0.category(char) != "Cn"
) | st.sampled_from("漢字仮名カナ한글🙂ﬁ\u3000，。！？𠀀\u200b\U0001fae8")


@pytest.fixture(scope="module")
def library():
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {token: at for at, token in enumerate(VOCABULARY)},
            unk_token="[UNK]",  # noqa: S106 - no password
            max_input_chars_per_word=100,
        )
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return made


def ours(text):
    return OURS.ids(text, 100_000)


@pytest.mark.parametrize("text", FIXED)
def test_fixed_texts_give_the_librarys_ids(library, text):
    assert ours(text) == library.encode(text).ids


def test_thousands_of_mixed_texts_give_the_librarys_ids(library):
    chosen = random.Random(7)
    texts = [
        "".join(chosen.choice(WORDS) + chosen.choice((" ", "", ", ", "\n", "-")) for _ in range(12))
        for _ in range(4000)
    ]
    differing = [
        text for text, found in zip(texts, library.encode_batch(texts), strict=True) if ours(text) != found.ids
    ]
    assert differing == []


@settings(max_examples=400, deadline=None)
@given(st.text(CHARACTERS, max_size=40))
def test_any_text_gives_the_librarys_ids(library, text):
    assert ours(text) == library.encode(text).ids


def test_control_tokens_frame_the_ids_and_the_length_is_kept():
    found = OURS.encode("one two three four", 5)
    assert (found[0], found[-1], len(found)) == (OURS.start, OURS.end, 5)
    assert found[1:-1] == ours("one two three")


def test_a_text_that_spells_a_control_token_stays_text():
    assert OURS.end not in ours("ignore [SEP] this [CLS]")


def test_pairs_get_two_segments_and_the_longer_side_is_cut():
    pair = WordPieceTokenizer(OURS).encode_pair("one two", "a b c d e f g h", 9)
    assert len(pair.ids) == len(pair.types) == 9
    assert pair.ids == [OURS.start, *ours("one two"), OURS.end, *ours("a b c d"), OURS.end]
    assert pair.types == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    turned = WordPieceTokenizer(OURS).encode_pair("a b c d e f g h", "one two", 9)
    assert turned.ids == [OURS.start, *ours("a b c d"), OURS.end, *ours("one two"), OURS.end]


def test_a_cased_vocabulary_keeps_case_and_accents():
    cased = WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "Café", "café"], lower_case=False)
    assert cased.ids("Café café", 9) == [4, 5]


def test_the_word_cache_is_bounded_and_does_not_change_answers(monkeypatch):
    monkeypatch.setattr(wordpiece, "_CACHED_WORDS", 3)
    small = WordPiece(VOCABULARY)
    text = "one two three four five one two"
    assert small.ids(text, 99) == ours(text)
    assert len(small._words) <= 3


def test_a_changed_bundled_vocabulary_is_refused(monkeypatch, tmp_path):
    import gzip

    other = tmp_path / "vocab.txt.gz"
    other.write_bytes(gzip.compress("\n".join(VOCABULARY[:-1]).encode()))
    monkeypatch.setattr(wordpiece, "_BUNDLED", other)
    with pytest.raises(ModelIntegrityError, match="install tercet again"):
        bundled_vocabulary()


def test_a_file_that_is_no_vocabulary_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"vocab\.txt"):
        read_vocabulary(tmp_path / "vocab.txt")
    with pytest.raises(ConfigurationError, match=r"\[UNK\]"):
        WordPiece(["just", "words"])


def test_windows_line_ends_do_not_become_part_of_tokens(tmp_path):
    (tmp_path / "vocab.txt").write_bytes(b"[PAD]\r\n[UNK]\r\nword\r\n")
    assert read_vocabulary(tmp_path / "vocab.txt") == ["[PAD]", "[UNK]", "word"]
