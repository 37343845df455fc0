"""What docs/papers.md says of the code: each difference names the tests that show it, each table its command and its time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.experiment import Plan, compare
from topiccrawler.lab.paper_experiments import EXPERIMENTS
from topiccrawler.lab.parsed_pages import no_bar
from topiccrawler.links.extract import extract
from topiccrawler.model import Link, Page
from topiccrawler.pages.parse import parse
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Knowledge, Strategy
from topiccrawler.text.thesaurus import shipped
from topiccrawler.topics.seeds import Seeds
from topiccrawler.topics.topic import Topic

A = "http://a.example"
FILLER = "今天的天气很好。" * 200
PAGES = {
    f"{A}/": "".join(f"<a href=/{at}>{text}</a><br>新闻<br>" for at, text in enumerate(("酒店", "股票", "旅游", "景点"))),
    f"{A}/0": f"<title>新闻</title><p>{FILLER}酒店{FILLER}</p><a href=/4>旅游</a><br>新闻<br><a href=/5>天气</a>",
    f"{A}/1": f"<title>股票</title><p>{FILLER}</p><a href=/6>宾馆</a>",
    f"{A}/2": f"<title>旅游</title><p>{'旅游与景点，' * 30}</p><a href=/7>景点</a><br>新闻<br><a href=/8>股票</a>",
    f"{A}/3": f"<title>景点</title><p>{'旅游与景点，' * 30}</p>",
    **{f"{A}/{at}": f"<title>新闻</title><p>{FILLER}</p>" for at in range(4, 9)},
}  # fmt: skip
TRIP = 'name = "trip"\nnarrow = false\nproposed_words = 0\n[keywords]\n"旅游" = 1.0\n"景点" = 1.0\n"酒店" = 0.5\n'


def crawled(web: Path, topic: Path, page_classifier: str) -> tuple[dict[str, list[int]], list[bool]]:
    """The orders of the strategies of figure 3, and for each page whether the page classifier keeps it."""
    specs = tuple(EXPERIMENTS["skyreach"].strategies.split(","))
    recipe = Recipe(str(topic), page_classifier=page_classifier, link_models="none", prune=False)
    plan = Plan((web,), (recipe,), (Seeds([f"{A}/"], []),), specs, pages=20, concurrency=1)
    (found,) = compare(plan, topic.parent, no_bar).outcomes
    orders = {spec: runs[0].order for spec, runs in found.crawls.items()}
    return orders, [page in found.truth.relevant for page in range(len(PAGES))]


def test_the_orders_of_figure_3_do_not_depend_on_the_page_filter(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "trip.toml").write_text(TRIP, encoding="utf-8")
    web = record(PAGES)
    of_paper, kept = crawled(
        web, tmp_path / "trip.toml", EXPERIMENTS["skyreach"].settings["TOPIC_PAGE_CLASSIFIER"]
    )
    of_ours, kept_by_share = crawled(web, tmp_path / "trip.toml", "vsm")
    assert of_paper == of_ours
    assert all(sorted(order) == [*range(len(PAGES))] for order in of_paper.values())
    assert of_paper["breadth_first"] != of_paper["ipagerank"]
    assert kept[1], "one word in a long page has the angle of a page about the topic"
    assert not kept_by_share[1]


def prepared(name: str, **parameters: str) -> Strategy:
    strategy = build(name, parameters)
    strategy.prepare(Knowledge(topic=Topic(name="trip", keywords={"酒店": 1.0}), thesaurus=shipped()))
    return strategy


def scores(strategy: Strategy, links: Sequence[Link]) -> list[float]:
    return [score.value for score in strategy.visit(Page(f"{A}/"), links)]


LINKS = [
    Link(f"{A}/1", "a.example", "更多", before="附近的酒店"),
    Link(f"{A}/2", "a.example", "宾馆"),
    Link(f"{A}/3", "a.example", "客房"),
    Link(f"{A}/4", "a.example", "天气"),
]


def test_the_extended_metadata_of_a_link_is_its_anchor_and_the_text_around_it() -> None:
    assert scores(prepared("relevance_weighting"), LINKS)[0] == 1.0
    assert scores(prepared("relevance_weighting", with_context="false"), LINKS)[0] == 0.0


def test_with_c_1_only_equal_words_and_synonyms_count() -> None:
    near = prepared("relevance_weighting", c="0.3", with_context="false")
    alone = prepared("relevance_weighting", c="1", with_context="false")
    around, synonym, nearly, other = scores(near, LINKS)
    assert (around, synonym, other) == (0.0, 1.0, 0.0)
    assert 0.5 < nearly < 1.0
    assert scores(alone, LINKS) == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("href", ["ftp://a.example/file", "telnet://bbs.example/", "irc://a.example/chat"])
def test_links_to_ftp_telnet_and_chat_are_no_links(href: str) -> None:
    document = parse(f"<a href='{href}'>文件</a> <a href='/page'>网页</a>")
    assert [link.url for link in extract(document, f"{A}/", depth=0)] == [f"{A}/page"]


def test_no_strategy_of_the_paper_reads_the_relevance_of_pages() -> None:
    """Neither of the linking page: a page of relevance 0 hands on as much as one of 1."""
    for spec in EXPERIMENTS["skyreach"].strategies.split(","):
        name, *_ = spec.split(":")
        assert name in STRATEGIES
        found = [
            [score.value for score in prepared(name).visit(Page(f"{A}/", similarity=of, relevance=of), LINKS)]
            for of in (0.0, 1.0)
        ]
        assert found[0] == found[1], name
