"""Commands on a crawl whose pages lie in PostgreSQL: by the folder of one of its processes, and by its name alone."""

import csv
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from message_facts import numbers
from postgresql_server import PASSWORD, PostgresqlServer

from topiccrawler.api import Job
from topiccrawler.cluster.postgresql import session as address
from topiccrawler.cluster.postgresql.writing import CrawlPages
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.items import Medium
from topiccrawler.model import Visit
from topiccrawler.results.search import search, search_media
from topiccrawler.store.pages import ALL, PageRecord, Selection

SEED = "http://a.cn/"
MEDIA = (
    Medium("http://a.cn/zmy.bmp", "张曼玉照片", "", ""),
    Medium("http://a.cn/chart.png", "", "基金走勢圖", "淨值 2024"),
)
FUND = PageRecord(
    url="http://a.cn/1", title="基金定投", text="基金净值与股票。\n收益 C++ it's", topic="finance", relevance=0.5,
    source_url=SEED, anchor="基金", score=2.5, published="2024-05-01", media=json.dumps([asdict(one) for one in MEDIA]),
)  # fmt: skip
BANK = PageRecord(
    url="http://www.b.cn/x", title="銀行", text="銀行理財產品 rates", topic="finance", relevance=0.9, format="pdf",
)  # fmt: skip
COPY = PageRecord(url="http://c.cn/", title="copy", relevance=0.1, topic="finance", alias_of=FUND.url)
STOCKS = PageRecord(
    url="http://d.cn/", title="股票", text="股票 定投 基金 rate", topic="finance", relevance=0.4,
    media=json.dumps([asdict(replace(one, url=f"{one.url}?2", caption="股票")) for one in MEDIA]),
)  # fmt: skip
PAGES = (FUND, BANK, COPY, STOCKS)


class Stored(NamedTuple):
    """A crawl of two processes."""

    name: str
    data: Path
    folders: list[Path]
    url: str


