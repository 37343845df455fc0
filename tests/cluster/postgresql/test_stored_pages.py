"""What a PostgreSQL server does to its users: others at the same time, faults in one line, an end in the middle of a crawl."""

import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from message_facts import one_line
from postgresql_server import FULL_DISK, MORE_ROOM, PASSWORD, PostgresqlServer

from topiccrawler.cluster.postgresql import session as address
from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.postgresql.writing import CrawlPages, PostgresDuplicates
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.pages.site_repeats import BITS, Fingerprint
from topiccrawler.store.pages import Earlier, PageRecord

PATIENCE = 60.0
PAGE = PageRecord(url="http://a.cn/1", title="基金", text="股票 " * 50, relevance=0.5, fetched=7.0)


@pytest.fixture
def job() -> str:
    return uuid4().hex


@pytest.fixture
def crawl(postgresql_server: PostgresqlServer, job: str) -> Iterator[Callable[..., CrawlPages]]:
    """Opens the job as one more process of its crawl."""
    made: list[CrawlPages] = []

    def open_(server: PostgresqlServer = postgresql_server, **options: Any) -> CrawlPages:
        made.append(CrawlPages(server.url(), job, "finance", **options))
        return made[-1]

    yield open_
    for pages in made:
        pages.abandon()


def print_of(number: int) -> Fingerprint:
    return Fingerprint(number, random.Random(number).randbytes(BITS // 8))


def test_of_one_text_met_by_many_at_once_one_page_is_the_original(crawl: Callable[..., CrawlPages]) -> None:
    workers = [crawl() for _ in range(4)]
    met: list[tuple[str, int, Future[str | None]]] = []
    for number in range(40):
        for which, worker in enumerate(workers):
            url = f"http://h{which}.cn/{number}"
            met.append((url, number, worker.first_of(url, print_of(number), across_sites=True)))
    firsts: dict[int, set[str]] = {}
    for url, number, found in met:
        firsts.setdefault(number, set()).add(found.result(PATIENCE) or url)
    assert all(len(urls) == 1 for urls in firsts.values())
    originals = [url for url, _, found in met if found.result() is None]
    assert len(originals) == 40


def test_a_page_whose_title_says_otherwise_is_no_copy_and_may_have_some(
    crawl: Callable[..., CrawlPages],
) -> None:
    one, other = crawl(), crawl()
    met: list[tuple[str, str | None]] = []

    def first_of(pages: CrawlPages, url: str, title: str) -> str | None:
        def may_be(first: str, earlier: Earlier | None) -> bool:
            if earlier is not None:
                assert (earlier.kind, earlier.text) == (PAGE.kind, PAGE.text)
            met.append((first, earlier and earlier.title))
            return earlier is None or earlier.title == title

        return pages.first_of(url, print_of(1), across_sites=True, may_be=may_be).result(PATIENCE)

    assert first_of(one, PAGE.url, "基金") is None
    assert first_of(other, "http://a.cn/0", "股票") == PAGE.url  # whose title is not known yet
    one.keep(PAGE).result(PATIENCE)
    assert first_of(other, "http://a.cn/2", "股票") is None
    assert first_of(one, "http://a.cn/3", "债券") == "http://a.cn/2"
    assert met == [(PAGE.url, None), (PAGE.url, "基金"), (PAGE.url, "基金"), ("http://a.cn/2", None)]


def test_pages_written_by_many_at_once_are_all_there_and_whole(crawl: Callable[..., CrawlPages]) -> None:
    workers = [crawl() for _ in range(4)]
    kept = [
        worker.keep(replace(PAGE, url=f"http://a.cn/{number}", title=f"{which}", text=f"{which}" * 500))
        for number in range(50)
        for which, worker in enumerate(workers)
    ]
    rows = {future.result(PATIENCE) for future in kept}
    records = list(workers[0].pages.records())
    assert len(records) == len(rows) == 50
    assert all(record.text == record.title * 500 for record in records)


def test_jobs_of_one_database_know_nothing_of_each_other(postgresql_server: PostgresqlServer) -> None:
    one, other = (PostgresPages(Session(postgresql_server.url()), uuid4().hex) for _ in range(2))
    one.put(PAGE)
    row = one.best()[0]
    assert other.get(PAGE.url) is None
    assert other.at(row) is None
    assert list(other.records()) == []
    assert PostgresDuplicates(one).first_of(PAGE.url, print_of(1)) is None
    assert PostgresDuplicates(other).first_of("http://b.cn/", print_of(1)) is None
    with postgresql_server.connect() as connection:
        connection.execute("DELETE FROM topiccrawler.jobs WHERE name = %s", (one.job,))  # as the docs have it
    again = PostgresPages(Session(postgresql_server.url()), one.job)
    assert list(again.records()) == []
    for pages in (one, other, again):
        pages.close()


def test_a_job_is_for_one_topic(
    crawl: Callable[..., CrawlPages], postgresql_server: PostgresqlServer
) -> None:
    first = crawl()
    first.check()
    first.begin({"topic": "finance"})
    other = CrawlPages(postgresql_server.url(), first.job, "travel")
    with pytest.raises(StateError, match=r"'finance'.*'travel'"):
        other.check()
    seen: list[tuple[str, ...]] = []

    def another(*reported: str) -> tuple[str, str]:
        seen.append(reported)
        return "is another's", "go on with -a keywords=x"

    with pytest.raises(StateError, match=r"-a keywords=x$"):
        other.check(another)
    assert seen == [('{"topic": "finance"}', "finance", "travel")]
    other.close()
    first.close()
    first.close()


@pytest.mark.parametrize(
    ("place", "fault"),
    [
        ({"password": "falsch"}, r"password authentication failed .*STORE_URL, PGPASSWORD"),
        ({"password": ""}, r"password supplied.*STORE_URL, PGPASSWORD"),
        ({"database": "nosuch"}, r'database "nosuch" .*createdb'),
    ],
    ids=["wrong password", "no password", "no database"],
)
def test_a_server_that_refuses_us_is_one_line_without_the_password(
    postgresql_server: PostgresqlServer, place: dict[str, str], fault: str
) -> None:
    url = postgresql_server.url(**place)
    begin = f"PostgreSQL postgresql://crawler@/{place.get('database', 'pages')}?host=/"
    with pytest.raises(StateError, match=one_line(fault, begin)) as failure:
        CrawlPages(url, "job", "finance").check()
    assert not re.search(f"{PASSWORD}|falsch", str(failure.value))


def test_a_server_that_is_not_there_is_one_line() -> None:
    with pytest.raises(StateError, match=r"Connection refused.*STORE_URL"):
        CrawlPages("postgresql://crawler:geheim@127.0.0.1:1/pages", "job", "finance").check()


@pytest.mark.parametrize(
    ("url", "reported"),
    [
        ("redis://user:geheim@h/0", "redis://user@h/0"),
        ("postgresql://user:ge@heim@h:port/db", "postgresql://user@h:port/db"),
        ("postgresql://user:ge?heim@h/db?user=x", "postgresql://user@h/db?user=x"),
        ("postgresql://user:ge#heim?@h:1/db", "postgresql://user@h:1/db"),
        ("postgresql://", "postgresql://"),
        ("user:geheim@h", "h"),
    ],
)
def test_what_is_no_address_is_refused_without_the_password(url: str, reported: str) -> None:
    with pytest.raises(ArgumentError, match="postgresql://USER@HOST") as failure:
        CrawlPages(url, "job", "finance")
    assert str(failure.value).startswith(f"STORE_URL={reported}: ")


def test_an_address_is_displayed_without_secrets_and_found_again_by_what_is_displayed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(address, "_remembered", {})
    whole = "postgresql://u:p%40s@db.example:5433/pages?sslmode=require&sslpassword=geheim&password=x"
    reported = address.redacted(whole)
    assert reported == "postgresql://u@db.example:5433/pages?sslmode=require"
    for place in ("h:5433", "h", "[::1]", "[::1]:5433", ""):
        assert address.redacted(f"postgresql://{place}/db?user=a@b") == f"postgresql://{place}/db?user=a%40b"
    assert address.whole(reported) == reported
    address.remember_address(whole)
    assert address.whole(reported) == whole
    assert address.whole("postgresql://other@db.example:5433/pages") == whole
    other = "postgresql://u@db.example/pages"
    assert address.whole(other) == other
    address.remember_address("postgresql://u@moved.example/pages", for_all=True)
    assert address.whole(other) == "postgresql://u@moved.example/pages"


def test_without_the_package_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ArgumentError, match="pip install 'psycopg"):
        Session("postgresql://h/db")


@pytest.mark.parametrize(
    ("spoil", "mend", "fault"),
    [
        (FULL_DISK, MORE_ROOM, r"\(could not extend file"),
        (
            "ALTER DATABASE faulty SET default_transaction_read_only = on",
            "SET default_transaction_read_only = off; ALTER DATABASE faulty SET default_transaction_read_only = off",
            r"read-only.*\(.*INSERT.*\).*primary",
        ),
        (
            "UPDATE topiccrawler.about SET version = 99",
            f"UPDATE topiccrawler.about SET version = {address.VERSION}",  # noqa: S608
            rf"\b99\b.*\b{address.VERSION}\b",
        ),
    ],
    ids=["full disk", "read-only", "other version"],
)
def test_a_fault_that_will_not_pass_is_one_line_and_the_page_comes_when_it_is_mended(
    postgresql_server: PostgresqlServer, job: str, spoil: str, mend: str, fault: str
) -> None:
    with postgresql_server.connect("postgres") as connection:
        connection.execute("DROP DATABASE IF EXISTS faulty WITH (FORCE)")
        connection.execute("CREATE DATABASE faulty")
    begun = Session(postgresql_server.url("faulty"))
    begun.ask(id)  # makes the tables
    begun.close()
    with postgresql_server.connect("faulty") as connection:
        connection.execute(spoil)
    pages = CrawlPages(postgresql_server.url("faulty"), job, "finance")
    with pytest.raises(StateError, match=fault):
        pages.keep(PAGE).result(PATIENCE)
    pages.abandon()
    with postgresql_server.connect("faulty") as connection:
        for statement in mend.split("; "):
            connection.execute(statement)
    pages = CrawlPages(postgresql_server.url("faulty"), job, "finance")
    assert pages.keep(PAGE).result(PATIENCE)
    pages.close()


def test_a_database_that_lacks_characters_is_refused(postgresql_server: PostgresqlServer) -> None:
    with postgresql_server.connect("postgres") as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StateError, match="LATIN1"):
        CrawlPages(postgresql_server.url("latin"), "job", "finance").check()


