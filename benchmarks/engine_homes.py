"""Filled homes on each engine, and the engine's own two queries without this program."""

from __future__ import annotations

import re
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from engine_corpus import DIMENSIONS, Corpus, Question, root_of

from tercet.adapters.clock import SystemClock
from tercet.adapters.files.store import LocalFiles
from tercet.adapters.lancedb import LanceEngine
from tercet.adapters.lancedb.library import load
from tercet.adapters.lancedb.reading import PROBES, REFINE_FACTOR
from tercet.adapters.lancedb.schema import TABLE, TERMS_COLUMN
from tercet.adapters.postgres import PostgresEngine
from tercet.adapters.postgres.database import Database
from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.retrieval import RetrievalParts, Retriever
from tercet.model import Scope, Space
from tercet.ports import FileRecord, PassageRecord, RootRecord

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from numpy.typing import NDArray

    from tercet.model import Probe, Row
    from tercet.ports import Engine, Ledger
    from tercet.testing.postgres_server import PostgresServer

SPACE = Space("synthetic", "clustered", DIMENSIONS)
MAINTENANCE_S = 1800.0
LANCE_BATCH = 50_000
POSTGRES_BATCH = 1000
"""Rows of one write: of LanceDB a commit, of PostgreSQL a transaction."""
ASKED_TENANTS = 20
"""Of the tenants, so many are asked, in turns."""


class Prepared:
    """An embedder that has the question's vector already."""

    identity = "prepared"

    def __init__(self) -> None:
        """Know no vector yet."""
        self.vector = np.zeros(DIMENSIONS, np.float32)

    async def space(self) -> Space:
        """Return the space of the corpus."""
        return SPACE

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the prepared vector for each text."""
        return np.repeat(self.vector[None], len(texts), axis=0)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same; no document is embedded here."""
        return await self.embed_queries(texts)

    async def probe(self) -> Probe:
        """See ``Embedder.probe``; not asked here."""
        raise NotImplementedError

    async def close(self) -> None:
        """Hold nothing."""


class Raw(Protocol):
    """An engine's own two queries, as its manual has them, with all columns of the hits."""

    def by_vector(self, tenant: str, agent: str, vector: NDArray[np.float32], k: int) -> int:
        """Return how many rows were found."""
        ...

    def by_terms(self, tenant: str, agent: str, terms: Sequence[str], k: int) -> int:
        """Return how many rows were found."""
        ...


@dataclass(slots=True)
class Tenant:
    """One tenant as it is asked."""

    name: str
    engine: Engine
    ledger: Ledger
    retriever: Retriever
    questions: list[Question]


@dataclass(slots=True)
class Filled:
    """An engine with its rows, ready to be asked."""

    tenants: list[Tenant]
    embedder: Prepared
    raw: Raw
    write_s: float = 0.0
    maintain_s: float = 0.0
    bytes_on_disk: int = 0
    server: Database | None = field(default=None)


def _tenant(name: str, engine: Engine, ledger: Ledger, embedder: Prepared, questions: list[Question]) -> Tenant:
    access = EngineAccess(engine, embedder, ledger)
    parts = RetrievalParts(LocalFiles(), ledger, access, embedder, SystemClock())
    return Tenant(name, engine, ledger, Retriever(parts), questions)


async def _record(ledger: Ledger, agent: str, rows: Sequence[Row]) -> None:
    label = root_of(agent)
    await ledger.manifest.add_root(RootRecord(label, f"/{label}", Scope(agent)))
    files: dict[str, list[PassageRecord]] = {}
    for row in rows:
        files.setdefault(row.passage.path, []).append(PassageRecord(row.passage.id, row.terms, has_vector=True))
    written = {path: (FileRecord(label, path, 1, 0, path, 0), records) for path, records in files.items()}
    await ledger.manifest.commit_files(Scope(agent), written, (), label)


