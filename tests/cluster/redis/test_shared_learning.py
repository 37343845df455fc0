"""What processes of one crawl learn together: on a real server, several of them in one test."""

import json
import logging
import zlib
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as drawn
from hypothesis_profiles import examples
from message_facts import numbers
from redis_processes import PAGES, Crowd, Observing, Whole, address

from topiccrawler.crawling.checkpoints import whole_entry_of
from topiccrawler.frontier.base import Pushed
from topiccrawler.model import Page


@pytest.fixture(
    params=[
        pytest.param((Whole, "server"), id="whole"),
        pytest.param((Observing, "server"), id="observing"),
        pytest.param((Whole, "nodes"), id="whole_cluster", marks=pytest.mark.slow),
        pytest.param((Observing, "nodes"), id="observing_cluster", marks=pytest.mark.slow),
    ]
)
def crowd(request: pytest.FixtureRequest) -> Iterator[Crowd]:
    kind, where = request.param
    made = Crowd(request.getfixturevalue(f"redis_{where}").url, kind)
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topiccrawler.cluster.redis.frontier.LOOK_SECONDS", 0.0)
    changes = {
        "LOOK_SECONDS": 0,
        "LOOK_WHOLE_SECONDS": 0,
        "PAUSES": 0,
        "LEARNING_SECONDS": 0,
        "EVERY_PAGES": 3,
    }
    for name, value in changes.items():
        monkeypatch.setattr(f"topiccrawler.cluster.redis.shared_learning.{name}", value)


def test_one_learns_from_the_pages_of_all_each_once_and_the_crawl_ends_when_it_has(crowd: Crowd) -> None:
    first, second, third = crowd.join(), crowd.join(), crowd.join()
    crowd.drain()
    assert Counter(crowd.fetched) == dict.fromkeys(map(address, range(PAGES)), 1)
    crowd.until(lambda: sum(first.frontier.look().counts().values()) == PAGES)
    learner = crowd.learner
    assert sum(process.leads for process in (first, second, third)) == 1
    assert sorted(learner.seen) == sorted(crowd.fetched)
    crowd.until(lambda: all(not process.figures()["strategy/learning_lag/pages"] for process in crowd.living))
    if crowd.kind is Whole:
        alone = Whole()
        for url in learner.strategy._seen:
            list(alone.visit(Page(url), ()))
        assert alone._seen == learner.strategy._seen
        assert [process.seen for process in crowd.living if process is not learner] == [[], []]
        assert learner.pushed[Pushed.NEW] == PAGES
    else:
        # The seed, which all three push, is new to a process that the server has not answered yet; it has one row all the same.
        assert 0 <= sum(process.pushed[Pushed.NEW] for process in crowd.living) - PAGES <= 2
        followers = [process for process in crowd.living if process is not learner]
        crowd.until(lambda: all(sorted(process.seen) == sorted(crowd.fetched) for process in followers))


def test_what_is_published_cuts_the_stream_and_serves_who_comes_later(crowd: Crowd) -> None:
    first = crowd.join()
    crowd.until(lambda: first.leads)
    crowd.until(lambda: crowd.fetch(first) or len(crowd.fetched) == 10)
    crowd.until(lambda: len(first.seen) == 10)
    first.stop()
    crowd.living.clear()
    assert [url for url in crowd.state() if url != "root:"] == first.seen
    assert len(crowd.client.read("XRANGE", "seen", "-", "+")) <= (1 if crowd.kind is Whole else 10)
    second = crowd.join()
    crowd.until(lambda: second.leads)
    assert second.seen == first.seen
    crowd.drain()
    assert Counter(second.seen) == dict.fromkeys(map(address, range(PAGES)), 1)


def test_a_damaged_entry_is_one_line_and_the_others_count(
    crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    first = crowd.join()
    crowd.until(lambda: first.leads)
    damaged = (
        b"no entry",
        zlib.compress(b'{"page": 1}'),
        zlib.compress(b'{"observation": 7}'),
        zlib.compress(b"[]"),
    )
    page = Page("http://x.cn/")
    sound = zlib.compress(whole_entry_of(Whole(), page, []).encode())
    if crowd.kind is Observing:
        sound = zlib.compress(json.dumps({"observation": page.url}).encode())
    for number, text in enumerate((sound, *damaged, sound), 1):
        fields = ("s", "stranger", "n", number, "e", text)
        crowd.client.read("XADD", "seen", "*", *fields)
    with caplog.at_level(logging.WARNING):
        crowd.drain()
    sent = [record.getMessage() for record in caplog.records]
    assert len(sent) == len(damaged) - (crowd.kind is Whole)  # it takes nothing, be it what it may
    assert all("stranger" in text for text in sent)
    assert sorted(first.seen) == sorted([*crowd.fetched, "http://x.cn/", "http://x.cn/"])


def test_a_damaged_state_is_one_line_and_what_was_told_since_counts(
    crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    first = crowd.join()
    crowd.until(lambda: crowd.fetch(first) or len(crowd.fetched) == 10)
    crowd.kill(first)
    sent = len(crowd.client.read("XRANGE", "seen", "-", "+"))
    crowd.client.read(
        "HSET", "learned", "number", 99, "state", "{", "by", "x", "taken", "[]", "entries", "many"
    )
    with caplog.at_level(logging.WARNING):
        second = crowd.join()
        crowd.until(lambda: second.leads and len(second.strategy._seen) >= sent - 1)
    lines = [record.getMessage().partition(" (")[0] for record in caplog.records]
    assert [numbers(line) for line in sorted(set(lines))] == [["99"], ["99"]]
    assert len(lines) <= 4
    crowd.drain()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["redis_server", "redis_nodes"])
@settings(
    max_examples=examples(16), suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # what it fetches by `request` lasts
@given(
    kind=drawn.sampled_from([Whole, Observing]),
    steps=drawn.lists(drawn.tuples(drawn.sampled_from("fffllk"), drawn.integers(0, 2)), max_size=60),
)
def test_a_learner_that_dies_at_any_moment_loses_no_page(
    request: pytest.FixtureRequest, where: str, kind: type[Whole], steps: list[tuple[str, int]]
) -> None:
    crowd = Crowd(request.getfixturevalue(where).url, kind)
    for _ in range(3):
        crowd.join()
    for what, which in steps:
        process = crowd.living[which]
        if what == "f":
            crowd.fetch(process)
        elif what == "l":
            process.look()
        else:
            crowd.kill(crowd.learner or process)
            crowd.join()
    crowd.drain()
    learner = crowd.learner
    assert set(learner.seen) == set(crowd.fetched) == set(map(address, range(PAGES)))
    again = Counter(crowd.fetched)
    assert all(count <= again[url] for url, count in Counter(learner.seen).items())
    crowd.stop()
