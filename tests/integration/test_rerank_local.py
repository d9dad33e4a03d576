"""Cross-encoders in this process, over a tiny model made here: no weights of a real one are at hand."""

from __future__ import annotations

import asyncio
import json
import threading

import numpy as np
import pytest

from tercet.adapters.rerankers import fastembed_cross_encoder, onnx_cross_encoder
from tercet.adapters.rerankers.local import LocalReranker
from tercet.errors import ConfigurationError, EmbedderContractError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime", reason="needs the extra 'onnx'")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "fair", "bad", "query"]
WORTH = np.array([0, 0, 0, 0, 2.0, 0.5, -3.0, 100.0], dtype=np.float32)


def write_model(path, *, labels=1):
    """Write a model whose logit is the worth of the second segment's tokens, the padding left out."""
    helper, kind = onnx.helper, onnx.TensorProto
    nodes = [
        helper.make_node("Gather", ["worth", "input_ids"], ["rows"]),
        helper.make_node("Mul", ["token_type_ids", "attention_mask"], ["second"]),
        helper.make_node("Cast", ["second"], ["weight"], to=kind.FLOAT),
        helper.make_node("Mul", ["rows", "weight"], ["weighted"]),
        helper.make_node("ReduceSum", ["weighted", "axis"], ["sum"], keepdims=1),
        helper.make_node("Concat", ["sum"] * labels, ["logits"], axis=1),
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind.INT64, ["pairs", "tokens"]) for name in names],
        [helper.make_tensor_value_info("logits", kind.FLOAT, ["pairs", labels])],
        [
            onnx.numpy_helper.from_array(WORTH, "worth"),
            onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


@pytest.fixture
def folder(tmp_path):
    write_model(tmp_path / "model.onnx")
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    return tmp_path


async def rerank(folder, query, texts, **settings):
    reranker = onnx_cross_encoder.create({"path": folder} | settings)
    try:
        return await reranker.rerank(query, texts)
    finally:
        await reranker.close()


async def test_logits_of_query_and_text_pairs_become_numbers_in_order(folder):
    texts = ["bad", "good good", "", "fair", "query bad bad bad bad"]
    scores = await rerank(folder, "query good", texts, batch_size=2)
    expected = [1 / (1 + np.exp(-each)) for each in (-3.0, 4.0, 0.5, 60.0)]
    assert np.allclose(scores[[0, 1, 3, 4]], expected, atol=1e-6)
    assert scores[2] == 0.0


async def test_a_model_that_ends_in_a_sigmoid_passes(folder):
    assert np.allclose(await rerank(folder, "q", ["fair"], scale="probabilities"), [0.5])
    with pytest.raises(EmbedderContractError, match=r"rerank\.scale"):
        await rerank(folder, "q", ["good"], scale="probabilities")


async def test_a_long_text_is_cut_and_the_query_stays(folder):
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 8}')
    scores = await rerank(folder, "query", ["fair " * 50])
    assert np.allclose(scores, 1 / (1 + np.exp(-0.5 * 4)), atol=1e-6)


async def test_a_classifier_of_many_labels_is_no_reranker(folder):
    write_model(folder / "model.onnx", labels=3)
    with pytest.raises(EmbedderContractError, match="a reranker gives one"):
        await rerank(folder, "q", ["good", "bad"])


async def test_nothing_to_read_loads_nothing(tmp_path):
    assert (await rerank(tmp_path / "absent", "query", ["", " "])).tolist() == [0.0, 0.0]
    assert (await rerank(tmp_path / "absent", " ", ["good"])).tolist() == [0.0]
    with pytest.raises(ConfigurationError, match=r"neither model\.onnx"):
        await rerank(tmp_path / "absent", "query", ["good"])


async def test_a_caller_out_of_time_stops_the_work():  # G21
    runs, go_on, read = threading.Event(), threading.Event(), []

    def score(query, texts):
        read.extend(texts)
        runs.set()
        assert go_on.wait(10)
        return [0.0] * len(texts)

    reranker = LocalReranker("fake", lambda: score, piece=2)
    asked = asyncio.create_task(reranker.rerank("q", [f"text {number}" for number in range(20)]))
    await asyncio.to_thread(runs.wait, 10)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    go_on.set()
    await reranker.close()
    assert len(read) == 2


async def test_wrong_settings_and_absent_models_are_named(tmp_path, monkeypatch):
    with pytest.raises(ConfigurationError, match=r"needs rerank\.path"):
        onnx_cross_encoder.create({})
    pytest.importorskip("fastembed", reason="needs the extra 'fastembed'")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    reranker = fastembed_cross_encoder.create({})
    async with asyncio.timeout(60):  # G27
        with pytest.raises(ConfigurationError, match="fetch it once with"):
            await reranker.rerank("q", ["text"])
    await reranker.close()


async def test_fastembed_runs_the_files_of_a_folder(folder):
    pytest.importorskip("fastembed", reason="needs the extra 'fastembed'")
    tokenizers = pytest.importorskip("tokenizers")
    ids = {word: at for at, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token="[UNK]"))  # noqa: S106 - no password
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    made.save(str(folder / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (folder / "config.json").write_text('{"pad_token_id": 0}')
    (folder / "tokenizer_config.json").write_text(json.dumps(special | {"model_max_length": 64}))
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    reranker = fastembed_cross_encoder.create({"path": folder, "threads": 1})
    scores = await reranker.rerank("query", ["bad", "good", "", "fair fair"])
    await reranker.close()
    assert np.allclose(scores[[0, 1, 3]], [1 / (1 + np.exp(-each)) for each in (-3.0, 2.0, 1.0)], atol=1e-6)
    assert scores[2] == 0.0
