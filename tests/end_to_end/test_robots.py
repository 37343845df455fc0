"""What a crawl fetches of servers on loopback that answer /robots.txt in every way, at once and later."""

import gzip
import json
import re
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, Crawl, Crawled, ends
from hostile_hosts import Behaviour, head, redirect, send, served

from topiccrawler.frontier.base import State
from topiccrawler.pages.usage import WELL_KNOWN

RETRY, AGE = (f"topiccrawler.engine.robots_middleware.{name}_SECONDS" for name in ("RETRY", "AGE"))
SOON = {RETRY: 0.2}
RULES = b"User-agent: *\nDisallow: /secret\n"


def text(body: bytes, *lines: str, status: str = "200 OK") -> Behaviour:
    """Answer with this body."""
    return send(
        head("Content-Type: text/html; charset=utf-8", f"Content-Length: {len(body)}", *lines, status=status),
        body,
    )


def page(*links: str) -> Behaviour:
    """A page on finance with these links."""
    anchors = "".join(f'<a href="{link}">基金股票市场</a> ' for link in links)
    return text(f"<title>基金</title><p>{FUNDS}{links}</p>{anchors}".encode())


class Site:
    """A server on loopback: behaviours by path, of which the last is repeated, and the paths that were asked for, with their times."""

    def __init__(self, paths: dict[str, Behaviour | list[Behaviour]]) -> None:
        self._paths, self._counts, self._lock = paths, defaultdict[str, int](int), threading.Lock()
        self.asked: list[str] = []
        self.times: list[float] = []
        self.host = ""

    def __call__(self, connection: socket.socket, asked: bytes) -> None:
        path = asked.decode("latin-1").split(" ")[1]
        with self._lock:
            if path != WELL_KNOWN:
                self.asked.append(path)
                self.times.append(time.monotonic())
            found = self._paths.get(path, text(b"", status="404 Not Found"))
            if isinstance(found, list):
                found = found[min(self._counts[path], len(found) - 1)]
            self._counts[path] += 1
        found(connection, asked)

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"


Serve = Callable[..., Site]


@pytest.fixture
def site() -> Iterator[Callable[..., Site]]:
    with ExitStack() as stack:

        def serve(paths: dict[str, Any]) -> Site:
            made = Site(paths)
            made.host = stack.enter_context(served(made))
            return made

        yield serve


@pytest.fixture
def crawl_from(crawl: Crawl) -> Callable[..., Crawled]:
    """Crawl from these seeds."""
    usual = {"TOPIC_PRIVATE_NETWORK": True, "RETRY_TIMES": 0}
    return lambda *seeds, **options: crawl(None, seeds=",".join(seeds), **usual, **options)


