"""Rockets that fly and the team of the same name: after four answers "no" about games only rockets are in the results, by command line and in a
browser."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from browser import needs_browser, open_browser, running_dashboard
from drawn_crawls import Crawl, json_lines
from two_meanings import BASKETBALL, SPACE, texts_of

from topiccrawler.results.jobs import JobLog
from topiccrawler.results.summary import summary_of

pytestmark = pytest.mark.slow

HUB = "http://hub.example/"
JOB = "rockets"
ROCKETS, GAMES = 12, 9


def web() -> dict[str, str]:
    """A hub with links to pages of both kinds, each on a host of its own; the links say the same of all."""
    texts = {f"http://space{at}.example/": text for at, text in enumerate(texts_of(SPACE, ROCKETS))}
    texts |= {f"http://game{at}.example/": text for at, text in enumerate(texts_of(BASKETBALL, GAMES))}
    pages = {
        url: f"<title>火箭：{text.partition('，')[0]}</title><h1>火箭</h1><p>{text.replace('。', '。</p><p>')}"
        for url, text in texts.items()
    }
    links = "".join(f"<li><a href={url}>火箭新闻</a>" for url in texts)
    return {HUB: f"<title>目录</title><ul>{links}</ul>", **pages}


@pytest.fixture
def data(crawl: Crawl) -> Path:
    """A data folder with a job that has kept rockets and games."""
    options = {"ROBOTSTXT_OBEY": False, "TOPIC_DUPLICATES": "keep"}
    return crawl(web(), job=f"data/{JOB}", topic=None, keywords="火箭", seeds=HUB, **options).job.parent


def hosts(lines: str) -> dict[str, int]:
    """How many pages of each kind are in lines of JSON."""
    urls = [one["url"] for one in json_lines(lines)]
    return {kind: sum(f"//{kind}" in url for url in urls) for kind in ("space", "game")}


def test_by_command_line(data: Path, forked_scrapy: Any) -> None:
    job, out = str(data / JOB), data.parent / "pages.jsonl"

    def said(*words: str) -> str:
        ran = forked_scrapy(*words)
        assert ran.code == 0, ran.err
        return str(ran.out)

    listed = said("pages", job, "--limit", "100", "--json")
    assert hosts(listed) == {"space": ROCKETS, "game": GAMES}
    assert all(one["snippet"] for one in json_lines(listed) if "//game" in one["url"])
    found = said("search", "球队", "--job", job)
    assert f"scrapy pages {job} no URL" in found
    games = [f"http://game{at}.example/" for at in range(4)]
    judged = json.loads(said("pages", job, "no", *games, "--json"))
    assert (judged["refused"], judged["restored"], judged["found"]) == (GAMES, 0, 0)
    said("pages", job, "export", "--out", str(out))
    assert hosts(out.read_text(encoding="utf-8")) == {"space": ROCKETS, "game": 0}
    assert hosts(said("pages", job, "--refused", "--limit", "100", "--json")) == {"space": 0, "game": GAMES}
    assert hosts(said("search", "球队", "--job", job, "--json")) == {"space": 0, "game": 0}
    assert hosts(said("search", "球队", "--job", job, "--refused", "--json"))["game"] > 0
    queue = json.loads(said("frontier", job, "--json"))
    assert queue["kept"] == len(said("pages", job, "--limit", "100", "--json").splitlines())
    said("pages", job, "export", "--format", "corpus", "--out", str(data.parent / "corpus"))
    card = (data.parent / "corpus" / "README.md").read_text(encoding="utf-8")
    assert (
        f"left out: {GAMES} pages that were kept and, judged again, are off topic, or ask not to be kept"
        in card
    )
    sites = summary_of(data / JOB).by_host
    of_games = [sites[f"game{at}.example"] for at in range(GAMES)]
    assert [(one.kept, one.relevance < 0.5) for one in of_games] == [(0, True)] * GAMES
    log = JobLog(data / JOB)
    assert log.advance() == 1.0
    assert log.tally.kept == summary_of(data / JOB).kept == queue["kept"]
    one = json.loads(said("explain", "http://game8.example/", "--job", job, "--json"))["crawl"]
    assert (one["stored"]["kept"], one["stored"]["judged_by"]) == (False, "the topic as it is now")
    assert one["fetches"][0]["stored"]
    assert one["fetches"][0]["relevance"] >= 0.5 > one["stored"]["relevance"]
    one = json.loads(said("explain", games[0], "--job", job, "--json"))["crawl"]
    assert one["stored"]["judged_by"] == "a person's answer"
    fault = forked_scrapy("pages", job, "no", "http://nowhere.example/x")
    assert fault.code != 0
    assert "http://nowhere.example/x" in fault.err


@needs_browser
def test_in_a_browser(data: Path, tmp_path: Path) -> None:
    with running_dashboard(data, os.environ, JOB) as link, open_browser(tmp_path / "profile") as browser:
        page = browser.new_page()
        page.goto(link)
        base = page.url.rstrip("/")
        page.goto(f"{base}/jobs/{JOB}/pages")
        assert page.locator(".hits li").count() == ROCKETS + GAMES
        games = page.locator(".hits li", has_text="game")
        for at in range(4):
            games.nth(at).get_by_text("No", exact=True).click()
        page.get_by_role("button", name="Teach").click()
        page.wait_for_selector("p.said")
        assert f"{GAMES} left the results" in page.locator("p.said").inner_text()
        urls = page.locator(".hits li .url").all_inner_texts()
        assert [("space" in url, "game" in url) for url in urls] == [(True, False)] * ROCKETS
        exported = page.request.get(f"{base}/jobs/{JOB}/pages.jsonl").text()
        assert hosts(exported) == {"space": ROCKETS, "game": 0}
        page.goto(f"{base}/jobs/{JOB}")
        page.wait_for_selector("#curve")
        assert page.locator('[data-figure="kept"]').first.inner_text() == str(ROCKETS)
        page.goto(base)
        row = page.locator("tr", has_text=JOB).inner_text().split("\t")
        assert str(ROCKETS) in [cell.strip() for cell in row]
        page.goto(f"{base}/jobs/{JOB}/pages?refused=1")
        assert page.locator(".hits li", has_text="game").count() == GAMES
        page.goto(f"{base}/search?q=轨道")
        page.locator(".hits li").first.get_by_text("Yes", exact=True).click()
        page.get_by_role("button", name="Teach").click()
        page.wait_for_selector("p.said")
        assert page.url.startswith(f"{base}/search?")
        page.close()
