"""Passages, questions and answers made by hand."""

import pytest

from tercet.evaluation.judgement import judge
from tercet.evaluation.questions import Question, Span
from tercet.evaluation.runner import Outcome
from tercet.model import Explanation, Hit, Passage, Scope, SearchResult, SignalPart

SCOPE = Scope("main")


@pytest.fixture
def entry():
    def make(identity, text="text", **fields):
        return Passage(id=identity, kind="entry", scope=SCOPE, text=text, **fields)

    return make


@pytest.fixture
def lines():
    def make(path, start, end, text="text"):
        return Passage(f"{path}#{start}", "chunk", SCOPE, text, root="r", path=path, start_line=start, end_line=end)

    return make


@pytest.fixture
def ask():
    def make(*gold, also=(), text="a question", **fields):
        def read(answers):
            return tuple(Span(*answer) if isinstance(answer, tuple) else answer for answer in answers)

        defaults = {"id": "q", "kind": "unnamed", "language": "latin"}
        return Question(text=text, gold=read(gold), also_acceptable=read(also), **{**defaults, **fields})

    return make


@pytest.fixture
def hit():
    def make(passage, score=0.5, parts=(), multipliers=()):
        explained = tuple(SignalPart(name, value, weight, value * weight) for name, value, weight in parts)
        return Hit(passage, score, score, "semantic", "", Explanation("hybrid", explained, tuple(multipliers), ()))

    return make


@pytest.fixture
def outcome(entry, hit):
    def make(question, *ids, best=0.5, corpus=""):
        hits = tuple(hit(entry(identity)) for identity in ids)
        judged = judge(question, [each.passage for each in hits]) if question.gold else None
        return Outcome(question, corpus, hits, best, judged, None)

    return make


@pytest.fixture
def answering(hit, entry):
    """A search that answers each question text with prepared hits."""

    def make(answers):
        async def search(query, options):
            return SearchResult(list(answers[query][: options.limit]))

        return search

    return make
