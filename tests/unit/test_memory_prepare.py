"""A memory that is prepared has its model loaded: the first recall has only seconds."""

import numpy as np

from tercet.adapters.embedders import builtin
from tercet.adapters.embedders.local import LoadedModel
from tercet.app import build_async
from tercet.config import load_settings


async def test_the_model_is_loaded_before_the_first_recall(home, notes, monkeypatch):
    """The builtin model tells its space unloaded, and took 1.3 s of the first recall's two."""
    loads = []

    def load(_threads):
        loads.append(len(loads))
        return LoadedModel(
            builtin.SPACE, lambda texts, _: np.eye(len(texts), builtin.SPACE.dimensions, dtype=np.float32)
        )

    monkeypatch.setattr(builtin, "load", load)
    settings = load_settings({"home": str(home)})
    memory = await build_async(settings)
    await memory.index([str(notes)])
    await memory.close()
    loads.clear()
    memory = await build_async(settings)
    await memory.prepare()
    assert loads == [0]
    await memory.recall("which boat lies at berth 47")
    await memory.close()
    assert loads == [0]
