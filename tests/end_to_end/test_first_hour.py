"""What a newcomer ran into, each case as it was met."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl, crawl_words, page, stored
from forked_scrapy import ForkedScrapy

from topiccrawler.crawling.launching import SETTINGS_MODULE
from topiccrawler.crawling.page_stores import arguments_of
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.model import Visit
from topiccrawler.results.last_run import last_run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。"
SPORT = "足球联赛今晚开赛，主队教练称队员状态良好，球迷期待一场精彩的比赛。"
HOME = "http://funds.example/"
OPTIONS = {"seeds": HOME, "ROBOTSTXT_OBEY": False}


def article(title: str, text: str, *links: str) -> str:
    """A page of its own text."""
    return page(title, f"{title}：{text}", *((link, link) for link in links))


@pytest.fixture
def web(draw_web: Callable[..., Any]) -> Any:
    """Twelve pages of one site; every third is on topic, the first among them."""
    pages = {HOME: article("首页", FUNDS, *(f"/{number}" for number in range(12)))}
    for number in range(12):
        text = (SPORT if number % 3 else FUNDS) * 3 + "。" + chr(0x4E00 + 97 * number) * 40
        pages[f"{HOME}{number}"] = article(f"/{number}", text)
    return draw_web(pages)


def test_items_of_the_users_own_are_neither_relevant_nor_kept(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "your-project.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(from topiccrawler.*?)```", text, re.DOTALL)
    assert "super().parse(response)" in code[1]
    spider = tmp_path / "funds.py"
    spider.write_text(code[1])

    def run(job: str, **options: object) -> str:
        words = crawl_words(tmp_path / job, topic=None, **OPTIONS, **options)[2:]
        return str(forked_scrapy("runspider", str(spider), *words, proxy=web.proxy).err)

    said = run("job")
    assert len(stored(tmp_path / "job")) == 5
    assert "13 pages fetched, 5 relevant" in said
    web.asked.clear()
    run("few", targets=3, CONCURRENT_REQUESTS=1)
    assert len(stored(tmp_path / "few")) == 4  # the home page, which is a list, and three articles
    assert len(web.fetched()) == 8  # the home page and /0 to /6


def test_a_damaged_page_store_is_refused_and_what_can_be_saved_is(
    crawl: Crawl, forked_scrapy: Callable[..., Any]
) -> None:
    texts = [FUNDS * 3 + chr(0x4E00 + 97 * at) * 2000 for at in range(60)]
    pages = {HOME: article("首页", FUNDS, *(f"/{at}" for at in range(60)))}
    pages |= {f"{HOME}{at}": article(f"/{at}", text) for at, text in enumerate(texts)}
    begun = crawl(pages, pages=40, **OPTIONS)
    web, job = begun.web, begun.job
    words, before = crawl_words(job, **OPTIONS), len(stored(job))
    assert before > 20
    with closing(sqlite3.connect(job / "job.sqlite")) as database:
        [(root,)] = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'pages_best'")
    with (job / "job.sqlite").open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\x00\xff" * 2048)
    web.asked.clear()
    export = ["pages", str(job), "export", "--format", "jsonl"]
    for again in (words, export):
        ran = forked_scrapy(*again, proxy=web.proxy)
        assert ran.code == 1
        assert f"scrapy pages {job} repair" in ran.err
        assert (web.asked, ran.out) == ([], "")
    ran = forked_scrapy("pages", str(job), "repair")
    assert ran.code == 0, ran.err
    found = re.match(r"(\d+) pages saved", ran.out)
    saved = int(found[1])
    assert 0.9 * before <= saved <= before
    assert (f"; {before - saved} " in ran.out) == (saved < before)
    assert len(forked_scrapy(*export).out.splitlines()) == saved
    assert (job / "job.sqlite.damaged").is_file()
    assert forked_scrapy(*words, proxy=web.proxy).code == 0
    assert len(stored(job)) > saved
    assert forked_scrapy("search", "基金", "--job", str(job)).code == 0


def test_jobdir_alone_goes_on_with_what_the_job_is(
    crawl: Crawl, forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    topic = {"topic": None, "keywords": "基金:0.9,股票,投资者", "page_classifier": "evidence"}
    job = crawl(web, pages=4, **topic, **OPTIONS).job
    before = (job / "job.json").read_text()
    fetched = web.fetched()
    web.asked.clear()
    alone = {"topic": None, "seeds": None, "strategy": None, "ROBOTSTXT_OBEY": False}
    assert re.search(r"\b6 \D+\(2 ", crawl(web, pages=6, **alone).err)
    assert f"Job {job} " not in crawl(web, **alone).err
    assert sorted([*fetched, *web.fetched()]) == sorted(web.pages)
    assert (job / "job.json").read_text() == before
    new = forked_scrapy(*crawl_words(tmp_path / "none", **alone))
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
    crawl: Crawl, forked_scrapy: ForkedScrapy, web: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    job = crawl(web, job="jobs/travel", pages=5, **OPTIONS).job
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


def test_the_log_begins_with_what_is_about_the_crawl(crawl: Crawl, web: Any) -> None:
    first = {}
    for level in ("INFO", "DEBUG"):
        lines = crawl(web, job=level, pages=1, LOG_LEVEL=level, **OPTIONS).err.splitlines()
        first[level] = next(at for at, line in enumerate(lines) if "INFO: Topic finance" in line)
        assert any("DEBUG: Overridden settings" in line for line in lines) == (level == "DEBUG")
    assert first["INFO"] < 5
    assert first["DEBUG"] > 60


def test_a_crawl_that_failed_says_so_to_those_who_look_later(crawl: Crawl, web: Any, tmp_path: Path) -> None:
    job = crawl(web, code=1, **{**OPTIONS, "seeds": f"{HOME}none"}).job
    run = last_run(job)
    assert run.fault.startswith(f"seed {HOME}none: gave no page (1 http 404)")
    assert Jobs(tmp_path).get("job").status() == {"state": "failed"}
    crawl(web, pages=1, **OPTIONS)
    assert Jobs(tmp_path).get("job").status() == {"state": "ended"}
