"""The one place where a model service is asked over HTTP: time limits, retries, plain words.

Retried, with a cap: what may be well the next moment (refused, time-out, broken transport, 408,
429, 5xx). Not retried: an exhausted quota, which no waiting of ours mends, and whatever is wrong in
the request itself.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tercet.adapters.embedders.answers import fields
from tercet.errors import ConfigurationError, EmbedderContractError, EmbedderUnavailableError, TransientError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import httpx2

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_LARGEST_ANSWER = 256 * 1024 * 1024
_DETAIL_CHARS = 200
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_UNAUTHORISED, _PAYMENT, _FORBIDDEN, _TOO_MANY = 401, 402, 403, 429
_FIRST_ERROR, _FIRST_REDIRECT = 400, 300


class RefusedRequestError(ConfigurationError):
    """The service understood the request and refused it; the caller may know a better one."""

    def __init__(self, message: str, *, status: int, detail: str) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail
        """What the service said, one line, without the key."""

    def complains_of(self, *words: str) -> bool:
        """Say whether the service's own words hold one of these (lower case)."""
        said = self.detail.lower()
        return any(word in said for word in words)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to try."""

    tries: int = 5
    """Requests in all, >= 1."""
    question_tries: int = 2
    """Where a deadline is set: somebody waits, and a lexical answer now is better."""
    slow_tries: int = 2
    """Requests that may run into their time limit; one who is stuck seldom comes loose."""
    first_wait_s: float = 0.5
    """Doubled after each try."""
    longest_wait_s: float = 8.0
    longest_retry_after_s: float = 60.0
    """A service that asks for more is given up at once."""


class _PassingFaultError(Exception):
    """One try failed in a way that may pass."""

    def __init__(
        self, reason: str, retry_after_s: float | None = None, *, slow: bool = False, refused: bool = False
    ) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s
        self.slow = slow
        self.refused = refused


class JsonService:
    """POSTs and GETs JSON at one base address."""

    def __init__(
        self,
        identity: str,
        url: str,
        *,
        api_key: str | None = None,
        section: str = "embedding",
        timeout_s: float = 60.0,
        unavailable: type[TransientError] = EmbedderUnavailableError,
        retry: RetryPolicy | None = None,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """Take the service's address and manners.

        Args:
            identity: Provider and model, for messages.
            url: Base address without a final slash; user info in it is never shown.
            api_key: Sent as a Bearer token when it is set; never shown.
            section: Settings section, for the mend in messages.
            timeout_s: One request, from connecting to its last byte.
            unavailable: What to raise when the service is down.
            retry: How often to try.
            wait: Waits that many seconds; a test hands in one that does not.
            transport: What carries the requests; None for the network.
        """
        self.identity = identity
        self._url = url
        self._api_key = api_key
        self._section = section
        self._timeout_s = timeout_s
        self._unavailable = unavailable
        self._retry = retry or RetryPolicy()
        self._wait = wait
        self._transport = transport
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def shown_url(self) -> str:
        """The base address without its secrets, for messages."""
        return shown_url(self._url)

    async def post(self, path: str, body: Mapping[str, object], *, deadline: float | None = None) -> object:
        """POST JSON and return the parsed answer.

        Args:
            path: Below the base address, with its slash.
            body: JSON object.
            deadline: Of the running loop's clock, for all tries and waits together; None for as long
                as the policy allows.

        Raises:
            RefusedRequestError: a 4xx that is neither passing nor about the key (permanent).
            ConfigurationError: key refused, forbidden, or moved (permanent).
            EmbedderContractError: the answer is no JSON or far too large (permanent).
            TransientError: of the class given as ``unavailable``.
        """
        return await self._ask("POST", path, body, deadline)

    async def get(self, path: str, *, deadline: float | None = None) -> object:
        """GET and return the parsed answer; raises as ``post`` does."""
        return await self._ask("GET", path, None, deadline)

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _ask(self, method: str, path: str, body: Mapping[str, object] | None, deadline: float | None) -> object:
        try:
            async with asyncio.timeout_at(deadline):
                return await self._ask_with_retries(method, path, body, deadline)
        except TimeoutError as error:
            msg = f"{self.identity} at {self.shown_url} did not answer in the time allowed: is the service overloaded?"
            raise self._unavailable(msg) from error

    async def _ask_with_retries(
        self, method: str, path: str, body: Mapping[str, object] | None, deadline: float | None
    ) -> object:
        policy = self._retry
        tries = policy.tries if deadline is None else min(policy.tries, policy.question_tries)
        slow = 0
        for tried in range(1, tries + 1):
            try:
                return await self._ask_once(method, path, body)
            except _PassingFaultError as fault:
                slow += fault.slow
                pause_s = self._pause_s(fault, tried, deadline)
                if tried == tries or slow >= policy.slow_tries or pause_s is None:
                    asked = fault.retry_after_s
                    hint = f"; it asks to wait {asked:g} s" if asked else ""
                    msg = (
                        f"{self.identity} at {self.shown_url} is not available ({fault}{hint}): is the service running?"
                    )
                    raise self._unavailable(msg) from fault
                await self._wait(pause_s)
        raise AssertionError  # pragma: no cover - the last try returns or raises

    def _pause_s(self, fault: _PassingFaultError, tried: int, deadline: float | None) -> float | None:
        """Return the seconds to wait before the next try; None when there is no use in one."""
        policy = self._retry
        asked = fault.retry_after_s
        if asked is not None and asked > policy.longest_retry_after_s:
            return None
        pause_s = min(policy.first_wait_s * 2 ** (tried - 1), policy.longest_wait_s) if asked is None else asked
        if deadline is None:
            return pause_s
        left = deadline - asyncio.get_running_loop().time()
        return None if fault.refused or pause_s >= left else pause_s

    async def _ask_once(self, method: str, path: str, body: Mapping[str, object] | None) -> object:
        import httpx2

        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._open().stream(method, self._url + path, json=body, headers=self._headers()) as response,
            ):
                raw = await self._read(response)
        except (TimeoutError, httpx2.TimeoutException) as error:
            reason = f"no answer within {self._timeout_s:g} s"
            raise _PassingFaultError(reason, slow=True) from error
        except httpx2.ConnectError as error:
            reason = "connection refused"
            raise _PassingFaultError(reason, refused=True) from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            msg = f"{self.shown_url} is no usable address: set {self._section}.url again."
            raise ConfigurationError(msg) from error
        except httpx2.DecodingError as error:
            what = "an answer that cannot be decompressed"
            raise self._broken(what) from error
        except httpx2.TransportError as error:
            reason = f"the connection broke, {type(error).__name__}"
            raise _PassingFaultError(reason) from error
        if response.status_code >= _FIRST_REDIRECT:
            raise self._fault(response, raw)
        try:
            return json.loads(raw)
        except ValueError as error:
            what = "an answer that is no JSON"
            raise self._broken(what) from error

    async def _read(self, response: httpx2.Response) -> bytes:
        raw = bytearray()
        async for block in response.aiter_bytes():
            raw += block
            if len(raw) > _LARGEST_ANSWER:
                what = f"more than {_LARGEST_ANSWER // 1_048_576} MB"
                raise self._broken(what)
        return bytes(raw)

    def _broken(self, what: str) -> EmbedderContractError:
        return EmbedderContractError(f"{self.identity} at {self.shown_url} sent {what}: check {self._section}.url.")

    def _fault(self, response: httpx2.Response, raw: bytes) -> Exception:
        """Return what to raise for an answer of status 300 and above."""
        status = response.status_code
        detail = self._detail(raw)
        said = f": {detail}" if detail else ""
        if status == _PAYMENT or (status == _TOO_MANY and re.search(rb"insufficient_quota|exceeded.{0,20}quota", raw)):
            msg = f"The quota of {self.identity} at {self.shown_url} is used up ({status}): add credit or wait."
            return self._unavailable(msg)
        if status in _RETRIED:
            return _PassingFaultError(f"answered {status}{said}", retry_after_s(response.headers))
        if status == _UNAUTHORISED:
            # The service's own words are left out: some repeat part of the key.
            msg = f"{self.identity} at {self.shown_url} refused the key (401): set {self._section}.api_key."
            return ConfigurationError(msg)
        if status == _FORBIDDEN:
            msg = (
                f"{self.identity} at {self.shown_url} forbids this (403{said}): "
                f"check what {self._section}.api_key may use."
            )
            return ConfigurationError(msg)
        if status < _FIRST_ERROR:
            return ConfigurationError(
                f"{self.shown_url} has moved ({status}): set {self._section}.url to its new place."
            )
        msg = (
            f"{self.identity} at {self.shown_url} refused the request ({status}{said}): "
            f"check {self._section}.model and {self._section}.url."
        )
        return RefusedRequestError(msg, status=status, detail=detail)

    def _detail(self, raw: bytes) -> str:
        """Return the service's reason as one short line that does not hold the key."""
        text = raw[:4096].decode("utf-8", "replace")
        try:
            parsed: object = json.loads(raw)
        except ValueError:
            parsed = None
        while inner := fields(parsed):
            parsed = next((inner[key] for key in ("error", "message", "detail") if inner.get(key)), None)
        if isinstance(parsed, str):
            text = parsed
        if self._api_key:
            text = text.replace(self._api_key, "***")
        text = re.sub(r"\b(sk|pk|key|jina|Bearer)[-_ ][\w*.-]{6,}", "***", text)
        text = " ".join(text.split())
        return text if len(text) <= _DETAIL_CHARS else text[: _DETAIL_CHARS - 1] + "…"

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}

    def _open(self) -> httpx2.AsyncClient:
        """Return the client of the running loop; connections of another loop cannot be used in it."""
        import httpx2

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            parts = urlsplit(self._url)
            is_local = parts.hostname in _LOOPBACK
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(self._timeout_s, connect=min(5.0, self._timeout_s)),
                # A proxy of the environment must not see, or break, what goes to this machine.
                trust_env=not is_local,
                # Plain HTTP on loopback meets no certificate; reading the trust store costs 0.1 s.
                verify=not (is_local and parts.scheme == "http"),
                transport=self._transport,
            )
            self._loop = loop
        return self._client


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a service asks to wait; nonsense counts as absent.

    A date is taken against the answer's own Date, so that two clocks are never compared.
    """
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(asked) - parsedate_to_datetime(headers["date"])).total_seconds()
        except (ValueError, TypeError, KeyError):
            return None
    return seconds if 0 <= seconds < float("inf") else None
