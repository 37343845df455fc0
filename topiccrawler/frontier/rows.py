"""Reads and writes the tables of the queue in the job's database: one row for each URL.

A page brings two hundred links and must be durable at once, yet few pages of the file should change. So rows are appended in
order of arrival, and their number is the key; columns that change often (score, state) are stored apart from long ones (URL,
link text). A push that raises the score of a URL appends a row as well; a second raise of the URL rewrites that row. Writes are
buffered and executed table by table, in the transaction of the page. Hosts and source pages are stored once.

    urls     number, digest, host, score, shares, carry, tunnel, state, reason, times, failed tries
    links    number, url, link text, source page
    raises   id, number, score, shares, carry, tunnel, link text, source page: replace the values in urls and links
    hosts    id, name        sources  id, url        notes  name, text
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.url_index import Digest, SparseMap
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Link, Score

RESTORE = "put back a copy, or choose another JOBDIR"
# The statements that `Rows` executes.
ADD_HOST = "INSERT INTO hosts VALUES (?, ?)"
ADD_SOURCE = "INSERT INTO sources VALUES (?, ?)"
ADD_URL = "INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', ?, ?, ?, 0)"
ADD_LINK = "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_RAISE = "INSERT INTO raises VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
SET_RAISE = """UPDATE raises SET score = ?, shares = ?, carry = ?, tunnel = ?, anchor = ?, before = ?, after = ?, title = ?,
    heading = ?, region = ?, path = ?, kind = ?, position = ?, depth = ?, nofollow = ?, source = ? WHERE id = ?"""
SET_SCORE = "UPDATE urls SET score = ?, shares = ?, carry = ? WHERE number = ?"
SET_RAISED_SCORE = "UPDATE raises SET score = ?, shares = ?, carry = ? WHERE id = ?"
SET_STATE = "UPDATE urls SET state = ?, reason = ?, changed = ? WHERE number = ?"
SET_TRIES = "UPDATE urls SET tries = ? WHERE number = ?"
SET_SEEN_ANCHORS = "UPDATE urls SET seen_anchors = ? WHERE number = ?"
SET_NOTE = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
_FIXED = "SELECT urls.number, state, reason, added, changed, tries, host, links.url, "
_COUNTS = """{0}.score, {0}.shares, {0}.carry, {0}.tunnel, {1}.anchor, {1}.before, {1}.after, {1}.title, {1}.heading, {1}.region,
    {1}.path, {1}.kind, {1}.position, {1}.depth, {1}.nofollow, coalesce(sources.url, '')"""
_FIRST, _RAISED = _COUNTS.format("urls", "links"), _COUNTS.format("raises", "raises")
_URLS = "FROM urls JOIN links USING (number)"
_SOURCE = "LEFT JOIN sources ON sources.id = "
ROW = f"{_FIXED} {_FIRST} {_URLS} {_SOURCE} links.source "
ONE = ROW + "WHERE urls.number = ?"
ONE_RAISED = f"""{_FIXED} {_RAISED} {_URLS} JOIN raises ON raises.id = ? {_SOURCE} raises.source
    WHERE urls.number = ?"""
LINK = f"SELECT {_FIRST}, links.url {_URLS} {_SOURCE} links.source WHERE urls.number = ?"
RAISED_LINK = f"""SELECT {_RAISED}, links.url
    FROM raises JOIN links USING (number) {_SOURCE} raises.source WHERE raises.id = ?"""  # noqa: S608 all of it stands here
NEXT = ROW + "WHERE urls.number > ? ORDER BY urls.number LIMIT ?"
NEXT_IN_STATE = ROW + "WHERE urls.number > ? AND state = ? ORDER BY urls.number LIMIT ?"
RAISES = "SELECT id, number, score FROM raises ORDER BY id"
SELECT_STATES = (
    "SELECT fingerprint, digest_check, host, score, state, seen_anchors, tries FROM urls ORDER BY number"
)
FIND = "SELECT number FROM urls WHERE fingerprint = ? AND digest_check = ?"
LAST_RAISE = "SELECT coalesce(max(id), 0) FROM raises WHERE number = ?"
COUNT = "SELECT count(*), coalesce(max(number), -1) + 1 FROM urls"

WRITE_ORDER = (
    ADD_HOST,
    ADD_SOURCE,
    ADD_URL,
    ADD_LINK,
    ADD_RAISE,
    SET_RAISE,
    SET_SCORE,
    SET_RAISED_SCORE,
    SET_STATE,
    SET_TRIES,
    SET_SEEN_ANCHORS,
    SET_NOTE,
)


_FLUSH_ROWS = 1_000  # so many buffered rows are passed to SQLite, committed or not: 5 ms
_PAGE_ROWS = 500  # rows read at a time when listing
_LOAD_ROWS = 10_000  # rows read at a time when opening

STATES = (State.WAITING, State.PROCESSING, State.ERROR, State.DISCARDED, State.COMPLETED)
"""The position of a state here is its number on disk."""
CODES = {state: code for code, state in enumerate(STATES)}


class Rows:
    """The rows of one queue. Writes are buffered; reading a row with buffered writes flushes them first."""

    def __init__(self, database: JobDatabase) -> None:
        self.database, self.path = database, database.path
        self.hosts: list[str] = []
        for number, name in database.read("SELECT id, name FROM hosts ORDER BY id"):
            if number != len(self.hosts):
                raise StateError(str(self.path), f"host {len(self.hosts)} is missing", RESTORE)
            self.hosts.append(name)
        self._host_ids = {name: number for number, name in enumerate(self.hosts)}
        self._source = ("", 0)
        self._sources: int = database.read("SELECT coalesce(max(id), 0) FROM sources")[0][0]
        self._writes: dict[str, list[tuple[Any, ...]]] = {statement: [] for statement in WRITE_ORDER}
        self._raises = SparseMap()  # number of a URL -> id of its row in `raises`
        self._last_raise = 0
        self._touched: set[int] = set()  # numbers of URLs with buffered writes
        self._buffered = 0
        database.before_commit.append(self.flush)

    # -- writing ---------------------------------------------------------------------------------------------------

    def host_id(self, name: str) -> int:
        """The number of a host; a new host gets the next number."""
        number = self._host_ids.get(name)
        if number is None:
            number = self._host_ids[name] = len(self.hosts)
            self.hosts.append(name)
            self._writes[ADD_HOST].append((number, name))
        return number

    def add(
        self,
        number: int,
        digest: Digest,
        host: int,
        seen_anchors: int,
        link: Link,
        score: Score,
        tunnel: int,
        now: float,
    ) -> None:
        """Add a URL that is new; it waits."""
        row = (number, *digest, host, *_numbers(score), tunnel, now, now, seen_anchors)
        self._writes[ADD_URL].append(row)
        self._writes[ADD_LINK].append((number, link.url, *self._text(link)))
        self._count_write(number)

    def replace(self, number: int, link: Link, score: Score, tunnel: int) -> None:
        """Replace the link, score and tunnel steps of a URL that was pushed again."""
        values = (*_numbers(score), tunnel, *self._text(link))
        raised = self._raises[number]
        if raised:
            if self._writes[SET_RAISED_SCORE]:
                self._flush_if(number)  # by WRITE_ORDER an earlier change would overwrite this one
            self._writes[SET_RAISE].append((*values, raised))
        else:
            self._last_raise += 1
            self._raises[number] = self._last_raise
            self._writes[ADD_RAISE].append((self._last_raise, number, *values))
        self._count_write(number)

    def rescore(self, number: int, score: Score) -> None:
        """Replace the score of a URL; its link and tunnel steps stay."""
        raised = self._raises[number]
        if raised:  # earlier changes of this row are executed before: see WRITE_ORDER
            self._writes[SET_RAISED_SCORE].append((*_numbers(score), raised))
        else:
            self._writes[SET_SCORE].append((*_numbers(score), number))
        self._count_write(number)

    def set_seen_anchors(self, number: int, seen_anchors: int) -> None:
        """Set the seen-anchor mask of a URL. It is no part of a `Row`, so reading the row need not flush it."""
        self._writes[SET_SEEN_ANCHORS].append((seen_anchors, number))
        self._buffered += 1

    def move(self, number: int, state: int, reason: str, now: float) -> None:
        """Set the state of a URL, with its reason and time."""
        self._writes[SET_STATE].append((state, reason, now, number))
        self._count_write(number)

    def set_tries(self, number: int, tries: int) -> None:
        """Set the number of failed tries of a URL."""
        self._writes[SET_TRIES].append((tries, number))
        self._count_write(number)

    def put_note(self, name: str, text: str) -> None:
        self._writes[SET_NOTE].append((name, text))

    def flush(self) -> None:
        """Pass the buffered writes to SQLite, in the transaction that the database's `commit` ends."""
        for statement, rows in self._writes.items():
            if rows:
                self.database.write_many(statement, rows)
                rows.clear()
        self._touched.clear()
        self._buffered = 0

    # -- reading ---------------------------------------------------------------------------------------------------

    def load_states(self) -> Iterator[Sequence[tuple[int, int, int, float, int, int, int]]]:
        """Yield digest (two numbers), host, score, state, seen-anchor mask and failed tries of every URL in order of arrival, in large
        batches. To be read once after opening, before `load_raises`. StateError when a URL is missing.
        """
        rows, last = self.database.read(COUNT)[0]
        if rows != last:
            raise StateError(str(self.path), f"{last - rows} URLs are missing", RESTORE)
        yield from self.database.stream(SELECT_STATES, _LOAD_ROWS)

    def load_raises(self) -> Iterator[tuple[int, float]]:
        """Yield number and score of every raised URL, and remember its row in `raises`."""
        urls = self.database.read(COUNT)[0][0]
        for batch in self.database.stream(RAISES, _LOAD_ROWS):
            for raised, number, score in batch:
                if not 0 <= number < urls:
                    raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
                self._raises[number] = raised
                yield number, score
            self._last_raise = batch[-1][0]

    def end_leases(self) -> None:
        """Put the URLs that an ended process had leased back to waiting."""
        self.database.write("UPDATE urls SET state = 0 WHERE state = 1")

    def find(self, digest: Digest) -> int | None:
        """The number of a URL, or None if it is unknown; for a reader that has not loaded the raises. O(URLs) in SQL, without an index."""
        found = self.database.read(FIND, digest)
        if not found:
            return None
        number = int(found[0][0])
        self._raises[number] = self.database.read(LAST_RAISE, (number,))[0][0]
        return number

    def read(self, number: int, raised: int | None = None) -> Row:
        """The row of the URL with this number. `raised`: its row in `raises`, 0 = none; None = as loaded. StateError when it is missing or
        damaged."""
        self._flush_if(number)
        raised = self._raises[number] if raised is None else raised
        found = (
            self.database.read(ONE_RAISED, (raised, number)) if raised else self.database.read(ONE, (number,))
        )
        if not found:
            raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
        return self._row(found[0])

    def read_link(self, number: int, host: str) -> tuple[Link, float, float, int, bytes]:
        """Link, score, carry, tunnel and shares of a URL. For a raised URL the table `urls` is not read."""
        self._flush_if(number)
        raised = self._raises[number]
        found = self.database.read(RAISED_LINK, (raised,)) if raised else self.database.read(LINK, (number,))
        if not found:
            raise StateError(str(self.path), f"URL number {number} is missing", RESTORE)
        try:
            score, shares, carry, tunnel, *text, nofollow, source, url = found[0]
            return Link._make((url, host, *text, source, bool(nofollow))), score, carry, tunnel, bytes(shares)
        except (TypeError, ValueError) as error:
            raise StateError(str(self.path), f"URL number {number} is damaged", RESTORE) from error

    def listing(self, state: State | None = None, last: int = -1) -> Iterator[Row]:
        """Yield the rows after number `last` in order of arrival. They are read in batches, so that the caller may write in between."""
        while True:
            if self._buffered:
                self.flush()
            if state is None:
                batch = self.database.read(NEXT, (last, _PAGE_ROWS))
            else:
                batch = self.database.read(NEXT_IN_STATE, (last, CODES[state], _PAGE_ROWS))
            if not batch:
                return
            for raw in batch:
                row = self.read(raw[0]) if self._raises[raw[0]] else self._row(raw)
                if state in (None, row.state):  # it may have changed since the batch was read
                    yield row
            last = batch[-1][0]

    def note(self, name: str) -> str | None:
        if self._writes[SET_NOTE]:
            self.flush()
        found = self.database.read("SELECT text FROM notes WHERE name = ?", (name,))
        return found[0][0] if found else None

    def notes(self, prefix: str = "") -> dict[str, str]:
        if self._writes[SET_NOTE]:
            self.flush()
        return dict(
            self.database.read("SELECT * FROM notes WHERE substr(name, 1, ?) = ?", (len(prefix), prefix))
        )

    # -- inside ----------------------------------------------------------------------------------------------------

    def _flush_if(self, number: int) -> None:
        if number in self._touched:
            self.flush()

    def _text(self, link: Link) -> tuple[object, ...]:
        return (
            link.anchor, link.before, link.after, link.title, link.heading, link.region, link.path, link.kind,
            link.position, link.depth, link.nofollow, self._source_id(link.source_url),
        )  # fmt: skip

    def _source_id(self, url: str) -> int:
        if not url:
            return 0
        if url != self._source[0]:
            self._sources += 1
            self._source = (url, self._sources)
            self._writes[ADD_SOURCE].append((self._sources, url))
        return self._source[1]

    def _count_write(self, number: int) -> None:
        self._touched.add(number)
        self._buffered += 1
        if self._buffered >= _FLUSH_ROWS:
            self.flush()

    def _row(self, raw: tuple[Any, ...]) -> Row:
        number, state, reason, added, changed, tries, host, url, *counts = raw
        score, shares, carry, tunnel, *text, nofollow, source = counts
        try:
            link = Link._make((url, self.hosts[host], *text, source, bool(nofollow)))
            return Row(
                link, score, bytes(shares), carry, tunnel, STATES[state], reason, added, changed, tries
            )
        except (IndexError, TypeError, ValueError) as error:
            raise StateError(str(self.path), f"URL number {number} is damaged", RESTORE) from error


def _numbers(score: Score) -> tuple[float, bytes, float]:
    return float(score.value), score.shares, float(score.carry)
