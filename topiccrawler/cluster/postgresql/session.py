"""Connects to a PostgreSQL server, creates its tables, runs work in transactions, and turns each fault into one line.

`Session` is one connection. `AwayError` is a fault that may pass: the server cannot be reached, shuts down, starts, or broke the
connection. Then the whole work is done again, so it must be written so that a repetition is harmless.

`check_schema`: the first process that finds no tables creates them, in a separate schema, for all jobs of the database. A column, not a
schema for each, distinguishes the jobs: a worker that joins needs no right to create tables, one query lists all jobs, and deleting a row
of the table of jobs deletes the job. The key of a page is a digest of its URL, because an index accepts no text of more than 2 700 bytes.

`redacted` is the public form of an address; `remember_address` holds the password in memory. It is never logged or stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from topiccrawler.errors import ArgumentError, StateError, one_line
from topiccrawler.resources import package_table, package_text
from topiccrawler.store.pages import PageRecord

SCHEMES = ("postgresql", "postgres")
REMEDY = "write it as postgresql://USER@HOST:5432/DATABASE, or postgresql:///DATABASE?host=/FOLDER/OF/SOCKET"
SHOWN = ("host", "hostaddr", "port", "user", "dbname", "sslmode", "sslrootcert", "target_session_attrs")

_Place = tuple[str, str, str]  # host, port, database
_remembered: dict[_Place | None, str] = {}  # addresses with passwords; None: the one for all jobs


def check_address(url: str) -> str:
    """Return the address unchanged. ArgumentError when it is not the address of a PostgreSQL database."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # ValueError unless it is a number
        leads_somewhere = parts.hostname or parts.path.strip("/") or parts.query
        fine = parts.scheme in SCHEMES and bool(leads_somewhere)
    except ValueError:
        fine = False
    if not fine:
        raise ArgumentError(f"STORE_URL={redacted(url)}", "is no address of a PostgreSQL database", REMEDY)
    return url


def redacted(url: str) -> str:
    """The address with the user name and without the password; of its parameters those in SHOWN."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url.rpartition("@")[2]
    before, _, query = rest.partition("?")
    port = before.partition("/")[0].rpartition(":")[2]
    if "@" in before or "@" not in query or ":" not in before or port.isdigit() or port.endswith("]"):
        who, at, where = before.rpartition("@")
    else:  # the password has a ? that is not encoded
        who, at, where = rest.rpartition("@")
        where, _, query = where.partition("?")
    user = who.partition(":")[0]
    kept = [(name, value) for name, value in parse_qsl(query) if name in SHOWN]
    parameters = f"?{urlencode(kept, safe='/', quote_via=quote)}" if kept else ""
    return f"{scheme}://{user}{at if user else ''}{where}{parameters}"


def remember_address(url: str, *, for_all: bool = False) -> None:
    """Remember an address with its password, for jobs that name it without one. `for_all`: use it for all jobs, whatever address
    they name, because a database may have moved."""
    _remembered[_place(url)] = url
    if for_all:
        _remembered[None] = url


def whole(address: str) -> str:
    """The remembered address, with password, of the database that a job names; else `address`, for use with PGPASSWORD or .pgpass."""
    return _remembered.get(None) or _remembered.get(_place(address), address)


def _place(url: str) -> _Place:
    """Host, port and database of an address; two users may use the same database."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    where = parts.netloc.rpartition("@")[2]
    if where.startswith("["):
        host, _, port = where.rpartition("]")
    else:
        host, _, port = where.partition(":")
    host = unquote(host) or query.get("host") or query.get("hostaddr", "")
    port = port.strip(":") or query.get("port", "") or "5432"
    return host, port, unquote(parts.path.strip("/")) or query.get("dbname", "")


VERSION = 1
LOCK = 0x746F7063  # "topc": first number of this program's advisory locks; the second number is the job
_TYPES = {"str": "TEXT", "float": "DOUBLE PRECISION", "int": "INTEGER", "bool": "BOOLEAN", "bytes": "BYTEA"}
_BY_CODE_POINTS = {"url": ' COLLATE "C"'}  # sorted as SQLite sorts
_FIELDS = ", ".join(
    f"{field.name} {_TYPES[str(field.type)]}{_BY_CODE_POINTS.get(field.name, '')} NOT NULL"
    for field in fields(PageRecord)
)
_SCHEMA = (
    package_text("cluster/postgresql/schema.sql")
    .replace("$version", str(VERSION))
    .replace("$fields", _FIELDS)
)


