"""`scrapy seeds` as users run it: earlier jobs, a search service and the proposed sites over real HTTP."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers
from searxng import searxng

from topiccrawler.commands.seeds import wanted
from topiccrawler.crawling.assemble import page_classifier_of
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Visit
from topiccrawler.pages.read import PageWords
from topiccrawler.seeding.candidates import Candidate
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog

ROOT = Path(__file__).parents[2]
HUB, GONE, INSIDE = "http://hub.example/", "http://gone.example/", "http://10.0.0.1/"
TEA = [f"http://tea.example/{number}" for number in range(9)]
SITES = dict.fromkeys([HUB, *TEA, "http://found.example/"], 200)
FOUND = [
    {"url": "http://found.example/", "title": "茶叶 \x1b[31m龙井", "content": "茶叶"},
    {"url": INSIDE, "title": "茶叶", "content": ""},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one job of another topic, which had read about tea."""
    folder = tmp_path / "data" / "job"
    folder.mkdir(parents=True)
    with closing(JobDatabase(folder / "job.sqlite")) as database:
        store, log = PageStore(database), VisitLog(database)
        log.append(Visit(HUB, 200, 0.5, 0.0, False, 1.0, anchor="茶叶大全"))
        for url in [*TEA, GONE]:
            log.append(Visit(url, 200, 0.5, 0.4, True, 1.0, source_url=HUB))
            text = "茶叶和龙井的采摘，今年的春茶上市。" * 5
            store.put(PageRecord(url=url, title="龙井\n茶叶", text=text, source_url=HUB, topic="other"))
    return folder.parent


@pytest.fixture
def seeds(forked_scrapy: Callable[..., Any], data: Path) -> Callable[..., Any]:
    """The command with this data folder; `proxy` stands for the web."""
    settings = (
        f"TOPIC_DATA_DIR={data}",
        "TOPIC_PROPOSED_WORDS=0",
        "DOWNLOAD_DELAY=0",
        "AUTOTHROTTLE_ENABLED=False",
    )
    options = [word for setting in settings for word in ("-s", setting)]

    def run(*args: str, proxy: str = "http://127.0.0.1:1") -> Any:
        return forked_scrapy("seeds", *args, *options, proxy=proxy, no_proxy="127.0.0.1")

    return run


def test_the_best_of_earlier_jobs_and_of_a_search_become_a_file(
    seeds: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "tea.txt"
    with searxng({"茶叶": FOUND}, SITES) as web:
        ran = seeds("--keywords", "茶叶,龙井", "--search", web.address, "--out", str(out), proxy=web.address)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].split()[1] == HUB
    assert (lines[1].strip().startswith("茶叶大全; "), numbers(lines[1])) == (True, ["0.00", "10", "10"])
    topic = recipe_of_words(Recipe(""), ["茶叶", "龙井"], 600).topic_fields
    classifier = page_classifier_of(Recipe("", topic_fields=topic))
    (title,) = (line for line in ran.out.splitlines() if "[31m" in line)
    relevance = f"{classifier.relevance(PageWords(title=['茶叶', '龙井'], body=['茶叶'])):.2f}"
    # controls of the web are gone
    assert f"茶叶 [31m龙井; relevance {relevance}, found by 1 of 3 queries" in title
    assert f"left out: {GONE} (answers 404)" in lines
    assert any(INSIDE in line and "TOPIC_PRIVATE_NETWORK=True" in line for line in lines)
    assert lines[-1].startswith("5 ")
    assert lines[-1].endswith(f"-a seeds={out}")
    assert read_seeds(str(out)).positive[0] == HUB
    assert set(read_seeds(str(out)).positive) == {HUB, *TEA[:3], "http://found.example/"}
    written = out.read_text(encoding="utf-8").splitlines()
    assert written[written.index(TEA[0]) - 1].startswith("# ")
    assert "; 龙井 茶叶; relevance 1." in written[written.index(TEA[0]) - 1]
    assert not any(INSIDE in line for line in web.asked)
    assert all(agent.startswith("topiccrawler/0.1 (") and "{contact}" not in agent for agent in web.agents)


def test_a_search_service_may_want_a_password_and_its_robots_are_for_crawlers(
    seeds: Callable[..., Any], tmp_path: Path
) -> None:
    closed = b"HTTP/1.0 200 OK\r\nContent-Length: 26\r\n\r\nUser-agent: *\nDisallow: /\n"
    robots = {"/robots.txt": closed, "http://found.example/robots.txt": closed}
    with searxng({"茶叶": FOUND}, {**SITES, **robots}) as web:
        web.over.set()
        address = web.address.replace("http://", "http://me:p%40ss@")
        out = str(tmp_path / "out")
        ran = seeds("--keywords", "茶叶", "--search", address, "--out", out, proxy=web.address)
    assert ran.code == 0, ran.err
    assert "left out: http://found.example/ (Forbidden by robots.txt)" in ran.out.splitlines()
    assert set(web.access) == {"Basic bWU6cEBzcw=="}
    assert "HEAD http://found.example/" not in web.asked
    with searxng() as gone:
        pass
    ran = seeds("--keywords", "茶叶", "--search", gone.address.replace("//", "//me:secret@"))
    assert ran.err.startswith(f"search service {gone.address}: ")


def test_a_person_says_yes_no_or_that_it_is_enough() -> None:
    every = [Candidate(f"http://{name}.example/") for name in "abcdef"]
    replies = iter(["", "n", "what?", "Y", "q", "y"])
    said: list[str] = []
    taken = wanted(every, said.append, lambda _: next(replies))
    assert [one.url for one in taken] == ["http://a.example/", "http://c.example/"]
    assert len(said) == 4

    def end(prompt: str) -> str:
        raise EOFError

    assert wanted(every, said.append, end) == []


@pytest.mark.slow
def test_in_a_terminal_each_seed_is_asked_for(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    ours, its = pty.openpty()
    words = ["seeds", "--keywords", "茶叶", "--no-check", "--out", str(out), "--count", "3"]
    settings = ["-s", f"TOPIC_DATA_DIR={data}", "-s", "TOPIC_PROPOSED_WORDS=0"]
    with subprocess.Popen(
        [sys.executable, "-m", "scrapy", *words, *settings], cwd=ROOT, stdin=its, stdout=its, stderr=its
    ) as process:
        os.close(its)
        os.write(ours, b"n\n\nq\n")
        displayed = b""
        try:
            while piece := os.read(ours, 4096):
                displayed += piece
        except OSError:  # the terminal is closed
            pass
    os.close(ours)
    text = displayed.decode()
    assert process.returncode == 0, text
    assert text.count("take it? [Y/n/q]") == 3
    assert read_seeds(str(out)).positive == [GONE]