FAILING: dict[str, Behaviour] = {
    "500": text(b"", status="500 Internal Server Error"),
    "503": text(b"", status="503 Service Unavailable"),
    "closes": send(),
    "ends in the body": send(head("Content-Length: 5000"), b"User-agent: *\n"),
    "garbage": send(bytes(range(1, 256))),
    "a bomb": text(gzip.compress(bytes(64 * 1024 * 1024), 9), "Content-Encoding: gzip"),
    "leads to a failure": redirect("/failure"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_host_is_closed_until_its_robots_txt_can_be_read(site: Serve, crawl_from: Crawl, name: str) -> None:
    good = site({"/robots.txt": text(RULES), "/": page()})
    late = site(
        {
            "/robots.txt": [FAILING[name], FAILING[name], text(RULES)],
            "/failure": text(b"", status="500 Internal Server Error"),
            "/": page("/open", "/secret"),
            "/open": page(),
        }
    )
    ran = crawl_from(good.url(), late.url(), FRONTIER_BACKOFF_SECONDS=0.1, constants=SOON)
    assert [path for path in late.asked if path != "/failure"] == ["/robots.txt"] * 3 + ["/", "/open"]
    asked = [when for path, when in zip(late.asked, late.times, strict=True) if path == "/robots.txt"]
    assert asked[1] - asked[0] >= 0.2
    assert asked[2] - asked[1] >= 0.4
    assert "'frontier/back_offs/robots_txt': 2" in ran.err
    assert "frontier/failed" not in ran.err
    assert "Traceback" not in ran.err
    assert ends(ran.job) == {
        good.url(): (State.COMPLETED, "kept"),
        late.url(): (State.COMPLETED, "kept"),
        late.url("/open"): (State.COMPLETED, "kept"),
        late.url("/secret"): (State.DISCARDED, "Forbidden by robots.txt"),
    }


@pytest.mark.parametrize(
    "answered",
    [text(RULES, "Content-Encoding: gzip"), text(gzip.compress(RULES))],
    ids=["plain, said to be gzip", "gzip, not said"],
)
def test_rules_that_browsers_could_show_are_obeyed(
    site: Serve, crawl_from: Crawl, answered: Behaviour
) -> None:
    hub = site({"/robots.txt": answered, "/": page("/secret", "/open"), "/open": page()})
    crawl_from(hub.url())
    assert hub.asked == ["/robots.txt", "/", "/open"]


def test_the_rules_behind_five_redirects_count_even_of_another_host(site: Serve, crawl_from: Crawl) -> None:
    other = site({"/rules": text(RULES)})
    steps = {f"/{n}": redirect(f"/{n + 1}") for n in range(1, 4)}
    paths = {
        "/robots.txt": redirect("/1"),
        **steps,
        "/4": redirect(other.url("/rules")),
        "/": page("/secret", "/open"),
    }
    hub = site({**paths, "/open": page(), "/secret": page()})
    crawl_from(hub.url())
    assert hub.asked == ["/robots.txt", "/1", "/2", "/3", "/4", "/", "/open"]
    assert other.asked == ["/rules"]


def test_hosts_that_time_out_again_share_a_part_of_the_slots(site: Serve, crawl_from: Crawl) -> None:
    """Eight slots: one of them for hosts whose robots.txt has failed before."""
    begun: list[float] = []

    def hangs(connection: socket.socket, asked: bytes) -> None:
        begun.append(time.monotonic())
        while connection.recv(4096):
            pass

    dead = [site({"/robots.txt": [send(), hangs]}) for _ in range(5)]
    good = site({"/robots.txt": text(RULES), "/": page(*(f"/{n}" for n in range(6)))})
    crawl_from(
        *(one.url() for one in dead), good.url(), CONCURRENT_REQUESTS=8, DOWNLOAD_TIMEOUT=1, CLOSESPIDER_TIMEOUT=3,
        constants={RETRY: 0.1},
    )  # fmt: skip
    assert len(begun) >= 2
    assert all(later - before > 0.9 for before, later in pairwise(begun))


def test_a_file_is_read_again_when_it_is_too_old(site: Serve, crawl_from: Crawl) -> None:
    rules = [text(RULES), text(b"User-agent: *\nDisallow: /open\n"), text(b"", status="503 Busy")]
    hub = site(
        {"/robots.txt": rules, "/": page("/open", "/secret"), "/secret": page("/more"), "/more": page()}
    )
    slow = {"DOWNLOAD_DELAY": 0.4, "FRONTIER_BACKOFF_SECONDS": 0.1}
    ran = crawl_from(hub.url(), constants={**SOON, AGE: 0.3}, **slow)
    # The second file closes /open and opens /secret; while the third cannot be read, the second counts on.
    assert [path for path in hub.asked if path != "/robots.txt"] == ["/", "/secret", "/more"]
    assert hub.asked[:4] == ["/robots.txt", "/", "/robots.txt", "/robots.txt"]
    assert ends(ran.job)[hub.url("/open")] == (State.DISCARDED, "Forbidden by robots.txt")
    assert "frontier/back_offs/robots_txt" not in ran.err


def test_a_crawl_ends_when_robots_txt_was_asked_for_in_vain_and_a_later_run_goes_on(
    site: Serve, crawl_from: Crawl
) -> None:
    hub = site({"/robots.txt": [*[FAILING["500"]] * 3, text(RULES)], "/": page()})
    ran = crawl_from(hub.url(), constants=SOON, code=1)
    assert re.search(r"seed http://\S+: gave no page \(1 no robots\.txt: http 500\)", ran.err)
    assert hub.asked == ["/robots.txt"] * 3
    assert ends(ran.job) == {hub.url(): (State.WAITING, "")}
    crawl_from(hub.url(), constants=SOON)
    assert hub.asked == [*["/robots.txt"] * 4, "/"]


def test_a_redirect_to_a_closed_host_waits_for_it_and_is_not_asked_for_again(
    site: Serve, crawl_from: Crawl
) -> None:
    target = site({"/robots.txt": [FAILING["500"], text(RULES)], "/there": page()})
    hub = site({"/robots.txt": text(RULES), "/": page("/moved"), "/moved": redirect(target.url("/there"))})
    ran = crawl_from(hub.url(), constants=SOON)
    assert hub.asked == ["/robots.txt", "/", "/moved"]
    assert target.asked == ["/robots.txt", "/robots.txt", "/there"]
    assert ends(ran.job)[target.url("/there")][0] is State.COMPLETED


def test_explain_says_which_line_decides_and_why_a_host_is_closed(
    site: Serve, crawl_from: Crawl, forked_scrapy: Any
) -> None:
    rules = "# 规则\nUser-agent: *\nDisallow: /后台\nAllow: /\n".encode("gb18030")
    closed = site({"/robots.txt": FAILING["503"]})
    hub = site(
        {"/robots.txt": text(rules), "/": page("/%BA%F3%CC%A8/x", "/news", closed.url("/y")), "/news": page()}
    )
    job = crawl_from(hub.url(), FRONTIER_BACKOFF_MAX_SECONDS=0.2).job

    def robots(url: str) -> tuple[str, str]:
        said = json.loads(forked_scrapy("explain", url, "--job", str(job), "--json").out)
        [found] = [rule for rule in said["admission"] if rule["rule"] == "robots_txt"]
        return found["verdict"], found["why"]

    for path, verdict, line in (
        ("/%BA%F3%CC%A8/x", "refused", "line 3: Disallow: /后台"),
        ("/news", "passed", "line 4: Allow: /"),
    ):
        found, why = robots(hub.url(path))
        assert found == verdict
        assert re.fullmatch(rf"robots\.txt \d+ s ago: http 200; {line}", why)
    found, why = robots(closed.url("/y"))
    assert found == "refused"
    assert re.fullmatch(
        r"robots\.txt \d+ s ago: http 503; the host is closed until it can be read, asked again .*", why
    )


SPIDERS = {
    "own": """
from scrapy import Request
from topiccrawler.spiders.topic import TopicSpider


class Own(TopicSpider):
    name = "own"
    custom_settings = {"TOPIC": "finance"}

    async def start(self):
        yield Request("URL", errback=self.lost)
        async for output in super().start():
            yield output

    def lost(self, failure):
        self.logger.info("lost: %s", failure.value)
""",
    "plain": """
from scrapy import Spider


class Plain(Spider):
    name = "plain"
    start_urls = ["URL"]

    def parse(self, response):
        yield {"url": response.url}
""",
}


def run_spider(forked_scrapy: Any, folder: Path, name: str, url: str, *arguments: str) -> Any:
    file = folder / f"{name}.py"
    file.write_text(SPIDERS[name].replace("URL", url))
    fast = (f"JOBDIR={folder / 'job'}", "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "RETRY_TIMES=0")
    options = [part for setting in (*fast, "TOPIC_PRIVATE_NETWORK=True") for part in ("-s", setting)]
    return forked_scrapy("runspider", str(file), *arguments, *options, constants=SOON)


def test_a_request_of_the_spiders_own_to_a_closed_host_is_dropped_with_the_reason(
    site: Serve, forked_scrapy: Any, tmp_path: Path
) -> None:
    closed = site({"/robots.txt": FAILING["503"], "/x": page()})
    hub = site({"/robots.txt": text(RULES), "/": page()})
    ran = run_spider(forked_scrapy, tmp_path, "own", closed.url("/x"), "-a", f"seeds={hub.url()}")
    assert ran.code == 0, ran.err
    assert f"lost: robots.txt of {closed.host} cannot be read: http 503" in ran.err
    assert closed.asked == ["/robots.txt"]
    assert hub.asked == ["/robots.txt", "/"]


def test_a_spider_without_a_topic_has_scrapys_own_robots_txt(
    site: Serve, forked_scrapy: Any, tmp_path: Path
) -> None:
    hub = site({"/robots.txt": text(b"", status="501 Not Implemented"), "/": page(), "/secret": page()})
    ran = run_spider(forked_scrapy, tmp_path, "plain", hub.url())
    assert ran.code == 0, ran.err
    assert hub.asked == ["/robots.txt", "/"]
    assert "'robotstxt/response_status_count/501': 1" in ran.err
