"""A layer is made from its plug-in; whatever goes wrong in there is one line that names the distribution."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import Distribution, EntryPoint

import pytest

from tercet import SearchOptions
from tercet.errors import ConfigurationError, InvalidInputError, NotFoundError, StoreFormatError, TransientError
from tercet.plugins import ChosenLayer, Manifest, PluginInfo, make_chosen, make_layer
from tercet.ports.layers import LayerContext


class Owner(Distribution):
    """Only a name and a version."""

    @property
    def metadata(self):
        return {"Name": "tercet-jotter", "Version": "2.1"}

    def read_text(self, filename):
        return None

    def locate_file(self, path):
        return path


class Clock:
    def now(self):
        return datetime(2026, 5, 1, tzinfo=UTC)


class Nowhere:
    def count(self, event, amount=1):
        pass


GOOD = """
class Layer:
    def __init__(self, context): self.context = context
    async def search(self, query, options):
        raise LookupError(f"{query} for {self.context.agent} at depth {self.context.config['depth']}")
    async def read_file(self, ref, start=None, lines=None, *, reach=None): ...
    async def status(self): ...
    async def probe_embedding_availability(self): ...
    async def probe_vector_availability(self): ...
create = Layer
"""
SCHEMA = {"type": "object", "properties": {"depth": {"type": "integer"}}}


@pytest.fixture
def plugin(tmp_path, monkeypatch, request):
    """Make a plug-in of a module with this code."""
    made = []

    def make(code, **changes):
        name = f"layer_module_{abs(hash(request.node.nodeid))}_{len(made)}"
        made.append(name)
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        point = EntryPoint("jotter", f"{name}:create", "tercet.backends")._for(Owner())
        manifest = Manifest("jotter", "memory", "Jotter", "Jottings.", SCHEMA, "wiki")
        info = PluginInfo("jotter", "tercet.backends", "tercet-jotter 2.1", built_in=False, point=point)
        return replace(info, manifest=manifest, **changes)

    return make


@pytest.fixture
def context(tmp_path):
    return LayerContext("main", tmp_path, {"depth": 3}, Clock(), Nowhere())


async def test_a_layer_gets_its_context_and_is_guarded(plugin, context):
    layer = make_layer(plugin(GOOD), context)
    with pytest.raises(TransientError, match=r"tercet-jotter 2\.1 failed \(LookupError: .* for main at depth 3"):
        await layer.search("boat", SearchOptions())


async def test_a_layer_that_cannot_be_made_is_down_and_the_program_goes_on(plugin, context):
    layer = make_chosen(ChosenLayer("wiki", plugin("raise RuntimeError('no luck')")), context)
    found = await layer.search("boat", SearchOptions())
    assert list(found) == []
    assert "tercet-jotter 2.1" in found.degraded
    status = await layer.status()
    assert (status.layer, status.healthy, status.notes) == ("wiki", False, (found.degraded,))
    assert (await layer.probe_vector_availability()).permanent
    with pytest.raises(NotFoundError, match="no luck"):
        await layer.read_file("harbour")


async def test_a_layer_whose_store_is_down_when_it_is_made_may_be_well_later(plugin, context):
    code = (
        "from tercet.errors import VaultUnavailableError\ndef create(context): raise VaultUnavailableError('no disk')"
    )
    layer = make_chosen(ChosenLayer("wiki", plugin(code)), context)
    assert not (await layer.probe_embedding_availability()).permanent


def test_a_built_in_layer_that_cannot_be_made_stops_the_program(plugin, context):
    with pytest.raises(ConfigurationError):
        make_chosen(ChosenLayer("wiki", plugin("raise RuntimeError('no luck')", built_in=True)), context)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('no luck')", r"cannot be loaded \(RuntimeError: no luck\)"),
        ("def create(:", r"cannot be loaded \(SyntaxError"),
        ("import no_such_library", "no_such_library"),
        ("", "create"),
        ("def create(context): raise KeyError('folder')", r"its factory failed \(KeyError: 'folder'\)"),
        ("create = None", r"its factory failed \(TypeError"),
        ("def create(context): return None", "made a NoneType without search, read_file, status"),
        ("async def create(context): return 1", "made a coroutine without search"),
        (GOOD + "del Layer.status", "made a Layer without status:"),
    ],
)
def test_what_goes_wrong_in_a_plugin_names_its_distribution(plugin, context, code, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        make_layer(plugin(code), context)
    assert "tercet-jotter 2.1" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_that_break_the_schema_stop_it_before_its_code_is_imported(plugin, context):
    with pytest.raises(ConfigurationError, match=r"tercet-jotter 2\.1: its setting depth = 'deep'"):
        make_layer(plugin("raise RuntimeError('imported')"), replace(context, config={"depth": "deep"}))


def test_a_fault_that_was_found_before_is_what_is_said(plugin, context):
    with pytest.raises(ConfigurationError, match="known to be bad"):
        make_layer(plugin(GOOD, fault="known to be bad"), context)


def test_what_is_down_now_stays_transient(plugin, context):
    code = (
        "from tercet.errors import VaultUnavailableError\ndef create(context): raise VaultUnavailableError('no disk')"
    )
    with pytest.raises(TransientError, match=r"tercet-jotter 2\.1 is down: no disk"):
        make_layer(plugin(code), context)


def test_a_built_in_layer_keeps_its_own_errors(plugin, context):
    code = "from tercet.errors import StoreFormatError\ndef create(context): raise StoreFormatError('newer')"
    with pytest.raises(StoreFormatError, match=r"^newer$"):
        make_layer(plugin(code, built_in=True), context)
    code = "from tercet.errors import InvalidInputError\ndef create(context): raise InvalidInputError('theirs')"
    with pytest.raises(ConfigurationError, match="tercet-jotter") as caught:
        make_layer(plugin(code), context)
    assert not isinstance(caught.value, InvalidInputError)
