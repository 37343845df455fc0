"""Who decides what in a real crawl: the downloader middleware on links about to be fetched, RelevancePipeline on pages; each once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HOME = "http://funds.example/"
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "足球比赛昨晚结束，主队以二比一战胜客队，球迷在球场外庆祝胜利。" * 8
RUN = """
import json, sys, traceback
from collections import Counter

from scrapy.crawler import CrawlerProcess

from topiccrawler.crawling.admission import LinkGate
from topiccrawler.crawling.page_filter import PageFilter
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.spiders.topic import TopicSpider

calls = Counter()


def who():
    return {frame.f_code.co_name for frame, _ in traceback.walk_stack(None)}


def counted(kind, name, label):
    plain = getattr(kind, name)

    def called(self, *given, **named):
        names = who()
        place = "pipeline" if "process_item" in names else "middleware" if "process_request" in names else (
            "lease" if "next_request" in names else "queueing" if "accept_links" in names else "parse")
        calls[f"{label} in {place}"] += 1
        return plain(self, *given, **named)

    setattr(kind, name, called)


counted(PageFilter, "verdict", "verdict")
counted(EvidenceClassifier, "relevance", "relevance")
counted(LinkGate, "decided", "gate")
counted(LinkGate, "decided_when_sent", "gate")


class Foreign(TopicSpider):
    name = "foreign"

    def parse(self, response):
        for output in super().parse(response):
            yield {"url": output.url, "title": output.title, "text": output.text} if hasattr(output, "text") else output


kind, strategy, proxy = sys.argv[1:]
process = CrawlerProcess({"TOPIC_DATA_DIR": "jobs", "DOWNLOAD_DELAY": 0, "TOPIC_JOB": "job", "LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": False})
crawler = process.create_crawler(Foreign if kind == "foreign" else TopicSpider)
process.crawl(crawler, topic="finance", seeds="http://funds.example/", strategy=strategy)
process.start()
stats = crawler.stats.get_stats()
print(json.dumps({**calls, **{name: stats.get(name, 0) for name in (
    "topic/gate/asked", "topic/gate/scored", "topic/gate/refused", "topic/pages", "topic/kept", "frontier/leased")}}))
"""


def run(draw_web: Callable[..., Any], folder: Path, kind: str, strategy: str) -> dict[str, int]:
    links = "".join(
        f'<p><a href="/f{n}">基金净值{n}</a></p><p><a href="/s{n}">足球比赛{n}</a></p>' for n in range(5)
    )
    pages = {HOME: f"<title>基金</title>{links}"}
    pages |= {f"{HOME}f{n}": f"<title>基金{n}</title><p>{FUNDS}{n}" for n in range(5)}
    pages |= {f"{HOME}s{n}": f"<title>足球{n}</title><p>{SPORT}{n}" for n in range(5)}
    web = draw_web(pages)
    done = subprocess.run(
        [sys.executable, "-c", RUN, kind, strategy, web.proxy],
        cwd=folder,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "http_proxy": web.proxy},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("strategy", ["adaptive", "naive_bayes", "best_first"])
@pytest.mark.parametrize("kind", ["ours", "foreign"])
def test_each_page_has_one_verdict_in_the_pipeline_and_each_link_one_in_the_middleware(
    draw_web: Callable[..., Any], tmp_path: Path, kind: str, strategy: str
) -> None:
    found = run(draw_web, tmp_path, kind, strategy)
    pages, kept = found["topic/pages"], found["topic/kept"]
    assert kept >= 5
    assert {name: count for name, count in found.items() if name.startswith("verdict")} == {
        "verdict in pipeline": pages
    }
    # parse classifies each page once for the strategy; the pipeline takes that number, and classifies what other spiders yield
    assert found["relevance in parse"] == pages
    assert found.get("relevance in pipeline", 0) == (pages if kind == "foreign" else 0)
    links = found["frontier/leased"] - 1  # but the seed
    assert found["topic/gate/asked"] == found["topic/gate/scored"] == links
    assert found["gate in middleware"] == links + 1
    assert "gate in lease" not in found
    assert pages == found["frontier/leased"] - found["topic/gate/refused"]
