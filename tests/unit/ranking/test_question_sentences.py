"""The sentences of a long question, and what a passage gains from one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tercet.model import TermStatistics
from tercet.ranking.pipeline import query_texts, rank
from tercet.ranking.presets import CLASSIC, TUNED, preset_with
from tercet.ranking.sentences import MAX_SENTENCES, question_sentences
from tercet.ranking.signals import query_vector, sentence_gain

_LONG = "We moved the gateway to the attic in March. Which port does nginx listen on now?"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (_LONG, ("We moved the gateway to the attic in March.", "Which port does nginx listen on now?")),
        ("我们三月搬了家。新房子的门牌号是多少？", ("我们三月搬了家。", "新房子的门牌号是多少？")),
        (
            "Ann opened the port, and where is the gateway now",
            ("Ann opened the port", "and where is the gateway now"),
        ),
        ("Where is the gateway?", ()),
        ("Thanks! Where is the gateway of Ann?", ()),
        ("red, green and blue paint", ()),
        ("", ()),
    ],
)
def test_only_a_question_of_several_full_sentences_has_some(text: str, sentences: tuple[str, ...]):
    assert question_sentences(text) == sentences


def test_at_most_six_the_longest_in_their_order():
    names = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak"]
    parts = [f"Item {n} holds {' '.join(names[:n])}." for n in range(1, 10)]
    assert question_sentences(" ".join(parts)) == tuple(parts[-MAX_SENTENCES:])


def test_they_follow_the_text_and_its_focus(build):
    asked, statistics = build.asks(_LONG), TermStatistics(10, 100, {})
    assert query_texts(asked, statistics, TUNED) == [_LONG, _LONG, *question_sentences(_LONG)]
    assert query_texts(asked, statistics, CLASSIC) == [_LONG]
    assert query_texts(asked, statistics, preset_with("tuned", {"sentences": 0})) == [_LONG]


def test_candidates_are_searched_by_text_and_focus_alone(build):
    vectors = np.stack([build.unit(1.0), build.unit(0.6), build.unit(-1.0)])
    assert query_vector(vectors, TUNED) == pytest.approx(query_vector(vectors[:2], TUNED))


def test_gain_is_how_much_nearer_the_best_sentence_is():
    cosines = np.array([[0.4, 0.5, 0.1, 0.7], [0.6, 0.2, 0.1, 0.5], [np.nan, np.nan, np.nan, np.nan]])
    assert sentence_gain(cosines) == pytest.approx([0.3, 0, 0])
    assert list(sentence_gain(cosines[:, :2])) == [0, 0, 0]


def test_a_passage_near_to_one_sentence_comes_before_one_half_near_to_all(build):
    rows = [build.row("half", cosine=0.55, kind="chunk", path="a.md"), build.row("near", kind="chunk", path="b.md")]
    rows[1] = replace(rows[1], vector=np.array([0.45, 0.0, 0.0, 0.893], dtype=np.float32))
    asked, statistics = build.asks(_LONG), build.statistics(rows)
    sentence = np.array([[0.0, 0.0, 0.0, 1.0]], dtype=np.float32)

    def first(vectors: np.ndarray) -> str:
        pool = build.candidates(rows)
        return rank(asked, pool, statistics, TUNED, query_vectors=vectors, now=build.now).hits[0].row.passage.id

    whole = np.concatenate([build.query_vectors, build.query_vectors])
    assert first(whole) == "half"
    assert first(np.concatenate([whole, sentence])) == "near"
