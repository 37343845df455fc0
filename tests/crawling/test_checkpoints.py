"""A strategy that learns goes on exactly, wherever its crawl was stopped: seen from the order of what is fetched."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from topiccrawler.crawling.checkpoints import NOW
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Strategy


@dataclass
class Learner(Strategy):
    """Scores a link by all it has seen so far, so that a forgotten page, or one seen twice, changes the order."""

    name: ClassVar[str] = "learner"
    refresh_every: ClassVar[int] = 5
    _state: int = field(default=1, init=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        via = page.via.score if page.via is not None else 0.0
        self._state = (self._state * 31 + len(page.terms) + len(links) + int(via) + page.is_detail) % 10007
        return [Score(link.url, float(hash_of(link.url, self._state))) for link in links]

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        self._state += 1
        key = self._state
        return (Score(link.url, float(hash_of(link.url, key))) for link in queued)

    def save(self) -> Mapping[str, Any]:
        return {"state": self._state}

    def load(self, state: Mapping[str, Any]) -> None:
        self._state = int(state["state"])


@dataclass
class Frugal(Learner):
    """The same, of few words."""

    _observation: list[int] = field(default_factory=list, init=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        before = self._state
        scores = super().visit(page, links)
        self._observation = [before, self._state]
        return scores

    def observation(self) -> list[int]:
        return self._observation

    def observe(self, observation: list[int]) -> None:
        before, after = observation
        assert before == self._state
        self._state = after


@dataclass
class Plain(Strategy):
    """Learns nothing."""

    name: ClassVar[str] = "plain"

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, 0.0) for link in links]


def hash_of(url: str, key: int) -> int:
    return sum(ord(c) * (key + i) for i, c in enumerate(url)) % 997


def crawl(
    path: Path, pages: int, *, clean: bool, slice_urls: int = 3, learner: type[Learner] = Learner
) -> list[str]:
    """Fetch so many pages of an endless web, page n of which links to 3n+1, 3n+2, 3n+3; then stop, or be killed."""
    frontier = SqliteFrontier(path, acknowledgements_per_commit=10**9)
    ordering = Ordering(learner(), frontier, durable=True)
    ordering.rescoring.slice_urls = slice_urls
    ordering.seed([Link("http://a.cn/0", "a.cn")], 0.0)
    frontier.commit()
    order = []
    for _ in range(pages):
        leased = ordering.lease(0.0)
        assert leased is not None
        number = int(leased.link.url.rpartition("/")[2])
        order.append(leased.link.url)
        names = [f"http://a.cn/{child}" for child in range(3 * number + 1, 3 * number + 4)]
        links = [Link(name, "a.cn", anchor="基金", source_url=leased.link.url) for name in names]
        terms = {str(word): 1.0 for word in range(number % 7)}
        via = Via(leased.link, leased.score)
        ordering.visit(Page(leased.link.url, terms=terms, via=via, is_detail=number % 3 == 0), links, 0.0)
        ordering.end(leased.link.url, State.COMPLETED, "kept", 0.0)
        frontier.commit()
    if clean:
        ordering.checkpoint()
        frontier.close()
    else:
        frontier.close(commit=False)  # what a kill does: nothing is written any more
    return order


@pytest.mark.parametrize("learner", [Learner, Frugal])
@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("cuts", [(1, 29), (4, 1, 1, 24), (5, 25), (6, 7, 8, 9), (13, 17)])
def test_a_crawl_cut_anywhere_fetches_in_the_order_of_one_that_was_not(
    tmp_path: Path, cuts: tuple[int, ...], clean: bool, learner: type[Learner]
) -> None:
    """Refreshes begin at pages 5, 10 … and take several pages each, so that cuts fall into them and between them."""
    whole = crawl(tmp_path / "whole.sqlite", 30, clean=True)
    assert len(set(whole)) == 30
    parts = [
        url for pages in cuts for url in crawl(tmp_path / "parts.sqlite", pages, clean=clean, learner=learner)
    ]
    assert parts == whole


@pytest.mark.parametrize("learner", [Learner, Frugal])
def test_a_crawl_that_is_killed_soon_after_a_change_of_its_strategy_goes_on_with_the_new_one(
    tmp_path: Path, learner: type[Learner]
) -> None:
    frontier = SqliteFrontier(tmp_path / "f.sqlite", acknowledgements_per_commit=10**9)
    ordering, new = Ordering(learner(), frontier, durable=True), learner()
    links = [Link("http://b.cn/", "b.cn")]
    for number in range(12):
        if number == 7:  # while a refresh of the former one runs
            ordering.change_strategy(new)
        ordering.visit(Page(f"http://a.cn/{number}", terms={"基金": 1.0}), links, 0.0)
    frontier.commit()
    frontier.close(commit=False)
    with SqliteFrontier(tmp_path / "f.sqlite") as again:
        resumed = learner()
        assert Ordering(resumed, again, durable=True).pages == 12
        assert resumed.save() == new.save()


def test_a_strategy_that_learns_nothing_costs_a_page_count_only(tmp_path: Path) -> None:
    with SqliteFrontier(tmp_path / "f.sqlite") as frontier:
        ordering = Ordering(Plain(), frontier, durable=True)
        for _ in range(3):
            ordering.visit(Page("http://a.cn/"), [Link("http://b.cn/", "b.cn")], 0.0)
        assert list(frontier.notes.all("ordering")) == [NOW]
        assert Ordering(Plain(), frontier).pages == 3
        with pytest.raises(StateError, match="-a strategy=plain"):
            Ordering(Learner(), frontier)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"strategy": "learner", "pages": "x", "state": {}}', '{"pages": 3}']
)
def test_a_damaged_state_is_one_line(tmp_path: Path, text: str) -> None:
    with SqliteFrontier(tmp_path / "f.sqlite") as frontier:
        frontier.notes.put("ordering", text)
        with pytest.raises(StateError, match="JOBDIR"):
            Ordering(Learner(), frontier)


@pytest.mark.parametrize(
    ("strategy", "state", "fault"),
    [
        ("depth_first", '{"_found": 1e999}', "OverflowError"),
        ("jlse", '{"graph": GRAPH, "pages": [], "lengths": [], "words": WORDS, "results": [7], "built": [0, 0, 1]}', "IndexError"),
    ],
)  # fmt: skip
def test_a_state_with_numbers_that_a_strategy_cannot_compute_with_is_one_line(
    tmp_path: Path, strategy: str, state: str, fault: str
) -> None:
    empty = build("jlse").save()
    state = state.replace("GRAPH", json.dumps(empty["graph"])).replace("WORDS", json.dumps(empty["words"]))
    with SqliteFrontier(tmp_path / "f.sqlite") as frontier:
        frontier.notes.put("ordering", f'{{"strategy": "{strategy}", "pages": 3, "state": {state}}}')
        with pytest.raises(StateError, match=rf"^the strategy's state: cannot be read \({fault}: .*JOBDIR"):
            Ordering(build(strategy), frontier)
