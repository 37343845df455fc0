"""A long list of seeds, most of them dead, does not keep found links waiting."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, Crawl

pytestmark = pytest.mark.slow

DEAD, LINKS, HOSTS, SLOTS = 240, 67, 10, 16


def test_relevant_links_are_fetched_before_most_of_the_dead_seeds(
    crawl: Crawl, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    found = [f"http://h{number % HOSTS}.example/{number}" for number in range(LINKS)]
    links = "".join(f'<li><a href="{url}">基金定投{place}</a></li>' for place, url in enumerate(found))
    over = threading.Event()

    def hangs() -> None:
        over.wait(60)
        raise ConnectionAbortedError

    dead = [f"http://dead{number}.example/" for number in range(DEAD)]
    pages: dict[str, Any] = dict.fromkeys(dead, hangs)
    pages["http://live.example/"] = f"<title>基金</title><p>{FUNDS}</p><ul>{links}</ul>"
    pages |= {url: f"<title>基金{url}</title><p>{FUNDS}{url}</p>" for url in found}
    web = draw_web(pages)
    web.server.handle_error = lambda *_: None
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join([dead[0], "http://live.example/", *dead[1:]]), encoding="utf-8")
    crawl(
        web, seeds=seeds, targets=67, strategy=None, ROBOTSTXT_OBEY=False, DOWNLOAD_TIMEOUT=2, DOWNLOAD_DELAY=0.2,
        CONCURRENT_REQUESTS=SLOTS, LOG_LEVEL="WARNING",
    )  # fmt: skip
    over.set()
    last = max(web.asked.index(url) for url in found)
    asked_before = {url for url in web.asked[:last] if url in set(dead)}
    assert len(asked_before) < DEAD / 2
