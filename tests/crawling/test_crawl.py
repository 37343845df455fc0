"""The way of the data through one crawl, without Scrapy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import KNOWN, NO_PAGE, Crawl
from topiccrawler.crawling.fetch import Fetch, Outcome
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.options import CrawlLimits, CrawlOptions
from topiccrawler.crawling.outages import Patience, Sign
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.progress import brief_line, progress_line
from topiccrawler.frontier.base import Frontier, State
from topiccrawler.frontier.budgets import Allowance, Budgets
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Visit
from topiccrawler.urls.unwanted import Block

SEED = "http://a.cn/"
FUND = '<title>基金定投</title><p>基金 股票 理财 投资 收益 债券 定投</p><a href="/1">股票基金</a><a href="http://b.cn/">足球</a>'


def crawl_of(frontier: Frontier | None = None, **more: Any) -> Crawl:
    parts = assemble(Recipe("finance", strategy="best_first", prune=False))
    return Crawl(parts, MemoryFrontier() if frontier is None else frontier, **more)


def seeded(**more: Any) -> tuple[Crawl, Fetch]:
    """A crawl with its seed under way."""
    crawl = crawl_of(**more)
    crawl.seed([Link(SEED, "a.cn", "基金")], 0.0)
    fetch = crawl.next(1.0)
    assert fetch is not None
    return crawl, fetch


def states(crawl: Crawl) -> dict[str, State]:
    return {row.link.url: row.state for row in crawl.frontier.look().rows()}


def read_and_end(crawl: Crawl, fetch: Fetch, now: float) -> None:
    reading = crawl.read(SEED, FUND.encode("gbk"), "text/html", "gbk", via=fetch.via)
    assert reading is not None
    crawl.visit(reading.page, crawl.links_of(reading), now, fetch)
    item = crawl.items.of(reading, 200, now)
    fetch.status = 200
    assert (item.url, item.relevance, item.encoding) == (SEED, reading.page.relevance, "gb18030")
    crawl.end(fetch, Outcome(State.COMPLETED, "kept", is_relevant=True, format=item.format), now)


def test_a_page_goes_from_its_url_to_its_links_and_its_end() -> None:
    crawl, fetch = seeded()
    assert (fetch.leased.link.url, crawl.has_more(1.0, under_way=1)) == (SEED, False)
    read_and_end(crawl, fetch, 2.0)
    assert states(crawl) == {
        SEED: State.COMPLETED,
        "http://a.cn/1": State.WAITING,
        "http://b.cn/": State.WAITING,
    }
    assert (crawl.harvest.pages, crawl.harvest.kept, crawl.harvest.formats) == (1, 1, {"html": 1})
    following = crawl.next(3.0)
    assert following is not None
    assert following.leased.link.anchor == "股票基金"


def test_it_has_more_while_a_url_waits_and_is_ready_again_after_the_delay_of_its_host() -> None:
    crawl = crawl_of(MemoryFrontier(Hosts(delay_seconds=10.0)))
    assert (crawl.has_more(0.0, under_way=0), crawl.next_ready(0.0)) == (False, None)
    crawl.seed([Link(SEED, "a.cn"), Link(f"{SEED}2", "a.cn")], 0.0)
    assert (crawl.has_more(1.0, under_way=0), crawl.next_ready(1.0)) == (True, 1.0)
    fetch = crawl.next(1.0)
    assert fetch is not None
    crawl.end(fetch, Outcome(State.COMPLETED, ""), 1.0)
    assert (crawl.has_more(2.0, under_way=0), crawl.next_ready(2.0)) == (True, 11.0)
    assert crawl.next(11.0) is not None
    assert (crawl.has_more(11.0, under_way=1), crawl.ordering.learn(11.0)) == (False, {})


def test_a_crawl_has_enough_when_the_next_pages_promise_little(tmp_path: Path) -> None:
    earlier = JobFiles(tmp_path, Recipe("finance"), shared=True)
    for number in range(200):
        earlier.visits.append(Visit(SEED, 200, 0.0, 0.1, number % 20 == 0, 1.0))
    earlier.commit()
    earlier.close()
    options = CrawlOptions(limits=CrawlLimits(until=0.2))
    crawl, fetch = seeded(options=options, files=JobFiles(tmp_path, shared=True))
    assert not crawl.is_enough()  # nothing waits: what is under way may bring links
    read_and_end(crawl, fetch, 2.0)
    crawl.estimator.estimate(anew=True)
    assert (crawl.is_enough(), crawl.promises_little, crawl.has_more(2.0, 0)) == (True, True, False)
    assert numbers(progress_line(crawl))[-3:] == ["2", "2", "0"]
    assert numbers(brief_line(crawl))[-2:] == ["2", "0"]
    crawl.limits = CrawlLimits(until=0.01)
    assert not crawl.is_enough()
    crawl.close()


def test_a_crawl_goes_on_from_what_its_files_say(tmp_path: Path) -> None:
    parts = assemble(Recipe("finance", strategy="best_first", prune=False))

    def opened() -> Crawl:
        files = JobFiles(tmp_path, parts.record(), shared=True)
        return crawl_of(SqliteFrontier(files.database), files=files, options=CrawlOptions(durable=True))

    crawl = opened()
    crawl.files.begin()
    crawl.seed([Link(SEED, "a.cn", "基金")], 0.0)
    fetch = crawl.next(1.0)
    assert fetch is not None
    read_and_end(crawl, fetch, 2.0)
    left = crawl.next(3.0)
    assert left is not None
    crawl.release([left], 4.0)
    crawl.close()
    again = opened()
    again.files.begin()
    again.seed([Link(SEED, "a.cn", "基金")], 5.0)
    assert (again.harvest.pages, states(again)[SEED]) == (1, State.COMPLETED)
    following = again.next(6.0)
    assert following is not None
    assert following.leased.link.url == left.leased.link.url
    again.abandon()


def test_a_retry_stays_where_it_is_and_gives_its_slot_back() -> None:
    crawl, fetch = seeded()
    assert crawl.hosts.leases("a.cn") == 1
    assert crawl.come_back(fetch, SEED, 1.0) is None
    assert (fetch.redirect_targets, crawl.hosts.leases("a.cn")) == ([], 0)


def test_a_redirect_leases_its_target_along_and_both_end() -> None:
    crawl, fetch = seeded()
    targets = ["http://c.cn/2", "https://d.cn:8443/3"]
    for target in (*targets, targets[0]):
        assert crawl.come_back(fetch, target, 1.0) is None
    assert fetch.redirect_targets == targets
    row = crawl.frontier.look().row(targets[0])
    assert row is not None
    assert (row.state, row.score, row.link.anchor) == (State.PROCESSING, fetch.leased.score, "基金")
    crawl.end(fetch, Outcome(State.COMPLETED, "kept"), 2.0)
    assert states(crawl) == {SEED: State.DISCARDED, targets[0]: State.DISCARDED, targets[1]: State.COMPLETED}


def test_the_target_of_a_seeds_redirect_that_goes_back_to_the_queue_is_still_a_seed() -> None:
    class Poor:
        def log_odds(self, links: Sequence[Link]) -> list[float]:
            return [-9.0] * len(links)

    crawl, fetch = seeded()
    crawl.gate.scorer, crawl.gate.threshold = Poor(), 0.5
    assert crawl.come_back(fetch, "https://www.a.cn/", 1.0) is None
    crawl.release([fetch], 2.0)
    again = [crawl.next(now) for now in (3.0, 4.0)]
    assert [one and (one.leased.link.url, crawl.ask(one).reason) for one in again] == [
        (SEED, "a seed"),
        ("https://www.a.cn/", "a seed"),
    ]


def test_a_page_has_the_canonical_url_of_its_redirect_and_its_links_are_relative_to_what_was_fetched() -> (
    None
):
    crawl, fetch = seeded()
    there = "http://C.cn/2/index.html?utm_source=weibo"
    assert crawl.come_back(fetch, there, 1.0) is None
    body = FUND.replace("/1", "?page=2")
    reading = crawl.read(there, body.encode(), "text/html; charset=utf-8", via=fetch.via)
    assert reading is not None
    url = "http://c.cn/2/"
    assert [reading.page.url, crawl.items.of(reading, 200, 1.0).url, *fetch.redirect_targets] == [url] * 3
    found = crawl.links_of(reading)
    assert [(link.url, link.source_url) for link in found] == [
        ("http://c.cn/2/index.html?page=2", url),
        ("http://b.cn/", url),
    ]


@pytest.mark.parametrize("target", ["http://c.cn/2", "ftp://a.cn/1"])
def test_a_redirect_to_a_known_page_or_to_none_goes_no_further(target: str) -> None:
    crawl, fetch = seeded()
    crawl.seed([Link("http://c.cn/2", "c.cn")], 0.0)
    while crawl.next(1.0) is not None:
        pass
    before = states(crawl)
    assert crawl.come_back(fetch, target, 1.0) == (NO_PAGE if target.startswith("ftp") else KNOWN)
    assert (states(crawl), fetch.redirect_targets, crawl.hosts.leases("a.cn")) == (before, [], 1)


def test_a_redirect_to_a_blocked_url_goes_no_further_and_its_target_keeps_the_reason() -> None:
    crawl, fetch = seeded()
    crawl.blocks.add(Block(site="c.cn"))
    reason = crawl.come_back(fetch, "http://c.cn/2", 1.0)
    assert reason == "blocked: c.cn"
    crawl.end(fetch, Outcome(State.DISCARDED, reason), 2.0)
    row = crawl.frontier.look().row("http://c.cn/2")
    assert row is not None
    assert (row.state, row.reason) == (State.DISCARDED, "blocked: c.cn")


def test_a_url_that_fails_waits_and_is_given_up_after_its_tries() -> None:
    crawl, fetch = seeded()
    crawl.outages.patience = Patience(url_tries=2, first_seconds=10.0)
    given_up: list[str] = []
    crawl.given_up = lambda outcome: given_up.append(outcome.reason)
    crawl.fail(fetch, "a.cn", "timeout", 2.0)
    assert (states(crawl), crawl.next(11.9), crawl.next_ready(2.0)) == ({SEED: State.WAITING}, None, 12.0)
    crawl.outages.answered("http://b.cn", "b.cn", 200, 3.0)  # so it was not the network
    again = crawl.next(12.0)
    assert again is not None
    assert again.leased.tries == 1
    crawl.fail(again, "a.cn", "http 500", 13.0, answered=True)
    row = crawl.frontier.look().row(SEED)
    assert row is not None
    assert (row.state, row.reason, row.tries, given_up) == (State.ERROR, "http 500", 2, ["http 500"])
    assert crawl.next_ready(13.0) is None


@pytest.mark.parametrize(
    ("fetched", "gap", "is_worth_it"), [(99, 90.0, False), (99, 30.0, True), (90, 90.0, True)]
)
def test_the_last_pages_of_a_limit_are_not_worth_a_long_wait(
    fetched: int, gap: float, is_worth_it: bool
) -> None:
    crawl = crawl_of(options=CrawlOptions(limits=CrawlLimits(pages=100)))
    crawl.seed([Link(SEED, "a.cn")], 0.0)
    for _ in range(fetched):
        crawl.harvest.add(kept=True)
    assert crawl.has_more(0.0, under_way=0)
    crawl.hosts.back_off("a.cn", gap, "failing: timeout")
    assert crawl.has_more(0.0, under_way=0) is is_worth_it


def test_what_fails_while_the_network_is_away_waits_unharmed_and_is_no_fetch_for_the_budgets() -> None:
    frontier = MemoryFrontier()
    budgets = Budgets(frontier, Allowance(host_pages=1))
    crawl = crawl_of(frontier, budgets=budgets)
    crawl.seed([Link(SEED, "a.cn", "基金")], 0.0)
    refused = Sign(network=True, host=True)
    for _ in range(60):
        crawl.outages.answered("http://b.cn", "b.cn", 200, 1.0)
    fetch = crawl.next(1.0)
    assert fetch is not None
    for host in ("a.cn", "c.cn"):
        crawl.outages.failed(host, "connection refused", refused, 2.0)
    crawl.outages.probe(2.0)
    crawl.outages.probed("", 2.0)
    crawl.fail(fetch, "a.cn", "connection refused", 2.0)
    assert (crawl.next(30.0), crawl.has_more(30.0, under_way=0)) == (None, True)
    assert progress_line(crawl).startswith("the network is away for ")
    crawl.outages.answered("http://b.cn", "b.cn", 200, 30.0, is_probe=True)
    again = crawl.next(30.0)
    assert again is not None
    assert (again.leased.link.url, again.leased.tries, budgets.closed) == (SEED, 0, {})
