"""A job goes on after an upgrade whose strategy does not read what it had learned: it is learned again from the crawl log."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.checkpoints import NOTE, NOW
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.store.visits import read_visits
from topiccrawler.strategies.adaptive import Adaptive

pytestmark = pytest.mark.slow

HOME = "http://a.example/"
PAGES = 30
VERSION = Adaptive.state_version
FAST = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "ROBOTSTXT_OBEY=False", "CONCURRENT_REQUESTS=1")
Change = Callable[[dict[str, Any]], None]


def page(number: int) -> str:
    """Every third page is about the topic; a tree of links."""
    text = (
        "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益。"
        if number % 3 == 0
        else "今天的天气很好。"
    )
    links = "".join(
        f"<li><a href=/{to}>{'基金' if to % 3 == 0 else '天气'}{to}</a>"
        for to in range(3 * number + 1, 3 * number + 4)
        if to < 3 * PAGES
    )
    return f"<title>{text[:4]}{number}</title><p>{text * 20}第{number}页</p>{links}"


def former_features(kept: dict[str, Any]) -> None:
    """As a release with two features would have written it."""
    kept["state"] |= {"features": ["bias", "page"], "weights": [1.0, 2.0], "squares": [1.0, 1.0]}


def former_version(kept: dict[str, Any]) -> None:
    kept["version"] = 0


def unchanged(kept: dict[str, Any]) -> None:
    """As this release has written it."""


def of_the_first_version(kept: dict[str, Any]) -> None:
    """As releases before there were versions."""
    del kept["version"], kept["state"]["features"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (former_features, "ValueError: weights of bias, page"),
        (former_version, f"ValueError: version 0, this program reads {VERSION}"),
        (unchanged, ""),
        (of_the_first_version, f"ValueError: version 1, this program reads {VERSION}"),
    ],
)
def test_what_is_not_read_is_learned_again(
    draw_web: Callable[..., Any],
    forked_scrapy: Callable[..., Any],
    tmp_path: Path,
    change: Change,
    reason: str,
) -> None:
    job = tmp_path / "job"
    web = draw_web({HOME: page(0), **{f"{HOME}{number}": page(number) for number in range(1, 3 * PAGES)}})

    def run(pages: int) -> Any:
        options = [part for one in (*FAST, f"JOBDIR={job}") for part in ("-s", one)]
        arguments = ["-a", "topic=finance", "-a", f"seeds={HOME}", "-a", f"pages={pages}"]
        return forked_scrapy("crawl", "topic", *arguments, *options, proxy=web.proxy)

    assert run(12).code == 0
    with closing(SqliteFrontier(job / "frontier.sqlite")) as frontier:
        before = {row.link.url: row.score for row in frontier.look().rows(State.WAITING)}
        kept = json.loads(frontier.notes.get(NOTE) or "")
        change(kept)
        frontier.notes.put(NOTE, json.dumps(kept))
        frontier.commit()
    again = run(20)
    assert again.code == 0, again.err
    told = [line for line in again.err.splitlines() if "learned again" in line]
    assert len(told) == bool(reason)
    if reason:
        assert (f"({reason})" in told[0], " 12 pages" in told[0]) == (True, True)
    urls = [visit.url for visit in read_visits(job / "visits.jsonl")]
    assert len(set(urls)) == len(urls) == 20
    best = max(before, key=lambda url: before[url])
    assert best in urls[12:15]
    with closing(SqliteFrontier(job / "frontier.sqlite", read_only=True)) as frontier:
        waiting = {row.link.url for row in frontier.look().rows(State.WAITING)}
        assert before.keys() <= waiting | {*urls}  # nothing is lost
        now = [json.loads(frontier.notes.get(name) or "{}") for name in (NOTE, NOW)]
    assert [note["version"] for note in now] == [VERSION, VERSION]
    assert now[1]["pages"] == 20