@pytest.fixture
def stored(postgresql_server: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stored:
    monkeypatch.setattr(address, "_remembered", {})
    name, data = f"money-{uuid4().hex}", tmp_path / "data"
    folders = [data / f"{name}-host-{number}" for number in (1, 2)]
    for number, folder in enumerate(folders):
        kept_in = CrawlPages(postgresql_server.url(), name, "finance")
        recipe = Recipe("finance", "breadth_first", store=kept_in.address, store_job=name)
        files = JobFiles(folder, recipe, kept_in=kept_in)
        files.check(queued=False)
        files.begin()
        for record in PAGES[number::2]:
            kept_in.keep(replace(record, fetched=1.0 + number)).result(60)
            files.visits.append(Visit(record.url, 200, 1.0, record.relevance, stored=True, time=1.0 + number))
        files.visits.append(Visit(f"http://off.cn/{number}", 200, 1.0, 0.0, stored=False, time=9.0 - number))
        files.close()
    return Stored(name, data, folders, postgresql_server.url())


@pytest.fixture(params=["folder", "name", "name elsewhere"])
def job(request: pytest.FixtureRequest, stored: Stored) -> list[str]:
    """Words that name it: by a folder, by its name where its processes ran, and on another machine."""
    data = stored.data / "empty" if request.param == "name elsewhere" else stored.data
    named = [str(stored.folders[0])] if request.param == "folder" else ["--job", stored.name]
    return [*named, "-s", f"TOPIC_DATA_DIR={data}", "-s", f"STORE_URL={stored.url}"]


@pytest.mark.slow
def test_pages_are_listed_shown_and_exported(
    command: Callable[..., Any], job: list[str], tmp_path: Path
) -> None:
    ran = command("pages", *job, "--json")
    assert ran.code == 0, ran.err
    assert [json.loads(line)["url"] for line in ran.out.splitlines()] == [
        page.url for page in (BANK, FUND, STOCKS, COPY)
    ]
    assert json.loads(command("pages", *job, "--json", "--site", "b.cn").out)["format"] == "pdf"
    printed = command("pages", *job, "show", FUND.url)
    assert printed.code == 0, printed.err
    assert "kept: relevance 0.500" in printed.out
    assert "基金 +" in printed.out  # its classifier reads the recipe
    assert FUND.text in printed.out
    out = tmp_path / "pages.csv"
    assert "4 pages written" in command("pages", *job, "export", "--out", str(out)).out
    with out.open(encoding="utf-8-sig") as file:
        assert {row["url"] for row in csv.DictReader(file)} == {page.url for page in PAGES}
    assert PASSWORD not in ran.out + printed.out + ran.err


def test_the_report_has_the_pages_of_all_processes(
    command: Callable[..., Any], stored: Stored, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    for words in ([str(stored.folders[1])], ["--job", stored.name, "-s", f"TOPIC_DATA_DIR={stored.data}"]):
        ran = command("pages", *words, "-s", f"STORE_URL={stored.url}", "report", "--out", str(out))
        assert ran.code == 0, ran.err
        text = out.read_text(encoding="utf-8")
        assert "6 pages fetched, 4 kept" in text
        assert "基金定投" in text
        assert "off.cn" in text
        assert PASSWORD not in text
    ran = command("pages", "--job", stored.name, "-s", f"STORE_URL={stored.url}", "report", "--out", str(out))
    assert "crawl log" in ran.err


def test_search_finds_the_pages_of_all_processes_once(command: Callable[..., Any], stored: Stored) -> None:
    options = ["-s", f"STORE_URL={stored.url}", "--json"]
    everywhere = command("search", "基金", "--data", str(stored.data), *options)
    assert everywhere.code == 0, everywhere.err
    hits = [json.loads(line) for line in everywhere.out.splitlines()]
    assert sorted(hit["url"] for hit in hits) == [FUND.url, STOCKS.url]
    assert hits[0]["rank"] > hits[1]["rank"] > 0
    assert hits[0]["snippet"]
    by_name = command("search", "基金", "--job", stored.name, *options)
    assert [json.loads(line)["url"] for line in by_name.out.splitlines()] == [hit["url"] for hit in hits]


QUERIES = (
    "基金", "基金 定投", '"基金定投"', '"定投基金"', "基金 -股票", "股票 -\"基金净值\"", "银行", "銀行 理財", "C++", "it's", "rates", "rate",
    "收益", "定投", "理财产品", "没有的词 基金", '"股票 定投"',
)  # fmt: skip


@pytest.mark.slow
def test_both_indexes_find_the_same_pages(stored: Stored, make_job: Callable[..., Path]) -> None:
    address.remember_address(stored.url)
    own, shared = make_job("own", *PAGES), stored.folders[0]

    def found(job: Path, query: str, selection: Selection = ALL) -> set[str]:
        return {hit.url for hit in search([job], query, selection, 9)}

    def media(job: Path, query: str) -> list[str]:
        return [hit.medium.url for hit in search_media([job], query, ALL, 9)]

    of_kinds, good_files = Selection(kinds=("article", "list")), Selection(min_relevance=0.45, format="pdf")
    for query in QUERIES:
        for selection in (ALL, Selection(site="a.cn"), good_files, of_kinds):
            assert found(own, query, selection) == found(shared, query, selection), query
    assert found(own, "rate") == {BANK.url, STOCKS.url}
    for query in (
        "照片",
        "张曼玉 照片",
        '"张曼玉照片"',
        "走势图 -股票",
        "張曼玉 股票",
        "走势图 照片",
        "股票",
        "净值",
    ):
        assert media(own, query) == media(shared, query), query
    assert media(shared, "照片") == ["http://a.cn/zmy.bmp", "http://a.cn/zmy.bmp?2"]


def test_explain_and_rate_read_the_pages_of_all(
    command: Callable[..., Any], job: list[str], stored: Stored, tmp_path: Path
) -> None:
    named = job[1:] if job[0] == "--job" else job
    found = command("explain", STOCKS.url, "--job", *named)
    assert found.code == 0, found.err
    assert "Stored    “股票”, relevance 0.40" in found.out
    written = command("rate", *named, "--sample", "1", "--raters", "1", "--write", str(tmp_path / "raters"))
    assert numbers(written.out)[0] == "3", written.err


def test_a_person_teaches_with_the_pages_of_all(stored: Stored) -> None:
    from topiccrawler.crawling.teaching import lessons_of

    address.remember_address(stored.url)
    taught = {record.url for record in lessons_of(stored.folders[0]).records}
    assert taught == {FUND.url, BANK.url, STOCKS.url}


def test_python_reads_such_a_job(stored: Stored) -> None:
    address.remember_address(stored.url)
    job = Job(stored.folders[1])
    assert {record.url for record in job.pages()} == {page.url for page in PAGES}
    assert [record.url for record in job.best(1)] == [BANK.url]
    assert job.summary().fetched == 6


def test_a_database_may_have_moved(command: Callable[..., Any], stored: Stored) -> None:
    recipe = stored.folders[0] / "job.json"
    moved = {**json.loads(recipe.read_text()), "store": "postgresql://crawler@127.0.0.1:1/pages"}
    recipe.write_text(json.dumps(moved))
    refused = command("pages", str(stored.folders[0]))
    assert "Connection refused" in refused.err
    assert FUND.title in command("pages", str(stored.folders[0]), "-s", f"STORE_URL={stored.url}").out


def test_the_password_may_stand_elsewhere(
    command: Callable[..., Any], stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(stored.folders[0])
    refused = command("pages", folder)
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "STORE_URL, PGPASSWORD" in refused.err
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert FUND.title in command("pages", folder).out


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["pages", "--job", "nosuch", "URL"], "job nosuch: "),
        (["search", "x", "--job", "nosuch", "URL"], "job nosuch: "),
        (["explain", "http://a.cn/", "--job", "nosuch", "URL"], "job nosuch: "),
        (["pages", "--job", "nosuch"], "STORE_URL"),
        (["pages", "nosuch"], "job 'nosuch'"),
    ],
)
def test_what_is_not_there_is_one_line(
    command: Any, postgresql_server: PostgresqlServer, words: list[str], fault: str, tmp_path: Path
) -> None:
    store = ["-s", f"STORE_URL={postgresql_server.url()}"] if "URL" in words else []
    ran = command(*(word for word in words if word != "URL"), "-s", f"TOPIC_DATA_DIR={tmp_path}", *store)
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert fault in ran.err
    assert PASSWORD not in ran.err
