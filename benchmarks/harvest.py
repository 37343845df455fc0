"""On-topic pages among the first N of real crawls of a recorded web: the whole engine, concurrent, strategy by strategy.

    python benchmarks/harvest.py WEB --topic finance --seeds http://daohang.example/ [--pages 1000] [--proxy URL]

WEB is a folder with pages.warc.gz and labels.tsv (url and topics first: the truth, which no crawl sees). Without --proxy the
pages come through REPLAY_WARC; with it through real HTTP from a proxy that serves the same web. `scrapy compare` does
the same one page at a time, without an engine.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.lab.recorded_web import label_rows
from topiccrawler.lab.runner import crawl_job
from topiccrawler.urls.canonical import canonical


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("web", type=Path, nargs="?", help="folder with pages.warc.gz and labels.tsv")
    parser.add_argument("--topic", default="finance")
    parser.add_argument("--seeds", default="http://daohang.example/")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--strategies", default="breadth_first,best_first,naive_bayes")
    parser.add_argument("--models", help="folder of link models; default: the shipped ones")
    parser.add_argument("--proxy", help="address of a proxy that serves the web over HTTP")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if options.web is None:
        shared = os.environ.get("TOPICCRAWLER_SHARED")
        if not shared:
            print("harvest: no web given, and TOPICCRAWLER_SHARED is not set; nothing to measure")
            return
        options.web = Path(shared) / "blogs"
    truth = on_topic_pages(options.web / "labels.tsv", options.topic)
    results = {}
    for strategy in options.strategies.split(","):
        hits = crawl(strategy, options, truth)
        results[strategy] = {"fetched": len(hits), "on_topic": sum(hits)}
        marks = [sum(hits[:mark]) for mark in range(250, options.pages + 1, 250)]
        print(
            f"{strategy:>16}: {sum(hits):5d} of {len(hits)} pages on topic; every 250 pages: {marks}",
            flush=True,
        )
    if options.json:
        print(json.dumps(results))


def on_topic_pages(labels: Path, topic: str) -> set[str]:
    """The canonical URLs labelled with the topic."""
    return {canonical(url) or url for url, topics, *_ in label_rows(labels) if topic in topics.split(",")}


def crawl(strategy: str, options: argparse.Namespace, truth: set[str]) -> list[bool]:
    """Crawl once; for each page fetched, in order, whether it is on topic. A page under two names counts once."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "CONCURRENT_REQUESTS": options.concurrency,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "LOG_LEVEL": "WARNING",
        }
        environment = {name: text for name, text in os.environ.items() if not name.lower().endswith("_proxy")}
        if options.proxy:
            environment["http_proxy"] = environment["https_proxy"] = options.proxy
        else:
            settings["REPLAY_WARC"] = options.web
        if options.models:
            settings["TOPIC_LINK_MODELS"] = options.models
        given = {"topic": options.topic, "seeds": options.seeds, "strategy": strategy, "pages": options.pages}
        job = crawl_job(f"crawl with {strategy}", given, settings, Path(folder), environment).folder
        seen: set[str] = set()
        hits = []
        for visit in visits_of(job):
            url = visit.url.replace("https://", "http://", 1)
            if visit.status == 200:
                hits.append(url in truth and url not in seen)
                seen.add(url)
        return hits


if __name__ == "__main__":
    main()
