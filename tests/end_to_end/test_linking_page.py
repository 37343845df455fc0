"""What is kept hangs on the page that links a page too; the crawl log and the order go on by each page's own words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.relevance.base import relevance_of, similarity_of, with_linking_page
from topiccrawler.store.pages import PageStore
from topiccrawler.store.visits import read_visits

FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "CONCURRENT_REQUESTS=1")
SETTINGS = ("-s", "TOPIC_DUPLICATES=keep", "-s", "TOPIC_LINK_MODELS=none")
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
DIARY = "昨天下雨，我在家里看书，晚上和朋友吃饭，聊到很晚才回来，路上看见一只猫。" * 4 + "有人说起基金。"
HUB, FUND, GAME = "http://hub.example/", "http://hub.example/fund", "http://hub.example/game"
OF_FUND, OF_GAME = "http://hub.example/of-fund", "http://hub.example/of-game"


def page(title: str, text: str, *links: str) -> str:
    anchors = "".join(f'<a href="{href}">网页</a>' for href in links)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p>{anchors}</body></html>"


WEB = {
    HUB: page("导航", "网址", "/fund", "/game"),
    FUND: page("基金净值", FUNDS, "/of-fund"),
    GAME: page("游戏", DIARY.replace("基金", "游戏"), "/of-game"),
    OF_FUND: page("日记", DIARY),
    OF_GAME: page("日记", DIARY),
}


@pytest.fixture
def crawl(
    draw_web: Callable[..., Any], warm_scrapy: Callable[..., Any], tmp_path: Path
) -> Callable[..., dict[str, float]]:
    """Crawl the web breadth first; relevance of the pages stored."""
    (tmp_path / "funds.toml").write_text(
        'name = "funds"\nkeywords = ["基金", "股票", "理财"]\npage_threshold = 0.2\nnarrow = false\nproposed_words = 0\n',
        encoding="utf-8",
    )

    def run(*args: str) -> dict[str, float]:
        ran = warm_scrapy(
            "crawl", "topic", "-a", f"topic={tmp_path / 'funds.toml'}", "-a", f"seeds={HUB}", "-a", "strategy=breadth_first",
            "-s", f"JOBDIR={tmp_path / 'job'}", *FAST, *SETTINGS, *args, proxy=draw_web(WEB).proxy,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        store = PageStore(tmp_path / "job" / "pages.sqlite")
        try:
            return {record.url: record.relevance for record in store.records()}
        finally:
            store.close()

    return run


def relevances(job: Path) -> dict[str, float]:
    """By the words of each page, as the crawl log has them."""
    return {visit.url: visit.relevance for visit in read_visits(job / "visits.jsonl")}


def with_link(similarity: float, linking: float) -> Any:
    """The relevance of a page of this similarity that one of that similarity links."""
    return pytest.approx(relevance_of(with_linking_page(similarity, linking, 0.5), 0.2), abs=1e-4)


def test_of_two_equal_pages_the_one_that_a_page_about_the_topic_links_is_kept(
    crawl: Callable[..., dict[str, float]], tmp_path: Path
) -> None:
    kept = crawl()
    words = {url: similarity_of(one, 0.2) for url, one in relevances(tmp_path / "job").items()}
    assert 0.2 < words[OF_FUND] == words[OF_GAME] < 0.4
    assert kept.keys() == {FUND, OF_FUND}
    assert kept[OF_FUND] == with_link(words[OF_FUND], words[FUND])
    assert kept[FUND] == with_link(words[FUND], words[HUB])


def test_without_it_equal_pages_are_equal(crawl: Callable[..., dict[str, float]], tmp_path: Path) -> None:
    kept = crawl("-s", "TOPIC_LINKING_PAGE=0")
    words = relevances(tmp_path / "job")
    assert {url: kept.get(url, words[url]) for url in words} == pytest.approx(words, abs=1e-4)
    assert kept.keys() == {FUND, OF_FUND, OF_GAME}


def test_a_job_that_goes_on_judges_as_one_that_never_stopped(
    crawl: Callable[..., dict[str, float]], tmp_path: Path
) -> None:
    assert crawl("-a", "pages=3").keys() == {FUND}
    assert crawl().keys() == {FUND, OF_FUND}


def test_a_weight_that_is_none_is_one_line(warm_scrapy: Callable[..., Any]) -> None:
    ran = warm_scrapy("crawl", "topic", "-a", "topic=finance", "-s", "TOPIC_LINKING_PAGE=2")
    assert ran.code == 1
    assert "TOPIC_LINKING_PAGE" in ran.err
    assert "Traceback" not in ran.err
