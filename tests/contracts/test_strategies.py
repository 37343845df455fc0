"""One suite for every strategy in the registry: what a caller may rely on, whichever it drives.

The site is drawn by a seeded generator: 60 pages of three kinds (about funds, about ball games, lists of links), each
linking to some others with anchors that speak of the target's subject, and every page linked from an earlier one.
"""

import json
import math
import random
from functools import cache

import pytest

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.errors import StrategyError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.link_model.classifier import Counts, LinkClassifier
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import STRATEGIES, build, parameters_of
from topiccrawler.strategies.base import ROOT, Expand, Knowledge, Strategy
from topiccrawler.text.segmenter import words_of
from topiccrawler.topics.topic import Topic

SUBJECTS = {
    "fund": (["基金", "股票", "净值", "理财", "银行"], ["基金定投", "股票行情", "银行理财"]),
    "ball": (["足球", "比赛", "球员", "进球", "教练"], ["足球比赛", "球员转会", "联赛赛程"]),
    "list": (["目录", "列表", "分类", "导航", "网站"], ["网站导航", "分类目录", "更多列表"]),
}
TOPIC = Topic(
    name="fund", zh="基金", keywords={"基金": 1.0, "股票": 0.8, "净值": 0.6, "理财": 0.5}, page_threshold=0.3
)
NAMES = sorted(STRATEGIES)
SLICE_URLS = 5  # a refresh takes several pages, so that a crawl can be cut in the middle of one
# Strategies that drop links for good by their nature, and the parameters under which they do not.
PATIENT = {"fish_search": {"depth": "1000"}}


