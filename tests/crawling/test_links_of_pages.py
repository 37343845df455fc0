"""The links of a page: with the context that the strategy reads, under the page's own URL; links met again make none."""

from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.base import Pushed
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.links.extract import extract
from topiccrawler.model import Link
from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import Reading

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
LINKS = '<ul><li>债券基金<a href="/1">股票基金</a>收益</li><li>足球<a href="/2">比赛</a>联赛</li></ul>'
HTML = f"<html lang=zh><head><title>今日</title></head><body><p>{FUNDS}</p>{LINKS}</body>"
SITE = "http://a.example/"


def read(crawl: Crawl, url: str) -> Reading:
    reading = crawl.read(url, HTML.encode(), "text/html", "utf-8", depth=1)
    assert reading is not None
    return reading


@pytest.mark.parametrize(("strategy", "context"), [("jlse", "dom"), ("best_first", "window")])
def test_links_have_the_context_that_the_strategy_reads(strategy: str, context: Any) -> None:
    """The three contexts of this page differ."""
    crawl = Crawl(assemble(Recipe("finance", strategy=strategy)), MemoryFrontier())
    found = {
        name: list(extract(parse(HTML), f"{SITE}p", depth=2, context=name))
        for name in ("window", "neighbour", "dom")
    }
    reading = read(crawl, f"{SITE}p")
    assert list(crawl.links_of(reading)) == found[context]
    assert list(crawl.links_of(reading, "neighbour")) == found["neighbour"]
    assert len({tuple(link.before for link in links) for links in found.values()}) == 3


@pytest.mark.parametrize("strategy", ["adaptive", "naive_bayes"])
def test_links_met_again_in_the_same_words_are_counted_and_not_made(strategy: str, tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "job.sqlite")
    crawl = Crawl(assemble(Recipe("finance", strategy=strategy, prune=False)), frontier)
    crawl.seed([Link(SITE, "a.example")], 0.0)
    counts = []
    for page in ("p", "q"):
        reading = read(crawl, f"{SITE}{page}")
        links = crawl.links_of(reading)
        pushed = crawl.visit(reading.page, links, 1.0)
        counts.append((len(links._made), pushed[Pushed.NEW], pushed[Pushed.KEPT]))
    crawl.close()
    assert counts == [(2, 2, 0), (0, 0, 2)]
