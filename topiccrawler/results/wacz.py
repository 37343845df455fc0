"""Writes the HTML of a job's pages as WACZ: one file that replays the pages in a browser (replayweb.page) and that archives accept.

A WACZ file is a ZIP file with a WARC file, an index of it by URL (CDXJ), a list of the pages with title and text, and a description with
the hashes of these (WACZ 1.1.1, https://specs.webrecorder.net/wacz/1.1.1/). Pages whose HTML was not kept are left out: PDF files, copies, all
of them with TOPIC_KEEP_HTML=False. A page is the response that the crawl read, with the headers that can be known: type, charset and length.
Tests validate the files by the package wacz. It is not used here, because it needs twenty more packages.
Cost       a page is compressed again (about 1 ms for 70 kB); the index is sorted in memory, 300 bytes a page.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b32encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b, sha1, sha256
from http import HTTPStatus
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from fastwarc.warc import WarcRecordType

from topiccrawler.replay.warc_writing import RESPONSE, iso, new_record, put
from topiccrawler.results.formats import without_controls
from topiccrawler.store.html import KeptHtml
from topiccrawler.store.pages import PageRecord

VERSION = "1.1.1"
SOFTWARE = "topiccrawler"
_WARC, _INDEX, _PAGES = "archive/data.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"
_PACKAGE, _DIGEST = "datapackage.json", "datapackage-digest.json"
_WWW = re.compile(r"^www\d*\.")
_SLASHES = re.compile(r"//+")
_PORTS = {"http": 80, "https": 443}


class WaczWriter:
    """Writes pages as a WACZ file. `without_html`: pages left out, because `html` does not have them."""

    def __init__(self, html: KeptHtml, title: str) -> None:
        self._html, self._title = html, title
        self.without_html = 0

    def __call__(self, records: Iterator[PageRecord], out: BinaryIO) -> int:
        """Write the pages to a file; return how many were written."""
        index: list[str] = []
        pages = [_line({"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True})]
        with ZipFile(out, "w") as package:
            container = _Container(package)
            with container.entry(_WARC, ZIP_STORED) as warc:
                info = f"software: {SOFTWARE}\r\nformat: WARC File Format 1.1\r\n".encode()
                put(
                    cast("BinaryIO", warc),
                    new_record(WarcRecordType.warcinfo, info, "application/warc-fields"),
                )
                for record in records:
                    body = self._html.get(record.url)
                    if body is None:
                        self.without_html += 1
                        continue
                    index.append(_archive(warc, record, body))
                    pages.append(_page_line(record))
            container.write(_INDEX, sorted(index))
            container.write(_PAGES, pages)
            container.describe(self._title)
        return len(index)


class _Entry:
    """A file in the package that is being written: counts and hashes what is written."""

    def __init__(self, file: Any) -> None:
        self._file, self.bytes, self.hash = file, 0, sha256()

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        self.hash.update(data)
        return int(self._file.write(data))

    def tell(self) -> int:
        return self.bytes

    def flush(self) -> None:
        self._file.flush()


class _Container:
    """The files of a package and their description."""

    def __init__(self, package: ZipFile) -> None:
        self._package, self._resources = package, list[dict[str, object]]()
        self._now = time.gmtime()

    @contextmanager
    def entry(self, path: str, compression: int) -> Iterator[_Entry]:
        """A file to write to; only one at a time."""
        info = ZipInfo(path, self._now[:6])
        info.compress_type = compression
        with self._package.open(info, "w", force_zip64=True) as file:
            made = _Entry(file)
            yield made
        name = path.rpartition("/")[2]
        self._resources.append(
            {"name": name, "path": path, "hash": f"sha256:{made.hash.hexdigest()}", "bytes": made.bytes}
        )

    def write(self, path: str, lines: Iterable[str]) -> None:
        """Write a text file."""
        with self.entry(path, ZIP_DEFLATED) as file:
            for line in lines:
                file.write(line.encode("utf-8", "replace"))

    def describe(self, title: str) -> None:
        """Write the description of the files so far, and its own hash."""
        known = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": title,
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", self._now),
            "software": SOFTWARE,
            "resources": self._resources,
        }
        text = json.dumps(known, ensure_ascii=False, indent=2)
        self.write(_PACKAGE, [text])
        digest = {"path": _PACKAGE, "hash": f"sha256:{sha256(text.encode()).hexdigest()}"}
        self.write(_DIGEST, [json.dumps(digest)])


def _archive(warc: _Entry, record: PageRecord, body: bytes) -> str:
    """Write a page as a record of the WARC file; return its line of the index."""
    status, begin = record.status or HTTPStatus.OK.value, warc.tell()
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Unknown"
    charset = f"; charset={record.encoding}" if record.encoding else ""
    head = f"HTTP/1.1 {status} {phrase}\r\nContent-Type: text/html{charset}\r\nContent-Length: {len(body)}\r\n\r\n"
    made = new_record(
        WarcRecordType.response, head.encode() + body, RESPONSE, record.url, iso(record.fetched)
    )
    digest = f"sha1:{b32encode(sha1(body, usedforsecurity=False).digest()).decode()}"
    made.headers["WARC-Payload-Digest"] = digest
    put(cast("BinaryIO", warc), made)
    known = {
        "url": record.url, "mime": "text/html", "status": str(status), "digest": digest,
        "length": str(warc.tell() - begin), "offset": str(begin), "filename": _WARC.rpartition("/")[2],
    }  # fmt: skip
    moment = time.strftime("%Y%m%d%H%M%S", time.gmtime(record.fetched))
    return f"{sort_key(record.url)} {moment} {_line(known)}"


def _page_line(record: PageRecord) -> str:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.fetched))
    name = blake2b(record.url.encode("utf-8", "replace"), digest_size=8).hexdigest()
    known = {"id": name, "url": record.url, "ts": moment, "title": without_controls(record.title)}
    return _line({**known, "text": without_controls(record.text)})


def _line(known: dict[str, Any]) -> str:
    return json.dumps(known, ensure_ascii=False) + "\n"


def sort_key(url: str) -> str:
    """The key of a URL in an index of an archive (SURT): `cn,a)/path?query` in lower case, with sorted parameters and without `www`."""
    parts = urlsplit(url)
    host = _WWW.sub("", parts.hostname or "")
    name = host if ":" in host else ",".join(reversed(host.split(".")))
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    path = _SLASHES.sub("/", parts.path)
    path = path.rstrip("/") or "/"
    query = f"?{'&'.join(sorted(parts.query.split('&')))}" if parts.query else ""
    return f"{name}{port}){path}{query}".lower()
