"""A job whose crawl log was compressed in part is read, explained, reported and continued like one whose log is one file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.store.visits import Segments, read_visits

pytestmark = pytest.mark.slow

HOME = "http://a.example/"
FAST = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "ROBOTSTXT_OBEY=False", "CONCURRENT_REQUESTS=1")
PAGES = 60
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益。"


def page(number: int) -> str:
    """Every third page is about the topic; links to three pages and ten dead ones."""
    text = FUNDS if number % 3 == 0 else "今天的天气很好，适合出门散步。"
    own = "".join(chr(0x4E00 + (number * 7919 + place * 104729) % 20000) for place in range(200))
    links = [f"<li><a href=/{to}>基金{to}</a>" for to in range(3 * number + 1, 3 * number + 4) if to < PAGES]
    links += [f"<li><a href=http://dead{place}.example/{number}>基金</a>" for place in range(10)]
    return f"<title>{text[:4]}{number}</title><p>{text * 10}{own}</p>{''.join(links)}"


@pytest.fixture(scope="module")
def jobs(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Callable[..., Any], dict[str, Path]]:
    """A job of 25 pages and dozens of dead links, once with its log in one file, once compressed."""
    home = tmp_path_factory.mktemp("logs")
    web = draw_web({HOME: page(0), **{f"{HOME}{number}": page(number) for number in range(1, PAGES)}})

    def run(job: Path, *arguments: str) -> Any:
        options = [part for one in (*FAST, f"JOBDIR={job}") for part in ("-s", one)]
        words = [part for one in arguments for part in ("-a", one)]
        return forked_scrapy("crawl", "topic", *words, *options, proxy=web.proxy)

    begun = run(home / "one/job", "topic=finance", f"seeds={HOME}", "pages=25", "strategy=breadth_first")
    assert begun.code == 0, begun.err
    shutil.copytree(home / "one/job", home / "packed/job")
    log = home / "packed/job/visits.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    assert len(lines) > 80
    log.write_bytes(b"")
    for begin in range(0, len(lines), 25):
        log.write_bytes(b"".join(lines[begin : begin + 25]))
        Segments(log).rotate()
    return run, {name: home / name / "job" for name in ("one", "packed")}


def test_every_reader_sees_one_log(
    jobs: tuple[Any, dict[str, Path]], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    _, folders = jobs
    assert (folders["packed"] / "visits.jsonl").stat().st_size == 0
    visits = list(read_visits(folders["one"] / "visits.jsonl"))
    failed = next(visit for visit in visits[30:] if visit.status == 404)
    kept = next(visit for visit in visits[60:] if visit.stored)
    said: dict[str, list[str]] = {}
    for name, job in folders.items():
        out = tmp_path / name
        out.mkdir()
        report, graph, seeds = out / "report.html", out / "links.graphml", out / "seeds.txt"
        answers = [
            forked_scrapy("explain", failed.url, "--job", str(job), "--json"),
            forked_scrapy("explain", kept.url, "--job", str(job), "--json"),
            forked_scrapy("pages", str(job), "border", "--json"),
            forked_scrapy("pages", str(job), "report", "--out", str(report)),
            forked_scrapy("pages", str(job), "export", "--out", str(graph)),
            forked_scrapy("seeds", "finance", "--jobs", str(job), "--no-check", "--yes", "--out", str(seeds)),
        ]
        assert [answer.code for answer in answers] == [0] * len(answers), answers
        texts = [answer.out for answer in answers] + [file.read_text() for file in (report, graph, seeds)]
        said[name] = [text.replace(str(out), "").replace(str(job), "") for text in texts]
    assert '"status": 404' in said["one"][0]
    assert said["packed"] == said["one"]