def until(what: Callable[[], bool]) -> None:
    """Ask again until it is so."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


@pytest.mark.slow
def test_pages_handed_over_while_the_server_is_gone_are_there_when_it_is_back(
    crawl: Callable[..., CrawlPages], caplog: pytest.LogCaptureFixture
) -> None:
    server = PostgresqlServer().start()
    try:
        one, other = crawl(server), crawl(server)
        assert one.first_of("http://a.cn/1", print_of(1), across_sites=True).result(PATIENCE) is None
        one.keep(PAGE).result(PATIENCE)
        server.kill()
        held = [one.keep(replace(PAGE, url=f"http://a.cn/{number}")) for number in range(2, 20)]
        copy = other.first_of("http://b.cn/1", print_of(1), across_sites=True)
        until(lambda: "is away" in caplog.text)
        assert not any(future.done() for future in held)
        with pytest.raises(StateError, match=r"^PostgreSQL postgresql://"):
            one.pages.get(PAGE.url)
        server.start()
        rows = [future.result(PATIENCE) for future in held]
        assert rows == sorted(set(rows))
        assert copy.result(PATIENCE) == "http://a.cn/1"
        assert (
            one.first_of("http://b.cn/2", print_of(1), across_sites=True).result(PATIENCE) == "http://a.cn/1"
        )
        assert [record.url for record in one.pages.records()] == [
            f"http://a.cn/{number}" for number in range(1, 20)
        ]
        assert one.figures()["outages"] == 1
        assert "is back" in caplog.text
    finally:
        server.stop()


def test_a_server_that_stays_away_ends_the_crawl_in_one_line() -> None:
    pages = CrawlPages("postgresql://crawler:geheim@127.0.0.1:1/pages", "job", "finance", outage_seconds=0.1)
    with pytest.raises(StateError, match=r" . s \(Connection refused"):
        pages.keep(PAGE).result(PATIENCE)
    pages.abandon()
    crawl = CrawlPages("postgresql://127.0.0.1:1/pages", "job", "finance")
    held = crawl.keep(PAGE)
    crawl.abandon()
    for future in (held, crawl.keep(PAGE)):  # nobody waits for ever
        with pytest.raises(StateError, match=r"^PostgreSQL postgresql://127\.0\.0\.1:1/pages: "):
            future.result(PATIENCE)
