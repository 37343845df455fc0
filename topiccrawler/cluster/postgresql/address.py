"""The address of a PostgreSQL server: its public form, and its password, which is never logged or stored."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from topiccrawler.errors import ArgumentError

SCHEMES = ("postgresql", "postgres")
REMEDY = "write it as postgresql://USER@HOST:5432/DATABASE, or postgresql:///DATABASE?host=/FOLDER/OF/SOCKET"
SHOWN = ("host", "hostaddr", "port", "user", "dbname", "sslmode", "sslrootcert", "target_session_attrs")

_Place = tuple[str, str, str]  # host, port, database
_remembered: dict[_Place | None, str] = {}  # whole addresses; None: the one for all jobs


def check_address(url: str) -> str:
    """The address, when it is one of a PostgreSQL database; else ArgumentError."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # is a number
        leads_somewhere = parts.hostname or parts.path.strip("/") or parts.query
        fine = parts.scheme in SCHEMES and bool(leads_somewhere)
    except ValueError:
        fine = False
    if not fine:
        raise ArgumentError(f"STORE_URL={redacted(url)}", "is no address of a PostgreSQL database", REMEDY)
    return url


def redacted(url: str) -> str:
    """The address with the user's name and without password; of its parameters those that lead to the server."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url.rpartition("@")[2]
    rest, _, query = rest.partition("?")
    who, at, where = rest.rpartition("@")
    user = who.partition(":")[0]
    kept = [(name, value) for name, value in parse_qsl(query) if name in SHOWN]
    parameters = f"?{urlencode(kept, safe='/', quote_via=quote)}" if kept else ""
    return f"{scheme}://{user}{at if user else ''}{where}{parameters}"


def remember_address(url: str, *, for_all: bool = False) -> None:
    """Remember an address with its password, for jobs that name it without. `for_all`: use it for all jobs, whatever address they
    name, because a database may have moved."""
    _remembered[_place(url)] = url
    if for_all:
        _remembered[None] = url


def whole(address: str) -> str:
    """The remembered address of the database that a job names; else that of the job (PGPASSWORD, .pgpass)."""
    return _remembered.get(None) or _remembered.get(_place(address), address)


def _place(url: str) -> _Place:
    """Host, port and database: two users may look at one."""
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
