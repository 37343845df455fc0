"""Readers: the same contents as in this process, one page lost with one reader, none left behind; when `auto` begins them."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from deadly_pages import does_as_the_page_says

from topiccrawler.crawling.assemble import assemble, content_plan
from topiccrawler.crawling.contents import Answer, ContentPacker, ContentPlan, links_by, unpacked
from topiccrawler.crawling.reading_processes import (
    ENDED,
    TOO_LONG,
    AutoStart,
    Read,
    ReadingProcesses,
    auto_readers,
)
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.pages.metadata import facts_of
from topiccrawler.pages.read import ContentReader

pytestmark = pytest.mark.slow

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SECONDS = 2.0


def answer(title: str, head: str = "", url: str = "http://a.example/p") -> Answer:
    links = (
        '<a href="/1">基金</a><a href="http://b.example/2?q=银行">银行</a><a href="/f.jpg"><img alt="图"></a>'
    )
    html = f'<html lang="zh-CN"><head><title>{title}</title>{head}</head><body><p>{FUNDS}</p>{links}</body>'
    return Answer(url, html.encode(), "utf-8", "text/html; charset=utf-8", None, 3)


class Unsendable:
    """A page classifier that pickle refuses."""

    threshold, reads_segments = 0.5, False

    def __init__(self, made: object) -> None:
        self._made = lambda: made


class Crawl:
    """What readers need of one."""

    def __init__(self) -> None:
        parts = assemble(Recipe("finance"))
        self.reader: ContentReader = parts.reader()
        self.content_plan: ContentPlan = content_plan(parts, parts.reader())


@pytest.fixture(scope="module")
def crawl() -> Crawl:
    crawl = Crawl()
    crawl.content_plan = replace(crawl.content_plan, is_detail=does_as_the_page_says)
    return crawl


@pytest.fixture
def processes(crawl: Crawl) -> Iterator[ReadingProcesses]:
    processes = ReadingProcesses(crawl, 2, SECONDS)
    yield processes
    processes.close(wait=True)
    assert children("popen_loky_posix") == []


def children(name: str) -> list[int]:
    """Processes of this one with that in their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stat, command = (place / "stat").read_text(), (place / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) == os.getpid() and name.encode() in command:
            found.append(int(place.name))
    return sorted(found)


async def read(processes: ReadingProcesses, *answers: Answer) -> list[Read | None]:
    return await asyncio.gather(*map(processes.read, answers))


def faults(found: list[Read | None]) -> list[str]:
    return [one.content.fault if one is not None else "none" for one in found]


def test_a_sent_content_is_what_this_process_makes_of_the_answer() -> None:
    crawl, page = Crawl(), answer("今日<b>基金", '<meta name="keywords" content="基金,股票">')
    plan = crawl.content_plan
    here = page.content(crawl.reader)
    sent = unpacked(ContentPacker(plan).packed(page), page, crawl.reader, plan)
    assert sent.parsed is None
    assert (sent.title, sent.main_text, sent.words) == (here.title, here.main_text, here.words)
    assert sent.links == links_by(plan, here, 3)
    assert [link.url for link in sent.links] == [
        "http://a.example/1",
        "http://b.example/2?q=%E9%93%B6%E8%A1%8C",
    ]
    assert {link.depth for link in sent.links} == {4}
    assert sent.facts == facts_of(here.document, here.main_text, page.url, here.title)
    assert [medium.url for medium in sent.media or []] == ["http://a.example/f.jpg"]
    assert sent.document.text == here.document.text


def test_a_page_without_links_is_sent() -> None:
    crawl, page = Crawl(), Answer("http://a.example/", b"")
    plan = crawl.content_plan
    sent = unpacked(ContentPacker(plan).packed(page), page, crawl.reader, plan)
    assert (sent.links, sent.main_text, sent.fault) == ([], "", "")


