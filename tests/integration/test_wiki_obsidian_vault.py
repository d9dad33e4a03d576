"""An Obsidian vault opened as it is: found, linked, linted, and nothing on disk changed."""

import hashlib
from collections import Counter
from datetime import UTC, datetime

import pytest

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.layers.wiki.layer import WikiLayer, WikiParts
from tercet.model import SearchOptions

pytestmark = pytest.mark.shared_data

NOTES = 103


class Clock:
    def now(self):
        return datetime(2030, 1, 1, tzinfo=UTC)


def state_of(folder):
    """Return what any change below a folder changes."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_mode, _digest(path))
        for path in sorted(folder.rglob("*"))
    }


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@pytest.fixture
async def wiki(shared_data, tmp_path):
    folder = shared_data / "workspaces" / "obsidian-vault"
    before = state_of(folder)
    layer = WikiLayer(WikiParts("main", FolderVault(folder, "main"), SqliteNoteIndex(tmp_path, "main"), Clock()))
    yield layer
    await layer.close()
    assert state_of(folder) == before


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Kevin Kelly", "References/Kevin Kelly.md"),
        ("trip to Japan in 2023", "Notes/2023 Japan Trip.md"),
        ("minimal theme", "Notes/Minimal Theme.md"),
        ("brown butter tart recipe", "References/Brown butter nectarine tart.md"),
        (
            "evergreen notes turn ideas into objects",
            "Notes/Evergreen notes turn ideas into objects that you can manipulate.md",
        ),
        ("what was discussed about emergence", "Notes/2023-09-12 Meeting with Steph.md"),
        ("Blade Runner", "References/Blade Runner.md"),
        ("unsolicited advice", "Clippings/68 Bits of Unsolicited Advice.md"),
    ],
)
async def test_the_note_that_answers_is_first(wiki, query, path):
    (hit,) = await wiki.search(query, SearchOptions(limit=1))
    assert hit.passage.path == path


async def test_every_note_is_there_and_can_be_read(wiki):
    status = await wiki.status()
    assert (status.rows, status.healthy) == (NOTES, True)
    for file in await wiki._parts.vault.files():
        assert (await wiki.read_file(f"wiki:{file.path}")).path == file.path
    for finding in await wiki.lint():
        assert (await wiki.read_file(f"wiki:{finding.path}", finding.line, 1)).start_line == finding.line


async def test_links_of_the_front_matter_count(wiki):
    kyoto = await wiki.links("Kyoto")
    assert "Notes/2023 Japan Trip.md" in {end.from_path for end in kyoto.back}
    assert {end.link.target for end in kyoto.dead} >= {"Japan"}


async def test_lint_finds_what_an_obsidian_user_would_expect(wiki):
    found = Counter(finding.code for finding in await wiki.lint())
    assert set(found) <= {"dead-link", "orphan", "bad-front-matter", "empty"}
    dead = {finding.message for finding in await wiki.lint() if finding.code == "dead-link"}
    assert not any(suffix in message for message in dead for suffix in (".base", ".jpg", ".png"))
    templates = {finding.path for finding in await wiki.lint() if finding.code == "bad-front-matter"}
    assert all(path.startswith("Templates/") for path in templates)
