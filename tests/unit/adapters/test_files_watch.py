"""News of changes below folders."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from tercet.adapters.files.atomic_write import write_atomically
from tercet.adapters.files.watch import changes

LIMIT_S = 30  # only reached when the test fails


@asynccontextmanager
async def watching(*folders: Path) -> AsyncIterator[AsyncGenerator[set[str]]]:
    stop = asyncio.Event()
    news = changes([str(folder) for folder in folders], stop, debounce_ms=50, look_again_ms=100)
    try:
        yield news
    finally:
        stop.set()
        await news.aclose()


async def heard(news: AsyncGenerator[set[str]], act: Callable[[int], None], wanted: str) -> set[str]:
    """Do something again and again until the wanted path is in the news; return all of the news."""
    everything: set[str] = set()
    numbers: Iterator[int] = count()
    async with asyncio.timeout(LIMIT_S):
        while wanted not in everything:
            coming = asyncio.ensure_future(anext(news))
            while not coming.done():
                # The watcher says not when it has begun, so that once may be too early.
                act(next(numbers))
                await asyncio.wait([coming], timeout=0.2)
            everything |= coming.result()
    return everything


async def test_only_what_a_walk_would_list_is_news(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    def act(number: int) -> None:
        for name in (".git/x.md", "a.txt"):
            (tmp_path / name).write_text(str(number), encoding="utf-8")
        write_atomically(tmp_path / "日记.md", str(number).encode())

    async with watching(tmp_path) as news:
        wanted = str(tmp_path / "日记.md")
        assert await heard(news, act, wanted) == {wanted}


async def test_a_save_through_rename_is_news(tmp_path: Path) -> None:
    """F10: many editors write beside the file and move."""
    target = tmp_path / "a.md"

    def act(number: int) -> None:
        (tmp_path / "a.md~new").write_text(str(number), encoding="utf-8")
        (tmp_path / "a.md~new").replace(target)

    async with watching(tmp_path) as news:
        assert str(target) in await heard(news, act, str(target))


async def test_a_folder_moved_in_or_away_is_news(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out" / "sub").mkdir(parents=True)
    (tmp_path / "out" / "sub" / "a.md").touch()
    moved = tmp_path / "in" / "sub"

    def move(_: int) -> None:
        if not moved.exists():
            (tmp_path / "out" / "sub").rename(moved)
        else:
            moved.rename(tmp_path / "out" / "sub")

    async with watching(tmp_path / "in") as news:
        await heard(news, move, str(moved))


async def test_a_folder_that_comes_later_is_watched(tmp_path: Path) -> None:
    """F3: extra folders, existing files, folders made later."""
    there, later = tmp_path / "there", tmp_path / "later"
    there.mkdir()

    async with watching(there, later) as news:
        await heard(news, lambda n: (there / "a.md").write_text(str(n), encoding="utf-8") and None, str(there / "a.md"))
        await heard(news, lambda _: later.mkdir(exist_ok=True), str(later))
        await heard(news, lambda n: (later / "b.md").write_text(str(n), encoding="utf-8") and None, str(later / "b.md"))
        shutil.rmtree(later)
        later.mkdir()
        await heard(news, lambda n: (later / "c.md").write_text(str(n), encoding="utf-8") and None, str(later / "c.md"))


@pytest.mark.parametrize("exists", [True, False])
async def test_the_event_ends_it(tmp_path: Path, exists: bool) -> None:
    stop = asyncio.Event()
    folder = tmp_path if exists else tmp_path / "none"
    news = changes([str(folder)], stop, look_again_ms=60_000)
    coming = asyncio.ensure_future(anext(news))
    await asyncio.wait([coming], timeout=0.1)
    stop.set()
    async with asyncio.timeout(LIMIT_S):
        with pytest.raises(StopAsyncIteration):
            await coming
