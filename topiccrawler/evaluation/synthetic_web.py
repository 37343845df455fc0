"""The demo's synthetic web as a recorded one: a WARC file and its labels, the same bytes each time.

The conflict: a comparison wants files, the synthetic web answers requests. So every page of the part that is crawled is asked for
once, and so are the addresses that only lead to one: the directory's jump script and the host that moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fastwarc.warc import WarcRecord, WarcRecordType

from topiccrawler.demo.answers import Answer, answer
from topiccrawler.demo.plan import Web
from topiccrawler.demo.sites import CRAWL, DIRECTORY, JUMPED, LICAI, MIXED

_CONTENT_KIND = "article"
_WRITTEN = "2020-01-01T00:00:00Z"  # a WARC wants a date; a real one would not repeat
_REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found"}


def record(web: Web, folder: Path) -> tuple[Path, Path]:
    """Write pages.warc and labels.tsv to a folder; their paths."""
    warc, labels = folder / "pages.warc", folder / "labels.tsv"
    with warc.open("wb") as file:
        for number, (url, given) in enumerate(_answers(web)):
            response = WarcRecord()
            response.init_headers(WarcRecordType.response)
            response.headers["WARC-Record-ID"] = f"<urn:topiccrawler:{number}>"
            response.headers["WARC-Date"] = _WRITTEN
            response.headers["WARC-Target-URI"] = url
            response.headers["Content-Type"] = "application/http; msgtype=response"
            response.set_bytes_content(_http(given))
            response.write(file)
    rows = ["#url\ttopics\thow\tkind"]
    for page in web.of_part(CRAWL):
        topic = "" if page.topic == MIXED else page.topic
        rows.append(f"{page.url}\t{topic}\tplan\t{'content' if page.kind == _CONTENT_KIND else 'hub'}")
    labels.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return warc, labels


def _answers(web: Web) -> Iterator[tuple[str, Answer]]:
    pages = [page.url for page in web.of_part(CRAWL)]
    ways = [f"http://{DIRECTORY}/go.php?to={host}" for host in web.hosts()]
    home = f"http://{LICAI}/"
    ways += [url.replace(home, f"http://{JUMPED}/", 1) for url in pages if url.startswith(home)]
    for url in (*pages, *ways):
        given = answer(web, url)
        if given.status in _REASONS:
            yield url, given


def _http(given: Answer) -> bytes:
    lines = [f"HTTP/1.1 {given.status} {_REASONS[given.status]}"]
    lines += [f"{name}: {value}" for name, value in given.headers]
    return "\r\n".join([*lines, f"Content-Length: {len(given.body)}", "", ""]).encode() + given.body
