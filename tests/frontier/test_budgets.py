import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from frontier_calls import waits

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, State
from topiccrawler.frontier.budgets import (
    BUDGET_NOTE,
    DOMAIN_PAGES,
    HOST_PAGES,
    HOST_UNPRODUCTIVE,
    UNPROVEN,
    Allowance,
    Budgets,
)
from topiccrawler.frontier.host_ranking import Pace
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.strategies import build

HUB = "http://hub.example/"


def link(url: str, source: str = HUB) -> Link:
    return Link(f"http://{url}", url.partition("/")[0], source_url=source)


class Crawl:
    """A crawl of drawn pages, one at a time. `relevant`: URLs of pages on topic; each page has words of its own."""

    def __init__(self, frontier: Frontier, **allowance: int) -> None:
        self.ordering = Ordering(build("breadth_first"), frontier, Budgets(frontier, Allowance(**allowance)))
        self.frontier = frontier
        assert self.ordering.budgets is not None
        self.budgets = self.ordering.budgets

    def queue(self, *urls: str, source: str = HUB) -> None:
        self.frontier.push([(link(url, source), Score(f"http://{url}", 0.0)) for url in urls], now=0.0)

    def run(
        self, relevant: frozenset[str] = frozenset(), words: Mapping[str, str] | None = None
    ) -> list[str]:
        order = []
        while (leased := self.ordering.lease(0.0)) is not None:
            url = leased.link.url
            name = url.removeprefix("http://")
            order.append(name)
            terms = {**dict.fromkeys((words or {}).get(name, name).split(), 1.0), "2031": 2.0}
            page = Page(url, 1, terms=terms, is_target=name in relevant, via=Via(leased.link))
            self.ordering.visit(page, [], 0.0)
            self.ordering.end(url, State.DISCARDED, "off topic", 0.0)
        return order


def numbered(host: str, count: int, start: int = 0) -> list[str]:
    return [f"{host}/{chr(97 + n % 26)}{n}" for n in range(start, start + count)]


@pytest.fixture
def frontier() -> Frontier:
    return MemoryFrontier()


def test_a_host_is_closed_at_its_page_budget_and_its_other_urls_wait(frontier: Frontier) -> None:
    crawl = Crawl(frontier, host_pages=2)
    crawl.queue("a.cn/1", "a.cn/2", "a.cn/3", "b.cn/1", "a.cn/4")
    assert crawl.run() == ["a.cn/1", "a.cn/2", "b.cn/1"]
    assert crawl.budgets.closed == {"a.cn": HOST_PAGES}
    assert waits(frontier.hosts, 0.0) == {"host budget": 1}
    assert frontier.look().counts()[State.WAITING] == frontier.look().waiting_in(crawl.budgets.closed) == 2


def test_leases_under_way_count_against_the_budget(frontier: Frontier) -> None:
    frontier.hosts.paces.usual = Pace(concurrency=8)
    crawl = Crawl(frontier, host_pages=2)
    crawl.queue("a.cn/1", "a.cn/2", "a.cn/3")
    assert [crawl.ordering.lease(0.0) is not None for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("allowance", "others"), [({"host_pages": 1}, ["a.cn/2"]), ({"domain_pages": 1}, ["a.cn/2", "b.a.cn/1"])]
)
def test_a_fetch_that_failed_gives_its_page_back_and_opens_the_hosts_that_it_closed(
    frontier: Frontier, allowance: dict[str, int], others: list[str]
) -> None:
    frontier.hosts.paces.usual = Pace(concurrency=8)
    crawl = Crawl(frontier, **allowance)
    crawl.queue("a.cn/1", *others)
    assert crawl.ordering.lease(0.0) is not None
    assert crawl.ordering.lease(0.0) is None
    assert list(crawl.budgets.closed) == [url.partition("/")[0] for url in others]
    crawl.ordering.end("http://a.cn/1", State.ERROR, "timeout", 0.0, fetched=False)
    assert crawl.budgets.closed == {}
    assert crawl.run() == others[:1]


