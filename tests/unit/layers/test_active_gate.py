"""When a session is extracted: the three thresholds, all of them, exactly."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.layers.active.gate import ExtractionGate
from tercet.ports.windows import SessionMemoryState

REACHED = (4000, 8, 4)
SHORT = (3999, 7, 3)


@pytest.mark.parametrize("reached", list(itertools.product((False, True), repeat=3)))
def test_the_gate_opens_only_when_all_three_are_reached(reached: tuple[bool, bool, bool]) -> None:
    """All eight combinations, each count exactly at its threshold or one short of it."""
    counts = [REACHED[n] if is_reached else SHORT[n] for n, is_reached in enumerate(reached)]
    assert ExtractionGate().is_due(SessionMemoryState(*counts)) is (reached == (True, True, True))


@settings(max_examples=60)
@given(st.tuples(*[st.integers(0, 20)] * 3), st.tuples(*[st.integers(0, 20)] * 3))
def test_each_threshold_can_be_set_and_more_never_closes_the_gate(
    least: tuple[int, int, int], counts: tuple[int, int, int]
) -> None:
    gate = ExtractionGate(*least)
    is_due = gate.is_due(SessionMemoryState(*counts))
    assert is_due == all(count >= floor for count, floor in zip(counts, least, strict=True))
    if is_due:
        assert gate.is_due(SessionMemoryState(counts[0] + 1, counts[1], counts[2]))


@pytest.mark.parametrize("name", ["min_tokens", "min_tool_calls", "min_turns"])
def test_a_negative_threshold_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match=name):
        ExtractionGate(**{name: -1})
