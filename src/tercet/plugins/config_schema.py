"""Settings of a plug-in against the JSON Schema of its manifest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tercet.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET_NAME = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_SAYS_NAMES_ONLY = {"required", "additionalProperties", "dependentRequired"}
"""Rules whose message holds names of settings, never a value."""


def check_schema(schema: Mapping[str, Any]) -> None:
    """Check that a configSchema is a JSON Schema (the draft it names, or 2020-12).

    Raises:
        ConfigurationError: it is none; the message does not name the plug-in.
    """
    # Imported here and below: it takes a tenth of a second, and most starts need none of it.
    from jsonschema.exceptions import SchemaError  # type: ignore[import-untyped]  # noqa: PLC0415 - it has no types

    try:
        _validator_class(schema).check_schema(schema)
    except SchemaError as error:
        where = "".join(f"/{part}" for part in error.path)
        msg = f"its configSchema is no JSON Schema ({where or '/'}: {error.message})"
        raise ConfigurationError(msg) from error


def check_config(config: Mapping[str, object], schema: Mapping[str, Any]) -> None:
    """Check a plug-in's settings.

    A ``$ref`` is followed inside the schema alone: nothing is ever fetched.

    Args:
        config: JSON values.
        schema: A JSON Schema.

    Raises:
        ConfigurationError: a setting breaks the schema (the message names it, and shows its value unless
            it may be a secret), or the schema is none.
    """
    check_schema(schema)
    from jsonschema.exceptions import relevance  # noqa: PLC0415 - see check_schema
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - see check_schema
    from referencing.jsonschema import EMPTY_REGISTRY  # noqa: PLC0415 - see check_schema

    validator = _validator_class(schema)(schema, registry=EMPTY_REGISTRY)
    try:
        error: Any = max(validator.iter_errors(dict(config)), key=relevance, default=None)
    except Unresolvable as unresolvable:
        msg = f"its configSchema refers to {unresolvable.ref!r}, which is not in it"
        raise ConfigurationError(msg) from unresolvable
    if error is not None:
        raise ConfigurationError(_violation(error))


def _validator_class(schema: Mapping[str, Any]) -> Any:  # Any: jsonschema has no types of its own
    # The types are ignored as in check_schema.
    from jsonschema.validators import Draft202012Validator, validator_for  # type: ignore[import-untyped]  # noqa: PLC0415

    return validator_for(schema, default=Draft202012Validator)


def _violation(error: Any) -> str:  # Any: jsonschema has no types of its own
    path = [str(part) for part in error.absolute_path]
    name = ".".join(path)
    if error.validator in _SAYS_NAMES_ONLY:
        return f"its settings{f' below {name}' if name else ''} are not valid: {error.message}"
    is_plain = isinstance(error.instance, (str, int, float, bool))
    shown = f" = {error.instance!r}" if is_plain and not any(map(_SECRET_NAME.search, path)) else ""
    return f"its setting {name}{shown} is not valid: the rule is {error.validator} {error.validator_value!r}"
