"""A store, queue, log or feed that cannot be written ends the crawl in one line with exit code 1; the job goes on when it is mended."""

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
from drawn_crawls import ends, stored
from tree_web import FAULT, distinct_pages, distinct_words

from topiccrawler.frontier.base import State

pytestmark = pytest.mark.slow

PAGES = 40
POLL_SECONDS, MOST_SECONDS = 0.02, 60.0


@pytest.fixture
def web(draw_web: Callable[..., Any]) -> Any:
    return draw_web(distinct_pages(PAGES))


def done_in(job: Path) -> set[str]:
    """The URLs that are completed; none may have failed."""
    states = {url: state for url, (state, _) in ends(job).items()}
    assert State.ERROR not in states.values()
    return {url for url, state in states.items() if state is State.COMPLETED}


def check_failed(ran: Any, job: Path, fault: str) -> set[str]:
    """One line, exit code 1, no page marked as failed or fetched that was not kept: what is done."""
    assert ran.code == 1, ran.err
    [error] = FAULT.findall(ran.err)
    assert re.search(fault, error)
    assert "Traceback" not in ran.err
    assert "'finish_reason': 'storage_failed'" in ran.err
    return done_in(job)


def check_mended(ran: Any, web: Any, done: set[str]) -> None:
    """The same command again: nothing that was done is fetched again, nothing is missing."""
    assert ran.code == 0, ran.err
    asked = Counter(web.asked)
    assert set(asked) | done == set(web.pages)
    assert all(asked[url] <= 1 for url in done)
    assert max(asked.values()) <= 2


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
        ("job.sqlite", spoil_store, r"job\.sqlite: .*\(no more\)"),
        ("pages.warc.gz", fill_html, rf"pages\.warc\.gz: .*{os.strerror(errno.ENOSPC)}; "),
    ],
    ids=["refusing store", "full disk for HTML"],
)
def test_a_store_that_fails_while_it_crawls(
    forked_scrapy: Any, web: Any, tmp_path: Path, name: str, spoil: Any, fault: str
) -> None:
    job = tmp_path / "job"
    words = distinct_words(job, TOPIC_DUPLICATES="keep")  # a copy has no HTML
    assert forked_scrapy(*words, "-a", "pages=10", proxy=web.proxy).code == 0
    web.asked.clear()
    before = done_in(job)
    assert len(before) == 10
    whole = shutil.copy(job / name, tmp_path)
    spoil(job)
    done = check_failed(forked_scrapy(*words, proxy=web.proxy), job, fault)
    assert done == before
    (job / name).unlink()
    shutil.copy(whole, job)
    check_mended(forked_scrapy(*words, proxy=web.proxy), web, done)


def test_a_file_that_may_not_grow_any_more(forked_scrapy: Any, web: Any, tmp_path: Path) -> None:
    job, most = tmp_path / "job", 250_000
    began = forked_scrapy.begin(*distinct_words(job), proxy=web.proxy)
    resource.prlimit(began.pid, resource.RLIMIT_FSIZE, (most, most))
    ran = began.wait(120)
    done = check_failed(ran, job, r"\.sqlite: .*(disk I/O error|disk is full).*room")
    assert 0 < len(done) < PAGES
    check_mended(forked_scrapy(*distinct_words(job), proxy=web.proxy), web, done)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(POLL_SECONDS)


def test_files_that_another_program_has_locked_are_waited_for(
    forked_scrapy: Any, web: Any, tmp_path: Path
) -> None:
    job, log = tmp_path / "job", tmp_path / "log"
    began = forked_scrapy.begin(*distinct_words(job), "-s", f"LOG_FILE={log}", proxy=web.proxy)
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
    assert FAULT.findall(said) == []
    assert Counter(web.asked) == dict.fromkeys(web.pages, 1)
    assert set(stored(job)) == set(web.pages)
    assert {state for state, _ in ends(job).values()} == {State.COMPLETED}


@pytest.mark.parametrize(
    ("form", "pages", "fault"),
    [
        ("csv", PAGES, "; "),
        ("jsonlines", 1, ""),  # all of it is written at the end
    ],
)
def test_a_feed_that_cannot_be_written_ends_the_crawl(
    forked_scrapy: Any, web: Any, tmp_path: Path, form: str, pages: int, fault: str
) -> None:
    words = distinct_words(tmp_path / "job", pages=pages)
    ran = forked_scrapy(*words, "-o", f"/dev/full:{form}", proxy=web.proxy)
    assert ran.code == 1, ran.err
    [error] = FAULT.findall(ran.err)
    assert "/dev/full: " in error
    assert f"{os.strerror(errno.ENOSPC)}{fault}" in error
    assert "Traceback" not in ran.err
    assert ("'finish_reason': 'feed_failed'" in ran.err) == (len(web.asked) < pages)
