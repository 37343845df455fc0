"""Replays a recorded web: looks responses up by URL in WARC files, which replace the network.

A recording has each page under one URL, a crawl requests it under many; and gigabytes must not be in memory. So one pass
records where each response begins, bodies are read on demand, and a URL that was not recorded is looked up under the
spellings that a server would accept.

For a URL, in this order:
    its own record (http when https was not recorded, and the other way round; the first of several records, except
        that a temporary failure, 408, 429 or 5xx, is replaced by the response to a later request, and a reference to an
        earlier response by a response);
    an alias, 301: a line `url TAB target` of aliases.tsv beside the file, /x -> /x/, /x -> /x.html,
        /x/index.html -> /x/ (also .htm, .shtml);
    a record with the same canonical form, without a redirect, because the crawl requests canonical URLs:
        /x/ finds /x/index.html, a page finds its record with tracking parameters;
    nothing: 404 on a recorded host (also for robots.txt: all is allowed), else 502.

A revisit record has the body of the record that it names: by record id, by URL and date, by the digest of the body, or by URL, in this
order. What it does not say of the response (no head, or "not modified") is that of the other record too.

Of a truncated file (a crawl was killed while it wrote) the whole records are used; the damage is logged, and so is what cannot be replayed.
A file without a whole record is a ReplayError.
"""

from __future__ import annotations

import glob
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from topiccrawler.errors import ReplayError, file_faults
from topiccrawler.files import user_path
from topiccrawler.replay.warc_file import (
    Entry,
    Headers,
    Reference,
    WarcFile,
    plain,
    target_of,
    without_codings,
)
from topiccrawler.urls.canonical import canonical

_SUFFIXES = (".warc", ".warc.gz", ".arc", ".arc.gz")
_REMEDY = "name .warc or .warc.gz files"


def recorded_paths(text: str | Iterable[str]) -> list[Path]:
    """The WARC files of paths, folders and glob patterns, in one text separated by commas or in a list; each file once, in order.
    ReplayError for a name without files."""
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
        return sorted(entry for entry in path.iterdir() if entry.name.lower().endswith(_SUFFIXES))
    if path.exists():
        return [path]
    return [Path(match) for match in sorted(glob.glob(os.path.expanduser(name)))]


logger = logging.getLogger(__name__)