def test_hosts_of_one_registered_domain_share_a_budget(frontier: Frontier) -> None:
    crawl = Crawl(frontier, domain_pages=3)
    crawl.queue(
        "x.a.com.cn/1", "y.a.com.cn/1", "x.a.com.cn/2", "z.a.com.cn/1", "x.b.com.cn/1", "y.a.com.cn/2"
    )
    assert crawl.run() == ["x.a.com.cn/1", "y.a.com.cn/1", "x.a.com.cn/2", "x.b.com.cn/1"]
    assert crawl.budgets.closed == dict.fromkeys(("z.a.com.cn", "y.a.com.cn"), DOMAIN_PAGES)


def test_a_site_that_nothing_vouches_for_is_closed_at_its_bound_until_another_site_links_it(
    frontier: Frontier,
) -> None:
    crawl = Crawl(frontier, unproven_pages=2)
    crawl.ordering.seed([link("hub.example/", source="")], 0.0)
    hub = Page(HUB, 0, via=Via(link("hub.example/", source="")))
    crawl.budgets.read(hub, ["a.farm.cn", "good.cn"])
    farm = ["a.farm.cn/1", "b.farm.cn/2", "c.farm.cn/3", "c.farm.cn/4"]
    crawl.queue(*farm)
    assert crawl.run() == ["hub.example/", *farm[:2]]
    assert crawl.budgets.closed == {"c.farm.cn": UNPROVEN}
    assert waits(frontier.hosts, 0.0) == {"unproven site": 1}
    crawl.budgets.read(Page("http://good.cn/1", via=Via(link("good.cn/1"))), ["a.farm.cn"])
    assert crawl.run() == farm[2:]
    assert crawl.budgets.closed == {}


def test_a_site_that_a_seed_redirects_to_is_a_seeds_site(frontier: Frontier) -> None:
    crawl = Crawl(frontier, unproven_pages=2)
    crawl.ordering.seed([link("old.cn/", source="")], 0.0)
    crawl.budgets.read(Page("http://new.cn/", via=Via(link("old.cn/", source=""))), ["new.cn"])
    crawl.queue("new.cn/1", "new.cn/2", "new.cn/3")
    assert crawl.run() == ["old.cn/", "new.cn/1", "new.cn/2", "new.cn/3"]


def test_pages_made_of_the_same_words_again_are_not_new_however_they_are_mixed(frontier: Frontier) -> None:
    crawl = Crawl(frontier, host_unproductive_pages=30, shape_unproductive_pages=0, unproven_pages=0)
    draw = random.Random(1)
    pages = numbered("a.cn", 200)
    words = {page: " ".join(draw.sample([f"词{n}" for n in range(40)], 12)) for page in pages}
    natural = {page: f"{words[page]} 新{page}" for page in pages}
    crawl.queue(*pages)
    fetched = crawl.run(relevant=frozenset(pages), words=words)
    assert 40 < len(fetched) < 80
    assert crawl.budgets.closed == {"a.cn": HOST_UNPRODUCTIVE}
    again = Crawl(MemoryFrontier(), host_unproductive_pages=30, shape_unproductive_pages=0, unproven_pages=0)
    again.queue(*pages)
    assert again.run(relevant=frozenset(pages), words=natural) == pages


def test_a_host_whose_pages_are_useless_in_a_row_is_closed_and_a_useful_page_begins_the_row_anew(
    frontier: Frontier,
) -> None:
    crawl = Crawl(frontier, host_unproductive_pages=3, shape_unproductive_pages=0)
    pages = numbered("a.cn", 10)
    crawl.queue(*pages)
    assert crawl.run(relevant=frozenset({pages[2]})) == pages[:6]
    assert crawl.budgets.closed == {"a.cn": HOST_UNPRODUCTIVE}


def test_a_hub_lives_by_the_pages_it_leads_to(frontier: Frontier) -> None:
    crawl = Crawl(frontier, host_unproductive_pages=2, shape_unproductive_pages=0)
    crawl.queue("hub.cn/a")
    crawl.queue("far.cn/good", source="http://hub.cn/a")
    crawl.queue("hub.cn/b", "hub.cn/c", "hub.cn/d")
    assert crawl.run(relevant=frozenset({"far.cn/good"})) == [
        "hub.cn/a",
        "far.cn/good",
        "hub.cn/b",
        "hub.cn/c",
    ]


