"""What `scrapy explain` says of any strategy is what the crawl did: shares add up to the queue's score, the gate's word is kept.

The crawl is drawn: a front page, ten sections and their articles about funds and ball games, with a queue on disk, and is
cut short so that some URLs still wait. It is read back as the command reads it (crawl.history, crawl.explanation).
"""

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.admission import Admission, Moment, gate_rule
from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.explanation import Explanation, explain
from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.link_gate import OPEN, REFUSED, LinkGate
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.past_crawl import PastCrawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.frontier.stored_queue import StoredQueue
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import STRATEGIES
from topiccrawler.text.segmenter import words_of

TOPIC = {
    "name": "fund",
    "zh": "基金",
    "keywords": {"基金": 1.0, "股票": 0.8, "理财": 0.5},
    "page_threshold": 0.3,
}
TEXTS = ["基金定投入门", "足球比赛结果", "股票与理财", "更多网站"]
PAGES = 36
PARAMETERS = {"fish_search": {"depth": "1000"}}
EXACT = 1e-6


def address(number: int) -> str:
    return f"http://s{number % 4}.example/{number}"


def links_of(number: int) -> list[Link]:
    """Every page links nine others; the anchor names the target's subject."""
    targets = [(number * 9 + step) % 400 for step in range(1, 10)]
    return [
        Link(
            address(target),
            f"s{target % 4}.example",
            TEXTS[target % len(TEXTS)],
            before="行情",
            heading=TEXTS[number % len(TEXTS)],
            position=place,
            depth=number + 1,
            source_url=address(number),
        )
        for place, target in enumerate(targets)
        if target != number
    ]


def asked_when_leased(gate: LinkGate) -> Admission:
    """So that the queue holds what the gate refuses."""
    return Admission([replace(gate_rule(gate), moments=frozenset({Moment.LEASED}))])


def crawl(folder: Path, recipe: Recipe, pages: int = PAGES) -> Parts:
    """A crawl by the recipe's parts, stopped after so many pages; every page is acknowledged as an engine would."""
    write_recipe(recipe, folder)
    parts = assemble(recipe)
    parts.strategy.expand = "all"
    with SqliteFrontier(folder / JOB_DATABASE, Hosts(concurrency=9)) as frontier:
        ordering = Ordering(
            parts.strategy,
            frontier,
            durable=True,
            admission=asked_when_leased(parts.gate),
        )
        ordering.rescoring.slice_urls = 40
        ordering.seed([Link(address(1), "s1.example")], 0.0)

        for now in range(pages):
            leased = ordering.lease(float(now))
            if leased is None:
                break
            number = int(leased.link.url.rpartition("/")[2])
            relevance = 0.8 if number % 2 == 0 else 0.0
            page = Page(
                leased.link.url,
                depth=leased.link.depth,
                title=TEXTS[number % len(TEXTS)],
                terms=dict.fromkeys(words_of([TEXTS[number % len(TEXTS)]])[0], 1.0),
                similarity=relevance,
                is_target=relevance >= 0.3,
                via=Via(leased.link, leased.score, leased.carry, leased.tunnel),
            )
            ordering.visit(page, links_of(number), float(now))
            ordering.end(leased.link.url, State.COMPLETED, "kept", float(now))
    return parts


def recipe_of(strategy: str, **more: object) -> Recipe:
    parameters = PARAMETERS.get(strategy, {})
    fields = {"topic_fields": TOPIC, "link_models": "none", **more}
    return Recipe("fund", strategy, parameters, **fields)  # type: ignore[arg-type]


@pytest.fixture
def past(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PastCrawl]:
    """A crawl by the strategy of that name, opened to be read."""
    crawl(tmp_path, recipe_of(request.param))
    opened = PastCrawl(tmp_path)
    yield opened
    opened.close()


def rows_of(past: PastCrawl, state: State) -> list[Row]:
    with closing(StoredQueue(past.folder / JOB_DATABASE)) as queue:
        return list(queue.rows(state))


def explained(past: PastCrawl, url: str) -> Explanation:
    return explain(past.parts, past.of(url))


@pytest.mark.parametrize("past", sorted(STRATEGIES), indirect=True)
def test_shares_add_up_to_the_score_in_the_queue_waiting_fetched_and_rescored(past: PastCrawl) -> None:
    rescored = 0
    for state in (State.WAITING, State.COMPLETED):
        rows = rows_of(past, state)
        assert len(rows) >= 10
        for row in rows:
            found = explained(past, row.link.url)
            assert found.score is not None
            assert found.score.value == row.score
            assert abs(math.fsum(share for _, share in found.score.shares) - row.score) < EXACT
            if found.now is not None:
                rescored += 1
                assert abs(math.fsum(share for _, share in found.now.shares) - found.now.value) < EXACT
    if past.parts.strategy.refresh_every:
        waiting = rows_of(past, State.WAITING)
        assert any(past.parts.strategy.current(row.link) is not None for row in waiting)
    else:
        assert not rescored


@pytest.mark.parametrize("past", ["adaptive"], indirect=True)
def test_a_queue_behind_the_strategy_shows_both_scores(past: PastCrawl) -> None:
    found = [explained(past, row.link.url) for row in rows_of(past, State.WAITING)]
    moved = [one for one in found if one.now is not None]
    assert moved
    for one in moved:
        assert one.now is not None
        assert one.score is not None
        assert [name for name, _ in one.now.shares] == [name for name, _ in one.score.shares]


@pytest.mark.parametrize("strategy", ["naive_bayes", "adaptive"])
@pytest.mark.parametrize("pages", [25, 300])
def test_the_gate_shown_is_the_gate_of_the_crawl(strategy: str, pages: int, tmp_path: Path) -> None:
    """A short crawl leaves links to be asked about, a long one comes to those that the gate refuses."""
    crawl(tmp_path, recipe_of(strategy, link_threshold=0.6), pages)
    past = PastCrawl(tmp_path)
    try:
        refused = [row for row in rows_of(past, State.DISCARDED) if row.reason == REFUSED]
        waiting = rows_of(past, State.WAITING)
        assert (pages > 100) is bool(refused) is not bool(waiting)
        for row in refused:
            found = explained(past, row.link.url)
            assert (found.gate.passed, found.is_final, found.gate.reason) == (False, True, REFUSED)
        for row in waiting:
            found = explained(past, row.link.url)
            assert not found.is_final
            assert found.gate.passed is past.parts.gate.decide(row.link, row.tunnel).passed
    finally:
        past.close()


def test_a_strategy_that_is_not_pruned_has_an_open_gate(tmp_path: Path) -> None:
    crawl(tmp_path, recipe_of("best_first", link_threshold=0.9), pages=5)
    past = PastCrawl(tmp_path)
    try:
        gate = explained(past, rows_of(past, State.WAITING)[0].link.url).gate
        assert (gate.passed, gate.reason) == (True, OPEN)
    finally:
        past.close()
