"""What a reading process makes of a page is what the crawl makes of it: relevance, summary, fingerprint, contexts; links met again make none."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling import contents
from topiccrawler.crawling.assemble import assemble, content_plan
from topiccrawler.crawling.contents import Answer, ContentPacker, SeenLinks, unpacked
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_files import MOST_AHEAD, FingerprintsAhead, JobFiles
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.base import Pushed
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.links.extract import extract
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import Link
from topiccrawler.pages.parse import parse
from topiccrawler.pages.site_repeats import fingerprint

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8
LINKS = '<ul><li>债券基金<a href="/1">股票基金</a>收益</li><li>足球<a href="/2">比赛</a>联赛</li></ul>'
SITE = "http://a.example/"


def answer(text: str, page: str = "p", links: str = LINKS) -> Answer:
    html = f"<html lang=zh><head><title>今日</title></head><body><p>{text}</p>{links}</body>"
    return Answer(f"{SITE}{page}", html.encode(), "utf-8", "text/html; charset=utf-8", None, 1)


def crawl_of(recipe: Recipe, **more: Any) -> Crawl:
    return Crawl(assemble(recipe), MemoryFrontier(), **more)


UNNAMED = {"name": "x", "keywords": {"基金": 1, "股票": 1, "理财": 1}}


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe("finance", page_classifier="vsm"),
        Recipe("x", topic_fields=UNNAMED),
        Recipe("finance", page_classifier="cosine"),
        Recipe("finance", page_classifier="naive_bayes"),
    ],
    ids=["vsm", "unnamed", "cosine", "naive_bayes"],
)
@pytest.mark.parametrize("text", [FUNDS, SPORT, ""])
def test_a_sent_page_is_judged_as_one_that_is_read_here(recipe: Recipe, text: str, tmp_path: Path) -> None:
    crawl = crawl_of(recipe, files=JobFiles(tmp_path / "job"))
    plan, page = crawl.content_plan, answer(text)
    here = crawl.reader.reading(page.content(crawl.reader), depth=1)
    sent = crawl.reader.reading(unpacked(ContentPacker(plan).packed(page), page, crawl.reader, plan), depth=1)
    assert sent.page == here.page
    assert sent.content.relevance == here.page.relevance
    assert (sent.content.summary is not None) == here.page.is_target
    assert crawl.item_of(sent, 200, 1.0) == crawl.item_of(here, 200, 1.0)
    if here.page.is_target:
        assert sent.content.fingerprint == fingerprint(here.main_text, plan.segmenter)
        assert crawl.files.fingerprints.of(here.main_text, plan.segmenter) == sent.content.fingerprint


def test_a_topic_of_own_words_is_judged_by_the_crawl_that_knows_its_sites() -> None:
    crawl = crawl_of(
        Recipe(
            "基金",
            topic_fields={
                "name": "x",
                "keywords": {"基金": 1},
                "given": ["基金"],
                "narrow": True,
                "intercept": 2.0,
            },
        )
    )
    plan = crawl.content_plan
    for text, may_be_kept in ((FUNDS, True), (SPORT, False)):
        page = answer(text)
        sent = unpacked(ContentPacker(plan).packed(page), page, crawl.reader, plan)
        assert (sent.similarity, sent.relevance) == (None, None)
        assert [made is not None for made in (sent.summary, sent.fingerprint)] == [may_be_kept] * 2
        assert crawl.reader.reading(sent).page == crawl.reader.reading(page.content(crawl.reader)).page


def test_links_scored_elsewhere_are_not_scored_again() -> None:
    recipe, page = Recipe("finance", strategy="naive_bayes"), answer(FUNDS)
    crawl, plain = crawl_of(recipe), crawl_of(recipe)
    plan, model = crawl.content_plan, crawl.parts.link_model
    assert model is not None
    assert plan.link_model is model
    sent = unpacked(ContentPacker(deepcopy(plan)).packed(page), page, crawl.reader, plan)
    plan.link_model._odds._work = lambda links: pytest.fail(f"scored here: {links}")
    links = extract(parse(page.body.decode()), page.url, depth=2)
    expected = plain.parts.link_model
    assert expected is not None
    assert sent.links is not None
    assert model.log_odds(sent.links) == expected.log_odds(links)
    assert len(set(expected.log_odds(links))) == 2


@pytest.mark.parametrize(("strategy", "context"), [("jlse", "dom"), ("best_first", "window")])
def test_links_have_the_context_that_the_strategy_reads(strategy: str, context: Any, tmp_path: Path) -> None:
    """Read here and by another process; the two contexts of this page differ."""
    crawl, page = (
        crawl_of(Recipe("finance", strategy=strategy), files=JobFiles(tmp_path / "job")),
        answer(FUNDS),
    )
    expected = list(extract(parse(page.body.decode()), page.url, depth=2, context=context))
    sent = unpacked(ContentPacker(crawl.content_plan).packed(page), page, crawl.reader, crawl.content_plan)
    for content in (page.content(crawl.reader), sent):
        assert list(crawl.links_of(crawl.reader.reading(content, depth=1))) == expected
    assert expected != list(extract(parse(page.body.decode()), page.url, depth=2, context="neighbour"))
    others = {one.before for one in extract(parse(page.body.decode()), page.url, depth=2, context="dom")}
    assert others != {one.before for one in extract(parse(page.body.decode()), page.url, depth=2)}


def test_links_are_new_once_in_two_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST_SEEN", 1)
    seen, document = SeenLinks(), parse(LINKS)
    page, other = extract(document, SITE, depth=1), extract(parse('<a href="/3">其他</a>'), SITE, depth=1)
    assert [seen.new_in(page), seen.new_in(page), seen.new_in(other)] == [[0, 1], [], [0]]
    assert [seen.new_in(other), seen.new_in(page)] == [[], []]  # the older generation was met again
    for _ in range(3):
        seen.new_in(other)
        seen._young.update(range(2))
    assert seen.new_in(page) == [0, 1]


def test_a_fingerprint_made_ahead_is_given_once_and_few_wait() -> None:
    ahead, here = FingerprintsAhead(), fingerprint(FUNDS)
    assert here is not None
    other = here._replace(digest=1)
    ahead.put(FUNDS, other)
    plan = content_plan(parts := assemble(Recipe("finance")), parts.reader())
    assert [ahead.of(FUNDS, plan.segmenter), ahead.of(FUNDS, plan.segmenter)] == [other, here]
    for number in range(3 * MOST_AHEAD):
        ahead.put(f"{number}", other)
    assert len(ahead._by_text) <= MOST_AHEAD


@pytest.mark.parametrize("strategy", ["adaptive", "naive_bayes"])
def test_links_met_again_in_the_same_words_are_counted_and_not_made(strategy: str, tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    crawl = Crawl(assemble(Recipe("finance", strategy=strategy, prune=False)), frontier)
    crawl.seed([Link(SITE, "a.example")], 0.0)
    counts = []
    for page in ("p", "q"):
        reading = crawl.read(f"{SITE}{page}", answer(FUNDS).body, "text/html", "utf-8")
        assert reading is not None
        links = crawl.links_of(reading)
        assert isinstance(links, PageLinks)
        pushed = crawl.visit(reading.page, links, 1.0)
        counts.append((len(links._made), pushed[Pushed.NEW], pushed[Pushed.KEPT]))
    crawl.close()
    assert counts == [(2, 2, 0), (0, 0, 2)]
