"""A plain Scrapy project with a spider of Scrapy's and RequestGateMiddleware alone: the link model answers for each of its requests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import scrapy_environment

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.model import Link

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HOME = "http://plain.example/"
ANCHORS = {
    "fund": "基金净值",
    "football": "足球比赛直播",
    "stock": "股票行情",
    "moved": "明星娱乐八卦",
    "pop": "流行歌曲",
}
SPIDER = """
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Plain(CrawlSpider):
    name = "plain"
    start_urls = ["http://plain.example/"]
    rules = [Rule(LinkExtractor(), callback="read", follow=True)]
    custom_settings = {
        "TOPIC": "finance",
        "TOPIC_LINK_THRESHOLD": 0.1,
        "DOWNLOADER_MIDDLEWARES": {"topiccrawler.engine.middlewares.RequestGateMiddleware": 50},
    }

    def read(self, response):
        yield {"url": response.url}
"""


def crawl(folder: Path, proxy: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "plain.py").write_text(SPIDER, encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "runspider", "plain.py", "-O", "seen.jsonl", *more]
    return subprocess.run(
        command,
        cwd=folder,
        env=scrapy_environment(proxy, {"PYTHONPATH": str(ROOT)}),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_link_model_answers_for_each_request_as_it_does_for_links(
    draw_web: Callable[[dict[str, Any]], Any], answer: Callable[..., Any], tmp_path: Path
) -> None:
    links = "".join(f'<a href="/{path}">{anchor}</a>' for path, anchor in ANCHORS.items())
    pages = {f"{HOME}{path}": "<p>text</p>" for path in ANCHORS}
    web = draw_web(
        {
            **pages,
            HOME: links,
            f"{HOME}stock": answer(302, Location="/elsewhere"),
            f"{HOME}elsewhere": "<p>text</p>",
        }
    )
    done = crawl(tmp_path, web.proxy)
    assert done.returncode == 0, done.stderr
    gate = assemble(Recipe("finance", strategy="naive_bayes", link_threshold=0.1)).gate
    passed = {
        path
        for path, anchor in ANCHORS.items()
        if gate.decide(Link(f"{HOME}{path}", "plain.example", anchor, source_url=HOME)).passed
    }
    assert 0 < len(passed) < len(ANCHORS)
    assert {"fund", "stock"} <= passed
    seen = {json.loads(line)["url"] for line in (tmp_path / "seen.jsonl").read_text().splitlines()}
    assert seen == {f"{HOME}{path if path != 'stock' else 'elsewhere'}" for path in passed}
    assert f"'topic/gate/refused': {len(ANCHORS) - len(passed)}" in done.stderr
