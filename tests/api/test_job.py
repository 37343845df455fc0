"""A job opened from Python: its pages, its log, its figures."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from message_facts import count_and_place

from topiccrawler import Job, api
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.results.job_pages import first_look
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord

FUND = PageRecord(
    url="http://a.cn/fund",
    title="基金定投",
    text="基金定投的收益",
    topic="finance",
    relevance=0.4,
    fetched=1_700_000_000.0,
)
STOCK = replace(
    FUND, url="http://b.cn/stock", title="股票", text="股票上涨", relevance=0.9, published="2024-05-01"
)
OFF = replace(FUND, url="http://b.cn/off", stored=False)
VISITS = tuple(Visit(page.url, 200, 1.0, page.relevance, page.stored, 1.0) for page in (FUND, OFF, STOCK))


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Job:
    return Job(make_job("done", FUND, OFF, STOCK, visits=VISITS))


def urls(pages: list[PageRecord]) -> list[str]:
    return [page.url for page in pages]


def test_kept_pages_come_in_their_order_and_the_best_first(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "BATCH", 1)
    assert urls(list(job.pages())) == [FUND.url, STOCK.url]
    assert urls(job.best()) == [STOCK.url, FUND.url]
    assert urls(job.best(1)) == [STOCK.url]
    assert urls(job.best(site="a.cn")) == [FUND.url]
    assert urls(job.best(min_relevance=0.5)) == urls(job.best(since="2024-01-01")) == [STOCK.url]
    assert job.page(FUND.url).title == "基金定投"
    with pytest.raises(ArgumentError, match=r"other.*scrapy explain"):
        job.page("http://b.cn/other")


def test_an_event_loop_gets_the_same_pages(job: Job) -> None:
    async def collect() -> list[PageRecord]:
        return [page async for page in job.pages_async()]

    assert urls(asyncio.run(collect())) == [FUND.url, STOCK.url]


def test_a_task_that_is_cancelled_as_it_stops_the_crawl_still_stops_it(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, free = threading.Event(), threading.Event()
    monkeypatch.setattr(job, "stop", lambda *_: stopped.set())

    async def leave() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        busy = asyncio.create_task(asyncio.to_thread(free.wait))
        stopping = asyncio.create_task(job.stop_async())
        await asyncio.sleep(0)
        stopping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopping
        free.set()
        await busy
        await asyncio.to_thread(stopped.wait, 60)

    asyncio.run(leave())
    assert stopped.is_set()


def test_pages_are_found_by_their_words_and_the_figures_are_reported(job: Job) -> None:
    assert [hit.url for hit in job.search("定投")] == [FUND.url]
    summary = job.summary()
    assert (summary.fetched, summary.kept) == (3, 2)
    assert [visit.url for visit in job.visits()] == [FUND.url, OFF.url, STOCK.url]
    assert "基金" in dict(job.why(FUND.url).words)


def test_the_figures_of_a_job_at_rest_come_once_and_its_uncertain_pages_are_asked_about(job: Job) -> None:
    assert [(one.fetched, one.kept) for one in job.progress()] == [(3, 2)]
    look = first_look(job.folder, count=1)
    assert job.uncertain(1) == [*look.uncertain]
    for answers, fault in (
        ({}, r"^answers: \D*$"),
        ({"http://b.cn/none": True}, r"^answers: .*'http://b.cn/none'"),
    ):
        with pytest.raises(ArgumentError, match=fault):
            job.teach(answers)
    assert job.teach({FUND.url: True})
    assert not job.teach({FUND.url: True})


def test_pages_are_written_to_files_and_what_cannot_be_meant_is_refused(job: Job, tmp_path: Path) -> None:
    place = tmp_path / "pages.jsonl"
    assert list(map(count_and_place, job.export(place, site="a.cn"))) == [(1, str(place))]
    assert json.loads(place.read_text(encoding="utf-8"))["url"] == FUND.url
    with pytest.raises(ArgumentError, match="--format"):
        job.export(tmp_path / "pages.doc")


def test_a_data_frame_has_a_row_a_page_and_times(job: Job) -> None:
    frame = job.dataframe()
    assert list(frame["url"]) == [STOCK.url, FUND.url]
    assert frame["fetched"].iloc[0].isoformat() == "2023-11-14T22:13:20+00:00"
    assert frame["relevance"].sum() == pytest.approx(1.3)


def test_without_pandas_it_says_what_to_install(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.delitem(sys.modules, "topiccrawler.api", raising=False)
    with pytest.raises(ArgumentError, match="pip install pandas"):
        job.dataframe()


def test_a_job_at_rest_has_ended_and_cannot_be_steered(job: Job) -> None:
    assert not job.is_running
    assert job.wait(1.0) is job
    job.stop()
    for steer in (job.status, job.pause, job.resume):
        with pytest.raises(StateError, match="TOPIC_CONTROL=True"):
            steer()


def test_pages_are_awaited_until_the_crawl_has_made_its_file(tmp_path: Path) -> None:
    assert api.arrived(tmp_path, 0) == []
    (tmp_path / JOB_DATABASE).touch()
    assert api.arrived(tmp_path, 0) == []
    (tmp_path / JOB_DATABASE).unlink()
    store = PageStore(tmp_path / JOB_DATABASE)
    store.put(FUND)
    assert api.arrived(tmp_path, 0) == []
    store.commit()
    [(row, page)] = api.arrived(tmp_path, 0)
    assert page.url == FUND.url
    assert api.arrived(tmp_path, row) == []
    store.close()
