"""One evaluation from its request to its report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.evaluation.corpora import read_corpora
from tercet.evaluation.questions import Span, read_questions
from tercet.evaluation.runner import Task, ask_all, measure_latency
from tercet.evaluation.summary import compare, summarise
from tercet.evaluation.systems import baseline_named
from tercet.evaluation.tuning import tune
from tercet.model import Reach
from tercet.ranking import abstention
from tercet.ranking.presets import preset_with

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from tercet.evaluation.bench import Bench
    from tercet.evaluation.runner import Outcome
    from tercet.evaluation.summary import Evaluation
    from tercet.evaluation.systems import System

    Progress = Callable[[str, int, int], None]
    """Called with what is being done, how much of it is done, and how much there is."""

MAX_K = 100

SHOWN_PATHS = 5

NO_SPACE = "none"
"""What ``Bench.space`` says when there is no embedder."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate."""

    questions: Path | None
    """None when ``corpus`` is a folder that holds them."""
    corpus: Path | None = None
    folder: Path | None = None
    """Markdown to index first; without it and without a corpus the home's own folders are asked."""
    baseline: str | None = None
    k: int = 10
    tune: bool = False
    by_conversation: bool = False

    @property
    def needs_own_home(self) -> bool:
        """Whether the home is filled for this evaluation and thrown away after it."""
        return self.corpus is not None or self.folder is not None


def check_request(request: Request, system: System) -> None:
    """Refuse what cannot be done before anything is indexed.

    Raises:
        InvalidInputError: permanent.
    """
    if not 1 <= request.k <= MAX_K:
        msg = f"k is {request.k}: give 1 to {MAX_K}."
        raise InvalidInputError(msg)
    if request.corpus is not None and request.folder is not None:
        msg = "A corpus and a folder are two ways to evaluate: give one of them."
        raise InvalidInputError(msg)
    if request.corpus is None and request.questions is None:
        msg = "There are no questions: give a file of one JSON object a line."
        raise InvalidInputError(msg)
    if request.by_conversation and request.corpus is None:
        msg = "Only a corpus is parted by conversation: give --corpus with --by-conversation, or leave both out."
        raise InvalidInputError(msg)
    preset_with(system.preset, system.constants)
    if request.baseline is not None:
        baseline_named(request.baseline, system)


async def evaluate(bench: Bench, request: Request, system: System, progress: Progress | None = None) -> Evaluation:
    """Fill the home where that is asked for, ask every question, and sum up.

    Raises:
        InvalidInputError, NotFoundError: questions, corpus or options are wrong (permanent).
        EmbedderUnavailableError: there would be no vectors to measure (transient).
    """
    check_request(request, system)
    space = await bench.space()
    if space == NO_SPACE:
        _refuse_vectors_without_embedder(request, system)
    tasks = await prepare_tasks(bench, request, progress)
    limit = max(request.k, 5)
    latency = await measure_latency(bench.search, tasks, system, limit=limit)
    outcomes = await ask_system(bench, tasks, system, limit, progress)
    evaluation = summarise(
        outcomes,
        k=request.k,
        threshold=threshold_of(system, has_vectors=space != NO_SPACE),
        latency=latency,
        preset=system.preset,
        space=space,
    )
    if request.corpus is None:
        evaluation = replace(evaluation, warnings=gold_warnings(tasks, await bench.paths()))
    if request.baseline is not None:
        baseline = baseline_named(request.baseline, system)
        other = await ask_system(bench, tasks, baseline, limit, progress)
        evaluation = replace(evaluation, comparison=compare(baseline.name, outcomes, other, request.k))
    if request.tune:
        evaluation = replace(evaluation, tuning=await tune(bench.search, tasks, system, request.k, progress))
    return evaluation


def _refuse_vectors_without_embedder(request: Request, system: System) -> None:
    # A search would answer by words and say so; its figures under the name of vectors would be invented.
    measured = [system] if request.baseline is None else [system, baseline_named(request.baseline, system)]
    if any(each.mode == "vector" for each in measured):
        msg = "Vectors cannot be measured without an embedder: set embedding.provider (it is none)."
        raise InvalidInputError(msg)


def gold_warnings(tasks: Sequence[Task], indexed: Collection[str]) -> tuple[str, ...]:
    """Say which files the questions name as right although no passage of theirs can be found."""
    named = {answer.path for task in tasks for answer in task.question.gold if isinstance(answer, Span)}
    missing = sorted(named.difference(indexed))
    if not missing:
        return ()
    shown = ", ".join(missing[:SHOWN_PATHS]) + (", ..." if len(missing) > SHOWN_PATHS else "")
    return (f"{len(missing)} of {len(named)} files named as right are not indexed, and count as never found: {shown}",)


def threshold_of(system: System, *, has_vectors: bool) -> float:
    """Return the score below which this system says nothing; without vectors the mode is by words."""
    mode = system.mode if has_vectors else "keyword"
    return abstention.threshold_of(system.min_score, preset_with(system.preset, system.constants), mode)


async def ask_system(
    bench: Bench, tasks: Sequence[Task], system: System, limit: int, progress: Progress | None = None
) -> list[Outcome]:
    """Return what a system answers, one outcome per task in their order, ``limit`` hits each."""

    def show(done: int, total: int) -> None:
        if progress is not None:
            progress(f"asking {system.name}", done, total)

    threshold = threshold_of(system, has_vectors=await bench.space() != NO_SPACE)
    return await ask_all(bench.search, tasks, system, limit=limit, threshold=threshold, progress=show)


async def prepare_tasks(bench: Bench, request: Request, progress: Progress | None = None) -> list[Task]:
    """Read the questions and fill the home with what they are asked of.

    Raises:
        InvalidInputError, NotFoundError: questions, corpus or folder are wrong (permanent).
        EmbedderUnavailableError: transient.
    """
    if request.corpus is not None:
        return await _corpus_tasks(bench, request, request.corpus, progress)
    if request.questions is None:
        return []  # refused by check_request
    questions = read_questions(request.questions)
    for question in questions:
        if not all(isinstance(answer, Span) for answer in question.gold):
            msg = f"Question {question.id!r} names an id: give the corpus that has it with --corpus."
            raise InvalidInputError(msg)
    await bench.index([str(request.folder)] if request.folder is not None else [])
    if not await bench.paths():
        place = "The folder holds no Markdown" if request.folder is not None else "Nothing is indexed in this home"
        msg = f"{place}, so nothing can be asked: run 'tercet index DIR' first, or give --folder or --corpus."
        raise InvalidInputError(msg)
    # Questions that name no time are asked at the latest one, so that a run repeats on another day.
    now = max((question.asked_at for question in questions if question.asked_at is not None), default=None)
    return [Task(question, now=now) for question in questions]


async def _corpus_tasks(bench: Bench, request: Request, corpus: Path, progress: Progress | None) -> list[Task]:
    corpora = read_corpora(corpus, request.questions, bench.agent, by_conversation=request.by_conversation)
    total = sum(len(each.passages) for each in corpora)
    before = 0
    tasks: list[Task] = []
    for each in corpora:

        def show(done: int, _of: int, before: int = before) -> None:
            if progress is not None:
                progress("indexing", before + done, total)

        await bench.ingest(each.scope, each.passages, show)
        before += len(each.passages)
        reach = Reach(each.scope.agent, (each.scope.anchor,))
        tasks.extend(Task(question, each.name, reach, each.now) for question in each.questions)
    return tasks
