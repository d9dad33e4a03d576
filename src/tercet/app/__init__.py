"""The one composition root: from settings to a memory. Only this room knows host and adapters."""

from tercet.app.building import build, build_async
from tercet.app.evaluating import configured_system, evaluate, open_bench, run_evaluation
from tercet.app.stores import Databases

__all__ = ["Databases", "build", "build_async", "configured_system", "evaluate", "open_bench", "run_evaluation"]
