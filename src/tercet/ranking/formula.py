"""What a ranking formula is made of: weights by signal, constants and switches.

Numbers only, never code: one pipeline reads them. The formulas themselves are in ``presets``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal

from tercet.ranking.sources import SOURCES, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

KeywordForm = Literal["share", "bm25"]
VectorForm = Literal["cosine", "inverse_distance"]
ScoreForm = Literal["sum", "logistic"]

LEXICAL = ("keyword", "coverage", "rare", "pair", "number", "header", "path")
"""Signals made of terms alone; the mode ``vector`` leaves them out."""
PENALTIES = ("assistant", "later")
"""Signals whose weight is negative."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each signal; the names are those of the parts of an explanation."""

    vector: float = 0.0
    """Cosine of query and passage."""
    keyword: float = 0.0
    """Share of the query's terms found, or saturated BM25."""
    coverage: float = 0.0
    """Idf-weighted share of the query's terms found."""
    rare: float = 0.0
    """The same weighted by the cube of the idf: the rarest terms, names above all, decide."""
    pair: float = 0.0
    """Idf-weighted share of the query's adjacent terms that stand close together."""
    number: float = 0.0
    """Share of the query's terms with a digit found."""
    header: float = 0.0
    """Share of the query's terms found in the heading path or title."""
    path: float = 0.0
    """Share of the query's terms found in the path."""
    date: float = 0.0
    """Nearness to a date that the query names."""
    speaker: float = 0.0
    """The query names the passage's speaker."""
    newness: float = 0.0
    """How new, for questions after the latest value."""
    neighbour: float = 0.0
    """The better of the turns before and after."""
    parent: float = 0.0
    """The best passages of the same file or conversation."""
    sibling: float = 0.0
    """The best other passage of the same file or conversation."""
    reply: float = 0.0
    """Said by the assistant, and the question asks for that."""
    assistant: float = 0.0
    """Penalty (<= 0): said by the assistant, and the question does not ask for that."""
    later: float = 0.0
    """Penalty (<= 0): an entry of a later day than the question; a memory cannot be younger than that."""


SIGNALS: tuple[str, ...] = tuple(f.name for f in fields(Weights))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic over absolute signals: 1 / (1 + exp(-(bias + sum of factor * signal))).

    Factors are >= 0, so that more evidence never shows a lower score. Where a background measured in
    the store is given, the ``measured_*`` set is used, with no query vector the ``keyword_*`` set.

    Source: fitted with the builtin embedder on 27,400 hits of eight sets (four folders,
    conversations, chats, Chinese messages, abstracts, Chinese documents; each set weighs the same)
    to tell the right passages from those found for questions of other sets. With each set left
    out in turn, the area under the curve on it is .94 (folders, half of whose questions cross
    languages) to 1.00, .98 in the mean. It is at chance for questions on the right topic whose
    fact is absent. ``other`` is of an earlier fit, in which dates had a part.
    """

    bias: float = -0.68
    cosine_z: float = 1.66
    """Per standard deviation of the cosine above the background."""
    coverage: float = 7.3
    saturation: float = 2.7
    other: float = 3.92
    """Per unit of the weighted date, number, speaker and newness signals."""
    measured_bias: float = -0.8
    measured_cosine_z: float = 1.83
    measured_coverage: float = 8.0
    measured_saturation: float = 2.5
    keyword_bias: float = -1.94
    keyword_coverage: float = 10.7
    keyword_saturation: float = 0.0
    """Beside the coverage it tells nothing more."""
    background_mean: float = 0.32
    """Of the builtin model, and of a store too small for a sample of its own."""
    background_std: float = 0.12


@dataclass(frozen=True, slots=True)
class Preset:
    """One ranking formula."""

    name: str
    weights: Mapping[Source, Weights]
    weak: Weights | None = None
    """Weights for all when the best keyword signal among the candidates is below ``weak_below``."""
    weak_below: float = 0.0
    length_b: Mapping[Source, float] = field(default_factory=lambda: dict.fromkeys(SOURCES, 0.75))
    """BM25's b by kind of source."""
    long_terms: int = 0
    """Terms beyond which all of a passage's length counts, whatever its b; 0 is never."""
    k1: float = 1.2
    keyword_form: KeywordForm = "bm25"
    """The share of terms found (header and path then too), or BM25 and idf-weighted shares."""
    keyword_power: float = 1.0
    """Power of the saturated BM25; above 1 weak matches count less."""
    keyword_power_alone: float = 1.0
    """The same where there are no vectors: words then have to tell weak matches apart by themselves."""
    vector_form: VectorForm = "cosine"
    """Cosine, or 1 / (1 + squared L2)."""
    score_form: ScoreForm = "sum"
    """The sum itself, or calibrated by ``calibration``."""
    calibration: Calibration = field(default_factory=Calibration)
    seed_vector: float = 0.5
    """Vector's part in the seed score that neighbour and parent are made of."""
    seed_keyword: float = 0.5
    parent_depth: int = 1
    """Parent is the mean of this many best seeds of the group (1: the best)."""
    neighbour_best: int = 60
    """Adjacent turns are fetched for this many best candidates."""
    date_days: float = 7.0
    """Days outside the interval after which nearness has fallen to 1/e."""
    date_days_file: float = 7.0
    """The same for chunks and notes, whose names carry whole days."""
    date_reads: int = 60
    """Dates in the text are read for this many best candidates, those in paths and headings for all."""
    date_alone: float = 1.0
    """What the weight of the date is multiplied by when the query asks for nothing else.

    Other than 1, the words of relative dates have no weight then.
    """
    date_alone_days: float = 7.0
    """``date_days`` and ``date_days_file`` for such a query."""
    date_alone_told: float = 1.0
    """For such a query: what a date counts that is told in the text and is not the passage's own."""
    date_multiplier: float = 1.0
    """Multiplies passages of files of the date named."""
    newness_days: float = 180.0
    template_penalty: float = 0.0
    """A text of nothing but empty template has its score multiplied by 1 - this."""
    collapse: bool = False
    """Leave out later copies of one text, and all but the best of a family of empty templates."""
    focus: bool = False
    """Embed the query also without its common words."""
    focused: tuple[Source, ...] = SOURCES
    """With ``focus``: kinds of source that are compared with the mean of both; the others with the query."""
    sentences: Mapping[Source, float] = field(default_factory=lambda: dict.fromkeys(SOURCES, 0.0))
    """By kind of source: how much of what the best of the question's sentences is nearer than the whole is added."""
    importance: bool = True
    """Blend importance into the score."""
    prf_below: float = 0.0
    """Expand by feedback when the best score is below this and no date is named; 0 is never."""
    prf_documents: int = 3
    prf_terms: int = 5
    prf_weight: float = 0.5
    """Weight of an expansion term; the query's own weigh 1."""
    k_fixed: int = 0
    """Candidates per leg, whatever the limit; 0: the rule below."""
    k_per_result: int = 3
    k_cap: int = 50
    limit: int = 10
    min_score: float = 0.0
    """Default threshold on the composite score."""
    keyword_min_score: float = 0.0
    """The same where there are no vectors."""

    def weighs(self, signal: str) -> bool:
        """Tell whether any kind of source has a weight for a signal; one without need not be made."""
        tables = [*self.weights.values(), *([self.weak] if self.weak is not None else [])]
        return any(getattr(weights, signal) for weights in tables)

    @property
    def reads_dates(self) -> bool:
        """Whether a date that the query names changes any score."""
        return self.date_multiplier != 1.0 or any(weights.date for weights in self.weights.values())
