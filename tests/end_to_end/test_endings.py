"""How a crawl ends, and what a person sees of it: in a log, and on a terminal of 80 columns."""

import fcntl
import os
import re
import struct
import termios
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from drawn_crawls import FUNDS, Crawl, crawl_words, ends, stats_of, stored
from drawn_web import answer
from message_facts import numbers

from topiccrawler.engine.ending import MARK
from topiccrawler.frontier.base import State

HOME = "http://hub.example/"
LINKS = "".join(f'<a href="/{number}">基金{number}</a>' for number in range(8))
COLUMNS = 80
LIVE = re.compile(r"(\d+)/(\d+) pages, (\S+) left, +(\S+)/s")


OPTIONS = {"seeds": f"{HOME},http://gone.example/"}


def test_a_crawl_none_of_whose_seeds_gives_a_page_fails_and_can_be_tried_again(crawl: Crawl) -> None:
    robots = answer(200, b"User-agent: *\nDisallow: /", Content_Type="text/plain")
    ran = crawl({f"{HOME}robots.txt": robots}, code=1, **OPTIONS)
    [fault] = re.findall(r"\] ERROR: (.*)", ran.err)
    assert re.match(r"seeds: .*\b2\b.*\(1 Forbidden by robots\.txt, 1 http 404\); ", fault)
    assert "'finish_reason': 'seeds_failed'" in ran.err
    assert ran.err.rstrip().splitlines()[-1].startswith(f"  ended: failed; {fault}")

    ran.web.pages = {HOME: f"<title>基金</title><p>{FUNDS}"}
    ran = crawl(ran.web, **OPTIONS)
    job, report = ran.job, ran.err.partition(f"{MARK}\n")[2].splitlines()
    _, counts, failed, _, best, *places, ended = report
    assert (" ".join(numbers(counts)), " ".join(numbers(failed))) == ("1 1 100 1 0 1 0 1", "1 1 404")
    assert best == f"    {stored(job)[HOME].relevance:.3f}  基金  {HOME}"
    assert [line.rpartition(": ")[2] for line in places] == [
        f"scrapy topics teach {job}",
        str(job),
        f"scrapy pages {job}",
        f"scrapy search WORDS --job {job}",
        f"scrapy frontier {job}",
        f"scrapy explain URL --job {job}",
        str(job / "stats.json"),
    ]
    assert ended.startswith("  ended: ")


