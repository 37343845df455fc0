"""A web of several hosts whose pages are a tree, and what a crawl of it leaves on disk."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase

HOSTS = 12
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8
CHILDREN = 6
ENDS = (State.COMPLETED, State.DISCARDED)


def address(number: int) -> str:
    return f"http://h{number % HOSTS}.example/p{number}"


def page(number: int, count: int) -> str:
    """A tree: page n links to n*6+1 … n*6+6, to its parent and to the first; two pages of three are about finance."""
    children = range(number * CHILDREN + 1, min(count, number * CHILDREN + CHILDREN + 1))
    linked = [*children, max(0, number - 1) // CHILDREN, 0]
    links = "".join(f'<li><a href="{address(to)}">基金{to}</a></li>' for to in linked)
    return f"<title>第{number}页</title><p>{FUNDS if is_about(number) else SPORT}</p><ul>{links}</ul>"


def is_about(number: int) -> bool:
    return number % 3 != 2


def check_disk(job: Path, known_before: set[str]) -> tuple[set[str], set[str]]:
    """What a kill leaves behind is whole: the URLs that are known, and those of them that are done."""
    with SqliteFrontier(JobDatabase(job / "job.sqlite", read_only=True)) as frontier:
        rows = {row.link.url: row.state for row in frontier.look().rows()}
    assert known_before <= set(rows)
    stored = stored_pages(job)
    assert len(stored) == len(set(stored))
    assert {url for url, state in rows.items() if state is State.COMPLETED} <= set(stored)
    return set(rows), {url for url, state in rows.items() if state in ENDS}


def stored_pages(job: Path) -> list[str]:
    path = job / "job.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as store:
        return [url for (url,) in store.execute("SELECT url FROM pages")]
