"""What a server, its extension and the service's role must be before any row is trusted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.adapters.postgres.texts import register
from tercet.errors import ConfigurationError

if TYPE_CHECKING:
    import psycopg

OLDEST_SERVER = 15
OLDEST_PGVECTOR = (0, 8)
ITERATIVE_SCAN = "strict_order"
"""Without it HNSW finds nothing behind a narrow filter: 0 of 10 rows at 1 % (reference/storage.md 4)."""
MOST_WALKED = 200_000
"""Vectors that one search may look at behind its filter; 20,000 is the extension's own bound."""

_SETTINGS = (
    # The program's tables first; the extension stays where the administrator put it.
    "SELECT set_config('search_path', 'tercet, ' || current_setting('search_path'), false),"
    " set_config('timezone', 'UTC', false),"
    # A plan made for any tenant and any space would not use the index of this one.
    " set_config('plan_cache_mode', 'force_custom_plan', false),"
    # Compiling costs more than these short queries take.
    " set_config('jit', 'off', false),"
    # What a walk through the index has seen, and the matches of a question, stay in memory.
    " set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')), 33554432) / 1024 || 'kB', false),"
    " set_config('lock_timeout', '10s', false),"
    " set_config('idle_in_transaction_session_timeout', '60s', false),"
    # What a service began that died meanwhile (an index is built for minutes) ends soon after it.
    # Where the server's system knows of it.
    " CASE WHEN version() ~* 'windows|mingw|visual' THEN '' ELSE"
    " set_config('client_connection_check_interval', '5s', false) END"
)


async def check_server(connection: psycopg.AsyncConnection[Any], place: str) -> None:  # Any: rows of whatever query
    """Refuse a server or a role that cannot keep tenants apart.

    Raises:
        ConfigurationError: too old a server, or a role that row-level security does not bind (permanent).
    """
    version = connection.info.server_version // 10000
    if version < OLDEST_SERVER:
        msg = f"The database at {place} is PostgreSQL {version}: use {OLDEST_SERVER} or newer."
        raise ConfigurationError(msg)
    found = await connection.execute(
        "SELECT current_user::text, rolname::text FROM pg_roles"
        " WHERE (rolsuper OR rolbypassrls) AND pg_has_role(current_user, oid, 'MEMBER')"
        " ORDER BY rolname <> current_user LIMIT 1"
    )
    unbound = await found.fetchone()
    if unbound is not None:
        user, role = unbound
        which = "is a superuser or has BYPASSRLS" if user == role else f"may become {role!r}, which is one"
        msg = (
            f"The role {user!r} of the database at {place} {which}, so that row-level security does not bind it: "
            "use a role of its own (CREATE ROLE tercet LOGIN NOSUPERUSER NOBYPASSRLS)."
        )
        raise ConfigurationError(msg)


async def ensure_extension(connection: psycopg.AsyncConnection[Any], place: str) -> None:  # Any: as above
    """Make the extension where the role may, and refuse an old one.

    Raises:
        ConfigurationError: it is missing and the role may not create it, or it is too old (permanent).
    """
    import psycopg

    version = await _extension_version(connection)
    if version is None:
        try:
            async with connection.transaction():
                await connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except (psycopg.OperationalError, psycopg.ProgrammingError, psycopg.IntegrityError) as error:
            if await _extension_version(connection) is None:  # else another process made it meanwhile
                msg = (
                    f"The database at {place} lacks the extension vector: install pgvector there and let an "
                    "administrator run 'CREATE EXTENSION vector' in it."
                )
                raise ConfigurationError(msg) from error
        version = await _extension_version(connection)
    if version is not None and _numbers(version) < OLDEST_PGVECTOR:
        msg = (
            f"The database at {place} has pgvector {version}, which cannot search behind a filter: "
            "update it to 0.8 or newer and run 'ALTER EXTENSION vector UPDATE'."
        )
        raise ConfigurationError(msg)


async def configure(connection: psycopg.AsyncConnection[Any], place: str) -> None:  # Any: as above
    """Set up one connection: its settings, its text code, its vectors.

    Raises:
        ConfigurationError: the server did not take a setting that answers depend on (permanent).
    """
    from pgvector.psycopg import register_vector_async

    register(connection)
    await connection.execute(_SETTINGS)
    # A setting made before the library is loaded is taken, and dropped in silence when it is (reference/storage.md
    # 4); LOAD is a superuser's, a cast is not.
    await connection.execute("SELECT '[1]'::vector")
    await connection.execute(
        "SELECT set_config('hnsw.iterative_scan', %s, false), set_config('hnsw.max_scan_tuples', %s, false)",
        (ITERATIVE_SCAN, str(MOST_WALKED)),
    )
    found = await connection.execute("SHOW hnsw.iterative_scan")
    (shown,) = await found.fetchone() or ("nothing",)
    if shown != ITERATIVE_SCAN:
        msg = f"The database at {place} keeps hnsw.iterative_scan at {shown!r}: let its roles set {ITERATIVE_SCAN!r}."
        raise ConfigurationError(msg)
    await register_vector_async(connection)
    await connection.commit()


async def _extension_version(connection: psycopg.AsyncConnection[Any]) -> str | None:  # Any: as above
    async with connection.transaction():
        found = await connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        row = await found.fetchone()
        return None if row is None else str(row[0])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