_INDEX_PAGES = ("index.html", "index.htm", "index.shtml")
TEMPORARY = frozenset({408, 429, *range(500, 600)})  # statuses after which a crawl retries
_PATH_SAFE = "/:@!$&'()*+,;=~-._"
_PARTS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\??)([^#]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """The status that the recorded web has for a URL."""

    status: int
    location: str | None = None  # the target of a 3xx


@dataclass(frozen=True, slots=True)
class Recorded:
    """One response with the body decoded, and with headers that fit the decoded body."""

    url: str  # as it was requested
    status: int
    headers: Headers
    body: bytes

    @property
    def content_type(self) -> str:
        """The value of the Content-Type header; empty if there is none."""
        named = {name.lower(): value for name, value in self.headers}
        return named.get(b"content-type", b"").decode("latin-1")


class RecordedWeb:
    """Random access to the responses of WARC files, by URL."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self._files: list[WarcFile] = []
        self._positions: dict[str, int] = {}  # key -> (offset * files + file) * 2 + recorded under https
        self._spelled: dict[str, str] = {}  # key -> URL as recorded, where it cannot be derived from the key
        self._moved: dict[str, Found] = {}  # key -> status and target, where the status is not 200
        # key of a revisit record -> what it says of the record with its body
        self._revisits: dict[str, Reference] = {}
        self._bodies: dict[str, int] = {}  # key of a revisit record -> position of that record
        self._without_status = set[str]()  # keys of revisit records that do not say the status
        self._aliases: dict[str, str] = {}
        for number, path in enumerate(self.paths):
            self._files.append(WarcFile(path))
            self._scan(number, self._files[-1])
        for folder in sorted({path.parent for path in self.paths}):
            self._read_aliases(folder / "aliases.tsv")
        self._find_originals()
        self._hosts = {_host(key) for key in self._positions}
        if not self._positions:
            names = ", ".join(map(str, paths)) or "the list of WARC files"
            raise ReplayError(names, "no HTTP responses in it", "name a WARC file of a crawl")

    def __len__(self) -> int:
        return len(self._positions)

    def urls(self) -> Iterator[str]:
        """Yield the URLs as they were recorded, in the order of the files."""
        for key, position in self._positions.items():
            yield self._url(key, position)

    def find(self, url: str) -> Found:
        """The status of a URL and, for a redirect, its target; no body is read."""
        found, key = self._look_up(url)
        return found if key is None else self._moved.get(key, found)

    def response(self, url: str) -> Recorded | None:
        """The response to a request of `url`; None when nothing is recorded (`find` has the status, 404 or 502)."""
        found, key = self._look_up(url)
        if key is not None:
            return self._recorded(url, key)
        if found.location is not None:
            headers = [(b"Location", found.location.encode("utf-8")), (b"Content-Length", b"0")]
            return Recorded(url, found.status, headers, b"")
        return None

    def record_url(self, url: str) -> str | None:
        """The URL of the record with the response to `url`; None for aliases and where nothing is recorded."""
        _, key = self._look_up(url)
        return None if key is None else self._url(key, self._positions[key])

    def _recorded(self, url: str, key: str) -> Recorded:
        status, headers, body = self._stored(self._positions[key])
        if key in self._bodies:
            first_status, first_headers, first_body = self._stored(self._bodies[key])
            if key in self._without_status:
                status, headers = first_status, first_headers
            body = plain(first_headers, first_body)[1]  # packed as the head says with which it was recorded
            headers = without_codings(headers)
        return Recorded(url, status or 200, *plain(headers, body))

    def _look_up(self, url: str) -> tuple[Found, str | None]:
        """The status of a URL, and the key of its record (None for aliases and where nothing is recorded)."""
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
        """Key of the canonical URL -> key of the record, for records whose own key is not canonical."""
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
            self._note(entry, (entry.offset * len(self.paths) + number) * 2)
        if file.damage:
            whole = len(self._positions) - before
            if not whole:
                fault = f"no whole response in it ({file.damage})"
                raise ReplayError(str(file.path), fault, "name a WARC file, or record it again")
            logger.warning("%s: %s; the %d responses before are used", file.path, file.damage, whole)
        if file.left_out:
            left_out = ", ".join(f"{number} {what}" for what, number in file.left_out.most_common())
            logger.warning("%s: left out: %s", file.path, left_out)

    def _note(self, entry: Entry, position: int) -> None:
        parts = _PARTS.match(entry.url)
        if parts is None:
            return
        key = _key(parts)
        secure = parts[1].lower() == "https"
        if key in self._positions and secure and not self._positions[key] & 1:
            key = "https" + key[4:]  # the http record is most often only a redirect to this one
        if key in self._positions and self._url(key, self._positions[key]) != entry.url:
            key = entry.url  # the two may differ by a fragment
        if key in self._positions:
            again = self._is_temporary(key) and entry.status not in TEMPORARY
            has_a_body = key in self._revisits and entry.original is None
            if not again and not has_a_body:
                return
            self._moved.pop(key, None)
            self._revisits.pop(key, None)
            self._without_status.discard(key)
        if entry.original is not None:
            self._revisits[key] = entry.original
        self._positions[key] = position + secure
        if self._url(key, position + secure) != entry.url:
            self._spelled[key] = entry.url
        if entry.status is None:
            self._without_status.add(key)
        else:
            self._note_status(key, entry.url, entry.status, entry.location)

    def _note_status(self, key: str, url: str, status: int, location: str | None) -> None:
        if status != 200:
            self._moved[key] = Found(status, canonical(location, url) if location else None)

    def _stored(self, position: int) -> tuple[int | None, Headers, bytes]:
        offset, number = divmod(position >> 1, len(self._files))
        return self._files[number].read(offset)

    def _is_temporary(self, key: str) -> bool:
        return key in self._moved and self._moved[key].status in TEMPORARY

    def _find_originals(self) -> None:
        """Find the record with the body of each revisit record, in a second pass over the files. Drop the revisit records for which
        there is none."""
        if not self._revisits:
            return
        wanted: dict[tuple[str, ...], int | None] = {
            name: None for reference in self._revisits.values() for name in _names(reference)
        }
        for number, file in enumerate(self._files):
            for offset, record in file.references():
                for name in _names(record):
                    if name in wanted and wanted[name] is None:
                        wanted[name] = (offset * len(self._files) + number) * 2
        alone = 0
        for key, reference in self._revisits.items():
            found = (wanted[name] for name in _names(reference))
            body = next((position for position in found if position is not None), None)
            if body is None:
                alone += 1
                del self._positions[key]
            else:
                self._bodies[key] = body
                if key in self._without_status:
                    status, headers, _ = self._stored(body)
                    url = self._url(key, self._positions[key])
                    self._note_status(key, url, status or 200, target_of(status or 200, headers))
        if alone:
            fault = "%d records refer to responses that are in none of the WARC files; name all files of the crawl"
            logger.warning(fault, alone)

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


def _names(record: Reference) -> list[tuple[str, ...]]:
    """What a record can be found by, the most exact first: its id, URL and date, digest, URL."""
    place = _PARTS.match(record.url)
    url = _key(place) if place else ""
    digest = record.digest.lower().replace("sha-", "sha")
    names = [("id", record.record_id), ("url", url, record.date), ("digest", digest), ("url", url)]
    return [name for name in names if all(name)]


def _key(parts: re.Match[str]) -> str:
    """The form of a URL by which records are found: http, lower-case host, uniform percent-encoding, no fragment."""
    host = parts[2].rpartition("@")[2].lower()
    name, colon, port = host.partition(":")
    if colon and port in ("", "80", "443"):
        host = name
    path = quote(unquote_to_bytes(parts[3] or "/"), safe=_PATH_SAFE)
    query = "?" + quote(unquote_to_bytes(parts[5]), safe=_PATH_SAFE + "?/%") if parts[5] else ""
    return f"http://{host.rstrip('.')}{path}{query}"


def _host(key: str) -> str:
    return key.split("/", 3)[2]
