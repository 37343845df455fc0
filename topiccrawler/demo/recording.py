"""The synthetic web as a recorded one: a WARC file and its labels, for a comparison without the network.

The same bytes each time, on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path

from fastwarc.warc import WarcRecord, WarcRecordType

from topiccrawler.demo import answers
from topiccrawler.demo.plan import PlannedPage, Web
from topiccrawler.demo.sites import CRAWL, DIRECTORY, JUMPED, LICAI, MIXED


def record(web: Web, folder: Path, pages: Iterable[PlannedPage] | None = None) -> tuple[Path, Path]:
    """Write these pages of the web, by default all of the part that is crawled, with their labels: both files."""
    warc, labels = folder / "pages.warc", folder / "labels.tsv"
    planned = list(web.of_part(CRAWL) if pages is None else pages)
    urls = [page.url for page in planned]
    home = f"http://{LICAI}/"
    ways = [f"http://{DIRECTORY}/go.php?to={host}" for host in web.hosts()]
    ways += [url.replace(home, f"http://{JUMPED}/", 1) for url in urls if url.startswith(home)]
    given = [(url, answers.answer(web, url)) for url in (*urls, *ways)]
    with warc.open("wb") as file:
        for number, (url, found) in enumerate(pair for pair in given if pair[1].status < 400):
            fields = (*found.headers, ("Content-Length", str(len(found.body))))
            head = f"HTTP/1.1 {found.status} {HTTPStatus(found.status).phrase}\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in fields)
            response = WarcRecord()
            response.init_headers(WarcRecordType.response)
            response.headers["WARC-Record-ID"] = f"<urn:topiccrawler:{number}>"
            response.headers["WARC-Date"] = "2020-01-01T00:00:00Z"  # a real one would not repeat
            response.headers["WARC-Target-URI"] = url
            response.headers["Content-Type"] = "application/http; msgtype=response"
            response.set_bytes_content(f"{head}\r\n".encode() + found.body)
            response.write(file)
    rows = ["#url\ttopics\thow\tkind"]
    for page in planned:
        topic = "" if page.topic == MIXED else page.topic
        rows.append(f"{page.url}\t{topic}\tplan\t{'content' if page.kind == 'article' else 'hub'}")
    labels.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return warc, labels
