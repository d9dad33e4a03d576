"""Which layers a home uses: the file ``plugins.json``, and what enabling and disabling does to it.

The built-in layers are on until they are turned off; a layer of somebody else is off until it is enabled,
and then stands in for the built-in one of its slot.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tercet.errors import ConfigurationError
from tercet.model import LayerName

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CHOICES_FILE = "plugins.json"
_MEND = "mend it, or move it away to use the built-in layers."


@dataclass(frozen=True, slots=True)
class Choices:
    """What differs from the built-in layers."""

    disabled: frozenset[str] = frozenset()
    """Ids of built-in layers that are turned off."""
    slots: Mapping[LayerName, str] = field(default_factory=dict[LayerName, str])
    """Slot to the id of the layer of somebody else that fills it."""


class _ChoicesFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    disabled: tuple[str, ...] = ()
    slots: dict[LayerName, str] = {}


def filler(slot: LayerName, built_in: str | None, choices: Choices) -> str | None:
    """Return the id of what fills a slot; None when nothing does.

    Args:
        slot: The slot.
        built_in: Id of the built-in layer of this slot; None where there is none.
        choices: What the home chose.
    """
    chosen = choices.slots.get(slot, built_in)
    return None if chosen in choices.disabled else chosen


def enabled(choices: Choices, plugin_id: str, slot: LayerName, *, built_in: bool) -> Choices:
    """Return the choices by which this layer, and no other, fills its slot."""
    slots = dict(choices.slots)
    slots.pop(slot, None)
    if not built_in:
        slots[slot] = plugin_id
    return Choices(choices.disabled - {plugin_id}, slots)


def disabled(choices: Choices, plugin_id: str, *, built_in: bool) -> Choices:
    """Return the choices by which this layer fills no slot; what it stood in for comes back unless it is off too."""
    if built_in:
        return replace(choices, disabled=choices.disabled | {plugin_id})
    kept: dict[LayerName, str] = {slot: chosen for slot, chosen in choices.slots.items() if chosen != plugin_id}
    return Choices(choices.disabled, kept)


def to_bytes(choices: Choices) -> bytes:
    """Return the content of the file."""
    document = _ChoicesFile(format=1, disabled=tuple(sorted(choices.disabled)), slots=dict(choices.slots))
    return (document.model_dump_json(indent=2) + "\n").encode()


def read_choices(home: Path) -> Choices:
    """Read what a home chose; without a file, the built-in layers.

    Raises:
        ConfigurationError: the file cannot be read, or is not ours; the message names it.
    """
    path = home / CHOICES_FILE
    try:
        document = _ChoicesFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Choices()
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        msg = f"{path} cannot be read ({where and where + ': '}{problem['msg']}): {_MEND}"
        raise ConfigurationError(msg) from error
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}): {_MEND}"
        raise ConfigurationError(msg) from error
    return Choices(frozenset(document.disabled), document.slots)
