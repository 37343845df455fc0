"""A connection to a PostgreSQL server: work is done in one transaction, and what goes wrong becomes one line.

A fault that may pass by itself is AwayError: the server cannot be reached, is shut down, starts, or broke the connection; the work is to be done
again, all of it. Work is written so that doing it twice is harmless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from topiccrawler.errors import ArgumentError, StateError, one_line
from topiccrawler.store.postgresql.address import check_address, shown
from topiccrawler.store.postgresql.schema import check_schema

CONNECT_SECONDS = 5
SILENT_SECONDS = 20  # a network that confirms nothing for so long counts as broken
MISSING = "STORE_URL needs the package psycopg"
Result = TypeVar("Result")

_PASSING = ("08", "57P", "40001", "40P01")  # SQLSTATEs
_REFUSED = {
    "password authentication failed": "give it in STORE_URL, PGPASSWORD or .pgpass",
    "no password supplied": "give it in STORE_URL, PGPASSWORD or .pgpass",
    "no pg_hba.conf entry": "let this user and machine in (pg_hba.conf)",
    'role "': "give a user that the server knows",
    'database "': "make it: createdb --encoding=UTF8 NAME",
}
_LASTING = {
    "53100": ("has no room left", "make room on its disk, then give the command again"),
    "25006": ("is read-only", "give the address of the primary server"),
    "42501": ("lets this user not do it", "grant it the schema topiccrawler, or CREATE in the database"),
}


class AwayError(Exception):
    """The server cannot be reached now: what was asked may be asked again."""


class Session:
    """One connection, made when it is first needed and anew after it broke; for one thread."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            remedy = "pip install -r requirements-postgresql.txt"
            raise ArgumentError(MISSING, "which is not there", remedy) from None
        self._psycopg = psycopg
        self._url = check_address(url)
        self.address = shown(url)
        self.name = f"PostgreSQL {self.address}"
        self.connects = 0  # how often a connection was made
        self._connection: Any = None

    def twin(self) -> Session:
        """A further connection, for another thread."""
        return Session(self._url)

    def run(self, work: Callable[[Any], Result]) -> Result:
        """Do `work(connection)` in one transaction. AwayError, or StateError for what will not pass by itself."""
        try:
            connection = self._open()
            with connection.transaction():
                return work(connection)
        except self._psycopg.Error as error:
            raise self._fault(error) from None

    def ask(self, work: Callable[[Any], Result]) -> Result:
        """The same for one who does not wait: an old connection that broke is made anew, a server that is away is a StateError."""
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
        """Let go."""
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
        """What the error is for a user; a slip of ours stays itself."""
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
