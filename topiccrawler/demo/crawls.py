"""Runs the project's own crawl on the synthetic web: `scrapy crawl topic`, as a user would, in a process of its own.

The conflict: the demo must show the real crawler, engine, politeness and all, not a model of it; and a failure deep inside a
subprocess must still end in one line that says where to look.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from topiccrawler.demo.files import DemoFiles
from topiccrawler.demo.running import RunningServer
from topiccrawler.errors import CrawlerError

POLL_SECONDS = 0.25
# One request at a time a host, and some ten of the 55 hosts are worth fetching from: more would only fetch the rest too.
CONCURRENCY = 8
SETTINGS_MODULE = "topiccrawler.settings"


def crawl_arguments(files: DemoFiles, strategy: str, pages: int) -> list[str]:
    """What to type after `scrapy` for one of the demo's crawls."""
    settings = {
        "DOWNLOAD_DELAY": "0",
        "AUTOTHROTTLE_ENABLED": "False",
        "CONCURRENT_REQUESTS": str(CONCURRENCY),
        "TOPIC_LINK_MODELS": str(files.models),
        "TOPIC_DATA_DIR": str(files.folder),
        "TOPIC_JOB": strategy,
    }
    arguments = ["crawl", "topic"]
    for name, value in (
        ("topic", files.topic),
        ("strategy", strategy),
        ("seeds", files.seeds),
        ("pages", pages),
    ):
        arguments += ["-a", f"{name}={value}"]
    for name, value in settings.items():
        arguments += ["-s", f"{name}={value}"]
    return [*arguments, "-O", str(files.feed(strategy))]


def crawl(
    files: DemoFiles, strategy: str, pages: int, server: RunningServer, tick: Callable[[int], None]
) -> None:
    """Crawl and wait for the end; `tick` hears how many pages the server has handed out."""
    server.forget()
    log = files.log(strategy)
    environment = {**server.environment(), "SCRAPY_SETTINGS_MODULE": SETTINGS_MODULE}
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *crawl_arguments(files, strategy, pages)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        try:
            while _runs(process):
                tick(server.pages_served())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if process.returncode:
        raise CrawlerError(
            f"crawl with {strategy}", f"ended with {process.returncode}: {_last_line(log)}", f"see {log}"
        )


def _runs(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
