"""What every index of notes keeps; subclass it and give ``index`` and ``recipe``."""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tercet.model import Claim, Note, Reach, Scope, TimeRange, WikiLink
from tercet.ports.note_index import NOTE_FIELDS, FileState, IndexedNote, NoteFilter
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.ports.note_index import NoteIndex

AGENT = "main"
EVERYONE = Reach(AGENT)
ANNA = "telegram:1"
BEN = "telegram:2"


def indexed(path: str, text: str = "", *, anchor: str = "", **fields: object) -> IndexedNote:
    """Return a note for the index; ``fields`` are those of ``Note``."""
    given: Mapping[str, object] = {"id": "", "title": path, "type": "", "body": "", "body_line": 1, **fields}
    note = Note(path=path, scope=Scope(AGENT, anchor), **given)  # type: ignore[arg-type]  # reason: tests' short form
    told = (note.title, "\n".join(note.aliases), "\n".join(note.tags), "\n".join(note.headings), text)
    return IndexedNote(
        note=note,
        text=text,
        state=FileState(len(text), 1, f"sha of {text}", 2),
        terms=tuple(tuple(terms(part)) for part in told),
        names=(note.title, *note.aliases),
        keys=(f"path:{path}", f"name:{note.title}"),
    )


class NoteIndexContract:
    """The promises of ``NoteIndex``, over an open and empty index of the agent ``main``."""

    @pytest.fixture
    def index(self) -> NoteIndex:
        """Return the index under test, open."""
        raise NotImplementedError

    async def found(self, index: NoteIndex, query: str, where: NoteFilter | None = None) -> list[str]:
        """Return the paths of the candidates for a query."""
        candidates = await index.candidates(terms(query), where or NoteFilter(EVERYONE), 10)
        return [candidate.path for candidate in candidates]

    async def test_finds_a_note_by_a_term_of_any_field(self, index: NoteIndex) -> None:
        note = indexed(
            "a.md", "about oolong", title="Berth", aliases=("Mooring",), tags=("harbour",), headings=("Winter",)
        )
        await index.apply([note, indexed("b.md", "nothing of it")])
        for word in ("berth", "moorings", "harbour", "winter", "oolong"):
            assert await self.found(index, word) == ["a.md"]
        assert await self.found(index, "summer") == []
        assert await index.candidates([], NoteFilter(EVERYONE), 10) == []

    @pytest.mark.parametrize(
        "word",
        [
            "C++",
            "C#",
            ".env",
            "a_b-c.d",
            "src/main.py",
            "me@example.org",
            "v1.2.3",
            "O'Neill",
            "王小明",
            "東京タワー",
            "naïve",
            "std::vec",
        ],
    )
    async def test_every_kind_of_term_stays_whole(self, index: NoteIndex, word: str) -> None:
        await index.apply([indexed("a.md", f"before {word} after", title="one"), indexed("b.md", "other", title="two")])
        statistics = await index.statistics(terms(word), EVERYONE)
        for term in terms(word):
            (candidate,) = await index.candidates([term], NoteFilter(EVERYONE), 10)
            assert candidate.path == "a.md"
            assert candidate.counts[-1] == (terms(word).count(term),)
            assert statistics.document_frequency[term] == 1

    async def test_counts_repeats_and_lengths_of_each_field(self, index: NoteIndex) -> None:
        await index.apply([indexed("a.md", "tea tea coffee tea", title="tea", tags=("tea", "cup"))])
        (candidate,) = await index.candidates(["tea", "coffe", "milk"], NoteFilter(EVERYONE), 10)
        assert dict(zip(NOTE_FIELDS, candidate.counts, strict=True)) == {
            "title": (1, 0, 0),
            "aliases": (0, 0, 0),
            "tags": (1, 0, 0),
            "headings": (0, 0, 0),
            "body": (3, 1, 0),
        }
        assert candidate.lengths == (1, 0, 2, 0, 4)

    async def test_a_reach_sees_its_own_anchors_alone(self, index: NoteIndex) -> None:
        await index.apply(
            [
                indexed("shared.md", "tea", title="s"),
                indexed("anna.md", "tea tea", title="x", anchor=ANNA),
                indexed("ben.md", "tea tea tea", title="x", anchor=BEN),
            ]
        )
        seen = {
            EVERYONE: {"shared.md"},
            Reach(AGENT, ("", ANNA)): {"shared.md", "anna.md"},
            Reach(AGENT, (BEN,)): {"ben.md"},
            Reach(AGENT, ()): set[str](),
            Reach("other", ("", ANNA, BEN)): set[str](),
        }
        for reach, paths in seen.items():
            assert set(await self.found(index, "tea", NoteFilter(reach))) == paths
            statistics = await index.statistics(["tea"], reach)
            assert statistics.documents == len(paths)
            assert statistics.document_frequency.get("tea", 0) == len(paths)
            assert set((await index.keyed(["name:x", "name:s"], reach)).get("name:x", [])) == paths - {"shared.md"}

    async def test_counts_of_a_reach_do_not_move_with_other_peoples_notes(self, index: NoteIndex) -> None:
        await index.apply([indexed("a.md", "tea with milk", anchor=ANNA)])
        before = await index.statistics(["tea", "milk"], Reach(AGENT, (ANNA,)))
        await index.apply([indexed(f"{n}.md", "tea " * n, anchor=BEN) for n in range(1, 5)])
        assert await index.statistics(["tea", "milk"], Reach(AGENT, (ANNA,))) == before

    async def test_a_filter_asks_for_type_and_time(self, index: NoteIndex) -> None:
        may, june = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
        await index.apply(
            [
                indexed("may.md", "tea", type="entity", created=may),
                indexed("june.md", "tea", type="concept", created=may, updated=june),
                indexed("never.md", "tea", type="concept"),
            ]
        )
        assert set(await self.found(index, "tea", NoteFilter(EVERYONE, ("concept",)))) == {"june.md", "never.md"}
        assert await self.found(index, "tea", NoteFilter(EVERYONE, (), TimeRange(june, None))) == ["june.md"]
        assert await self.found(index, "tea", NoteFilter(EVERYONE, (), TimeRange(None, june))) == ["may.md"]

    async def test_a_note_put_again_replaces_the_older_one(self, index: NoteIndex) -> None:
        await index.apply([indexed("a.md", "old tea", title="Old")])
        await index.apply([indexed("a.md", "new coffee", title="New")])
        assert await self.found(index, "tea old") == []
        assert await self.found(index, "coffee") == ["a.md"]
        assert [note.title for note in await index.notes()] == ["New"]
        assert await index.keyed(["name:Old", "name:New"], EVERYONE) == {"name:New": ["a.md"]}
        assert (await index.statistics(["new"], EVERYONE)).documents == 1

    async def test_a_note_taken_out_is_gone_from_everywhere(self, index: NoteIndex) -> None:
        await index.apply([indexed("a.md", "tea"), indexed("b.md", "tea")])
        await index.apply([], ["a.md", "unknown.md"])
        assert await self.found(index, "tea") == ["b.md"]
        assert list(await index.files()) == ["b.md"]
        assert [note.path for note in await index.notes()] == ["b.md"]
        assert await index.texts(["a.md", "b.md"]) == {"b.md": "tea"}

    async def test_gives_a_note_back_as_it_was_but_for_its_body(self, index: NoteIndex) -> None:
        made = indexed(
            "zh/王小明.md",
            "全文",
            id="n1",
            title="王小明",
            type="entity",
            tags=("朋友",),
            aliases=("Xiao Ming", "小明"),
            sources=("s1",),
            claims=(Claim("c1", "He lives in Lübeck.", "contested", 0.4), Claim("", "text")),
            headings=("生日",),
            links=(WikiLink("Anna", 7, "her", "Boat", is_embed=True),),
            created=datetime(2026, 5, 1, 9, 30, tzinfo=UTC),
            problems=((3, "odd"),),
        )
        await index.apply([made])
        assert await index.notes(["zh/王小明.md", "unknown.md"]) == [made.note]
        assert await index.notes() == [made.note]
        assert await index.texts(["zh/王小明.md"]) == {"zh/王小明.md": "全文"}

    async def test_remembers_what_a_file_was_like(self, index: NoteIndex) -> None:
        made = indexed("a.md", "tea")
        await index.apply([made])
        assert dict(await index.files()) == {"a.md": made.state}
        looked_at = FileState(3, 8, made.state.sha256, 9)
        await index.touch({"a.md": looked_at, "unknown.md": looked_at})
        assert dict(await index.files()) == {"a.md": looked_at}

    async def test_a_look_at_an_older_text_does_not_vouch_for_a_newer_one(self, index: NoteIndex) -> None:
        older, newer = indexed("a.md", "older"), indexed("a.md", "newer")
        await index.apply([newer])
        await index.touch({"a.md": FileState(5, 8, older.state.sha256, 9)})
        assert dict(await index.files()) == {"a.md": newer.state}

    async def test_picks_the_likeliest_when_there_are_too_many(self, index: NoteIndex) -> None:
        filler = "word " * 50
        await index.apply([indexed(f"{n}.md", f"tea {filler}", title=f"x{n}") for n in range(20)])
        await index.apply([indexed("best.md", "of tea", title="Tea")])
        candidates = await index.candidates(["tea"], NoteFilter(EVERYONE), 3)
        assert len(candidates) == 3
        assert candidates[0].path == "best.md"

    async def test_discard_leaves_an_empty_index_that_works(self, index: NoteIndex) -> None:
        await index.apply([indexed("a.md", "tea")])
        await index.discard()
        assert await index.files() == {}
        assert await self.found(index, "tea") == []
        await index.apply([indexed("b.md", "tea")])
        assert await self.found(index, "tea") == ["b.md"]

    async def test_may_be_closed_twice(self, index: NoteIndex) -> None:
        await index.close()
        await index.close()
