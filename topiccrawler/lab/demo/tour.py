"""Runs the steps of `scrapy demo`: serving the synthetic web, training, two crawls, and a table that compares their harvest."""

from __future__ import annotations

import contextlib
import math
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from tqdm import tqdm

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.lab.demo.crawls import DemoFiles, crawl, train_on
from topiccrawler.lab.demo.language import FINANCE
from topiccrawler.lab.demo.plan import CRAWL, TRAIN, Web
from topiccrawler.lab.demo.server import RunningServer
from topiccrawler.lab.measures import Curve, checkpoints
from topiccrawler.results.templating import as_text

FOCUSED, BASELINE = "adaptive", "breadth_first"
TRAINING_PAGES = 1_000
STEP_PAGES = 100


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()  # so that each step appears at once, also through a pipe


def serve(seed: int, port: int) -> None:
    """Serve the synthetic web until Ctrl-C. Any crawler reaches its hosts when `http_proxy` is set."""
    web = Web(seed)
    with (
        file_faults(ArgumentError, f"--serve {port}", "cannot be listened on", "name another port"),
        RunningServer(web, port) as server,
        contextlib.suppress(KeyboardInterrupt),
    ):
        known = {"web": web, "address": server.address, "scrapy": _scrapy()}
        _say(as_text("lab/demo/serving.txt", known))
        threading.Event().wait()


def demonstrate(out: Path, seed: int, pages: int) -> None:
    """Run all steps of the demo, with its files in the folder `out`. `pages`: the limit of each crawl."""
    web, files = Web(seed), DemoFiles(out)
    files.make_ready(web.seeds, (FOCUSED, BASELINE))
    topics = [page.topic for page in web.of_part(CRAWL)]
    with RunningServer(web) as server:
        hosts = len(web.hosts())
        about = f"of their {len(topics)} pages {topics.count(FINANCE) / len(topics):.0%} are about finance"
        _say(f"1. Web: {len(web.pages)} generated pages on {hosts} hosts, served at {server.address}")
        train, crawled = len(web.hosts(TRAIN)), len(web.hosts(CRAWL))
        _say(f"   {train} hosts to train on, {crawled} others to crawl; {about}")
        _train(web, files, server)
        for number, strategy in ((3, FOCUSED), (4, BASELINE)):
            _crawl(number, strategy, pages, files, server)
        _compare(web, files)


def _train(web: Web, files: DemoFiles, server: RunningServer) -> None:
    begun = time.monotonic()
    with _bar("   reading training hosts", TRAINING_PAGES) as tick:
        lesson = train_on(web, files, server.address, TRAINING_PAGES, tick)
    held_out = "" if math.isnan(lesson.f1) else f"; F1 on links of hosts held out {lesson.f1:.2f}"
    _say(
        f"2. Training: {lesson.links} links on {lesson.pages} pages labelled by where they lead, {lesson.positive} to "
        f"finance{held_out} ({time.monotonic() - begun:.0f} s)"
    )


def _crawl(number: int, strategy: str, pages: int, files: DemoFiles, server: RunningServer) -> None:
    begun = time.monotonic()
    with _bar(f"   crawling, {strategy}", pages) as tick:
        crawl(files, strategy, pages, server, tick)
    took = time.monotonic() - begun
    _say(f"{number}. Crawl, {strategy}: {len(_fetched(files, strategy))} pages ({took:.0f} s)")


def _compare(web: Web, files: DemoFiles) -> None:
    found = {strategy: harvest(web, _fetched(files, strategy)) for strategy in (FOCUSED, BASELINE)}
    times, job = times_as_good(found[FOCUSED], found[BASELINE]), files.job(FOCUSED)
    known = {"table": table(found), "seed": web.seed, "times": times if math.isfinite(times) else None}
    known |= {"files": files, "job": job, "scrapy": _scrapy()}
    _say(as_text("lab/demo/outcome.txt", {**known, "focused": FOCUSED, "baseline": BASELINE}))


def _scrapy() -> str:
    """The command that runs the current `scrapy` program, which may not be on the PATH."""
    called, found = sys.argv[0], shutil.which("scrapy")
    if Path(called).name != "scrapy":
        return f"{shlex.quote(sys.executable)} -m scrapy"
    if found is not None and Path(called).exists() and Path(found).samefile(called):
        return "scrapy"
    return shlex.quote(called)


def _fetched(files: DemoFiles, strategy: str) -> list[str]:
    """The URLs of the pages that a crawl fetched, in the order of its log. StateError when there are none."""
    job = files.job(strategy)
    urls = [visit.url for visit in visits_of(job) if visit.status == 200]
    if not urls:
        raise StateError(f"crawl log of {job}", "holds no page", f"see {files.log(strategy)}")
    return urls


def harvest(web: Web, urls: Iterable[str]) -> Curve:
    """The harvest curve of a crawl that fetched `urls` in this order, by the truth of the plan; URLs outside the plan do not count."""
    return Curve.of(truth == FINANCE for truth in map(web.truth, urls) if truth is not None)


def times_as_good(focused: Curve, baseline: Curve) -> float:
    """The ratio of the relevant pages of both crawls, over as many pages as both fetched; inf when only the baseline found none."""
    pages = min(focused.pages, baseline.pages)
    ours, theirs = focused.found(pages), baseline.found(pages)
    return ours / theirs if theirs else (math.inf if ours else 1.0)


def table(named: Mapping[str, Curve], step: int = STEP_PAGES) -> list[str]:
    """The lines of a table with the pages fetched, and each crawl's on-topic pages and harvest rate up to there."""
    lines = ["  pages" + "".join(f"{name:>20}" for name in named)]
    for pages in checkpoints(max(one.pages for one in named.values()), step):
        shown = [one if pages - step < one.pages else None for one in named.values()]
        cells = [f"{one.found(pages):>11} {_rate(one, pages):8.1%}" if one else f"{'-':>20}" for one in shown]
        lines.append(f"{pages:>7}" + "".join(cells))
    return lines


def _rate(curve: Curve, pages: int) -> float:
    """The harvest rate over the first `pages`, or over all pages when there are fewer."""
    return curve.found(pages) / max(1, min(pages, curve.pages))


@contextlib.contextmanager
def _bar(name: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, nothing elsewhere. It yields a function that is called with the total so far."""
    with tqdm(total=total, desc=name, unit=" pages", leave=False, disable=None) as bar:
        yield lambda done: bar.update(min(done, total) - bar.n) and None