@asynccontextmanager
async def lancedb_home(folder: Path, passages: int, tenants: int, asked: int) -> AsyncGenerator[Filled]:
    """Fill one LanceDB store; a tenant is an agent of it, since LanceDB knows no tenants."""
    corpus, embedder, each = Corpus(), Prepared(), passages // tenants
    engine, ledger = LanceEngine(str(folder / "lancedb")), await SqliteLedger.open(folder)
    await engine.open(SPACE)
    filled = Filled([], embedder, RawLance(str(folder / "lancedb")))
    batch: list[Row] = []
    for number in range(tenants):
        agent = f"agent-{number}"
        rows = corpus.rows(number, each, agent)
        await _record(ledger, agent, rows)
        batch += rows
        if len(batch) >= LANCE_BATCH or number == tenants - 1:
            started = time.perf_counter()
            await engine.upsert(batch)
            filled.write_s += time.perf_counter() - started
            batch = []
    started = time.perf_counter()
    print("   ", await engine.maintain(MAINTENANCE_S), flush=True)
    filled.maintain_s = time.perf_counter() - started
    filled.raw = RawLance(str(folder / "lancedb"))
    for number in range(min(tenants, ASKED_TENANTS)):
        agent = f"agent-{number}"
        questions = corpus.questions(number, each, agent, asked // ASKED_TENANTS)
        filled.tenants.append(_tenant("", engine, ledger, embedder, questions))
    filled.bytes_on_disk = (await engine.stats()).bytes_on_disk
    yield filled
    await engine.close()
    await ledger.close()


@asynccontextmanager
async def postgres_home(server: PostgresServer, passages: int, tenants: int, asked: int) -> AsyncGenerator[Filled]:
    """Fill one database; a tenant is a tenant, behind row-level security, with one agent."""
    corpus, embedder, each = Corpus(), Prepared(), passages // tenants
    filled = Filled([], embedder, RawPostgres(server.administrator_url))
    open_databases: list[Database] = []
    for number in range(tenants):
        database = Database(server.url, f"tenant-{number}", pool_size=2)
        engine, ledger = PostgresEngine(database), await PostgresLedger.open(database)
        await engine.open(SPACE)
        rows = corpus.rows(number, each, "main")
        started = time.perf_counter()
        for start in range(0, each, POSTGRES_BATCH):
            await engine.upsert(rows[start : start + POSTGRES_BATCH])
        filled.write_s += time.perf_counter() - started
        await _record(ledger, "main", rows)
        if number < ASKED_TENANTS:
            open_databases.append(database)
            questions = corpus.questions(number, each, "main", asked // ASKED_TENANTS)
            filled.tenants.append(_tenant(f"tenant-{number}", engine, ledger, embedder, questions))
        else:
            await database.close()
    started = time.perf_counter()
    print("   ", await filled.tenants[0].engine.maintain(MAINTENANCE_S), flush=True)
    server.administer("ANALYZE")
    filled.maintain_s = time.perf_counter() - started
    filled.raw = RawPostgres(server.administrator_url)
    filled.bytes_on_disk = filled.raw.size()
    yield filled
    for database in open_databases:
        await database.close()


class RawLance:
    """LanceDB's own queries over the same table and indexes, to Arrow."""

    def __init__(self, uri: str) -> None:
        """Open the table when it is first asked."""
        self._uri = uri
        self._table: Any = None  # Any: lancedb tables
        self._column = ""

    def by_vector(self, tenant: str, agent: str, vector: NDArray[np.float32], k: int) -> int:
        """See ``Raw.by_vector``."""
        del tenant
        search = self._opened().search(vector, vector_column_name=self._column).distance_type("l2")
        search = (
            search.nprobes(PROBES)
            .refine_factor(REFINE_FACTOR)
            .where(f"agent = '{agent}' AND anchor = ''", prefilter=True)
        )
        return int(search.limit(k).to_arrow().num_rows)

    def by_terms(self, tenant: str, agent: str, terms: Sequence[str], k: int) -> int:
        """See ``Raw.by_terms``."""
        del tenant
        match = load("lancedb.query").MatchQuery(" ".join(terms), TERMS_COLUMN)
        search = self._opened().search(match, query_type="fts")
        return int(search.where(f"agent = '{agent}' AND anchor = ''", prefilter=True).limit(k).to_arrow().num_rows)

    def _opened(self) -> Any:  # Any: lancedb tables
        if self._table is None:
            self._table = load("lancedb").connect(self._uri).open_table(TABLE)
            self._column = next(name for name in self._table.schema.names if name.startswith("vector_"))
        return self._table


class RawPostgres:
    """pgvector's and PostgreSQL's own queries over the same tables, past row-level security."""

    def __init__(self, url: str) -> None:
        """Connect when it is first asked."""
        self._url = url
        self._connection: Any = None  # Any: psycopg rows

    def by_vector(self, tenant: str, agent: str, vector: NDArray[np.float32], k: int) -> int:
        """See ``Raw.by_vector``."""
        return self._asked(
            "SELECT p.*, v.vector FROM tercet.vectors v JOIN tercet.passages p USING (tenant, id)"
            " WHERE v.tenant = %(tenant)s AND p.agent = %(agent)s AND p.anchor = ''"
            " ORDER BY v.vector <-> %(query)s LIMIT %(k)s",
            {"tenant": tenant, "agent": agent, "query": vector, "k": k},
        )

    def by_terms(self, tenant: str, agent: str, terms: Sequence[str], k: int) -> int:
        """See ``Raw.by_terms``."""
        from tercet.adapters.postgres.lexemes import scope_mark, to_tsquery

        lexemes = to_tsquery(terms, [scope_mark(tenant, agent, "")])
        return self._asked(
            "SELECT p.*, v.vector FROM tercet.passage_terms t JOIN tercet.passages p USING (tenant, id)"
            " JOIN tercet.vectors v USING (tenant, id) WHERE t.lexemes @@ %(lexemes)s::tsquery"
            " AND t.tenant = %(tenant)s AND t.agent = %(agent)s AND t.anchor = ''"
            " ORDER BY ts_rank(t.lexemes, %(lexemes)s::tsquery) DESC LIMIT %(k)s",
            {"tenant": tenant, "agent": agent, "lexemes": lexemes, "k": k},
        )

    def size(self) -> int:
        """Return the bytes of the database on disk."""
        ((size,),) = self._opened().execute("SELECT pg_database_size(current_database())").fetchall()
        return int(size)

    def server_memory(self) -> int | None:
        """Return the bytes of all processes of the server, what they share counted once; None where unreadable."""
        ((own,),) = self._opened().execute("SELECT pg_backend_pid()").fetchall()
        parent = _parent(own)
        total = 0
        try:
            for folder in Path("/proc").glob("[0-9]*"):
                if int(folder.name) == parent or _parent(int(folder.name)) == parent:
                    found = re.search(r"^Pss:\s+(\d+) kB", (folder / "smaps_rollup").read_text(), re.MULTILINE)
                    total += int(found.group(1)) * 1024 if found else 0
        except OSError:
            return None
        return total

    def _asked(self, statement: str, values: dict[str, Any]) -> int:  # Any: parameters
        return len(self._opened().execute(statement, values, prepare=True).fetchall())

    def _opened(self) -> Any:  # Any: psycopg rows
        if self._connection is None:
            import psycopg
            from pgvector.psycopg import register_vector

            self._connection = psycopg.connect(self._url, autocommit=True)
            register_vector(self._connection)
        return self._connection


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0  # it has ended
