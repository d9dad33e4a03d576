"""Turns beside a passage, and its file or conversation."""

from __future__ import annotations

import numpy as np
import pytest

from tercet.model import Passage, Scope
from tercet.ranking.context import neighbour_signal, parent_signal, sibling_signal, surroundings


def _turn(ordinal: int, session: str = "s", anchor: str = "") -> Passage:
    return Passage(f"{session}{ordinal}{anchor}", "entry", Scope("main", anchor), "x", session=session, ordinal=ordinal)


def _chunk(line: int, path: str = "a.md", root: str = "r") -> Passage:
    return Passage(f"{root}{path}{line}", "chunk", Scope("main"), "x", root=root, path=path, start_line=line)


def test_neighbours_are_the_turns_before_and_after_in_the_same_conversation():
    passages = [_turn(1), _turn(2), _turn(3), _turn(5), _turn(2, "other"), _turn(4, anchor="ann")]
    seeds = np.array([0.9, 0.1, 0.3, 0.8, 0.7, 0.6])
    assert list(neighbour_signal(surroundings(passages), seeds)) == [0.1, 0.9, 0.1, 0.0, 0.0, 0.0]


def test_files_have_no_neighbours():
    assert not neighbour_signal(surroundings([_chunk(1), _chunk(2)]), np.array([0.5, 0.6])).any()


def test_parent_is_the_best_of_the_file_and_a_lone_entry_its_own():
    lone = Passage("lone", "entry", Scope("main"), "x")
    passages = [_chunk(1), _chunk(9), _chunk(1, "b.md"), _chunk(1, "a.md", "other"), lone]
    seeds = np.array([0.2, 0.8, 0.5, 0.4, 0.3])
    assert list(parent_signal(surroundings(passages), seeds, 1)) == [0.8, 0.8, 0.5, 0.4, 0.3]


def test_deeper_parents_ask_for_several_good_passages():
    passages = [_chunk(1), _chunk(9), _chunk(1, "b.md")]
    assert list(parent_signal(surroundings(passages), np.array([0.4, 0.6, 0.8]), 2)) == [
        pytest.approx(0.5),
        pytest.approx(0.5),
        pytest.approx(0.4),
    ]


def test_a_sibling_is_the_best_of_the_others():
    lone = Passage("lone", "entry", Scope("main"), "x")
    passages = [_chunk(1), _chunk(9), _chunk(20), _chunk(1, "b.md"), lone]
    assert list(sibling_signal(surroundings(passages), np.array([0.2, 0.8, 0.5, 0.4, 0.3]))) == [
        0.8,
        0.5,
        0.8,
        0.0,
        0.0,
    ]
    assert list(sibling_signal(surroundings(passages[:3]), np.array([0.8, 0.8, 0.5]))) == [0.8, 0.8, 0.8]


def test_an_empty_pool_has_no_surroundings():
    nobody, nothing = surroundings([]), np.zeros(0)
    for signal in (
        neighbour_signal(nobody, nothing),
        parent_signal(nobody, nothing, 1),
        sibling_signal(nobody, nothing),
    ):
        assert len(signal) == 0
