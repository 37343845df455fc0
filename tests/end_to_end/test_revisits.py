"""A job that is looked at again: what has changed since, what is gone, what is new, and what that costs."""

import re
from collections.abc import Callable
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drawn_crawls import Crawl, Crawled, ends
from drawn_web import Answer, answer

from topiccrawler.crawling.page_stores import open_checks, open_pages, visits_of

pytestmark = pytest.mark.slow

HOME = "http://a.example/"
WORDS = [
    "基金",
    "股票",
    "净值",
    "收益",
    "银行",
    "理财",
    "证券",
    "债券",
    "投资",
    "市场",
    "成交",
    "上涨",
    "下跌",
    "利率",
    "分红",
    "风险",
]
ARTICLES, CHANGED, DELETED, NEW = range(60), (3, 11, 17, 29, 41, 58), 33, 60


def article(number: int, edition: int) -> str:
    draw = Random(f"{number} {edition}")
    text = "".join(draw.choices(WORDS, k=200))
    return f"<title>基金{number}第{edition}版</title><p>{text}</p><a href=/>首页</a>"


def home(numbers: list[int]) -> str:
    return "<title>首页</title>" + "".join(f"<a href=/{number}>基金{number}</a> " for number in numbers)


def tagged(html: str) -> Answer:
    return answer(200, html, ETag=f'"{blake2b(html.encode()).hexdigest()}"')


def articles(count: int) -> dict[str, Any]:
    return {f"{HOME}{number}": article(number, 1) for number in range(count)}


@pytest.fixture
def run(crawl: Crawl) -> Callable[..., Crawled]:
    """Crawl, or look again; the web forgets what was asked of it before."""

    def begin(web: Any, share: float = 0.5, **options: object) -> Crawled:
        if not isinstance(web, dict):
            web.asked.clear()
            web.sent = 0
        constants = {"topiccrawler.spiders.topic.REVISIT_SHARE": share}
        return crawl(web, seeds=HOME, strategy=None, ROBOTSTXT_OBEY=False, constants=constants, **options)

    return begin


def test_changes_are_found_with_few_transfers_and_reported(run: Any, forked_scrapy: Any) -> None:
    pages = {url: tagged(html) for url, html in articles(60).items()}
    first = run({HOME: tagged(home([*ARTICLES])), **pages})
    web, job = first.web, first.job
    whole, visits = web.sent, list(visits_of(job))
    for number in CHANGED:
        web.pages[f"{HOME}{number}"] = tagged(article(number, 2))
    web.pages[f"{HOME}{DELETED}"] = answer(404)
    web.pages[f"{HOME}{NEW}"] = tagged(article(NEW, 1))
    web.pages[HOME] = tagged(home([*ARTICLES, NEW]))

    again = run(web, revisit="true", pages=200)
    assert sorted(web.asked) == sorted([HOME, *pages, f"{HOME}{NEW}"])
    assert web.sent <= 0.4 * whole
    assert re.search(r"\b61 \D+6 \D+54 \D+1 \D+0 ", again.err)
    assert "'topic/revisits/changed': 6" in again.err
    assert re.search(r"\b62 \D+\(1 ", again.err)
    added = list(visits_of(job))[len(visits) :]
    assert [visit.url for visit in added] == [f"{HOME}{NEW}"]

    with closing(open_pages(job)) as store, closing(open_checks(job)) as checks:
        for number in ARTICLES:
            url = f"{HOME}{number}"
            record, check = store.get(url), checks.get(url)
            has_changed, is_gone = number in CHANGED, number == DELETED
            assert record.title == f"基金{number}第{2 if has_changed else 1}版"
            assert record.source_url == HOME
            assert (check.changes, check.misses, check.gone > 0) == (has_changed, is_gone, is_gone)
        assert store.get(f"{HOME}{NEW}") is not None
    assert {state.value for state, _ in ends(job).values()} <= {"completed", "discarded"}

    listed = forked_scrapy("pages", str(job), "list", "--limit", "100").out
    assert listed.count("gone since") == 1
    printed = forked_scrapy("pages", str(job), "show", f"{HOME}{CHANGED[0]}").out
    assert re.search(r": 1 \D+, 1 ", printed)


def test_alone_it_looks_again_and_fetches_nothing_else(run: Any) -> None:
    web = run({HOME: home([*range(20)]), **articles(21)}, pages=9).web
    fetched = set(web.fetched())
    web.pages[HOME] = home([*range(21)])
    again = run(web, revisit="true")
    assert sorted(web.fetched()) == sorted(fetched)
    assert re.search(r"^  9 pages \D+: ", again.err, re.MULTILINE)
    assert re.search(r"^  ended: .*; 13 URLs .* -a pages=NUMBER ", again.err, re.MULTILINE)
    run(web)
    assert set(web.fetched()) == set(web.pages) - fetched  # the new one too


def test_a_share_of_the_pages_goes_to_revisits_and_what_is_gone_is_asked_twice(run: Any) -> None:
    web = run({HOME: home([*range(20)]), **articles(20)}, pages=9).web
    fetched = set(web.fetched())
    assert len(fetched) == 9
    again = run(web, share=0.34, revisit="true", pages=6)
    assert len(fetched & set(web.fetched())) == 3
    assert len(set(web.fetched()) - fetched) == 3
    assert re.search(r"^  ended: 6 pages .* in this run .*-a pages=12\b", again.err, re.MULTILINE)
    for url in [url for url in web.pages if url != HOME]:
        del web.pages[url]
    asked = []
    for _ in range(3):
        run(web, share=1.0, revisit="true", pages=40)
        asked.append(len(web.fetched()))
    assert asked == [21, 12, 1]  # the first time also what still waited


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ({}, "JOBDIR=FOLDER"),
        ({"JOBDIR": "new"}, "JOBDIR=FOLDER"),
        ({"SCHEDULER": "scrapy.core.scheduler.Scheduler"}, "SCHEDULER"),
    ],
)
def test_without_an_earlier_crawl_it_is_refused(
    refusal: Callable[..., str], tmp_path: Path, words: dict[str, str], reported: str
) -> None:
    settings = {"TOPIC_DATA_DIR": str(tmp_path), **words}
    if "JOBDIR" in words:
        settings["JOBDIR"] = str(tmp_path / words["JOBDIR"])
    said = refusal("topic", settings, topic="finance", seeds=HOME, revisit="true")
    assert said.startswith("argument -a revisit=true: ")
    assert reported in said
    assert not list(tmp_path.iterdir())
