"""The figures of a job, from its log and its queue."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Score, Visit
from topiccrawler.results.summary import summary_of


def visit(url: str, status: int = 200, *, stored: bool = False, time: float = 1.0) -> Visit:
    return Visit(url, status, 0.0, 0.5 if status == 200 else 0.0, stored, time)


def test_the_log_gives_harvest_sites_and_reasons(make_job: Callable[..., Path]) -> None:
    visits = (
        visit("http://a.cn/1", stored=True, time=10.0),
        visit("http://a.cn/2", time=20.0),
        visit("http://b.cn/1", stored=True, time=30.0),
        visit("http://b.cn/2", 404, time=40.0),
        visit("http://b.cn/3", 404, time=50.0),
        visit("http://c.cn/", 0, time=60.0),
    )
    summary = summary_of(make_job("job", visits=visits))
    assert (summary.fetched, summary.kept, summary.failed, summary.harvest_rate) == (3, 2, 3, 2 / 3)
    assert (summary.began, summary.ended) == (10.0, 60.0)
    assert summary.curve == [(0, 0), (1, 1), (2, 1), (3, 2)]
    assert [(site.host, site.fetched, site.kept, site.failed) for site in summary.sites] == [
        ("a.cn", 2, 1, 0),
        ("b.cn", 1, 1, 2),
        ("c.cn", 0, 0, 1),
    ]
    assert (summary.sites[0].share, summary.sites[0].mean_relevance, summary.sites[2].share) == (
        0.5,
        0.5,
        0.0,
    )
    reasons = [(outcome.state, outcome.reason, outcome.count) for outcome in summary.outcomes]
    assert reasons[0] == ("error", "http 404", 2)
    assert {reason[0] for reason in reasons} == {"error", "discarded"}
    assert summary.outcomes[0].examples == ("http://b.cn/2", "http://b.cn/3")


def test_challenges_in_the_log_are_no_pages_and_no_failures(make_job: Callable[..., Path]) -> None:
    challenged = [replace(visit(f"http://x.cn/{number}"), challenge="challenge: Anubis") for number in "112"]
    summary = summary_of(make_job("job", visits=(visit("http://x.cn/3", stored=True), *challenged)))
    assert (summary.fetched, summary.kept, summary.failed) == (1, 1, 0)
    assert [(site.fetched, site.challenged, site.failed) for site in summary.sites] == [(1, 3, 0)]
    first = summary.outcomes[0]
    assert (first.state, first.reason, first.count) == ("discarded", "challenge: Anubis", 3)


def test_a_queue_knows_what_was_refused_unfetched(make_job: Callable[..., Path]) -> None:
    job = make_job("job", visits=(visit("http://a.cn/", stored=True),))
    with SqliteFrontier(job / JOB_DATABASE, Hosts()) as frontier:
        for name, state, reason in [("x", State.DISCARDED, "robots.txt"), ("y", State.ERROR, "timeout")]:
            link = Link(f"http://a.cn/{name}", "a.cn")
            frontier.push([(link, Score(link.url, 1.0))], now=1.0)
            assert frontier.lease(1.0, target=(link, Score(link.url, 1.0)))
            frontier.end(link.url, state, reason, 2.0)
    summary = summary_of(job)
    assert summary.has_queue
    assert [(outcome.state, outcome.reason, outcome.examples) for outcome in summary.outcomes] == [
        ("error", "timeout", ("http://a.cn/y",)),
        ("discarded", "robots.txt", ("http://a.cn/x",)),
    ]
