"""What is there after the load: every accepted turn once, and in nobody else's sight."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from load_sessions import AGENTS, Session, foreign

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import httpx2
    from load_services import ServiceProcess

WORKED_IN_S = 300.0
"""What a killed service was working in is anyone's after two minutes."""
_POLL_S = 1.0


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong; nothing, where all are zero."""

    lost: int
    doubled: int
    leaked: int
    dead: int


async def wait_until_worked_in(services: Sequence[ServiceProcess], http: httpx2.AsyncClient) -> None:
    """Wait until no inbox and no spool of any service holds anything.

    Raises:
        TimeoutError: something waits for minutes.
    """
    async with asyncio.timeout(WORKED_IN_S):
        for service in services:
            for number in range(AGENTS):
                while await _waiting(service, f"agent{number}", http):  # noqa: ASYNC110 - of another process
                    await asyncio.sleep(_POLL_S)


async def check(services: Sequence[ServiceProcess], accepted: Mapping[int, int], http: httpx2.AsyncClient) -> Findings:
    """Look at every session through the services in turn, and search for its last facts.

    Args:
        services: All of them up.
        accepted: By session: the turns 0 to n - 1 that were answered with 2xx.
        http: To ask with.
    """
    seen: Counter[str] = Counter()
    leaked = 0
    for number, turns in accepted.items():
        session, service = Session(number), services[number % len(services)]
        listed = await _listed(service, session, http)
        seen.update(message_id for message_id, _ in listed)
        texts = [text for _, text in listed]
        found = await _found(service, session, turns - 1, http)
        if session.fact(turns - 1) not in found:
            seen[session.message_id(turns - 1)] -= 1  # listed, and yet not found
        leaked += len(foreign(session, [*texts, *found]))
    told = [Session(number).message_id(turn) for number, turns in accepted.items() for turn in range(turns)]
    strange = set(seen) - set(told)
    return Findings(
        lost=sum(seen[each] < 1 for each in told),
        doubled=sum(seen[each] > 1 for each in told),
        leaked=leaked + len(strange),
        dead=await _dead(services[0], http),
    )


async def _listed(service: ServiceProcess, session: Session, http: httpx2.AsyncClient) -> list[tuple[str, str]]:
    answer = await http.get(
        f"{service.url}/v1/memories",
        headers=_headers(service),
        params={"agent": session.agent, "sessionKey": session.key},
    )
    return [(each["messageId"], each["text"]) for each in answer.raise_for_status().json()["entries"]]


async def _found(service: ServiceProcess, session: Session, turn: int, http: httpx2.AsyncClient) -> list[str]:
    body = {"agent": session.agent, "sessionKey": session.key, "query": session.subject(turn), "limit": 20}
    answer = await http.post(f"{service.url}/v1/search", headers=_headers(service), json=body)
    return [hit["snippet"] for hit in answer.raise_for_status().json()["results"]]


async def _waiting(service: ServiceProcess, agent: str, http: httpx2.AsyncClient) -> int:
    capture = await _capture(service, agent, http)
    return capture["waiting"] + capture["spooled"]


async def _dead(service: ServiceProcess, http: httpx2.AsyncClient) -> int:
    return max([(await _capture(service, f"agent{number}", http))["dead"] for number in range(AGENTS)])


async def _capture(service: ServiceProcess, agent: str, http: httpx2.AsyncClient) -> dict[str, int]:
    answer = await http.get(f"{service.url}/v1/status", headers=_headers(service), params={"agent": agent})
    found: dict[str, int] = answer.raise_for_status().json()["capture"]
    return found


def _headers(service: ServiceProcess) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.token}"}
