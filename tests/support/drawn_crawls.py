"""Crawls of drawn webs about finance: the pages, the words of a command line, and what a job holds afterwards."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drawn_web import DrawnWeb
from forked_scrapy import Ran

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.store.page_store import read_pages
from topiccrawler.store.pages import PageRecord

HUB = "http://hub.example/"
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8


@dataclass
class Crawled(Ran):
    """How a crawl ended, the web it was on, and the folder of its job."""

    web: DrawnWeb
    job: Path


Crawl = Callable[..., Crawled]
"""The fixture `crawl`."""


def page(title: str, text: str, *links: str | tuple[str, str], head: str = "") -> str:
    """A page with a title, a paragraph and links; a link without an anchor of its own is about funds."""
    pairs = ((link, "基金") if isinstance(link, str) else link for link in links)
    items = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in pairs)
    return f"<html><head><title>{title}</title>{head}</head><body><p>{text}</p><ul>{items}</ul></body></html>"


def crawl_words(job: Path, /, *more: str, spider: str = "topic", **options: object) -> list[str]:
    """The words of a `scrapy crawl` that need not wait: arguments in small letters, settings in capitals; None leaves out what is usual."""
    usual = {"topic": "finance", "seeds": HUB, "strategy": "breadth_first", "JOBDIR": job}
    usual |= {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
    chosen = {name: value for name, value in {**usual, **options}.items() if value is not None}
    pairs = [("-s" if name.isupper() else "-a", f"{name}={value}") for name, value in chosen.items()]
    return ["crawl", spider, *(word for pair in pairs for word in pair), *more]


def ends(job: Path) -> dict[str, tuple[State, str]]:
    """State and reason of each URL of a job."""
    with SqliteFrontier(JobDatabase(job / "job.sqlite", read_only=True)) as frontier:
        return {row.link.url: (row.state, row.reason) for row in frontier.look().rows()}


def stored(job: Path) -> dict[str, PageRecord]:
    """The kept pages of a job by URL, in the order in which they were kept."""
    with closing(read_pages(job / "job.sqlite")) as store:
        records = list(store.records())
    assert len({record.url for record in records}) == len(records)
    return {record.url: record for record in records}


def stats_of(job: Path) -> dict[str, Any]:
    """What a job counted in all its runs."""
    return json.loads((job / "stats.json").read_text(encoding="utf-8"))


def json_lines(text: str) -> list[Any]:
    """The values of JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]
