"""What every embedder must keep, as a test class to subclass.

Usage::

    class TestMine(EmbedderContract):
        @pytest.fixture
        async def embedder(self):
            mine = MyEmbedder()
            yield mine
            await mine.close()
"""

# ruff: noqa: D102 - a test's name says what it holds

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import TercetError
from tercet.model import Probe

if TYPE_CHECKING:
    from tercet.ports.embedding import Embedder

TEXTS = (
    "The boiler was serviced in October.",
    "猫が窓辺で眠っている。",
    "明天下午三点在图书馆见面",
    "Blue",
    "Ein Brief an die Vermieterin wegen der Heizung, geschrieben am 3. März.",
    "emoji 🙂 and a flag 🇮🇪, and e\u0301 decomposed",
)


class EmbedderContract:
    """Tests over the fixture ``embedder``; a remote one must be backed by a service that answers."""

    long_chars = 20_000
    """Of the longest text embedded; a slow model may set less."""

    async def test_vectors_have_length_one_and_the_shape_of_the_space(self, embedder: Embedder) -> None:
        space = await embedder.space()
        for rows in (await embedder.embed_documents(TEXTS), await embedder.embed_queries(TEXTS)):
            assert rows.shape == (len(TEXTS), space.dimensions)
            assert rows.dtype == np.float32
            assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    async def test_a_batch_gives_what_single_texts_give_in_order(self, embedder: Embedder) -> None:
        many = [f"{text} ({number})" for number in range(12) for text in TEXTS]
        together = await embedder.embed_documents(many)
        for at in (0, 1, 17, len(many) - 1):
            alone = (await embedder.embed_documents([many[at]]))[0]
            assert np.abs(together[at] - alone).max() < 1e-5

    async def test_the_same_text_gives_the_same_vector(self, embedder: Embedder) -> None:
        first, second = await embedder.embed_documents([TEXTS[0]]), await embedder.embed_documents([TEXTS[0]])
        assert np.abs(first - second).max() < 1e-6

    async def test_different_texts_give_different_vectors(self, embedder: Embedder) -> None:
        rows = await embedder.embed_documents(TEXTS)
        likeness = rows @ rows.T - np.eye(len(TEXTS))
        assert likeness.max() < 0.9999

    async def test_blank_texts_give_zero_rows_in_their_place(self, embedder: Embedder) -> None:
        rows = await embedder.embed_documents(["", TEXTS[0], " \n\t", "\u3000", TEXTS[3]])
        assert [bool(row.any()) for row in rows] == [False, True, False, False, True]
        assert np.abs(rows[1] - (await embedder.embed_documents([TEXTS[0]]))[0]).max() < 1e-5

    async def test_no_texts_and_only_blank_texts(self, embedder: Embedder) -> None:
        dimensions = (await embedder.space()).dimensions
        assert (await embedder.embed_documents([])).shape == (0, dimensions)
        only_blank = await embedder.embed_queries(["", " "])
        assert only_blank.shape == (2, dimensions)
        assert not only_blank.any()

    async def test_long_and_odd_texts_are_taken(self, embedder: Embedder) -> None:
        odd = [
            "word " * (self.long_chars // 5),
            "字" * (self.long_chars // 5),
            "x" * (self.long_chars // 8),
            "nul \0 inside",
            "lone \ud800 surrogate",
            "\u200b",
        ]
        rows = await embedder.embed_documents(odd)
        assert np.isfinite(rows).all()
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    async def test_a_nul_does_not_end_the_text(self, embedder: Embedder) -> None:
        rows = await embedder.embed_documents(["boiler \0 serviced in October", "boiler"])
        assert float(rows[0] @ rows[1]) < 0.999

    async def test_the_space_stays_the_same(self, embedder: Embedder) -> None:
        before = await embedder.space()
        await embedder.embed_documents(TEXTS)
        assert await embedder.space() == before
        assert before.dimensions > 0
        assert before.provider
        assert before.model

    async def test_identity_is_known_at_once(self, embedder: Embedder) -> None:
        assert embedder.identity.strip() == embedder.identity != ""

    async def test_the_probe_says_yes(self, embedder: Embedder) -> None:
        assert await embedder.probe() == Probe(ok=True)

    async def test_a_closed_embedder_says_so_or_starts_again(self, embedder: Embedder) -> None:
        await embedder.embed_documents([TEXTS[0]])
        await embedder.close()
        await embedder.close()
        try:
            rows = await embedder.embed_documents([TEXTS[0]])
        except TercetError:
            return
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
