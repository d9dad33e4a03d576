"""A question is embedded once, however often it is asked."""

import numpy as np

from tercet.evaluation.remembered_queries import RememberingEmbedder


class Counting:
    identity = "counting"

    def __init__(self):
        self.asked = []

    async def embed_queries(self, texts):
        self.asked += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32).reshape(len(texts), 2)


async def test_only_new_questions_reach_the_embedder_and_order_is_kept():
    inner = Counting()
    embedder = RememberingEmbedder(inner)
    await embedder.embed_queries(["aa", "b"])
    again = await embedder.embed_queries(["ccc", "aa", "ccc"])
    assert inner.asked == ["aa", "b", "ccc"]
    assert again[:, 0].tolist() == [3.0, 2.0, 3.0]
    assert again.dtype == np.float32


async def test_no_question_is_no_row():
    assert (await RememberingEmbedder(Counting()).embed_queries([])).shape == (0, 2)
