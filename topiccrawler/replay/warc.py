"""A recorded web: WARC files that answer in place of the network.

A recording knows each page under one URL, a crawl asks under many; and gigabytes must not be in memory. So one pass
notes where each response begins, bodies are read on demand, and a URL that was not recorded is looked up under the
spellings a server would know.

For a URL, in this order:
    the recording of it (http when https was not recorded, and the other way round; the first of several records, but for one
        that says "later": 408, 429 and 5xx give way to what came when it was asked again);
    an alias, 301: a line `url TAB target` of aliases.tsv beside the file, /x -> /x/, /x -> /x.html,
        /x/index.html -> /x/ (also .htm, .shtml);
    a recording with the same canonical form, answered in place, because the crawl asks by canonical URLs:
        /x/ finds /x/index.html, a page finds itself recorded with tracking parameters;
    nothing: 404 on a recorded host (also for robots.txt: all is allowed), else 502.

Of a truncated file (a crawl killed while it wrote) the whole records are used; damaged ends are logged.
A file that gives none, or whose records cannot be reached by offset, is a ReplayError.

Which WARC files a setting or an option means.

Releases recorded answers one at a time, as on a network slower than the reader.

A recording answers at once, so sixteen answers would come in the same instant, be read in a row, and only then would the next
page be asked for; a strategy that learns from each page then crawls otherwise. So an answer waits until as many requests wait
as may be under way: then the page before it has been read and its successor asked for. Where fewer are asked for (seeds, the
last pages), an answer comes once the crawl is idle.

One WARC file: where its responses begin, and each of them on demand.

A file of gigabytes is read by offset only. The file of a killed crawl ends in the middle of a record: its whole
records are used, and `damage` says what is wrong with its end.

The body of a recorded response, decoded, however it was stored.

A WARC should keep the bytes of the wire, chunked and compressed; many writers store the decoded body with the old
headers. So each header is tried, and followed only when it fits the bytes.
"""

from __future__ import annotations

import asyncio
import glob
import io
import logging
import os
import re
import weakref
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from fastwarc.stream_io import BrotliReader, ZstdReader
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from topiccrawler.errors import ReplayError, file_faults
from topiccrawler.files import user_path
from topiccrawler.urls.canonical import canonical

MAX_BODY_BYTES = 64 * 1024 * 1024  # what a bomb of a few kB may unfold to
_GONE = (b"transfer-encoding", b"content-encoding", b"content-length")

Headers = list[tuple[bytes, bytes]]


