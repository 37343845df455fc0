"""Scrapy's own commands behave with our components as a Scrapy user expects."""

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl

from topiccrawler.crawling.page_stores import visits_of

HUB = '<title>导航</title><a href="/fund">基金净值</a><a href="http://sport.example/">体育</a>'


def test_check_runs_the_contracts_and_they_hold(forked_scrapy: Callable[..., Any], tmp_path: Path) -> None:
    ran = forked_scrapy("check", "-s", "LOG_LEVEL=ERROR", "-s", f"TOPIC_DATA_DIR={tmp_path}")
    assert ran.code == 0, ran.err
    assert "Ran 4 contracts" in ran.err
    assert "OK" in ran.err


@pytest.mark.slow
def test_shell_and_fetch_get_a_page_and_no_queued_row(
    crawl: Crawl, forked_scrapy: Callable[..., Any]
) -> None:
    pages = {"http://hub.example/": HUB, "http://hub.example/fund": "<title>基金</title>"}
    begun = crawl(pages, pages=1, strategy="best_first", LOG_LEVEL="ERROR")
    web, settings = begun.web, (f"JOBDIR={begun.job}", "DOWNLOAD_DELAY=0", "LOG_LEVEL=ERROR")
    job = [part for setting in settings for part in ("-s", setting)]
    web.asked.clear()
    shell = forked_scrapy(
        "shell", "http://hub.example/fund", "-c", "response.css('title::text').get()", *job, proxy=web.proxy
    )
    assert shell.out.strip() == "基金"
    fetch = forked_scrapy("fetch", "--nolog", "http://hub.example/fund", *job, proxy=web.proxy)
    assert fetch.out.strip() == "<title>基金</title>"
    check = forked_scrapy("check", *job, proxy=web.proxy)
    assert check.code == 0
    assert set(web.fetched()) == {"http://hub.example/fund"}


def test_parse_shows_the_item_and_each_link_as_a_request_and_follows_them(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web({"http://hub.example/": HUB, "http://hub.example/fund": "<title>基金</title>"})
    arguments = ("-a", "topic=finance", "-a", "strategy=best_first", "-s", "DOWNLOAD_DELAY=0", "--nocolour")
    arguments += ("-s", f"TOPIC_DATA_DIR={tmp_path}")
    ran = forked_scrapy("parse", "http://hub.example/", *arguments, proxy=web.proxy)
    assert ran.code == 0, ran.err
    assert "'title': '导航'" in ran.out
    assert "<GET http://hub.example/fund>" in ran.out
    assert "<GET http://sport.example/>" in ran.out
    deeper = forked_scrapy("parse", "-d", "2", "http://hub.example/", *arguments, proxy=web.proxy)
    assert "'title': '基金'" in deeper.out


PLAIN = """
from scrapy import Spider


class Plain(Spider):
    name = "plain"
    allowed_domains = ["plain.example"]

    def parse(self, response):
        yield {"plain": response.url}
"""


def test_parse_takes_the_spider_of_a_url_where_there_is_one(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    package = tmp_path / "others"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "plain.py").write_text(PLAIN)
    web = draw_web({"http://plain.example/": HUB})
    ran = forked_scrapy(
        "parse", "http://plain.example/", "--nocolour", "-s", "SPIDER_MODULES=others,topiccrawler.spiders",
        proxy=web.proxy, PYTHONPATH=str(tmp_path),
    )  # fmt: skip
    assert "'plain': 'http://plain.example/'" in ran.out, ran.err


@pytest.mark.slow
def test_a_job_that_was_interrupted_goes_on_and_fetches_no_page_twice(
    forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    links = "".join(f'<a href="http://h{number}.example/">站{number}</a>' for number in range(40))
    pages: dict[str, Any] = {f"http://h{number}.example/": f"<title>{number}</title>" for number in range(40)}
    running: list[Any] = []

    def interrupt() -> str:
        running[0].send_signal(signal.SIGINT)
        return "<title>interrupted here</title>"

    pages |= {"http://hub.example/": links, "http://h7.example/": interrupt}
    web = draw_web(pages)
    command = [
        "crawl", "topic", "-a", "topic=finance", "-a", "strategy=breadth_first",
        "-a", "seeds=http://hub.example/", "-s", f"JOBDIR={tmp_path / 'job'}", "-s", "CONCURRENT_REQUESTS=4",
        "-s", "ROBOTSTXT_OBEY=False", "-o", str(tmp_path / "out.jsonl"),
    ]  # fmt: skip
    running.append(forked_scrapy.begin(*command, proxy=web.proxy))
    ran = running[0].wait(60)
    assert ran.code == 0, ran.err
    assert "'finish_reason': 'shutdown'" in ran.err
    assert re.search(r"ended: .*; \d+ ", ran.err)
    before = len(web.asked)
    assert 8 <= before < 20
    again = forked_scrapy(*command, proxy=web.proxy)
    assert again.code == 0, again.err
    assert "'finish_reason': 'finished'" in again.err
    assert sorted(web.asked) == sorted(pages)
    visits = [visit.url for visit in visits_of(tmp_path / "job")]
    assert sorted(visits) == sorted(pages)


@pytest.mark.parametrize(
    ("setting", "loop"),
    [
        ((), "uvloop.Loop"),
        (
            ("-s", "ASYNCIO_EVENT_LOOP=asyncio.SelectorEventLoop"),
            "asyncio.unix_events._UnixSelectorEventLoop",
        ),
    ],
)
def test_a_crawl_runs_on_uvloop_unless_a_setting_names_another_loop(
    forked_scrapy: Callable[..., Any],
    draw_web: Callable[..., Any],
    tmp_path: Path,
    setting: tuple[str, ...],
    loop: str,
) -> None:
    web = draw_web({"http://hub.example/": HUB})
    ran = forked_scrapy(
        "crawl", "topic", "-a", "topic=finance", "-a", "pages=1", "-a", "seeds=http://hub.example/",
        "-s", f"TOPIC_DATA_DIR={tmp_path}", "-s", "DOWNLOAD_DELAY=0", "-s", "LOG_LEVEL=DEBUG", *setting, proxy=web.proxy,
    )  # fmt: skip
    assert f"Using asyncio event loop: {loop}" in ran.err


def test_a_queue_begun_with_a_jobdir_is_not_dropped_by_a_run_without_one(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web({"http://hub.example/": HUB, "http://hub.example/fund": "<title>基金</title>"})
    command = [
        "crawl", "topic", "-a", "topic=finance", "-a", "strategy=breadth_first", "-a", "pages=1",
        "-a", "seeds=http://hub.example/", "-s", "DOWNLOAD_DELAY=0", "-s", f"TOPIC_DATA_DIR={tmp_path}",
    ]  # fmt: skip
    jobdir = ("-s", f"JOBDIR={tmp_path / 'job'}")
    assert forked_scrapy(*command, *jobdir, proxy=web.proxy).code == 0
    refused = forked_scrapy(*command, "-s", "TOPIC_JOB=job", proxy=web.proxy)
    [line] = [line for line in refused.err.splitlines() if "would drop" in line]
    assert line.endswith(f"go on with -s JOBDIR={tmp_path / 'job'}, or choose another TOPIC_JOB")
    assert web.fetched() == ["http://hub.example/"]
    command[command.index("pages=1")] = "pages=2"
    assert forked_scrapy(*command, *jobdir, proxy=web.proxy).code == 0
    assert web.fetched()[1:] == ["http://hub.example/fund"]