def test_a_shape_that_is_new_on_a_host_with_many_others_reaches_its_bound_too(frontier: Frontier) -> None:
    crawl = Crawl(frontier, host_unproductive_pages=0, shape_unproductive_pages=3)
    others = [f"a.cn/{chr(97 + n // 26)}{chr(97 + n % 26)}/{page}" for n in range(32) for page in (1, 2)]
    trap = [f"a.cn/cal/{n}" for n in range(6)]
    crawl.queue(*others, *trap)
    assert crawl.run() == [*others, *trap[:3]]
    assert crawl.budgets.refused == {"shape": 3}


def test_a_calendar_of_relevant_pages_that_say_the_same_is_refused_by_its_shape(frontier: Frontier) -> None:
    """/cal/1 … /cal/9 differ in numbers only, in their URLs and in their words; /good stays open."""
    crawl = Crawl(frontier, host_unproductive_pages=0, shape_unproductive_pages=3)
    months = [f"a.cn/cal/{n}" for n in range(9)]
    crawl.queue(*months, "a.cn/good")
    same = dict.fromkeys(months, "基金日历")
    assert crawl.run(relevant=frozenset([*months, "a.cn/good"]), words=same) == [*months[:4], "a.cn/good"]
    row = frontier.look().row("http://a.cn/cal/5")
    assert row.state is State.DISCARDED
    assert row.reason.startswith("trap: shape: /cal/# ")
    assert crawl.budgets.refused == {"shape": 5}


def test_faults_of_the_network_are_not_held_against_a_host_but_what_is_no_page_is(frontier: Frontier) -> None:
    crawl = Crawl(frontier, host_unproductive_pages=2, host_pages=9)
    crawl.queue(*numbered("a.cn", 8))
    for state, reason, fetched in (
        (State.ERROR, "http 404", True),
        (State.ERROR, "TimeoutError", False),
        (State.DISCARDED, "Forbidden by robots.txt", False),
        (State.DISCARDED, "redirected", True),
        (State.DISCARDED, "no page", True),
        (State.DISCARDED, "no page", True),
    ):
        leased = crawl.ordering.lease(0.0)
        crawl.ordering.end(leased.link.url, state, reason, 0.0, fetched=fetched)
    assert crawl.ordering.lease(0.0) is None
    assert crawl.budgets.closed == {"a.cn": HOST_UNPRODUCTIVE}
    assert '"pages": 4, "dry": 2' in (frontier.notes.get(BUDGET_NOTE + "a.cn") or "")


def test_seeds_are_what_the_user_wants_whatever_their_form(frontier: Frontier) -> None:
    crawl = Crawl(frontier)
    crawl.queue("a.cn/x/x/x/x/x", source="")
    crawl.queue("a.cn/y/y/y/y/y")
    assert crawl.run() == ["a.cn/x/x/x/x/x"]
    assert crawl.budgets.refused == {"repeated segments": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "job.sqlite"


def test_budgets_go_on_where_they_stood_and_a_larger_one_frees_what_waited(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        crawl = Crawl(frontier, host_pages=2)
        crawl.queue("a.cn/1", "a.cn/2", "a.cn/3", "a.cn/4")
        assert crawl.run() == ["a.cn/1", "a.cn/2"]
    with SqliteFrontier(path) as frontier:
        again = Crawl(frontier, host_pages=2)
        assert again.budgets.closed == {"a.cn": HOST_PAGES}
        assert again.run() == []
    with SqliteFrontier(path) as frontier:
        assert Crawl(frontier, host_pages=3).run() == ["a.cn/3"]


def test_a_damaged_note_is_said_in_one_line(frontier: Frontier) -> None:
    frontier.notes.put(BUDGET_NOTE + "a.cn", '{"pages": "many"}')
    with pytest.raises(StateError, match=r"'a\.cn'"):
        Budgets(frontier)


def test_a_host_that_is_closed_beforehand_does_not_stop_the_others_and_two_runs_are_alike() -> None:
    runs = []
    for _ in range(2):
        crawl = Crawl(MemoryFrontier(), host_unproductive_pages=5, shape_unproductive_pages=3)
        crawl.queue(*numbered("a.cn", 9), *[f"b.cn/{n}" for n in range(9)], *numbered("c.cn", 2))
        runs.append(crawl.run())
    assert (
        runs[0] == runs[1] == [*numbered("a.cn", 5), *[f"b.cn/{n}" for n in range(3)], *numbered("c.cn", 2)]
    )
