"""A crawl log that is read while it grows."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from topiccrawler.crawling.job_files import VISITS
from topiccrawler.model import Visit
from topiccrawler.results.jobs import JobLog


def line(url: str, source: str = "", *, stored: bool = False) -> str:
    visit = Visit(url, 200, 1.5, 0.5, stored, 1.0, source, anchor=f"to {url[-1]}")
    return json.dumps(asdict(visit)) + "\n"


def test_only_what_is_new_is_read_and_half_a_line_waits_for_its_end(tmp_path: Path) -> None:
    path, log = tmp_path / VISITS, JobLog(tmp_path)
    assert log.advance() == 1.0
    first, second = line("http://a.cn/1", stored=True), line("http://b.cn/2", "http://a.cn/1")
    path.write_text(first + second[:20], encoding="utf-8")
    log.advance()
    assert (log.tally.fetched, log.tally.kept) == (1, 1)
    with path.open("a", encoding="utf-8") as file:
        file.write(second[20:])
    log.advance()
    assert (log.tally.fetched, log.tally.recent) == (2, (2, 1))
    assert [(site.host, site.is_seed, site.met_at) for site in log.tally.sites] == [
        ("a.cn", True, 0),
        ("b.cn", False, 1),
    ]


def test_a_long_log_is_read_in_pieces(tmp_path: Path) -> None:
    lines = [line(f"http://a.cn/{number}") for number in range(1000)]
    (tmp_path / VISITS).write_text("".join(lines), encoding="utf-8")
    log = JobLog(tmp_path)
    share = log.advance(0.0)
    assert 0 < share < 1
    assert log.advance() == 1.0
    assert log.tally.fetched == 1000


def test_the_way_from_the_seed(tmp_path: Path) -> None:
    pages = [("http://a.cn/1", ""), ("http://a.cn/2", "http://a.cn/1"), ("http://a.cn/3", "http://a.cn/2")]
    (tmp_path / VISITS).write_text("not json\n" + "".join(line(*page) for page in pages), encoding="utf-8")
    log = JobLog(tmp_path)
    log.advance()
    way = log.path("http://a.cn/9", "http://a.cn/3", "here")
    assert [(step.url[-1], step.anchor, step.score) for step in way] == [
        ("1", "to 1", 1.5),
        ("2", "to 2", 1.5),
        ("3", "to 3", 1.5),
        ("9", "here", None),
    ]
