"""Pure: what a note may be called, as keys under which the index looks it up."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tercet.text.indexed_text import stem_of
from tercet.text.notes.links import comparable
from tercet.text.scripts import CJK_LETTERS
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tercet.model import Note

PASSAGE_PREFIX: Final = "note-"
"""Ids of notes in answers begin so; no other layer's do."""

_UNSEGMENTED: Final = re.compile(f"[{CJK_LETTERS}]")

MAX_NAME_TERMS: Final = 8
"""Longer titles are nobody's name in the middle of a sentence."""


def passage_id(agent: str, path: str) -> str:
    """Return the id under which a note stands in answers: the same as long as its file keeps its place."""
    return PASSAGE_PREFIX + hashlib.sha256(f"{agent}\0{path}".encode()).hexdigest()[:24]


def names_of(note: Note) -> tuple[str, ...]:
    """Return what a note is called: its title, its aliases, and its file's name, by which links name it."""
    names: dict[str, str] = {}
    for name in (note.title, *note.aliases, stem_of(note.path)):
        names.setdefault(comparable(name), name)
    return tuple(names.values())


def keys_of(note: Note) -> tuple[str, ...]:
    """Return every key of a note: ids, path, names as written, and names as terms."""
    written = names_of(note)
    keys = [_exact("id", passage_id(note.scope.agent, note.path)), _exact("path", note.path)]
    if note.id:
        keys.append(_exact("id", note.id))
    keys.extend(_exact("name", name) for name in written)
    sequences = (name_terms(name) for name in written)
    keys.extend(terms_key(sequence) for sequence in sequences if 0 < len(sequence) <= MAX_NAME_TERMS)
    return tuple(dict.fromkeys(keys))


def ref_keys(ref: str) -> list[str]:
    """Return the keys that a ref may mean, the most exact first."""
    path = ref.removeprefix("wiki:")
    paths = [path] if path.casefold().endswith((".md", ".markdown")) else [path, f"{path}.md"]
    return [_exact("id", ref), *(_exact("path", each) for each in paths), _exact("name", ref)]


def mention_keys(text: str) -> dict[str, tuple[str, ...]]:
    """Return the key of each run of terms in a text, with the run.

    A note may be mentioned where one of its names is such a run; of Chinese, bigrams stand for words.
    """
    sequence = terms(text)
    runs = (tuple(run) for length in range(1, MAX_NAME_TERMS + 1) for run in _windows(sequence, length))
    return {terms_key(run): run for run in runs}


@lru_cache(maxsize=32_768)
def name_terms(name: str) -> tuple[str, ...]:
    """Return the terms of a title or alias in order; remembered."""
    return tuple(terms(name))


def terms_key(sequence: Sequence[str]) -> str:
    """Return the key of a name as terms."""
    return "terms:" + " ".join(sequence)


def is_written_in(name: str, text: str) -> bool:
    """Tell whether a name stands in a text as whole words, whatever its case; Chinese knows no words."""
    wanted = comparable(" ".join(name.split()))
    if not wanted:
        return False
    before = "" if _UNSEGMENTED.match(wanted[0]) else r"(?<!\w)"
    after = "" if _UNSEGMENTED.match(wanted[-1]) else r"(?!\w)"
    return re.search(before + re.escape(wanted) + after, comparable(" ".join(text.split()))) is not None


def holds_run(sequence: Sequence[str], run: Sequence[str]) -> bool:
    """Tell whether a run of terms stands in a sequence as it is; an empty run stands nowhere."""
    return bool(run) and any(tuple(window) == tuple(run) for window in _windows(sequence, len(run)))


def _windows(sequence: Sequence[str], length: int) -> Iterator[Sequence[str]]:
    return (sequence[start : start + length] for start in range(len(sequence) - length + 1))


def _exact(kind: str, text: str) -> str:
    return f"{kind}:{comparable(' '.join(text.split()))}"
