"""What a newcomer ran into, each case as it was met."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import ForkedScrapy

from topiccrawler.crawling.launching import SETTINGS_MODULE
from topiccrawler.crawling.page_stores import arguments_of
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.model import Visit
from topiccrawler.results.last_run import last_run
from topiccrawler.store.page_store import PageStore

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。"
SPORT = "足球联赛今晚开赛，主队教练称队员状态良好，球迷期待一场精彩的比赛。"
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "ROBOTSTXT_OBEY=False")
SEEDS = ("-a", "seeds=http://funds.example/", "-a", "strategy=breadth_first")


def page(title: str, text: str, *links: str) -> str:
    """A page of its own text."""
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<html><head><title>{title}</title></head><body><p>{title}：{text}</p>{anchors}</body></html>"


@pytest.fixture
def web(draw_web: Callable[..., Any]) -> Any:
    """Twelve pages of one site; every third is on topic, the first among them."""
    names = [f"/{number}" for number in range(12)]
    texts = [
        (FUNDS if number % 3 == 0 else SPORT) * 3 + "。" + chr(0x4E00 + 97 * number) * 40
        for number in range(12)
    ]
    pages = {f"http://funds.example{name}": page(name, text) for name, text in zip(names, texts, strict=True)}
    return draw_web({**pages, "http://funds.example/": page("首页", FUNDS, *names)})


def stored(job: Path) -> int:
    """Pages in a job's store."""
    with closing(PageStore(job / "job.sqlite")) as store:
        return sum(1 for _ in store.records())