def plain(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """The body as the page's author wrote it, and the headers that are still true of it."""
    for coding in _codings(headers, b"transfer-encoding"):
        body = _dechunked(body) if coding == b"chunked" else _unpacked(coding, body)
    for coding in _codings(headers, b"content-encoding"):
        body = _unpacked(coding, body)
    kept = [(name, value) for name, value in headers if name.lower() not in _GONE]
    return [*kept, (b"Content-Length", b"%d" % len(body))], body


def _codings(headers: Headers, wanted: bytes) -> list[bytes]:
    """In the order in which they must be undone."""
    values = [value for name, value in headers if name.lower() == wanted]
    return [coding.strip().lower() for coding in b",".join(values).split(b",")][::-1]


def _dechunked(body: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while True:
        line_end = body.find(b"\r\n", at, at + 1024)
        try:
            size = int(body[at:line_end].split(b";")[0], 16) if line_end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:  # not chunked after all, or cut off in the middle
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[line_end + 2 : line_end + 2 + size])
        at = line_end + 2 + size + 2


def _unpacked(coding: bytes, body: bytes) -> bytes:
    try:
        if coding in (b"gzip", b"x-gzip"):
            return zlib.decompressobj(31).decompress(body, MAX_BODY_BYTES)
        if coding == b"deflate":
            try:
                return zlib.decompressobj(15).decompress(body, MAX_BODY_BYTES)
            except zlib.error:
                return zlib.decompressobj(-15).decompress(body, MAX_BODY_BYTES)
        if coding == b"br":
            return bytes(BrotliReader(io.BytesIO(body)).read(MAX_BODY_BYTES))
        if coding == b"zstd":
            return bytes(ZstdReader(io.BytesIO(body)).read(MAX_BODY_BYTES))
    except (zlib.error, OSError, ValueError, EOFError):
        pass  # stored unpacked under its old header
    return body


_ANSWERS = WarcRecordType.response | WarcRecordType.revisit


@dataclass(frozen=True, slots=True)
class Entry:
    """A response in the file, without its body."""

    url: str  # as recorded
    offset: int  # bytes
    status: int
    location: str | None  # the Location header of a redirect
    original: str = ""  # of a revisit record: the URL whose response has its body


class WarcFile:
    """A .warc, or a .warc.gz with one gzip member a record, as the standard asks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""  # why the end of the file could not be read; known after entries()
        with file_faults(ReplayError, path, "cannot be read", "name a .warc or .warc.gz file"):
            self._file = path.open("rb", buffering=0)
        weakref.finalize(self, self._file.close)

    def entries(self) -> Iterator[Entry]:
        """One pass over the file. The last entry is given only if its record is whole."""
        last: Entry | None = None
        offset = -1
        try:
            for record in ArchiveIterator(self._file, record_types=_ANSWERS, parse_http=False):
                if record.stream_pos == offset:
                    fault = "one gzip member holds several records"
                    raise ReplayError(str(self.path), fault, "repack it: `warcio recompress FILE NEW`")
                offset = record.stream_pos
                entry = _entry(record)
                if entry is not None:
                    if last is not None:
                        yield last
                    last = entry
        except OSError as error:
            self.damage = str(error)
        if last is None:
            return
        if self._is_whole(last.offset):
            yield last
        else:
            self.damage = self.damage or "its last record is cut off"

    def read(self, offset: int) -> tuple[int, Headers, bytes]:
        """Status, headers and body of the response that begins at a byte, the body as it is stored."""
        fault = "no HTTP response there"
        try:
            record = self._record_at(offset)
            status = _status(record) if record else None
            if record and status is not None:
                stored = [(bytes(name), bytes(value)) for name, value in record.http_headers.items_bytes()]
                return status, stored, bytes(record.reader.read())
        except OSError as error:
            fault = str(error)
        what = f"the record at byte {offset} cannot be read ({fault})"
        raise ReplayError(str(self.path), what, "record the file again, or leave it out")

    def _record_at(self, offset: int) -> WarcRecord | None:
        self._file.seek(offset)
        return next(ArchiveIterator(self._file, record_types=_ANSWERS, parse_http=False), None)

    def _is_whole(self, offset: int) -> bool:
        try:
            record = self._record_at(offset)
            return record is not None and len(record.reader.read()) == record.content_length
        except OSError:
            return False


def _entry(record: WarcRecord) -> Entry | None:
    status = _status(record)
    if status is None:
        return None
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    location = record.http_headers.get("Location") if 300 <= status < 400 else None
    original = ""
    if record.record_type == WarcRecordType.revisit:
        original = (record.headers.get("WARC-Refers-To-Target-URI") or "").strip("<> ")
        if not original:
            return None
    return Entry(url, record.stream_pos, status, location, original)


def _status(record: WarcRecord) -> int | None:
    """Read the HTTP head; its status, or None when there is none."""
    if not record.is_http:
        return None
    try:
        record.parse_http(quirks_mode=True)
    except OSError:
        return None
    return record.http_headers.status_code if record.http_headers is not None else None


_SUFFIXES = (".warc", ".warc.gz")
_REMEDY = "name .warc or .warc.gz files"


def recorded_paths(text: str | Iterable[str]) -> list[Path]:
    """Paths, folders and patterns, separated by commas (or a list of such); each file once, in the order named."""
    names = text.split(",") if isinstance(text, str) else text
    paths: list[Path] = []
    for name in filter(None, (name.strip() for name in names)):
        found = _files(name)
        if not found:
            raise ReplayError(name, "no such WARC file or folder of WARC files", _REMEDY)
        paths += [path for path in found if path not in paths]
    if not paths:
        raise ReplayError("the list of WARC files", "empty", _REMEDY)
    return paths


def _files(name: str) -> list[Path]:
    path = user_path(name)
    if path.is_dir():
        return sorted(entry for entry in path.iterdir() if entry.name.endswith(_SUFFIXES))
    if path.exists():
        return [path]
    return [Path(match) for match in sorted(glob.glob(os.path.expanduser(name)))]


STILL_SECONDS = 0.05
LOOKS = 2  # at a crawl that stands still: a page may just have been read, and its successor not asked for yet


class Pacer:
    """First in, first out."""

    def __init__(self, under_way: int) -> None:
        """`under_way`: requests at once."""
        self._under_way = under_way
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, still: Callable[[], bool]) -> None:
        """Wait until this request may be answered. `still`: whether all that was answered has been read."""
        released = asyncio.get_running_loop().create_future()
        self._waiting.append(released)
        if len(self._waiting) >= self._under_way:
            self._answer()
        self._look_later(still)
        await released

    def _answer(self) -> None:
        released = self._waiting.popleft()
        if not released.done():  # a request that was given up
            released.set_result(None)

    def _look_later(self, still: Callable[[], bool], looks: int = 0) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._timer = asyncio.get_running_loop().call_later(STILL_SECONDS, self._look, still, looks)

    def _look(self, still: Callable[[], bool], looks: int) -> None:
        self._timer = None
        looks = looks + 1 if still() else 0
        if looks == LOOKS:
            self._answer()
            looks = 0
        self._look_later(still, looks)


logger = logging.getLogger(__name__)

_INDEX_PAGES = ("index.html", "index.htm", "index.shtml")
TEMPORARY = frozenset({408, 429, *range(500, 600)})  # statuses after which a crawl asks again
_PATH_SAFE = "/:@!$&'()*+,;=~-._"
_PARTS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\??)([^#]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """What the recorded web would answer."""

    status: int
    location: str | None = None  # where a 3xx points to


@dataclass(frozen=True, slots=True)
class Recorded:
    """One response; the body unpacked, the headers true of it."""

    url: str  # as it was asked for
    status: int
    headers: Headers
    body: bytes


class RecordedWeb:
    """Random access to the responses of WARC files, by URL."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self._files: list[WarcFile] = []
        self._positions: dict[str, int] = {}  # key -> (offset * files + file) * 2 + recorded under https
        self._spelled: dict[str, str] = {}  # key -> URL as recorded, where the key does not give it
        self._moved: dict[str, Found] = {}  # key -> answer, where it is not 200
        self._originals: dict[str, str] = {}  # key of a revisit record -> URL of the response with its body
        self._aliases: dict[str, str] = {}
        for number, path in enumerate(self._paths):
            self._files.append(WarcFile(path))
            self._scan(number, self._files[-1])
        for folder in sorted({path.parent for path in self._paths}):
            self._read_aliases(folder / "aliases.tsv")
        self._hosts = {_host(key) for key in self._positions}
        self._leave_out_revisits_alone()
        if not self._positions:
            names = ", ".join(map(str, paths)) or "the list of WARC files"
            raise ReplayError(names, "no HTTP responses in it", "name a WARC file of a crawl")

    def __len__(self) -> int:
        return len(self._positions)

    def urls(self) -> Iterator[str]:
        """The URLs as they were recorded, in the order of the files."""
        for key, position in self._positions.items():
            yield self._url(key, position)

    def find(self, url: str) -> Found:
        """The status and, for a redirect, its target, without reading the body."""
        found, key = self._look_up(url)
        return found if key is None else self._moved.get(key, found)

    def response(self, url: str) -> Recorded | None:
        """The response, or None when nothing is recorded there (`find` says whether that is 404 or 502)."""
        found, key = self._look_up(url)
        if key is not None:
            status, headers, body = self._stored(key)
            if key in self._originals:
                original = self._look_up(self._originals[key])[1]
                body = b"" if original is None else self._stored(original)[2]
            return Recorded(url, status, *plain(headers, body))
        if found.location is not None:
            headers = [(b"Location", found.location.encode("utf-8")), (b"Content-Length", b"0")]
            return Recorded(url, found.status, headers, b"")
        return None

    def record_url(self, url: str) -> str | None:
        """The URL of the record that answers; None for aliases and where nothing is recorded."""
        _, key = self._look_up(url)
        return None if key is None else self._url(key, self._positions[key])

    def _look_up(self, url: str) -> tuple[Found, str | None]:
        """The answer and, when a record holds it, the record's key."""
        if url in self._positions:
            return Found(200), url
        parts = _PARTS.match(url)
        if parts is None:
            return Found(502), None
        key = _key(parts)
        secure_key = "https" + key[4:]
        if secure_key in self._positions and parts[1].lower() == "https":
            return Found(200), secure_key
        if key in self._positions:
            return Found(200), key
        return self._look_further(url, key)

    def _look_further(self, url: str, key: str) -> tuple[Found, str | None]:
        for target in self._alias_targets(key):
            position = self._positions.get(target)
            if position is not None:
                return Found(301, self._url(target, position)), None
        asked = _PARTS.match(canonical(url) or "")
        recorded = self._canonical_keys.get(_key(asked)) if asked else None
        if recorded is not None:
            return Found(200), recorded
        return Found(404 if _host(key) in self._hosts else 502), None

    def _alias_targets(self, key: str) -> Iterator[str]:
        if key in self._aliases:
            yield self._aliases[key]
        yield key + "/"
        yield key + ".html"
        for page in _INDEX_PAGES:
            if key.endswith("/" + page):
                yield key[: -len(page)]

    @cached_property
    def _canonical_keys(self) -> dict[str, str]:
        """Canonical form -> key, for the records that are not under their canonical form themselves."""
        keys: dict[str, str] = {}
        for key, position in self._positions.items():
            parts = _PARTS.match(canonical(self._url(key, position)) or "")
            if parts and _key(parts) not in self._positions:
                keys.setdefault(_key(parts), key)
        return keys

    def _url(self, key: str, position: int) -> str:
        return self._spelled.get(key) or ("https" + key[4:] if position & 1 and key[:5] == "http:" else key)

    def _scan(self, number: int, file: WarcFile) -> None:
        before = len(self._positions)
        for entry in file.entries():
            self._note(entry, (entry.offset * len(self._paths) + number) * 2)
        if file.damage:
            whole = len(self._positions) - before
            if not whole:
                fault = f"no whole response in it ({file.damage})"
                raise ReplayError(str(file.path), fault, "name a WARC file, or record it again")
            logger.warning("%s: %s; the %d responses before are used", file.path, file.damage, whole)

    def _note(self, entry: Entry, position: int) -> None:
        parts = _PARTS.match(entry.url)
        if parts is None:
            return
        key = _key(parts)
        secure = parts[1].lower() == "https"
        if key in self._positions and secure and not self._positions[key] & 1:
            key = "https" + key[4:]  # the http record is most often nothing but the way to this one
        elif key in self._positions:
            key = entry.url  # distinguished by a fragment
        if key in self._positions:
            if not self._is_temporary(key) or entry.status in TEMPORARY:
                return
            self._moved.pop(key)
        if entry.original:
            self._originals[key] = entry.original
        self._positions[key] = position + secure
        if self._url(key, position + secure) != entry.url:
            self._spelled[key] = entry.url
        if entry.status != 200:
            location = canonical(entry.location, entry.url) if entry.location else None
            self._moved[key] = Found(entry.status, location)

    def _stored(self, key: str) -> tuple[int, Headers, bytes]:
        offset, number = divmod(self._positions[key] >> 1, len(self._files))
        return self._files[number].read(offset)

    def _is_temporary(self, key: str) -> bool:
        return key in self._moved and self._moved[key].status in TEMPORARY

    def _leave_out_revisits_alone(self) -> None:
        """A revisit record has no body; without the file that has it nothing was recorded."""
        found = ((key, self._look_up(url)[1]) for key, url in self._originals.items())
        alone = [key for key, first in found if first is None or first in self._originals]
        for key in alone:
            del self._positions[key], self._originals[key]
        if alone:
            self.__dict__.pop("_canonical_keys", None)
            fault = "%d records refer to responses that are in none of the WARC files; name all files of the crawl"
            logger.warning(fault, len(alone))

    def _read_aliases(self, path: Path) -> None:
        if not path.is_file():
            return
        with file_faults(ReplayError, path, "cannot be read", "mend it or take it away"):
            lines = path.read_text(encoding="utf-8").splitlines()
        for line in lines:
            alias, _, target = line.partition("\t")
            ends = _PARTS.match(alias), _PARTS.match(target)
            if ends[0] and ends[1]:
                self._aliases[_key(ends[0])] = _key(ends[1])


def _key(parts: re.Match[str]) -> str:
    """The form records are found by: http, lower-case host, one percent-encoding, no fragment."""
    host = parts[2].rpartition("@")[2].lower()
    name, colon, port = host.partition(":")
    if colon and port in ("", "80", "443"):
        host = name
    path = quote(unquote_to_bytes(parts[3] or "/"), safe=_PATH_SAFE)
    query = "?" + quote(unquote_to_bytes(parts[5]), safe=_PATH_SAFE + "?/%") if parts[5] else ""
    return f"http://{host.rstrip('.')}{path}{query}"


def _host(key: str) -> str:
    return key.split("/", 3)[2]
