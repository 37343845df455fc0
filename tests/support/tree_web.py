"""A web of several hosts whose pages are a tree, and what a crawl of it leaves on disk."""

import re
from pathlib import Path
from typing import Any

from drawn_crawls import FUNDS, SPORT, crawl_words, ends, stored

from topiccrawler.frontier.base import State

FAULT = re.compile(r"\] (?:ERROR|CRITICAL): (.*)")
"""What a crawl's log calls a fault."""
HOSTS = 12
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


def distinct_page(number: int, count: int, copies: int = 1) -> str:
    """A tree of three links a page with some text of its own on each; the last `copies` + 1 pages have one text."""
    children = range(3 * number + 1, min(count, 3 * number + 4))
    own = " ".join(f"w{min(number, count - copies)}x{place}" for place in range(150))
    return f"<title>{number}</title><p>{FUNDS}{own}</p>" + "".join(
        f'<li><a href="{address(to)}">基金{to}</a>' for to in children
    )


def distinct_pages(count: int, copies: int = 1) -> dict[str, Any]:
    return {address(number): distinct_page(number, count, copies) for number in range(count)}


def distinct_words(job: Path, **options: object) -> list[str]:
    """A command line that crawls them."""
    return crawl_words(job, seeds=address(0), ROBOTSTXT_OBEY=False, CONCURRENT_REQUESTS=4, **options)


def check_disk(job: Path, known_before: set[str]) -> tuple[set[str], set[str]]:
    """What a kill leaves behind is whole: the URLs that are known, and those of them that are done."""
    states = {url: state for url, (state, _) in ends(job).items()}
    assert known_before <= set(states)
    assert {url for url, state in states.items() if state is State.COMPLETED} <= set(stored(job))
    return set(states), {url for url, state in states.items() if state in ENDS}


def check_all_fetched(job: Path, count: int) -> None:
    """Every page was fetched, those about the topic are kept, and no URL failed: as without a kill or an outage."""
    about = {address(number) for number in range(count) if is_about(number)}
    every = {address(number) for number in range(count)}
    states = {url: state for url, (state, _) in ends(job).items()}
    assert states == {url: State.COMPLETED if url in about else State.DISCARDED for url in every}
    assert set(stored(job)) == about  # none was stored twice
