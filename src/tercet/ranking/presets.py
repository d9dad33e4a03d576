"""The formulas as data: every weight and constant by name.

A preset holds numbers and switches, never code: one pipeline reads them. Figures quoted are from
the measurements behind the design (MRR@10 on the development parts, builtin embedder).
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tercet.errors import InvalidInputError
from tercet.ranking.formula import PENALTIES, SIGNALS, Calibration, Preset, Weights
from tercet.ranking.sources import SOURCES, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CLASSIC",
    "DEFAULT_PRESET",
    "ENTRY_SEARCH",
    "HYBRID",
    "PRESETS",
    "TUNED",
    "Preset",
    "option_names",
    "preset_named",
    "preset_with",
]


def _alike(weights: Weights) -> dict[Source, Weights]:
    return dict.fromkeys(SOURCES, weights)


CLASSIC = Preset(
    name="classic",
    weights=_alike(Weights(vector=0.4, keyword=0.25, header=0.1, path=0.25)),
    weak=Weights(vector=0.85, keyword=0.05, header=0.05, path=0.05),
    weak_below=0.1,
    keyword_form="share",
    date_multiplier=3.0,
    prf_below=0.45,
)
"""The seed formula: four signals, adaptive weights, date x3, feedback."""

HYBRID = Preset(
    name="hybrid",
    weights=_alike(Weights(vector=0.7, keyword=0.3)),
    template_penalty=0.9,
    collapse=True,
    k_fixed=200,
)
"""Vector and saturated BM25, both weights on every branch."""

_TURN_SCALE, _ENTRY_SCALE = 0.42, 0.57
"""Kinds of source are weighed apart and then brought to one level: no order within a kind moves.

At the signals of a usual answer (cosine .5, keyword .3, coverage and rare .6, pair .3, surroundings nearly as
good as itself) turn, chunk and entry all come to .55, so that none of them crowds out the others.
"""


def _scaled(weights: Weights, factor: float) -> Weights:
    return Weights(**{name: factor * getattr(weights, name) for name in SIGNALS})


_TURN = Weights(
    vector=0.6,
    keyword=0.9,
    coverage=0.15,
    pair=0.2,
    number=0.3,
    header=0.1,
    path=0.1,
    date=0.3,
    speaker=0.3,
    neighbour=0.48,
    parent=0.36,
    sibling=0.48,
    reply=0.2,
    assistant=-0.25,
    later=-0.3,
)
_ENTRY = Weights(
    vector=0.6,
    keyword=1.0,
    coverage=0.15,
    rare=0.3,
    pair=0.3,
    header=0.2,
    path=0.1,
    date=0.2,
    speaker=0.3,
    reply=0.2,
    assistant=-0.25,
    later=-0.3,
)
"""Lone entries and whole documents.

