"""The rules of text that the skill carries are Tercet's own, and its stemmer gives the same stems."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
SNOWBALL = Stemmer.Stemmer("english", 0).stemWord
ENDINGS = (
    "at bl iz ed ing ingly edly eed eedly s es ies ied sses us y li ogi ogist ation ational al ness ful ize ous ion "
    "tt rr ll e l abli ative ment ement ent inter past gener succ proc commun univers evening dying news"
)


def loaded(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stem():
    return loaded(ROOT / "skills" / "enhanced-memory" / "scripts" / "english_stemmer.py").stem


def test_the_copy_is_that_of_the_source():
    rules = loaded(ROOT / "skills" / "vendor_rules.py")
    assert rules.differences() == [], "run 'python skills/vendor_rules.py' and commit what it writes"


def test_every_word_of_the_documents_has_the_stem_that_snowball_gives(stem):
    texts = [path.read_text("utf-8") for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "LICENSE")]
    words = {word for text in texts for word in re.findall("[a-z]+", text.lower())}
    assert len(words) > 1000
    assert {word: stem(word) for word in words} == {word: SNOWBALL(word) for word in words}


@given(st.lists(st.sampled_from([*ENDINGS.split(), *"aeiouybdrstwx"]), min_size=1, max_size=5).map("".join))
def test_so_has_every_word_that_is_built_of_its_endings(stem, word):
    assert stem(word) == SNOWBALL(word)
