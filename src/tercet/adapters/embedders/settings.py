"""Reads the settings of one embedder or reranker and refuses what it does not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tercet.errors import ConfigurationError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Mapping

ALWAYS_ALLOWED = frozenset({"provider", "threads", "timeout_s", "query_timeout_s"})
"""Keys with a default for every provider; one that has no use for them passes over them."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Checked access to the keys of one section; a key that is None or blank counts as not set."""

    provider: str
    values: Mapping[str, object]
    section: str = "embedding"

    def allow(self, *keys: str) -> None:
        """Refuse every other key that is set.

        Raises:
            ConfigurationError: permanent.
        """
        for key in self.values:
            if key not in ALWAYS_ALLOWED and key not in keys and self._value(key) is not None:
                known = ", ".join(sorted(keys)) or "none but threads and time limits"
                msg = (
                    f"{self.section}.{key} has no meaning for provider {self.provider!r} (it uses: {known}): "
                    "remove it, or choose another provider."
                )
                raise ConfigurationError(msg)

    def text(self, key: str) -> str | None:
        """Return a text, stripped; None when it is not set."""
        value = self._value(key)
        return None if value is None else str(value).strip()

    def prefix(self, key: str) -> str | None:
        """Return a text with its blanks kept; ``""`` is a value here (no prefix), None is not set."""
        value = self.values.get(key)
        return None if value is None else str(value)

    def secret(self, key: str) -> str | None:
        """Return a secret, given plain or wrapped (``get_secret_value``), without line breaks."""
        value = self._value(key)
        if value is None:
            return None
        unwrap = getattr(value, "get_secret_value", None)
        text = str(unwrap() if callable(unwrap) else value).strip()
        if not text.isascii() or not text.isprintable():
            # Never shown: the message must not repeat the key.
            msg = f"{self.section}.{key} holds characters that cannot stand in an HTTP header: set it again."
            raise ConfigurationError(msg)
        return text or None

    def url(self, key: str, default: str | None = None) -> str:
        """Return an http(s) URL without its final slash.

        Raises:
            ConfigurationError: missing without a default, or not an http(s) URL.
        """
        text = self.text(key) or default
        if text is None:
            msg = f"Provider {self.provider!r} needs {self.section}.{key}: set the address of the service."
            raise ConfigurationError(msg)
        try:
            parts = urlsplit(text)
            port_is_good = parts.port != 0
        except ValueError:
            port_is_good = False
        else:
            if parts.scheme in {"http", "https"} and parts.hostname and port_is_good:
                return text.rstrip("/")
        msg = f"{self.section}.{key} {shown_url(text)!r} is no http(s) address: write it like http://localhost:11434."
        raise ConfigurationError(msg)

    def whole(self, key: str, default: int | None, *, least: int = 1, most: int = 1_000_000) -> int | None:
        """Return a whole number in ``[least, most]``.

        Raises:
            ConfigurationError: permanent.
        """
        value = self._value(key)
        if value is None:
            return default
        try:
            number = int(str(value))
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            msg = f"{self.section}.{key} is {value!r}: set a whole number from {least} to {most}."
            raise ConfigurationError(msg)
        return number

    def seconds(self, key: str, default: float) -> float:
        """Return a length of time in seconds, > 0 and at most an hour.

        Raises:
            ConfigurationError: permanent.
        """
        value = self._value(key)
        if value is None:
            return default
        try:
            number = float(str(value))
        except ValueError:
            number = 0.0
        if not 0 < number <= 3600:  # noqa: PLR2004 - an hour
            msg = f"{self.section}.{key} is {value!r}: set seconds, more than 0 and at most 3600."
            raise ConfigurationError(msg)
        return number

    def _value(self, key: str) -> object | None:
        value = self.values.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        return value
