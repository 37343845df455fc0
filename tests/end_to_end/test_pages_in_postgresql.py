"""A crawl whose pages lie in PostgreSQL: a server that is gone for a while loses nothing, one that takes no more ends it in one line."""

import json
import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import Started
from postgresql_server import FULL_DISK, MORE_ROOM, PASSWORD, PostgresqlServer
from tree_web import FAULT, address, distinct_page, distinct_pages, distinct_words

from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.job_database import JobDatabase

pytestmark = pytest.mark.slow

PAGES, COPIES = 40, 5
PATIENCE = 60.0


def until(what: Callable[[], bool]) -> None:
    """Ask again until it is so."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


@pytest.fixture
def server() -> Iterator[PostgresqlServer]:
    """One that may be killed."""
    server = PostgresqlServer().start()
    yield server
    server.stop()


def killed_meanwhile(
    server: PostgresqlServer, crawl: Started, gone: threading.Event, back: threading.Event, err: Path
) -> str:
    """Kill the server when `gone` is set, let the page that sets it go on (`back`), start the server again once it is missed: what the crawl
    says until it ends well."""
    assert gone.wait(PATIENCE)
    server.kill()
    back.set()
    until(lambda: "is away" in err.read_text())
    server.start()
    ran = crawl.wait(PATIENCE)
    said = err.read_text()
    assert ran.code == 0, said
    return said


def kept(server: PostgresqlServer) -> dict[str, str]:
    """What each page is an alias of."""
    with closing(PostgresPages(Session(server.url()), "job", create=False)) as pages:
        records = list(pages.records())
    assert all(bool(record.text) != bool(record.alias_of) for record in records)
    assert len({record.url for record in records}) == len(records)
    return {record.url: record.alias_of for record in records}


def test_a_server_that_is_gone_for_a_while_loses_nothing(
    forked_scrapy: Any, draw_web: Callable[..., Any], server: PostgresqlServer, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    err = tmp_path / "err"
    gone, back = threading.Event(), threading.Event()

    def pause() -> str:
        """The tenth page waits until the server was killed."""
        gone.set()
        assert back.wait(PATIENCE)
        return distinct_page(10, PAGES, COPIES)

    web = draw_web({**distinct_pages(PAGES, COPIES), address(10): pause})
    began = forked_scrapy.begin(*distinct_words(job, STORE_URL=server.url()), proxy=web.proxy, err=str(err))
    said = killed_meanwhile(server, began, gone, back, err)
    assert "'finish_reason': 'finished'" in said
    assert "Traceback" not in said
    assert "'topic/store/outages': 1" in said
    found = kept(server)
    assert found.keys() == {address(number) for number in range(PAGES)}
    copies = [url for url, first in found.items() if first]
    assert len(copies) == 4
    last = {address(number) for number in range(PAGES - COPIES, PAGES)}
    assert {found[url] for url in copies} == last - {*copies}
    assert set(Counter(web.asked).values()) == {1}
    recipe = json.loads((job / "job.json").read_text())
    assert recipe["store"] == f"postgresql://crawler@/pages?host={server.folder}"
    assert recipe["store_job"] == "job"
    assert PASSWORD not in said
    assert PASSWORD not in (job / "job.json").read_text()
    with closing(JobDatabase(job / "job.sqlite", read_only=True)) as database:
        assert [
            database.read(f"SELECT count(*) FROM {table}")  # noqa: S608
            for table in ("pages", "fingerprints", "documents")
        ] == [[(0,)]] * 3


def test_a_server_that_takes_no_more_ends_the_crawl_and_the_job_goes_on_when_it_is_mended(
    forked_scrapy: Any, draw_web: Callable[..., Any], server: PostgresqlServer, tmp_path: Path
) -> None:
    job = tmp_path / "job"

    def fill() -> str:
        with server.connect() as connection:
            connection.execute(FULL_DISK)
        return distinct_page(10, PAGES, COPIES)

    pages = distinct_pages(PAGES, COPIES)
    web = draw_web({**pages, address(10): fill})
    ran = forked_scrapy(*distinct_words(job, STORE_URL=server.url()), proxy=web.proxy)
    assert ran.code == 1, ran.err
    [fault] = FAULT.findall(ran.err)
    assert re.search(r"^PostgreSQL postgresql://crawler@/pages\S+ .*\(could not extend file", fault)
    assert "'finish_reason': 'storage_failed'" in ran.err
    assert "Traceback" not in ran.err
    before = kept(server)
    assert 0 < len(before) < PAGES
    with server.connect() as connection:
        connection.execute(MORE_ROOM)
    web.pages[address(10)] = pages[address(10)]
    asked = len(web.asked)
    ran = forked_scrapy(*distinct_words(job, STORE_URL=server.url()), proxy=web.proxy)
    assert ran.code == 0, ran.err
    assert kept(server).keys() == pages.keys()
    again = web.asked[asked:]
    assert len(again) == len(set(again))
    assert len(before.keys() & set(again)) <= 4  # under way when it failed


@pytest.mark.parametrize(
    ("spoilt", "fault"),
    [
        ({"STORE_URL": "mysql://u:geheim@h/db"}, r"^STORE_URL=mysql://…: .*postgresql://USER@HOST"),
        (
            {"STORE_URL": "postgresql://u:geheim@127.0.0.1:1/db"},
            r"^PostgreSQL postgresql://u@127.0.0.1:1/db: ",
        ),
    ],
)
def test_a_store_that_cannot_be_used_is_refused_before_the_first_request(
    refusal: Callable[..., str], tmp_path: Path, spoilt: dict[str, object], fault: str
) -> None:
    said = refusal("topic", {"TOPIC_DATA_DIR": str(tmp_path), **spoilt}, topic="finance", seeds=address(0))
    assert re.search(fault, said)
    assert "geheim" not in said


def test_markdown_needs_the_folders_of_processes_on_other_machines_and_says_so(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], server: PostgresqlServer, tmp_path: Path
) -> None:
    pages = distinct_pages(PAGES, COPIES).items()
    web = draw_web(
        {url: html.replace("<p>", f"<h2>第{at}章</h2><p>") for at, (url, html) in enumerate(pages)}
    )
    there, data = tmp_path / "there" / "job", tmp_path / "data"
    data.mkdir()
    assert forked_scrapy(*distinct_words(there, STORE_URL=server.url(), pages=12), proxy=web.proxy).code == 0
    stored = sum(not copied for copied in kept(server).values())
    options = ("-s", f"STORE_URL={server.url()}", "-s", f"TOPIC_DATA_DIR={data}")

    def export() -> tuple[str, str]:
        out = tmp_path / "pages.md"
        ran = forked_scrapy("pages", "--job", "job", "export", "--out", str(out), *options)
        assert ran.code == 0, ran.err
        return ran.out, out.read_text(encoding="utf-8")

    said, text = export()
    assert re.search(rf"\b{stored} pages .*\bpages\.warc\.gz\b.*TOPIC_DATA_DIR", said)
    assert "## 第" not in text
    shutil.copytree(there, data / "from-the-other-machine")
    said, text = export()
    assert "pages.warc.gz" not in said
    assert text.count("\n## 第") == stored