``rare`` takes MRR / recall@10 of 600 Chinese documents from .892/.925 to .903/.929 and leaves
abstracts where they are (.687/.841, .690/.839); turns and chunks do no better with it.
"""
_CHUNK = Weights(vector=0.6, keyword=0.35, coverage=0.1, pair=0.3, header=0.1, path=0.1, date=0.3)
"""A small lexical weight: half of the questions to folders cross languages."""
TUNED = Preset(
    name="tuned",
    weights={
        "turn": _scaled(_TURN, _TURN_SCALE),
        "chunk": _CHUNK,
        "note": _CHUNK,
        "entry": _scaled(_ENTRY, _ENTRY_SCALE),
    },
    length_b={"turn": 0.3, "chunk": 0.75, "note": 0.75, "entry": 0.75},
    # As long as a chunk. MRR / recall@10 of chats with long messages .752/.770 to .756/.781, of abstracts
    # .689/.839 to .691/.840; from 50 to 300 terms it is much the same, and short turns have none to spare.
    long_terms=200,
    keyword_power=1.5,
    seed_vector=0.5,
    seed_keyword=0.75,
    score_form="logistic",
    template_penalty=0.9,
    collapse=True,
    focus=True,
    focused=("turn",),
    sentences={"turn": 0.75, "chunk": 0.5, "note": 0.5, "entry": 0.75},
    date_alone=5.0,
    date_alone_days=2.0,
    date_alone_told=0.6,
    k_fixed=200,
    # For search a missing answer costs more than a weak one at the end of the list: .04 loses none of
    # 81 answerable questions to three development folders, .1 loses 4 % of them.
    min_score=0.04,
)
"""The default: absolute signals, weights by kind of source."""

ENTRY_SEARCH = Preset(
    name="entry",
    weights=_alike(Weights(vector=1.0)),
    vector_form="inverse_distance",
    limit=5,
    min_score=0.5,
    keyword_min_score=0.5,
)
"""The published search over captured entries: 1 / (1 + d), five results, threshold .5."""

PRESETS: Mapping[str, Preset] = {p.name: p for p in (CLASSIC, HYBRID, TUNED, ENTRY_SEARCH)}
DEFAULT_PRESET = "tuned"

_PLAIN: dict[str, tuple[float, float]] = {
    "weak_below": (0.0, 1.0),
    "long_terms": (0, 100000),
    "k1": (0.0, 10.0),
    "keyword_power": (0.25, 4.0),
    "keyword_power_alone": (0.25, 4.0),
    "seed_vector": (0.0, 1.0),
    "seed_keyword": (0.0, 1.0),
    "parent_depth": (1, 20),
    "neighbour_best": (0, 200),
    "date_days": (0.1, 3650.0),
    "date_days_file": (0.1, 3650.0),
    "date_reads": (0, 1000),
    "date_alone": (1.0, 10.0),
    "date_alone_days": (0.1, 3650.0),
    "date_alone_told": (0.0, 1.0),
    "date_multiplier": (1.0, 10.0),
    "newness_days": (1.0, 36500.0),
    "template_penalty": (0.0, 1.0),
    "prf_below": (0.0, 1.0),
    "prf_documents": (1, 20),
    "prf_terms": (1, 32),
    "prf_weight": (0.0, 1.0),
    "k_fixed": (0, 1000),
    "k_per_result": (1, 100),
    "k_cap": (1, 1000),
    "min_score": (0.0, 1.0),
    "keyword_min_score": (0.0, 1.0),
}
_WHOLE = frozenset(
    {
        "long_terms",
        "date_reads",
        "parent_depth",
        "neighbour_best",
        "prf_documents",
        "prf_terms",
        "k_fixed",
        "k_per_result",
        "k_cap",
    }
)
_BY_SOURCE = ("length_b", "sentences")
"""Constants in [0, 1] of which every kind of source has its own."""
_SWITCHES = ("collapse", "focus", "importance")
_WEIGHT_TOP = 5.0


def option_names() -> list[str]:
    """Return every name that ``preset_with`` takes, sorted.

    A bare signal name sets all kinds of source; ``chunk.parent`` sets one; ``weak.vector`` the
    weights for weak keywords; ``turn.length_b`` BM25's b, ``turn.sentences`` the part of sentences.
    """
    names = {*_PLAIN, *_SWITCHES, *SIGNALS, *_BY_SOURCE}
    names.update(f"{table}.{signal}" for table in (*SOURCES, "weak") for signal in SIGNALS if _is_weight(table, signal))
    names.update(f"{source}.{name}" for source in SOURCES for name in _BY_SOURCE)
    names.update(f"calibration.{f.name}" for f in fields(Calibration))
    return sorted(names)


def preset_named(name: str) -> Preset:
    """Return a preset.

    Raises:
        InvalidInputError: there is none of that name (permanent).
    """
    try:
        return PRESETS[name]
    except KeyError:
        msg = f"Unknown preset {name!r}: use one of {', '.join(sorted(PRESETS))}."
        raise InvalidInputError(msg) from None


def preset_with(name: str, overrides: Mapping[str, float | bool | int]) -> Preset:
    """Return a preset with some constants replaced.

    A bare signal name sets its weight for every kind of source. In the weak-keyword table of
    ``classic`` it does so only for 0, which removes the signal everywhere; other values there
    are set as ``weak.<signal>``.

    Args:
        name: ``classic``, ``hybrid``, ``tuned`` or ``entry``.
        overrides: Values by the names of ``option_names``. Weights are in [0, 5], that of a
            penalty in [-5, 0]; switches are true or false.

    Raises:
        InvalidInputError: an unknown name, or a value out of range or NaN (permanent).
    """
    preset = preset_named(name)
    # Bare names first, so that "chunk.parent" refines "parent" in whatever order they come.
    for option in sorted(overrides, key=lambda o: ("." in o, o)):
        preset = _with_one(preset, option, overrides[option])
    return preset


def _with_one(preset: Preset, option: str, value: float) -> Preset:
    if option in _SWITCHES:
        if value not in (0, 1):
            _refuse(option, value, "true or false")
        return _replaced(preset, option, bool(value))
    if option in _PLAIN:
        low, high = _PLAIN[option]
        number = _checked(option, value, low, high, whole=option in _WHOLE)
        return _replaced(preset, option, int(number) if option in _WHOLE else number)
    table, _, leaf = option.rpartition(".")
    if table == "calibration" and leaf in {f.name for f in fields(Calibration)}:
        low, high = _calibration_range(leaf)
        return replace(preset, calibration=replace(preset.calibration, **{leaf: _checked(option, value, low, high)}))
    if leaf in _BY_SOURCE and table in {"", *SOURCES}:
        checked, old = _checked(option, value, 0.0, 1.0), getattr(preset, leaf)
        return _replaced(preset, leaf, {s: checked if table in ("", s) else old[s] for s in SOURCES})
    if _is_weight(table, leaf):
        low, high = (-_WEIGHT_TOP, 0.0) if leaf in PENALTIES else (0.0, _WEIGHT_TOP)
        return _with_weight(preset, table, leaf, _checked(option, value, low, high))
    close = get_close_matches(option, option_names(), n=5, cutoff=0.5)
    meant = f"did you mean {', '.join(close)}?" if close else f"the signals are {', '.join(SIGNALS)}."
    msg = f"Unknown ranking option {option!r}: {meant}"
    raise InvalidInputError(msg)


def _replaced(preset: Preset, option: str, value: float | Mapping[Source, float]) -> Preset:
    change: dict[str, Any] = {option: value}  # Any: a field chosen by name, checked against the tables below
    return replace(preset, **change)


def _is_weight(table: str, signal: str) -> bool:
    """Tell whether a table has a weight; only turns have neighbours, and only entries can be too late."""
    if (signal == "neighbour" and table in {"chunk", "note", "entry"}) or (
        signal == "later" and table in {"chunk", "note"}
    ):
        return False
    return signal in SIGNALS and table in {"", *SOURCES, "weak"}


def _with_weight(preset: Preset, table: str, signal: str, value: float) -> Preset:
    weights = {s: replace(w, **{signal: value}) if table in ("", s) else w for s, w in preset.weights.items()}
    weak = preset.weak
    if weak is not None and (table == "weak" or (not table and value == 0.0)):
        weak = replace(weak, **{signal: value})
    return replace(preset, weights=weights, weak=weak)


def _calibration_range(leaf: str) -> tuple[float, float]:
    if leaf.endswith("bias"):
        return -20.0, 20.0
    if leaf == "background_mean":
        return -1.0, 1.0
    if leaf == "background_std":
        return 0.001, 1.0
    return 0.0, 20.0


def _checked(option: str, value: float, low: float, high: float, *, whole: bool = False) -> float:
    if isinstance(value, bool) or not math.isfinite(value) or not low <= value <= high:
        _refuse(option, value, f"{low:g} to {high:g}")
    if whole and value != int(value):
        _refuse(option, value, f"a whole number from {low:g} to {high:g}")
    return float(value)


def _refuse(option: str, value: float, valid: str) -> None:
    msg = f"Ranking option {option!r} is {value!r}: give {valid}."
    raise InvalidInputError(msg)