def draw_site(pages: int = 60, seed: int = 1) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Page -> (subject, [(target, anchor)]); every page is linked from an earlier one."""
    draw = random.Random(seed)
    subjects = [draw.choice(list(SUBJECTS)) for _ in range(pages)]
    site: dict[str, tuple[str, list[tuple[str, str]]]] = {f"p{n}": (subjects[n], []) for n in range(pages)}
    for n in range(1, pages):
        targets = [
            (draw.randrange(n), n),
            *((draw.randrange(pages), draw.randrange(pages)) for _ in range(3)),
        ]
        for source, target in targets:
            anchor = draw.choice(SUBJECTS[subjects[target]][1])
            site[f"p{source}"][1].append((f"p{target}", anchor))
    return site


SITE = draw_site()


def scorer() -> LinkClassifier:
    """A link model of the topic, counted from the drawn anchors."""
    counts = Counts()
    for subject, (_, anchors) in SUBJECTS.items():
        for words in words_of(anchors):
            counts.add({"anchor": words, "context": words, "url": ()}, subject == "fund", 5.0)
    return LinkClassifier("fund", counts)


def knowledge(seed: int = 0) -> Knowledge:
    return Knowledge(similarity_threshold=TOPIC.page_threshold, link_scorer=scorer(), seed=seed, topic=TOPIC)


def prepared(name: str, seed: int = 0, expand: Expand = "all") -> Strategy:
    strategy = build(name, PATIENT.get(name))
    strategy.expand = expand
    strategy.prepare(knowledge(seed))
    return strategy


def link(target: str, anchor: str, source: str, depth: int, position: int) -> Link:
    source_url = f"http://{source}.example/" if source else ""
    return Link(
        f"http://{target}.example/",
        f"{target}.example",
        anchor,
        depth=depth,
        position=position,
        source_url=source_url,
    )


def page_of(name: str, via: Via) -> Page:
    subject, _ = SITE[name]
    words = SUBJECTS[subject][0]
    relevance = 0.9 if subject == "fund" else 0.1 if subject == "list" else 0.0
    return Page(
        via.link.url,
        depth=via.link.depth,
        title=words[0],
        terms={word: float(3 - place % 3) for place, word in enumerate(words)},
        similarity=relevance,
        is_target=relevance >= TOPIC.page_threshold,
        seconds=0.1,
        via=via,
    )


def links_of(name: str, depth: int) -> list[Link]:
    return [link(to, anchor, name, depth + 1, n) for n, (to, anchor) in enumerate(SITE[name][1])]


def fetch(ordering: Ordering, pages: int) -> list[str]:
    """Fetch up to so many pages; their names in order."""
    order = []
    while len(order) < pages and (leased := ordering.lease(now=float(len(order)))) is not None:
        name = leased.link.host.removesuffix(".example")
        page = page_of(name, Via(leased.link, leased.score, leased.carry, leased.tunnel))
        ordering.visit(page, links_of(name, page.depth), now=float(len(order)))
        ordering.end(leased.link.url, State.COMPLETED, "kept", now=float(len(order)))
        order.append(name)
    return order


def begun(strategy: Strategy, slice_urls: int = SLICE_URLS) -> Ordering:
    ordering = Ordering(strategy, MemoryFrontier(Hosts()))
    ordering.rescoring.slice_urls = slice_urls
    ordering.seed([link("p0", "", "", 0, 0)], now=0.0)
    return ordering


@pytest.mark.parametrize("name", NAMES)
def test_two_runs_fetch_the_same_pages_in_the_same_order(name: str) -> None:
    assert tuple(fetch(begun(prepared(name)), 60)) == whole(name, slice_urls=SLICE_URLS)


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_reached_when_nothing_is_pruned(name: str) -> None:
    order = fetch(begun(prepared(name)), 1000)
    assert sorted(order) == sorted(SITE)
    assert order[0] == "p0"


@cache
def whole(name: str, slice_urls: int) -> tuple[str, ...]:
    """The order of a crawl that is not stopped."""
    return tuple(fetch(begun(prepared(name), slice_urls=slice_urls), 60))


def resumed(name: str, cut: int, slice_urls: int) -> tuple[str, ...]:
    """The order of a crawl that is saved after `cut` pages and goes on with a new strategy."""
    first = begun(prepared(name), slice_urls=slice_urls)
    before = fetch(first, cut)
    first.checkpoint()
    second = Ordering(prepared(name), first.frontier)
    second.rescoring.slice_urls = slice_urls
    return (*before, *fetch(second, 60))


@pytest.mark.parametrize("cut", [1, 17, 40])
@pytest.mark.parametrize("name", NAMES)
def test_a_crawl_that_is_saved_and_loaded_goes_on_in_the_same_order(name: str, cut: int) -> None:
    assert resumed(name, cut, slice_urls=1000) == whole(name, slice_urls=1000)


@pytest.mark.parametrize("cut", [17, 26, 40, 51])
@pytest.mark.parametrize("name", NAMES)
def test_so_does_one_that_is_cut_in_the_middle_of_a_refresh(name: str, cut: int) -> None:
    assert resumed(name, cut, slice_urls=SLICE_URLS) == whole(name, slice_urls=SLICE_URLS)


@pytest.mark.parametrize("name", [name for name in NAMES if build(name).observes])
def test_what_one_took_of_its_pages_teaches_another_the_same(name: str) -> None:
    parameters = {"learn": "true"} if "learn" in parameters_of(STRATEGIES[name]) else {}
    first, other = (build(name, parameters) for _ in range(2))
    for strategy in (first, other):
        strategy.prepare(knowledge())
    for n in range(40):
        page = page_of(f"p{n}", Via(link(f"p{n}", "基金", "p0" if n else "", 1, 0), 0.5))
        list(first.visit(page, links_of(f"p{n}", 1)))
        other.observe(json.loads(json.dumps(first.observation(), allow_nan=False)))
    assert other.save() == first.save() != build(name, parameters).save()


@pytest.mark.parametrize("name", NAMES)
def test_the_state_is_json_and_comes_back_as_it_was(name: str) -> None:
    strategy = prepared(name)
    fetch(begun(strategy), 30)
    state = json.loads(json.dumps(dict(strategy.save()), allow_nan=False))
    other = prepared(name)
    other.load(state)
    assert json.loads(json.dumps(dict(other.save()), allow_nan=False)) == state


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_finite_and_only_for_links_that_were_given(name: str) -> None:
    strategy = prepared(name)
    seeds = [link("p0", "", "", 0, 0)]
    assert [score.url for score in strategy.visit(ROOT, seeds)] == ["http://p0.example/"]
    queued = list(seeds)
    for n in range(50):
        page = page_of(f"p{n}", Via(link(f"p{n}", "基金", "p0" if n else "", 1, 0), 0.5, 1.0))
        links = links_of(f"p{n}", 1)
        scores = list(strategy.visit(page, links))
        assert {score.url for score in scores} <= {link.url for link in links}
        assert all(math.isfinite(score.value) and math.isfinite(score.carry) for score in scores)
        queued += links
        if strategy.refresh_every and n % strategy.refresh_every == 0:
            again = list(strategy.refresh(iter(queued)))
            assert {score.url for score in again} <= {link.url for link in queued}
            assert all(math.isfinite(score.value) and math.isfinite(score.carry) for score in again)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_given_is_changed(name: str) -> None:
    strategy = prepared(name)
    terms = {"基金": 2.0, "足球": 1.0}
    via = Via(link("p1", "基金", "p0", 1, 0), 0.5, 1.0)
    page = Page("http://p1.example/", 1, "基金", terms, 0.9, True, 0.1, via)
    links = links_of("p0", 1)
    before = list(links)
    list(strategy.visit(page, links))
    list(strategy.refresh(iter(links)))
    assert links == before
    assert terms == {"基金": 2.0, "足球": 1.0}


@pytest.mark.parametrize("name", NAMES)
def test_pages_without_links_words_or_sense_do_no_harm(name: str) -> None:
    strategy = prepared(name)
    odd = Page("http://x.example/", depth=3, via=Via(Link("http://x.example/", "x.example")))
    assert list(strategy.visit(odd, [])) == []
    strange = [Link("http://y.example/" + "%" * 500, "y.example", "\ufffd\x00" * 50, before="|" * 999)] * 3
    assert all(math.isfinite(score.value) for score in strategy.visit(odd, strange))
    json.dumps(dict(strategy.save()), allow_nan=False)


@pytest.mark.parametrize("name", NAMES)
def test_hard_focus_follows_seeds_and_relevant_pages_only(name: str) -> None:
    order = fetch(begun(prepared(name, expand="relevant")), 1000)
    followed = {"p0"} | {
        target for page in order if page == "p0" or SITE[page][0] == "fund" for target, _ in SITE[page][1]
    }
    assert set(order) == followed
    assert len(order) < len(SITE)


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_outside_its_range_is_refused_in_one_line(name: str) -> None:
    for key, usual in parameters_of(STRATEGIES[name]).items():
        if type(usual) in {int, float}:
            for value in ("-1", "nan"):
                with pytest.raises(StrategyError, match=f"^strategy parameter .*{key}"):
                    build(name, {key: value})
