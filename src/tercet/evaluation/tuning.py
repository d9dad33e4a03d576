"""Fits the main weights to a user's own questions, and refuses a fit that does not hold on others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.evaluation.signal_table import FITTED, collect_signals
from tercet.evaluation.uncertainty import Difference, paired_difference
from tercet.ranking.formula import SIGNALS
from tercet.ranking.presets import preset_with

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tercet.evaluation.runner import Search, Task
    from tercet.evaluation.signal_table import SignalTable
    from tercet.evaluation.systems import System
    from tercet.ranking.presets import Preset

FOLDS = 5
MIN_QUESTIONS = 20
MAX_P = 0.02
"""Of the held-out gain. Pure noise passed 5 of 300 times (12 of 300 at .05): the folds' fits are related."""
SEED = 20_260
PULL = 0.02
"""Cost of moving away: MRR lost per mean squared logarithm of the multipliers."""
STEPS = (0.0, 0.25, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 3.0)
"""What a weight is multiplied by."""
SWEEPS = 4
_ZERO_AS = 0.1
_TOP_WEIGHT = 5.0


@dataclass(frozen=True, slots=True)
class Tuning:
    """What came of a fit."""

    questions: int
    accepted: bool
    reason: str
    """One sentence."""
    default: float = 0.0
    """MRR@k of the weights as they are."""
    fitted: float = 0.0
    """MRR@k of weights fitted without the question they are judged by."""
    difference: Difference | None = None
    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    """For ``[retrieval.constants]``; empty when the weights stay as they are."""

    def as_json(self) -> dict[str, Any]:
        """Return the wire form."""
        found = self.difference
        return {
            "accepted": self.accepted,
            "reason": self.reason,
            "questions": self.questions,
            "default": round(self.default, 4),
            "fitted": round(self.fitted, 4),
            "p": None if found is None else round(found.p_value, 5),
            "constants": dict(self.constants),
        }

    def as_lines(self) -> list[str]:
        """Return the outcome in words and, after a good fit, what to paste into ``tercet.toml``."""
        lines = [f"tuning: {self.reason}"]
        if self.constants:
            lines += ["", "[retrieval.constants]"]
            lines += [f'"{name}" = {value:g}' for name, value in self.constants.items()]
        return lines


async def tune(
    search: Search, tasks: Sequence[Task], system: System, k: int, progress: Callable[[str, int, int], None] | None
) -> Tuning:
    """Collect the signals once, fit, and check on questions the fit has not seen.

    Args:
        search: The memory's.
        tasks: Questions; those without an answer are left out.
        system: What is fitted; its other constants stay.
        k: Hits that count in the figures.
        progress: Called while searches run.
    """
    preset = preset_with(system.preset, system.constants)
    table = await collect_signals(search, tasks, system, preset, progress)
    return fit_table(table, preset, k, system.constants)


def fit_table(table: SignalTable, preset: Preset, k: int, constants: Mapping[str, float]) -> Tuning:
    """Fit weights to a table and decide whether they may be recommended."""
    count = len(table.groups)
    if count < MIN_QUESTIONS:
        return Tuning(count, accepted=False, reason=f"{count} questions are too few: {MIN_QUESTIONS} are needed.")
    before, after = np.zeros(count), np.zeros(count)
    for held_out in folds(table.groups):
        rest = np.setdiff1d(np.arange(count), held_out)
        multipliers = fit(table.part(rest))
        before[held_out] = _mrr(table.part(held_out), np.ones(len(FITTED)), k)
        after[held_out] = _mrr(table.part(held_out), multipliers, k)
    difference = paired_difference(after.tolist(), before.tolist())
    default, fitted = float(before.mean()), float(after.mean())
    figures = (
        f"MRR@{k} {default:.3f} as it is, {fitted:.3f} fitted, on questions not fitted to (p {difference.p_value:.3f})"
    )
    if difference.mean <= 0 or difference.p_value > MAX_P:
        reason = f"the fit does not hold on other questions; keep the weights you have. {figures}."
        return Tuning(count, accepted=False, reason=reason, default=default, fitted=fitted, difference=difference)
    return Tuning(
        count,
        accepted=True,
        reason=f"the fit holds. {figures}.",
        default=default,
        fitted=fitted,
        difference=difference,
        constants={**constants, **_as_constants(preset, table, fit(table))},
    )


def fit(table: SignalTable) -> NDArray[np.float64]:
    """Return (f,) multipliers of the weights by coordinate ascent from 1.

    The best mean reciprocal rank less ``PULL`` times the distance from the weights as they are;
    among equals the step nearest to 1 wins, so that a signal that decides nothing stays.
    """
    multipliers = np.ones(len(FITTED))
    moving = [i for i in range(len(FITTED)) if table.addends[:, :, i].any()]
    best = _objective(table, table.rest + table.addends @ multipliers, multipliers, moving)
    for _ in range(SWEEPS):
        before = best
        for column in moving:
            others = table.rest + table.addends @ np.where(np.arange(len(FITTED)) == column, 0.0, multipliers)
            for step in sorted(STEPS, key=_distance):
                tried = multipliers.copy()
                tried[column] = step
                reached = _objective(table, others + step * table.addends[:, :, column], tried, moving)
                if reached > best + 1e-9:
                    best, multipliers = reached, tried
        if best <= before:
            break
    return multipliers


def folds(groups: Sequence[str]) -> list[NDArray[np.intp]]:
    """Return ``FOLDS`` parts of the questions' numbers; a group is never parted where there are enough."""
    names = sorted(set(groups))
    keys = list(groups) if len(names) >= FOLDS else [str(i) for i in range(len(groups))]
    names = sorted(set(keys))
    shuffled = np.random.default_rng(SEED).permutation(len(names))
    fold_of = {names[int(place)]: number % FOLDS for number, place in enumerate(shuffled)}
    numbers = np.array([fold_of[key] for key in keys])
    return [np.flatnonzero(numbers == fold) for fold in range(FOLDS)]


def _objective(
    table: SignalTable, keys: NDArray[np.float64], multipliers: NDArray[np.float64], moving: Sequence[int]
) -> float:
    pull = sum(_distance(float(multipliers[i])) ** 2 for i in moving) / max(1, len(moving))
    return float(table.reciprocal_ranks(keys).mean()) - PULL * pull


def _distance(step: float) -> float:
    return abs(float(np.log(max(step, _ZERO_AS))))


def _mrr(table: SignalTable, multipliers: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    found = table.reciprocal_ranks(table.rest + table.addends @ multipliers)
    return np.where(found >= 1.0 / k - 1e-12, found, 0.0)


def _as_constants(preset: Preset, table: SignalTable, multipliers: NDArray[np.float64]) -> dict[str, float]:
    """Return the weights of every kind of source found, their positive sum as before.

    The order rests on proportions alone; keeping the sum keeps the scores' range.
    """
    constants: dict[str, float] = {}
    by_name: dict[str, float] = dict(zip(FITTED, multipliers.tolist(), strict=True))
    for source in table.sources:
        held = {name: float(getattr(preset.weights[source], name)) for name in SIGNALS}
        moved = {name: weight * by_name.get(name, 1.0) for name, weight in held.items()}
        scale = _positive_sum(held) / (_positive_sum(moved) or 1.0)
        for name, weight in moved.items():
            if held[name]:
                constants[f"{source}.{name}"] = round(min(_TOP_WEIGHT, weight * scale), 3)
    return constants


def _positive_sum(weights: Mapping[str, float]) -> float:
    return sum(weight for weight in weights.values() if weight > 0)
