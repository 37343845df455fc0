"""Feeds and sitemaps in a replay: asked for as by the real engine, in the same order, from what was recorded."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.experiment import Plan, compare
from topiccrawler.lab.parsed_pages import no_bar
from topiccrawler.topics.seeds import Seeds

pytestmark = pytest.mark.slow

A, B = "http://a.example", "http://b.example"
TEA = "茶叶绿茶，" * 30
XML, TEXT = {"Content-Type": "application/xml"}, {"Content-Type": "text/plain"}
FEED = "<link rel=alternate type=application/atom+xml href=/feed>"
SEARCH = "<search><entry><title>绿茶</title><url>/green/</url><content>茶叶</content></entry></search>"
WEB = {
    f"{A}/": f"<title>茶</title><p>{TEA}</p><a href=/two/>茶叶</a><a href={B}/>别处</a>",
    f"{A}/two/": f"<head><title>茶</title>{FEED}</head><p>{TEA}又</p>",
    f"{A}/robots.txt": ("200 OK", TEXT, f"# see {A}/\nSitemap: {A}/map.xml\nSitemap: {A}/lost.xml"),
    f"{A}/map.xml": ("200 OK", XML, f"<urlset><url><loc>{A}/black/</loc></url></urlset>"),
    f"{A}/feed": ("301 Moved", {"Location": "/feed.xml"}, ""),
    f"{A}/feed.xml": (
        "200 OK",
        XML,
        f"<feed><entry><title>白茶</title><link href='{A}/white/'/></entry></feed>",
    ),
    f"{A}/sitemap.xml": ("200 OK", XML, f"<urlset><url><loc>{A}/unasked/</loc></url></urlset>"),
    f"{A}/black/": f"<title>茶叶</title><p>{TEA}黑</p>",
    f"{A}/white/": f"<title>茶叶</title><p>{TEA}白</p>",
    f"{A}/unasked/": f"<title>茶叶</title><p>{TEA}无</p>",
    f"{B}/": f"<title>茶</title><p>{TEA}</p><a href=/two/>茶叶</a>",
    f"{B}/two/": f"<title>茶</title><p>{TEA}叁</p>",
    f"{B}/search.xml": ("200 OK", XML, SEARCH),
    f"{B}/green/": f"<title>茶叶</title><p>{TEA}绿</p>",
}
FOUND = {*WEB} - {f"{A}/feed", f"{A}/robots.txt", f"{A}/sitemap.xml", f"{A}/unasked/"}


@pytest.fixture
def plan(record: Callable[..., Path], tea: Path) -> Plan:
    return Plan(
        web=(record(WEB),),
        recipes=(Recipe(str(tea), prune=False, listings=True),),
        seeds=(Seeds([f"{A}/"], []),),
        specs=("best_first",),
        pages=20,
        concurrency=1,
    )


def order(plan: Plan, folder: Path) -> list[str]:
    [crawled] = compare(plan, folder, no_bar).outcomes[0].crawls["best_first"]
    urls = [url for url in WEB if url != f"{A}/feed"]
    return [urls[number] for number in crawled.order]


def test_a_replay_asks_as_the_real_engine_does(plan: Plan, tmp_path: Path) -> None:
    replayed = order(plan, tmp_path)
    assert set(replayed) == FOUND
    assert order(replace(plan, live=True), tmp_path) == replayed


def test_without_listings_what_only_they_name_is_not_found(plan: Plan, tmp_path: Path) -> None:
    [recipe] = plan.recipes
    off = order(replace(plan, recipes=(replace(recipe, listings=False),)), tmp_path)
    assert off == [f"{A}/", f"{A}/two/", f"{B}/", f"{B}/two/"]