def on_terminal(forked_scrapy: Any, words: list[str], proxy: str) -> tuple[int, str]:
    """Run it as a person does, with a terminal for its errors: exit code, and what came."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, COLUMNS, 0, 0))
    process = forked_scrapy.begin(*words, proxy=proxy, err=os.ttyname(slave))
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(process.wait, 60)
        ended.add_done_callback(lambda _: os.close(slave))
        came = b""
        while True:
            try:
                came += os.read(master, 65536)
            except OSError:  # the other side is closed
                break
    os.close(master)
    return ended.result().code, came.decode()


@pytest.mark.slow
def test_a_resumed_crawl_counts_on_from_the_jobs_pages_and_its_rate_is_of_this_run(
    crawl: Crawl, forked_scrapy: Any
) -> None:
    site = {f"{HOME}{number}": f"<title>{number}</title><p>{FUNDS}" for number in range(8)}
    pages = {HOME: f"<title>导航</title>{LINKS}<p>{FUNDS}", **site}
    begun = crawl(pages, pages=5, LOGSTATS_INTERVAL=0.01, **OPTIONS)
    assert re.search(r"\b5 \D+5 \D+1\.00 \D+5: 1\.00", begun.err)
    assert re.search(r"ended: 5 .*\(-a pages\); 4 .*\(-a pages=10\)", begun.err)

    code, came = on_terminal(forked_scrapy, crawl_words(begun.job, pages=20, **OPTIONS), begun.web.proxy)
    assert code == 0, came
    lines = re.split(r"[\r\n]+", came)
    live = [line for line in lines if LIVE.match(line)]
    assert [LIVE.match(live[0])[number] for number in (1, 2, 3, 4)] == ["5", "20", "?", "?"]
    assert LIVE.match(live[-1])[1] == "9"
    assert re.search(r"9 kept \(\d articles\) = 100% \(last 4: 100%\), 0 q", live[-1])
    assert max(map(len, live)) <= COLUMNS  # none breaks into two
    assert any(re.search(r"\b9 \D+4 \D+9 \D+100\D+9 .*\b9 html", line) for line in lines)
    assert "Traceback" not in came


@pytest.mark.slow
def test_a_crawl_ends_when_little_is_promised_and_goes_on_with_a_smaller_share(
    crawl: Crawl, draw_web: Any
) -> None:
    football = "足球比赛，球员进球，教练与球迷。" * 8
    texts = [FUNDS] * 60 + [football] * 190
    site = {f"{HOME}{at}": f"<title>{at}</title><p>{at} {text}" for at, text in enumerate(texts)}
    hub = "".join(f'<a href="/{number}">{number}</a>' for number in range(len(texts)))
    web = draw_web({HOME: f"<title>导航</title>{hub}<p>{FUNDS}", **site})
    budgets = {"FRONTIER_HOST_UNPRODUCTIVE_PAGES": 0, "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES": 0}

    def pages(until: str) -> tuple[int, str]:
        ran = crawl(web, until=until, **budgets, **OPTIONS)
        stats = stats_of(ran.job)
        ended = ran.err.rstrip().splitlines()[-1]
        return stats["topic/pages"], f"{stats['finish_reason']}: {ended.strip()}"

    first, ended = pages("0.4")
    assert 100 <= first < 200
    limit = r"little_promised: ended: .* 3\d\.\d% .* 40\.0% \(-a until\); \d+ .*\(-a until=0\.2\)"
    assert re.match(limit, ended)
    again, ended = pages("0.4")
    assert again == first
    assert re.search(r" 3\d\.\d% ", ended)
    fetched, ended = pages("0.001")
    assert (fetched, ended.partition(":")[0]) == (251, "finished")


def moved_when(web: Any, asked: int, *urls: str, to: str) -> Callable[[], Any]:
    """A page that is moved, and answers when these URLs were asked for so often."""

    def moved() -> Any:
        while sum(url in urls for url in web.asked) < asked:
            time.sleep(0.01)
        return answer(302, Location=to)

    return moved


MOVED, NEW = "http://moved.example/", "http://dead.example/new"


def test_a_redirect_to_a_host_that_closed_meanwhile_keeps_no_crawl_open(crawl: Crawl, draw_web: Any) -> None:
    web = draw_web({HOME: f"<title>基金</title><p>{FUNDS}"})
    dead = [f"http://dead.example/{number}" for number in range(4)]
    web.pages |= dict.fromkeys(dead, answer(502))
    web.pages[MOVED] = moved_when(web, 10, *dead, to=NEW)  # failures that close the host
    options = {"seeds": ",".join([HOME, MOVED, *dead]), "FRONTIER_BACKOFF_SECONDS": 0}
    found = ends(crawl(web, FRONTIER_URL_TRIES=4, **options).job)
    assert (found[MOVED], found[NEW]) == ((State.DISCARDED, "redirected"), (State.WAITING, ""))

    web.pages[NEW] = f"<title>股票</title><p>股票 {FUNDS}"
    assert ends(crawl(web, FRONTIER_URL_TRIES=4, **options).job)[NEW] == (State.COMPLETED, "kept")
    assert web.asked.count(MOVED) == 1


def test_a_redirect_to_a_host_that_is_busy_for_an_hour_takes_no_page_of_the_limit(
    crawl: Crawl, draw_web: Any
) -> None:
    busy = "http://dead.example/"
    web = draw_web({HOME: f'<title>基金</title><a href="/1">股票</a><p>{FUNDS}', f"{HOME}1": FUNDS})
    web.pages |= {busy: answer(503, Retry_After="3600"), MOVED: moved_when(web, 2, busy, HOME, to=NEW)}
    ran = crawl(web, seeds=f"{MOVED},{busy},{HOME}", pages=2, FRONTIER_URL_TRIES=1)
    assert ends(ran.job)[NEW] == (State.WAITING, "")
    assert stats_of(ran.job)["finish_reason"] == "enough"