def test_items_of_the_users_own_are_neither_relevant_nor_kept(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    code = re.search(
        r"```python\n(from topiccrawler.*?)```", (ROOT / "docs/your-project.md").read_text(), re.DOTALL
    )
    assert code is not None
    assert "super().parse(response)" in code[1]
    spider = tmp_path / "funds.py"
    spider.write_text(code[1])
    ran = forked_scrapy(
        "runspider", str(spider), *SEEDS, *FAST, "-s", f"JOBDIR={tmp_path / 'job'}", proxy=web.proxy
    )
    assert ran.code == 0, ran.err
    assert stored(tmp_path / "job") == 5
    assert "13 pages fetched, 5 relevant" in ran.err
    web.asked.clear()
    few = ("-a", "targets=3", "-s", f"JOBDIR={tmp_path / 'few'}", "-s", "CONCURRENT_REQUESTS=1")
    ran = forked_scrapy("runspider", str(spider), *SEEDS, *FAST, *few, proxy=web.proxy)
    assert stored(tmp_path / "few") == 4  # the home page, which is a list, and three articles
    assert len(web.fetched()) == 8  # the home page and /0 to /6


def test_a_damaged_page_store_is_refused_and_what_can_be_saved_is(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    names = [f"/{number}" for number in range(60)]
    site = {
        f"http://funds.example{name}": page(name, FUNDS * 3 + chr(0x4E00 + 97 * at) * 2000)
        for at, name in enumerate(names)
    }
    web = draw_web({**site, "http://funds.example/": page("首页", FUNDS, *names)})
    job = tmp_path / "job"
    words = ("crawl", "topic", "-a", "topic=finance", *SEEDS, *FAST, "-s", f"JOBDIR={job}")
    assert forked_scrapy(*words, "-a", "pages=40", proxy=web.proxy).code == 0
    before = stored(job)
    assert before > 20
    with closing(sqlite3.connect(job / "job.sqlite")) as database:
        [(root,)] = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'pages_best'")
    with (job / "job.sqlite").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\x00\xff" * 2048)
    web.asked.clear()
    export = ("pages", str(job), "export", "--format", "jsonl")
    for again in (words, export):
        ran = forked_scrapy(*again, proxy=web.proxy)
        assert ran.code == 1
        assert f"scrapy pages {job} repair" in ran.err
        assert (web.asked, ran.out) == ([], "")
    ran = forked_scrapy("pages", str(job), "repair")
    assert ran.code == 0, ran.err
    found = re.match(r"(\d+) pages saved", ran.out)
    assert found is not None
    saved = int(found[1])
    assert 0.9 * before <= saved <= before
    assert (f"; {before - saved} " in ran.out) == (saved < before)
    assert len(forked_scrapy(*export).out.splitlines()) == saved
    assert (job / "job.sqlite.damaged").is_file()
    assert forked_scrapy(*words, proxy=web.proxy).code == 0
    assert stored(job) > saved
    assert forked_scrapy("search", "基金", "--job", str(job)).code == 0


def test_jobdir_alone_goes_on_with_what_the_job_is(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    job = ("-s", f"JOBDIR={tmp_path / 'job'}")
    topic = ("-a", "keywords=基金:0.9,股票,投资者", "-a", "page_classifier=evidence", "-a", "pages=4")
    begun = forked_scrapy("crawl", "topic", *topic, *SEEDS, *FAST, *job, proxy=web.proxy)
    assert begun.code == 0, begun.err
    before = (tmp_path / "job" / "job.json").read_text()
    fetched = web.fetched()
    web.asked.clear()
    on = forked_scrapy("crawl", "topic", "-a", "pages=6", *FAST, *job, proxy=web.proxy)
    assert re.search(r"\b6 \D+\(2 ", on.err)
    on = forked_scrapy("crawl", "topic", *FAST, *job, proxy=web.proxy)
    assert on.code == 0, on.err
    assert f"Job {tmp_path / 'job'} " not in on.err
    assert sorted([*fetched, *web.fetched()]) == sorted(web.pages)
    assert (tmp_path / "job" / "job.json").read_text() == before
    new = forked_scrapy("crawl", "topic", *FAST, "-s", f"JOBDIR={tmp_path / 'none'}")
    assert re.fullmatch("argument 'topic': .* -a topic=finance\n", new.err)


def test_a_seed_that_led_elsewhere_is_the_seed_of_the_job_that_goes_on(
    make_job: Callable[..., Path], tmp_path: Path
) -> None:
    home, article = (
        Visit(f"https://a.example/{name}", 200, 1.0, 0.9, stored=True, time=1.0) for name in ("", "1")
    )
    moved = make_job(
        "moved", visits=(replace(home, source_url="http://a.example/"), replace(article, source_url=home.url))
    )
    assert arguments_of(moved)["seeds"] == "http://a.example/"
    plain = make_job("plain", visits=(home, replace(article, source_url=home.url)))
    assert arguments_of(plain) == {
        "topic": "finance", "strategy": "breadth_first", "page_classifier": "evidence", "seeds": home.url
    }  # fmt: skip
    assert arguments_of(tmp_path) == {}


def test_a_job_in_jobs_is_found_by_its_name_by_all_commands(
    forked_scrapy: ForkedScrapy, web: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tmp_path / "jobs" / "travel"
    monkeypatch.chdir(tmp_path)
    words = ("crawl", "topic", "-a", "topic=finance", "-a", "pages=5", *SEEDS, *FAST, "-s", f"JOBDIR={job}")
    assert forked_scrapy(*words, proxy=web.proxy).code == 0
    for command, said in {
        ("search", "投资者"): "travel",
        ("pages", "travel"): "http://funds.example/",
        ("frontier", "travel"): "finance",
        ("explain", "http://funds.example/", "--job", "travel"): "http://funds.example/",
    }.items():
        started = forked_scrapy.begin(*command, folder=tmp_path, SCRAPY_SETTINGS_MODULE=SETTINGS_MODULE)
        ran = started.wait(120)
        assert (ran.code, said in ran.out) == (0, True), ran.err
    assert Jobs(Path("data")).names() == ["travel"]
    assert Jobs(Path("data")).folder("travel").absolute() == job


def test_the_log_begins_with_what_is_about_the_crawl(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    words = ("crawl", "topic", "-a", "topic=finance", "-a", "pages=1", *SEEDS, *FAST)
    first = {}
    for level in ("INFO", "DEBUG"):
        job = ("-s", f"JOBDIR={tmp_path / level}", "-s", f"LOG_LEVEL={level}")
        lines = forked_scrapy(*words, *job, proxy=web.proxy).err.splitlines()
        first[level] = next(at for at, line in enumerate(lines) if "INFO: Topic finance" in line)
        assert any("DEBUG: Overridden settings" in line for line in lines) == (level == "DEBUG")
    assert first["INFO"] < 5
    assert first["DEBUG"] > 60


def test_a_crawl_that_failed_says_so_to_those_who_look_later(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    seeds = (*SEEDS, "-a", "seeds=http://funds.example/none", "-a", "topic=finance", *FAST)
    ran = forked_scrapy("crawl", "topic", *seeds, "-s", f"JOBDIR={tmp_path / 'job'}", proxy=web.proxy)
    assert ran.code == 1
    run = last_run(tmp_path / "job")
    assert run is not None
    assert run.fault.startswith("seed http://funds.example/none: gave no page (1 http 404)")
    assert Jobs(tmp_path).get("job").status() == {"state": "failed"}
    ran = forked_scrapy(
        "crawl",
        "topic",
        *SEEDS,
        *FAST,
        "-a",
        "topic=finance",
        "-a",
        "pages=1",
        "-s",
        f"JOBDIR={tmp_path / 'job'}",
        proxy=web.proxy,
    )
    assert ran.code == 0, ran.err
    assert Jobs(tmp_path).get("job").status() == {"state": "ended"}
