"""Corpora to search: rows of JSON lines as passages, each corpus in a scope of its own."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError
from tercet.evaluation.json_lines import moment_field, read_objects, text_field
from tercet.evaluation.questions import read_questions
from tercet.model import Passage, Scope
from tercet.text.indexed_text import is_named_by_identifier

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from tercet.evaluation.json_lines import Fields
    from tercet.evaluation.questions import Question

CORPUS_FILE = "corpus.jsonl"
QUESTIONS_FILE = "queries.jsonl"
ANCHOR = "eval:"
_ID_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages of one scope, with the questions that are asked of them alone."""

    name: str
    scope: Scope
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    now: datetime | None
    """The latest time in it: the "now" of questions that name none; None without times."""


def row_id(passage: Passage) -> str:
    """Return the id a passage has in its corpus file; ids of two files may be the same."""
    before, separator, after = passage.id.partition(_ID_SEPARATOR)
    return after if separator else before


def read_corpora(corpus: Path, questions: Path | None, agent: str, *, by_conversation: bool = False) -> list[Corpus]:
    """Read corpora with their questions.

    Args:
        corpus: A file of ``{id, text, timestamp?, header?, path?, speaker?, session?, conv?}`` a line,
            or a folder with ``corpus.jsonl`` and ``queries.jsonl`` in it or in its sub-folders.
        questions: The questions of a corpus file; None with a folder, which holds them.
        agent: Whose scopes these are.
        by_conversation: Part a file by its rows' ``conv``; questions then search theirs alone.

    Raises:
        NotFoundError: a file is missing, or a folder holds no corpus (permanent).
        InvalidInputError: a line is wrong, or a question names an id the corpus has not (permanent).
    """
    corpora: list[Corpus] = []
    for name, corpus_file, question_file in _sets(corpus, questions):
        passages = _read_passages(corpus_file)
        asked = read_questions(question_file, group=name)
        parts = _parted(name, passages, asked) if by_conversation else [(name, [p for _, p in passages], asked)]
        for part_name, part, part_questions in parts:
            _check_gold(part_name, part, part_questions)
            scope = Scope(agent, f"{ANCHOR}{len(corpora)}:{part_name}")
            scoped = tuple(_in_scope(passage, scope, len(corpora)) for passage in part)
            now = max((p.timestamp for p in part if p.timestamp is not None), default=None)
            corpora.append(Corpus(part_name, scope, scoped, tuple(part_questions), now))
    return corpora


def _sets(corpus: Path, questions: Path | None) -> list[tuple[str, Path, Path]]:
    if not corpus.is_dir():
        if questions is None:
            msg = f"{corpus} is a file: give the file of its questions too."
            raise InvalidInputError(msg)
        return [(corpus.parent.name if corpus.name == CORPUS_FILE else corpus.stem, corpus, questions)]
    folders = sorted({file.parent for file in (*corpus.glob(CORPUS_FILE), *corpus.glob(f"*/{CORPUS_FILE}"))})
    found = [(folder.name, folder / CORPUS_FILE, folder / QUESTIONS_FILE) for folder in folders]
    if not found:
        msg = f"{corpus} holds no {CORPUS_FILE}, nor does a folder in it: give the folder of a corpus."
        raise NotFoundError(msg)
    if questions is not None:
        if len(found) > 1:
            msg = f"{corpus} holds {len(found)} corpora with questions of their own: leave out {questions}."
            raise InvalidInputError(msg)
        return [(found[0][0], found[0][1], questions)]
    return found


def _read_passages(file: Path) -> list[tuple[str, Passage]]:
    turns: Counter[str] = Counter()
    found: dict[str, tuple[str, Passage]] = {}
    for place, fields in read_objects(file):
        session = text_field(place, fields, "session")
        passage = _passage(place, fields, session, turns[session])
        turns[session] += 1
        if passage.id in found:
            msg = f"{place}: the id {passage.id!r} stands twice: ids must be unique."
            raise InvalidInputError(msg)
        found[passage.id] = (text_field(place, fields, "conv"), passage)
    if not found:
        msg = f"{file} holds no passage: write one JSON object a line."
        raise InvalidInputError(msg)
    return _with_whole_documents(list(found.values()))


def _passage(place: str, fields: Fields, session: str, ordinal: int) -> Passage:
    text = text_field(place, fields, "text", required=True)
    path = text_field(place, fields, "path")
    # A turn of a conversation is an entry, whatever file the set was converted from.
    is_chunk = bool(path) and not session
    return Passage(
        id=text_field(place, fields, "id", required=True),
        kind="chunk" if is_chunk else "entry",
        scope=Scope(""),
        text=text,
        header=text_field(place, fields, "header"),
        root="eval" if is_chunk else "",
        path=path if is_chunk else "",
        start_line=1 if is_chunk else 0,
        end_line=text.count("\n") + 1 if is_chunk else 0,
        timestamp=moment_field(place, fields, "timestamp"),
        speaker=text_field(place, fields, "speaker"),
        session=session,
        ordinal=ordinal if session else 0,
    )


def _with_whole_documents(rows: Sequence[tuple[str, Passage]]) -> list[tuple[str, Passage]]:
    """Make entries of the chunks that are a whole document each: the only row of their path.

    Such a row is no part of anything, and its own words have to be enough to find it. A name that
    is an identifier goes; one of words or a day stays and counts.
    """
    held = Counter(passage.path for _, passage in rows)
    return [
        (conversation, _as_document(passage) if passage.path and held[passage.path] == 1 else passage)
        for conversation, passage in rows
    ]


def _as_document(passage: Passage) -> Passage:
    path = "" if is_named_by_identifier(passage.path) else passage.path
    return replace(passage, kind="entry", root="", path=path, start_line=0, end_line=0)


def _parted(
    name: str, passages: Sequence[tuple[str, Passage]], questions: Sequence[Question]
) -> list[tuple[str, list[Passage], list[Question]]]:
    parts: dict[str, tuple[list[Passage], list[Question]]] = {}
    for conversation, passage in passages:
        parts.setdefault(conversation or name, ([], []))[0].append(passage)
    for question in questions:
        if question.group not in parts:
            msg = f"Question {question.id!r} is about {question.group!r}, of which {name} has no passage."
            raise InvalidInputError(msg)
        parts[question.group][1].append(question)
    return [(part, rows, asked) for part, (rows, asked) in parts.items() if asked]


def _check_gold(name: str, passages: Sequence[Passage], questions: Sequence[Question]) -> None:
    ids = {passage.id for passage in passages}
    for question in questions:
        for answer in question.gold:
            if not isinstance(answer, str):
                msg = f"Question {question.id!r} names lines of a file: a corpus is asked for ids."
                raise InvalidInputError(msg)
            if answer not in ids:
                msg = f"Question {question.id!r} names {answer!r}, which is not in the corpus {name}."
                raise InvalidInputError(msg)


def _in_scope(passage: Passage, scope: Scope, number: int) -> Passage:
    # The hash parts equal ids of two files, and lets the first ids of a scope be a random sample of it.
    digest = hashlib.sha256(f"{number}:{passage.id}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return replace(passage, id=f"{digest}{_ID_SEPARATOR}{passage.id}", scope=scope)
