"""A store, queue, log or feed that cannot be written ends the crawl in one line with exit code 1; the job goes on when it is mended."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import topic_crawl

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.store.page_store import PageStore

pytestmark = pytest.mark.slow

PAGES = 40
POLL_SECONDS, MOST_SECONDS = 0.02, 60.0
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
ERROR = re.compile(r"\] (?:ERROR|CRITICAL): (.*)")


def address(number: int) -> str:
    return f"http://h{number % 5}.example/p{number}"


def page(number: int) -> str:
    """A tree with some text of its own on each page."""
    links = "".join(
        f'<li><a href="{address(to)}">基金{to}</a>'
        for to in range(3 * number + 1, 3 * number + 4)
        if to < PAGES
    )
    own = "".join(chr(0x4E00 + (number * 7919 + place * 104729) % 20000) for place in range(200))
    return f"<title>{number}</title><p>{FUNDS}{own}</p>{links}"


@pytest.fixture
def web(draw_web: Callable[..., Any]) -> Any:
    return draw_web({address(number): page(number) for number in range(PAGES)})


def words(job: Path, *more: str) -> list[str]:
    settings = {
        "JOBDIR": job, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 4,
    }  # fmt: skip
    return [*topic_crawl(address(0), "breadth_first", settings), *more]


def ends(job: Path) -> dict[str, State]:
    with SqliteFrontier(JobDatabase(job / "job.sqlite", read_only=True)) as frontier:
        return {row.link.url: row.state for row in frontier.look().rows()}


def check_failed(ran: Any, job: Path, fault: str) -> set[str]:
    """One line, exit code 1, no page marked as failed or fetched that was not kept: what is done."""
    assert ran.code == 1, ran.err
    errors = ERROR.findall(ran.err)
    assert len(errors) == 1, errors
    assert re.search(fault, errors[0])
    assert "Traceback" not in ran.err
    assert "'finish_reason': 'storage_failed'" in ran.err
    states = ends(job)
    assert State.ERROR not in states.values()
    return {url for url, state in states.items() if state is State.COMPLETED}


def check_mended(ran: Any, web: Any, done: set[str]) -> None:
    """The same command again: nothing that was done is fetched again, nothing is missing."""
    assert ran.code == 0, ran.err
    asked = Counter(web.asked)
    assert set(asked) | done == set(web.pages)
    assert all(asked[url] <= 1 for url in done)
    assert max(asked.values()) <= 2


@pytest.fixture(scope="module")
def begun(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A job that was stopped after ten pages."""
    job = tmp_path_factory.mktemp("begun") / "job"
    web = draw_web({address(number): page(number) for number in range(PAGES)})
    ran = forked_scrapy(*words(job, "-a", "pages=10"), proxy=web.proxy)
    assert ran.code == 0, ran.err
    return job


def spoil_store(job: Path) -> None:
    """It is whole when the crawl begins, and takes no page."""
    with closing(sqlite3.connect(job / "job.sqlite")) as store:
        store.execute("CREATE TRIGGER no BEFORE INSERT ON pages BEGIN SELECT RAISE(ABORT, 'no more'); END")


def fill_html(job: Path) -> None:
    (job / "pages.warc.gz").unlink()
    (job / "pages.warc.gz").symlink_to("/dev/full")


@pytest.mark.parametrize(
    ("name", "spoil", "fault"),
    [
        (
            "job.sqlite",
            spoil_store,
            r"job\.sqlite: .*\(no more\)",
        ),
        (
            "pages.warc.gz",
            fill_html,
            rf"pages\.warc\.gz: .*{os.strerror(errno.ENOSPC)}; ",
        ),
    ],
    ids=["refusing store", "full disk for HTML"],
)
def test_a_store_that_fails_while_it_crawls(
    forked_scrapy: Callable[..., Any],
    web: Any,
    begun: Path,
    tmp_path: Path,
    name: str,
    spoil: Callable[[Path], None],
    fault: str,
) -> None:
    job = shutil.copytree(begun, tmp_path / "job")
    before = {url for url, state in ends(job).items() if state is State.COMPLETED}
    assert len(before) == 10
    spoil(job)
    all_kept = words(job, "-s", "TOPIC_DUPLICATES=keep")  # a copy has no HTML
    done = check_failed(forked_scrapy(*all_kept, proxy=web.proxy), job, fault)
    assert done == before
    (job / name).unlink()
    shutil.copy(begun / name, job)
    check_mended(forked_scrapy(*all_kept, proxy=web.proxy), web, done)


def test_a_file_that_may_not_grow_any_more(forked_scrapy: Any, web: Any, tmp_path: Path) -> None:
    job, most = tmp_path / "job", 250_000
    began = forked_scrapy.begin(*words(job), proxy=web.proxy)
    resource.prlimit(began.pid, resource.RLIMIT_FSIZE, (most, most))
    ran = began.wait(120)
    done = check_failed(ran, job, r"\.sqlite: .*(disk I/O error|disk is full).*room")
    assert 0 < len(done) < PAGES
    check_mended(forked_scrapy(*words(job), proxy=web.proxy), web, done)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(POLL_SECONDS)


def test_files_that_another_program_has_locked_are_waited_for(
    forked_scrapy: Any, web: Any, tmp_path: Path
) -> None:
    job, log = tmp_path / "job", tmp_path / "log"
    began = forked_scrapy.begin(*words(job), "-s", f"LOG_FILE={log}", proxy=web.proxy)
    until(lambda: len(web.asked) >= 10)
    with ExitStack() as locks:
        for path in job.glob("*.sqlite"):
            held = locks.enter_context(closing(sqlite3.connect(path, timeout=30, isolation_level=None)))
            held.execute("BEGIN EXCLUSIVE")
        until(lambda: "is locked by another program; waiting" in log.read_text(encoding="utf-8"))
    ran = began.wait(60)
    assert ran.code == 0, ran.err
    said = log.read_text(encoding="utf-8")
    assert "is free after" in said
    assert ERROR.findall(said) == []
    assert Counter(web.asked) == dict.fromkeys(web.pages, 1)
    with closing(PageStore(job / "job.sqlite")) as store:
        assert {record.url for record in store.records()} == set(web.pages)
    assert set(ends(job).values()) == {State.COMPLETED}


@pytest.mark.parametrize(
    ("form", "pages", "fault"),
    [
        ("csv", PAGES, "; "),
        ("jsonlines", 1, ""),  # all of it is written at the end
    ],
)
def test_a_feed_that_cannot_be_written_ends_the_crawl(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path, form: str, pages: int, fault: str
) -> None:
    more = ("-a", f"pages={pages}", "-o", f"/dev/full:{form}")
    ran = forked_scrapy(*words(tmp_path / "job", *more), proxy=web.proxy)
    assert ran.code == 1, ran.err
    [errors] = ERROR.findall(ran.err)
    assert "/dev/full: " in errors
    assert f"{os.strerror(errno.ENOSPC)}{fault}" in errors
    assert "Traceback" not in ran.err
    assert ("'finish_reason': 'feed_failed'" in ran.err) == (len(web.asked) < pages)
