"""Scores go to the URLs they were computed for, whatever was forgotten before."""

import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profiles import examples

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.adaptive import FEATURES, Adaptive
from topiccrawler.strategies.base import ROOT, Knowledge
from topiccrawler.topics.topic import Topic

MOST_LINKS = 9
SEED = Link("http://s.example/", "s.example")


class AnchorOdds:
    """A link scorer whose log-odds stand in the anchor."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [float(link.anchor or 0) for link in links]


def link(number: int) -> Link:
    """Its number decides its score."""
    host = f"h{number % 5}.example"
    return Link(f"http://{host}/{number}", host, anchor=str(number % 23 - 11), source_url=SEED.url)


def begun(**parameters: float | str) -> Adaptive:
    strategy = Adaptive(**parameters)  # type: ignore[arg-type]
    topic = Topic(name="t", keywords={"基金": 1.0})
    strategy.prepare(Knowledge(topic=topic, link_scorer=AnchorOdds(), similarity_threshold=0.2))
    strategy.visit(ROOT, [SEED])
    return strategy


def visited(came: Link, title: str = "", *, is_target: bool = True) -> Page:
    return Page(came.url, 1, title, similarity=0.3, is_target=is_target, via=Via(came))


def test_a_page_that_makes_others_forgotten_has_all_its_links_scored() -> None:
    strategy = begun(memory_urls=20)
    for page in range(10):
        links = [link(12 * page + n) for n in range(12)]
        came = link(12 * page - 11) if page else SEED
        found = {score.url: score.value for score in strategy.visit(visited(came), links)}
        now = [score for one in links if (score := strategy.current(one)) is not None]
        assert found == pytest.approx({score.url: score.value for score in now}, abs=1e-9)
        assert list(found) == [one.url for one in links]


STEPS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 60), max_size=MOST_LINKS),  # links of a page
        st.integers(0, 60),  # the page
        st.booleans(),  # is it relevant
        st.sampled_from(["", "refresh", "save"]),  # and what happens then
    ),
    max_size=25,
)
Steps = list[tuple[list[int], int, bool, str]]


@settings(max_examples=examples(50))
@given(STEPS, st.integers(1, 12))
def test_every_score_in_the_queue_is_of_its_url(steps: Steps, memory_urls: int) -> None:
    """The link's text alone decides, and the weights do not change: so each URL has one score for ever."""
    others = ",".join(name for name in FEATURES if name not in ("bias", "link text"))
    expected = {link(n).url: -1 + 2 * math.tanh((n % 23 - 11) / 10) for n in range(61)}
    strategy = begun(memory_urls=memory_urls, rate=0.0, without=others)
    frontier = MemoryFrontier()
    ordering = Ordering(strategy, frontier)
    for numbers, came, is_target, then in steps:
        ordering.visit(visited(link(came), is_target=is_target), [link(n) for n in numbers], 0.0)
        if then == "refresh":
            for row in (
                frontier.look().rows()
            ):  # as if the weights had changed: all are told, whatever the queue has
                strategy._urls.columns["queued"][strategy._urls.rows.get(row.link.url) or 0] = -99.0
            ordering.rescoring.begin(strategy.refresh)
            ordering.rescoring.step()
        elif then == "save":
            state = json.loads(json.dumps(strategy.save()))
            strategy.load(state)
        queued = {row.link.url: row.score for row in frontier.look().rows()}
        assert queued == pytest.approx({url: expected[url] for url in queued}, abs=1e-9)
        assert len(strategy._urls.rows) <= memory_urls + MOST_LINKS


@settings(max_examples=examples(50))
@given(STEPS)
def test_what_is_forgotten_changes_no_score_of_what_is_not(steps: Steps) -> None:
    """All features and learned weights, pages of new links: beside a strategy that forgets nothing."""
    frugal, lavish = begun(memory_urls=10), begun()
    for page, (numbers, came, is_target, _) in enumerate(steps):
        links = [link(100 * page + n) for n in dict.fromkeys(numbers)]
        last = link(100 * (page - 1) + came)
        if (frugal.current(last) is None) != (lavish.current(last) is None):
            return  # it came by a link that was forgotten: from now on one has learned less
        read = visited(last, f"标题{came}", is_target=is_target)
        first, second = frugal.visit(read, links), lavish.visit(read, links)
        assert {score.url: score.value for score in first} == pytest.approx(
            {score.url: score.value for score in second}, abs=1e-9
        )
