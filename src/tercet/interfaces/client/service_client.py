"""``ServiceClient``: the methods of ``AsyncMemory`` over HTTP, with the same values and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import tercet.errors
from tercet.errors import InvalidInputError, NotFoundError, PermanentError, TercetError, TransientError
from tercet.interfaces.client.service_insight import ServiceCrossReferences, salient_of
from tercet.interfaces.client.service_notes import ServiceNotes
from tercet.interfaces.client.values import entry_of, file_of, forget_of, result_of, section_of, status_of
from tercet.model import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import httpx2

    from tercet.diagnosis import MemoryStatus
    from tercet.insight.salience import Salient
    from tercet.interfaces.client.discovery import RunningService
    from tercet.keeping import ForgetReport
    from tercet.model import Category, Entry, FileText, RecallSection, SearchResult, Turn

ANSWER_S = 65.0
"""Longer than the service's own limit: its refusal says more than a broken connection."""
_NOT_FOUND, _SERVER_ERROR = 404, 500


class ServiceClient:
    """One agent's memory, held by a running service.

    What a method does, takes and returns stands at the method of ``AsyncMemory``. Over and above its
    errors each raises ``TransientError`` when the service does not answer.
    """

    def __init__(self, service: RunningService, agent: str, *, default_limit: int = 10) -> None:
        """Name the service; the connection is made with the first request.

        Args:
            service: As ``find_service`` found it.
            agent: Whose memory.
            default_limit: Hits of a search whose options say nothing else.
        """
        self._service = service
        self._agent = agent
        self._default_limit = default_limit
        self._http: httpx2.AsyncClient | None = None
        self.wiki = ServiceNotes(self._asked, agent)
        """The notes of the vault."""
        self.graph = ServiceCrossReferences(self._asked)
        """What belongs together."""

    @property
    def default_options(self) -> SearchOptions:
        """Options with the settings' limit and nothing else decided."""
        return SearchOptions(limit=self._default_limit)

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the hits for a query, best first.

        Raises:
            InvalidInputError: as in process; or a ``reach`` is given: the service finds it itself.
        """
        given = _options_json(options or self.default_options)
        return result_of(await self._post("/v1/search", {"query": query, "sessionKey": session_key, **given}))

    async def recall(
        self,
        message: str,
        session_key: str | None = None,
        now: datetime | None = None,
        budget_tokens: int | None = None,
    ) -> RecallSection:
        """Return the section of a prompt for an incoming message."""
        body = {
            "message": message,
            "sessionKey": session_key,
            "now": _iso(now),
            "budgetTokens": budget_tokens,
            "whole": True,
        }
        return section_of(await self._post("/v1/recall", body))

    async def agent_end(self, turn: Turn) -> None:
        """Hand over what was said; returns as soon as it is durable."""
        messages = [
            {"role": each.role, "text": each.text, "id": each.id, "timestamp": _iso(each.timestamp)}
            for each in turn.messages
        ]
        await self._post("/v1/capture", {"sessionKey": turn.session_key, "messages": messages})

    async def remember(
        self,
        text: str,
        *,
        category: Category = "fact",
        importance: float = 0.7,
        session_key: str | None = None,
        supersedes: Sequence[str] = (),
    ) -> Entry:
        """Store one fact now."""
        body = {
            "text": text,
            "category": category,
            "importance": importance,
            "sessionKey": session_key,
            "supersedes": list(supersedes),
        }
        return entry_of((await self._post("/v1/memories", body))["entry"], self._agent)

    async def list_entries(self, session_key: str | None = None, since: datetime | None = None) -> list[Entry]:
        """Return live entries that a session sees, newest first."""
        found = await self._get("/v1/memories", {"sessionKey": session_key, "since": _iso(since)})
        return [entry_of(each, self._agent) for each in found["entries"]]

    async def history(self, entry_id: str, session_key: str | None = None) -> list[Entry]:
        """Return what an entry replaced and what replaced it, oldest first."""
        path = f"/v1/memories/{quote(entry_id, safe='')}/history"
        found = await self._get(path, {"sessionKey": session_key})
        return [entry_of(each, self._agent) for each in found["entries"]]

    async def forget(
        self,
        ids: Sequence[str] = (),
        *,
        query: str | None = None,
        session: str | None = None,
        anchor: str | None = None,
        session_key: str | None = None,
        confirm: bool = False,
    ) -> ForgetReport:
        """Take entries out of every read at once."""
        body = {
            "ids": list(ids),
            "query": query,
            "session": session,
            "anchor": anchor,
            "sessionKey": session_key,
            "confirm": confirm,
        }
        return forget_of(await self._post("/v1/memories/forget", body), self._agent)

    async def undo(self, ids: Sequence[str] = ()) -> list[str]:
        """Bring back what the last forget took, or these ids; returns the ids."""
        restored: list[str] = (await self._post("/v1/memories/undo", {"ids": list(ids)}))["restored"]
        return restored

    async def read(
        self, ref: str, start: int | None = None, lines: int | None = None, *, session_key: str | None = None
    ) -> FileText:
        """Return lines of what a ref points at."""
        query = {"ref": ref, "start": start, "lines": lines, "sessionKey": session_key}
        return file_of(await self._get("/v1/files", query))

    async def salience(self, top: int = 10, now: datetime | None = None) -> list[Salient]:
        """Return what matters and was not looked at for long, most salient first."""
        found = await self._get("/v1/salience", {"top": top, "now": _iso(now), "whole": "true"})
        return [salient_of(each) for each in found["items"]]

    async def status(self) -> MemoryStatus:
        """Return the service's settings with their origins, sizes and health."""
        return status_of(await self._get("/v1/status", {}))

    async def prepare(self) -> None:
        """Do nothing: the service holds its model already."""

    async def close(self) -> None:
        """Let go of the connection."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _asked(self, method: str, path: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if method == "GET":
            return await self._get(path, given)
        return await self._post(path, given, method=method)

    async def _post(self, path: str, body: Mapping[str, Any], *, method: str = "POST") -> dict[str, Any]:
        given = {name: value for name, value in body.items() if value is not None}
        return await self._answered(method, path, json={"agent": self._agent, **given})

    async def _get(self, path: str, query: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in query.items() if value is not None}
        return await self._answered("GET", path, params={"agent": self._agent, **given})

    async def _answered(self, method: str, path: str, **given: Any) -> dict[str, Any]:  # Any: JSON or parameters
        import httpx2

        if self._http is None:
            self._http = httpx2.AsyncClient(
                base_url=self._service.url,
                headers={"Authorization": f"Bearer {self._service.token}"},
                timeout=ANSWER_S,
                trust_env=False,  # a proxy has no business between two processes of one machine
            )
        try:
            answer = await self._http.request(method, path, **given)
            value: dict[str, Any] = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            msg = f"The service at {self._service.url} does not answer ({type(error).__name__}): is it running?"
            raise TransientError(msg) from error
        if not answer.is_success:
            raise _error_of(answer.status_code, value)
        return value


def _options_json(options: SearchOptions) -> dict[str, Any]:
    if options.reach is not None:
        msg = "A reach cannot be given to a service: give a session key, and the service finds what it may see."
        raise InvalidInputError(msg)
    span = options.time_range
    return {
        "limit": options.limit,
        "minScore": options.min_score,
        "mode": options.mode,
        "preset": options.preset,
        "weights": dict(options.weights),
        "layers": None if options.layers is None else list(options.layers),
        "categories": list(options.categories),
        "timeRange": {"start": _iso(span.start), "end": _iso(span.end)} if span else None,
        "now": _iso(options.now),
        "explain": options.explain,
        "deadlineS": options.deadline_s,
        "related": options.related,
        "whole": True,
    }


def _error_of(status: int, value: dict[str, Any]) -> TercetError:
    """Return the error that the service met, as the class it was there."""
    error = value.get("error", {})
    message = str(error.get("message", f"The service answered {status}."))
    kind = getattr(tercet.errors, str(error.get("type")), None)
    if isinstance(kind, type) and issubclass(kind, TercetError):
        return kind(message)
    if status == _NOT_FOUND:
        return NotFoundError(message)  # an id that fits no path is no entry
    return TransientError(message) if status >= _SERVER_ERROR else PermanentError(message)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