def test_a_page_that_kills_or_holds_up_its_reader_costs_that_page_alone(
    processes: ReadingProcesses, tmp_path: Path
) -> None:
    once = answer("die once", f'<meta name="mark" content="{tmp_path / "mark"}">')
    titles = [answer("good"), answer("die"), answer("good"), answer("hang"), once, answer("good")]
    found = asyncio.run(read(processes, *titles, answer("raise"), answer("eat"), answer("good")))
    assert faults(found) == [
        "", ENDED, "", TOO_LONG, "", "", "RecursionError: too deep", "MemoryError: ", "",
    ]  # fmt: skip
    assert [one.answer for one in found if one is not None][:6] == titles


def test_a_reader_that_is_killed_costs_no_page(processes: ReadingProcesses) -> None:
    assert faults(asyncio.run(read(processes, answer("good")))) == [""]
    for _ in range(3):
        for pid in children("popen_loky_posix"):
            os.kill(pid, signal.SIGKILL)
        assert faults(asyncio.run(read(processes, *[answer("good")] * 6))) == [""] * 6


def test_another_topic_reaches_the_readers() -> None:
    crawl = Crawl()
    processes = ReadingProcesses(crawl, 1, SECONDS)
    (first,) = asyncio.run(read(processes, answer("基金")))
    crawl.content_plan = replace(crawl.content_plan, window=2)
    (second,) = asyncio.run(read(processes, answer("基金")))
    processes.close(wait=True)
    assert first is not None
    assert second is not None
    assert [one.content.links[1].before for one in (first, second) if one.content.links] == [
        FUNDS[-56:] + "|基金|",
        "金|",
    ]
    assert second.plan is crawl.content_plan


@pytest.mark.parametrize("has_memory_files", [True, False])
def test_models_that_cannot_be_sent_are_asked_in_the_crawl(
    monkeypatch: pytest.MonkeyPatch, has_memory_files: bool
) -> None:
    if not has_memory_files:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    crawl = Crawl()
    classifier = Unsendable(crawl.content_plan.page_classifier)
    crawl.content_plan = replace(crawl.content_plan, page_classifier=classifier)  # type: ignore[arg-type]
    processes = ReadingProcesses(crawl, 1, SECONDS)
    (found,) = asyncio.run(read(processes, answer("基金")))
    processes.close(wait=True)
    assert found is not None
    assert (found.content.title, found.content.fault, found.content.relevance) == ("基金", "", None)
    assert not [
        one
        for one in Path("/proc/self/fd").iterdir()
        if one.is_symlink() and "memfd:plan" in str(one.readlink())
    ]


def test_readers_that_cannot_begin_leave_the_pages_to_the_crawl() -> None:
    broken = Crawl()
    broken.content_plan = replace(broken.content_plan, title_reader="none such")
    processes = ReadingProcesses(broken, 1, SECONDS)
    assert asyncio.run(read(processes, answer("good"), answer("good"))) == [None, None]
    assert not processes.is_running
    assert asyncio.run(read(processes, answer("good"))) == [None]


def test_auto_begins_readers_when_this_process_is_busy_and_cores_are_idle() -> None:
    clock = {"now": 100.0, "cpu": 7.0, "load": 1.0}
    start = AutoStart(
        2, now=lambda: clock["now"], cpu_seconds=lambda: clock["cpu"], load=lambda: clock["load"]
    )

    def after(seconds: float, cpu: float, load: float) -> bool:
        clock["now"] += seconds
        clock["cpu"] += cpu
        clock["load"] = load
        return start()

    assert not after(4.0, 4.0, 1.0)  # too soon to say
    assert not after(2.0, 0.5, 1.0)  # 4.5 of 6 seconds: not busy
    assert not after(5.0, 5.0, 1.6)  # busy, but so are the cores
    assert not after(5.0, 3.9, 0.9)
    assert after(5.0, 4.0, 1.5)


def test_on_one_core_auto_begins_none() -> None:
    start = AutoStart(1, now=time.monotonic, cpu_seconds=time.monotonic, load=lambda: 0.0)
    assert not start()
    assert [auto_readers(count) for count in (1, 2, 3, 4, 8, 64)] == [0, 1, 2, 2, 2, 2]