def check_schema(connection: Any, name: str) -> None:
    """Create the tables if there are none. StateError for tables of another version, and for a database that cannot hold all texts."""
    coding = connection.execute("SHOW server_encoding").fetchone()[0]
    if coding != "UTF8":
        remedy = "make another: createdb --encoding=UTF8 --template=template0 NAME"
        raise StateError(name, f"is a database of encoding {coding}, which lacks characters", remedy)
    if not _is_made(connection):
        connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (LOCK,))  # others may create them now
        if not _is_made(connection):
            connection.execute(_SCHEMA)
    version = connection.execute("SELECT version FROM topiccrawler.about").fetchone()[0]
    if version != VERSION:
        fault = f"holds page stores of version {version}, this program reads {VERSION}"
        remedy = "give another database, or export them with the program that wrote them"
        raise StateError(name, fault, remedy)


def _is_made(connection: Any) -> bool:
    asked = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'topiccrawler' AND tablename = 'about'"
    return connection.execute(asked).fetchone() is not None


CONNECT_SECONDS = 5
SILENT_SECONDS = 20  # a connection without a confirmation for so long counts as broken
MISSING = "STORE_URL needs the package psycopg"
Result = TypeVar("Result")

_PASSING = ("08", "57P", "40001", "40P01")  # SQLSTATEs
_REFUSED, _LASTING = package_table("cluster/postgresql/faults.toml").values()


class AwayError(Exception):
    """The server cannot be reached now: the work may be done again later."""


class Session:
    """One connection, opened when it is first needed and again after it broke; for one thread."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            remedy = "give the command: pip install 'psycopg[binary]'"
            raise ArgumentError(MISSING, "which is not there", remedy) from None
        self._psycopg = psycopg
        self._url = check_address(url)
        self.address = redacted(url)
        self.name = f"PostgreSQL {self.address}"
        self.connects = 0  # how often a connection was made
        self._connection: Any = None

    def run(self, work: Callable[[Any], Result]) -> Result:
        """Do `work(connection)` in one transaction. AwayError when the server is away, StateError for a lasting fault."""
        try:
            connection = self._open()
            with connection.transaction():
                return work(connection)
        except self._psycopg.Error as error:
            raise self._fault(error) from None

    def ask(self, work: Callable[[Any], Result]) -> Result:
        """Do `work(connection)` for a caller that does not wait: a broken connection is opened again once, and a server that is away is
        a StateError."""
        known = self.connects
        try:
            try:
                return self.run(work)
            except AwayError:
                if not known:
                    raise
                return self.run(work)
        except AwayError as error:
            fault = f"cannot be reached ({error})"
            raise StateError(self.name, fault, "start it, or give another STORE_URL") from None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> Any:
        if self._connection is None:
            made = self._psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name="topiccrawler",
                client_encoding="UTF8",
                keepalives_idle=SILENT_SECONDS // 2,
                keepalives_interval=SILENT_SECONDS // 4,
                tcp_user_timeout=1000 * SILENT_SECONDS,
            )
            try:
                # A worker that stops in the middle of a transaction must not hold up the others.
                made.execute(f"SET idle_in_transaction_session_timeout = '{SILENT_SECONDS}s'")
                with made.transaction():
                    check_schema(made, self.name)
            except BaseException:
                made.close()
                raise
            self._connection = made
            self.connects += 1
        return self._connection

    def _fault(self, error: Any) -> Exception:
        """The AwayError or StateError for an error of psycopg; an error of this program is returned unchanged."""
        state = error.sqlstate or ""
        broken = self._connection is not None and self._connection.closed
        if broken:
            self._connection = None
        text = one_line(error)
        if isinstance(error, self._psycopg.OperationalError) and not state:
            text = text.rpartition("failed: ")[2].rpartition("FATAL: ")[2].strip() or text
            for words, remedy in _REFUSED.items():
                if words in text and not broken:
                    return StateError(self.name, f"refuses us: {text}", remedy)
            return AwayError(text)
        if broken or state.startswith(_PASSING):
            return AwayError(text)
        if not state:
            return error  # type: ignore[no-any-return]
        fault, remedy = _LASTING.get(state, ("", ""))
        if fault:
            return StateError(self.name, f"{fault} ({text})", remedy)
        return StateError(self.name, f"answers {text}", "mend the server, then give the command again")
