"""Conversations that tell facts and ask for them, whatever becomes of the services meanwhile."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from load_services import ServiceProcess

AGENTS = 8
REQUEST_S = 65.0
"""Longer than a service's own limit."""
GIVEN_UP_S = 240.0
"""A request that nobody answered for so long fails the run."""
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_WAIT_S = 0.2


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of one agent."""

    number: int

    @property
    def agent(self) -> str:
        """Whose memory it is."""
        return f"agent{self.number % AGENTS}"

    @property
    def key(self) -> str:
        """Its session key: every one is another person."""
        return f"telegram:{self.number}"

    def message_id(self, turn: int) -> str:
        """Return the id that each attempt to tell the turn carries."""
        return f"s{self.number}-t{turn}"

    def subject(self, turn: int) -> str:
        """Return a name that stands in this turn's fact alone."""
        return f"{_name(f'{self.number} {turn} subject')}{self.number}x{turn}".capitalize()

    def fact(self, turn: int) -> str:
        """Return what is told in a turn: one sentence, the same in every run."""
        giver, place = (_name(f"{self.number} {turn} {what}").capitalize() for what in ("giver", "place"))
        return f"{self.subject(turn)} was bought from {giver} in the market of {place}."


@dataclass(slots=True)
class Figures:
    """What the sessions met."""

    answered_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By kind of request: from the sending of the attempt that was answered to its answer."""
    waited_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By kind: from the sending of the first attempt to the answer."""
    refusals: Counter[str] = field(default_factory=Counter[str])
    """Why attempts had to be made again."""
    degraded: Counter[str] = field(default_factory=Counter[str])
    leaks: list[str] = field(default_factory=list)
    """Answers with a fact of another session."""
    accepted: dict[int, int] = field(default_factory=dict)
    """By session: how many turns it told, all of them accepted."""


class Client:
    """Asks the services, another one where one does not answer."""

    def __init__(self, services: Sequence[ServiceProcess], in_flight: int, seed: int) -> None:
        """Name the services; ``in_flight`` requests are under way at once, at most."""
        self._services = services
        self._free = asyncio.Semaphore(in_flight)
        self._chance = random.Random(seed)
        limits = httpx2.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
        self._http = httpx2.AsyncClient(timeout=REQUEST_S, trust_env=False, limits=limits)
        self.figures = Figures()

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def ask(self, kind: str, method: str, path: str, **given: Any) -> dict[str, Any]:  # Any: JSON
        """Return the answer of whichever service gives one; tries until then.

        Raises:
            RuntimeError: a service refused for good, or none answered for minutes.
        """
        began: float | None = None
        while True:
            async with self._free:
                started = time.perf_counter()
                began = started if began is None else began
                answer = await self._attempt(method, path, given)
                ended = time.perf_counter()
            if answer is not None:
                self.figures.answered_s[kind].append(ended - started)
                self.figures.waited_s[kind].append(ended - began)
                return answer
            if ended - began > GIVEN_UP_S:
                msg = f"{method} {path} was not answered for {GIVEN_UP_S:g} s: {self.figures.refusals}"
                raise RuntimeError(msg)
            await asyncio.sleep(_WAIT_S)

    async def _attempt(self, method: str, path: str, given: dict[str, Any]) -> dict[str, Any] | None:
        service = self._chance.choice(self._services)
        headers = {"Authorization": f"Bearer {service.token}"}
        try:
            answer = await self._http.request(method, service.url + path, headers=headers, **given)
        except httpx2.TransportError as error:
            self.figures.refusals[type(error).__name__] += 1
            return None
        value: dict[str, Any] = answer.json()
        if answer.is_success:
            if value.get("degraded"):
                self.figures.degraded[str(value["degraded"])] += 1
            return value
        refusal = f"{answer.status_code} {value['error']['type']}: {value['error']['message']}"
        if answer.status_code != httpx2.codes.SERVICE_UNAVAILABLE:
            raise RuntimeError(refusal)
        self.figures.refusals[f"{answer.status_code} {value['error']['type']}"] += 1
        return None


async def talk(session: Session, client: Client, is_over: Callable[[], bool], seed: int) -> None:
    """Tell and ask until it is over; a turn that was begun is told to the end."""
    chance = random.Random(f"{seed} {session.number}")
    told = 0
    while not is_over():
        kind = chance.choices(("capture", "recall", "search"), (4, 3, 3))[0] if told else "capture"
        if kind == "capture":
            await _tell(session, told, client)
            told += 1
            client.figures.accepted[session.number] = told
        else:
            await _ask(kind, session, chance.randrange(told), client)


async def _tell(session: Session, turn: int, client: Client) -> None:
    message = {"role": "user", "text": session.fact(turn), "id": session.message_id(turn)}
    body = {"agent": session.agent, "sessionKey": session.key, "messages": [message]}
    await client.ask("capture", "POST", "/v1/capture", json=body)


async def _ask(kind: str, session: Session, turn: int, client: Client) -> None:
    """Ask for a fact of one's own; it may not be worked in yet, but nobody else's may come."""
    question = f"What do we know of the market and of {session.subject(turn)}?"
    asked = {"message": question} if kind == "recall" else {"query": question}
    body = {"agent": session.agent, "sessionKey": session.key, **asked}
    answer = await client.ask(kind, "POST", f"/v1/{kind}", json=body)
    client.figures.leaks.extend(foreign(session, (hit["snippet"] for hit in answer["results"])))


def foreign(session: Session, texts: Iterable[str]) -> list[str]:
    """Return those texts that are no facts of the session."""
    own = re.compile(rf"[A-Za-z]+{session.number}x\d+ ")
    return [f"{session.key}: {text}" for text in texts if own.match(text) is None]


def _name(of: str) -> str:
    return "".join(random.Random(of).choices(_SYLLABLES, k=4))
