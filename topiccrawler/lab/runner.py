"""Runs the crawls of a comparison, each from a `Run`: replayed in a worker process, or live by `scrapy crawl topic` in a process of its own.

A replay uses the crawl's own Crawl and frontier, and is reproducible bit by bit. Only the engine is replaced: no network, no delays between
requests to a host, and the clock counts pages. As many requests are in flight as in a live crawl, and responses arrive in the order of the
requests, so a strategy learns from each page as late as in a live crawl. Further runs of `--repeat` draw random delays.

A live crawl gets the arguments of the replay. REPLAY_WARC replaces the network, and the crawl log records what was fetched. With
REPLAY_PACED responses arrive in the order of the requests, so repeats fetch the same pages; memory and seconds differ.

`Cost` is not reproducible. Peak memory is that of the process. On Linux it is reset before a replay; elsewhere it includes earlier runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

from topiccrawler.crawling.assemble import Parts, topic_of
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.fetch import Fetch, Outcome
from topiccrawler.crawling.job_topic import TOPIC, as_toml
from topiccrawler.crawling.launching import crawl_line, failure, start_scrapy
from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.crawling.page_stores import number_of_visits, open_pages, visits_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.lab.configurations import name_of, parameters_of, parts_of, pruned
from topiccrawler.lab.parsed_pages import Bar, ParsedPages, Reading, page_of
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.strategies.base import Strategy
from topiccrawler.text.engines import choice

CONCURRENCY = 16  # requests in flight, replayed and live; Scrapy's own default
MEMORY_STEP = 250  # pages between two measurements of the memory
POLL_SECONDS = 0.2
PEAK_MARK = "5"  # for clear_refs, see proc(5): resets the peak to the present usage
RECORDED_LINKS = {"topiccrawler.engine.archives.RecordedLinksMiddleware": 1200}
BUDGETS = (
    *("FRONTIER_HOST_PAGES", "FRONTIER_DOMAIN_PAGES", "FRONTIER_UNPROVEN_PAGES", "FRONTIER_FAIR_SHARES"),
    *("FRONTIER_HOST_UNPRODUCTIVE_PAGES", "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES"),
)
JOB = "job"


@dataclass(frozen=True, slots=True)
class Run:
    """The description of one crawl, in plain values, because it is sent to another process."""

    recipe: Recipe  # of the topic
    spec: str
    seeds: tuple[int, ...]  # page numbers
    pages: int
    parsed: Path  # the file of ParsedPages
    topic: int = 0  # number of the topic in that file
    seed: int = 0  # random seed of the strategy; from 1 on also of the delays of responses
    concurrency: int = CONCURRENCY


@dataclass(slots=True)
class Cost:
    """The costs of one run, filled in while it is running."""

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    refreshes: int = 0
    refresh_seconds: float = 0.0
    longest_refresh_seconds: float = 0.0
    most_queued: int = 0


@dataclass(slots=True)
class Crawled:
    """The results of one crawl."""

    order: list[int] = field(default_factory=list)  # page numbers, in order of fetching
    refused: int = 0  # links that the gate refused
    tunnels: int = 0  # links that the gate admitted as tunnel steps
    no_page: dict[str, int] = field(default_factory=dict)  # responses that are no page, by status (live only)
    verdicts: dict[int, Verdict] = field(default_factory=dict)  # on the pages that could be read
    # memory of the process in MB by pages fetched, every MEMORY_STEP
    memory: dict[int, float] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)


Do = Callable[[Sequence[Run]], Iterable[Crawled]]  # executes runs; yields the result of each, in order


def run_repeats(runs: Sequence[Run], repeat: int, do: Do, bar: Bar, *, always: bool) -> list[list[Crawled]]:
    """For each run its crawls with the random seeds 0, 1, …; a strategy that crawls in the same order with the seeds 0 and 1 is
    deterministic and is not run again, unless `always` (live crawls always differ)."""
    found: list[list[Crawled]] = [[] for _ in runs]
    again = list(range(len(runs)))
    for seeds in (range(1), range(1, min(repeat, 2)), range(2, repeat)):
        todo = [(number, replace(runs[number], seed=seed)) for number in again for seed in seeds]
        if not todo:
            break
        with bar("crawling", len(todo)) as tick:
            for (number, run), crawled in zip(todo, do([run for _, run in todo]), strict=True):
                if always or run.seed != 1 or crawled.order != found[number][0].order:
                    found[number].append(crawled)
                tick(1)
        again = [number for number in again if len(found[number]) > 1 or not seeds.start]
    return found


def replay(run: Run) -> Crawled:
    """Replay one crawl in this process, and measure its cost."""
    parts = parts_of(run.recipe, run.spec, run.seed)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text(PEAK_MARK)
    cpu, wall = time.process_time(), time.perf_counter()
    with closing(ParsedPages(run.parsed)) as parsed:
        crawl = ReplayedCrawl(run, parts, parsed)
        cost = crawl.found.cost
        watch_refreshes(parts.strategy, cost)
        found = crawl.go()
    cost.cpu_seconds, cost.wall_seconds = time.process_time() - cpu, time.perf_counter() - wall
    cost.peak_memory_mb = _peak_mb()
    return found


class ReplayedCrawl:
    """One replayed crawl in progress."""

    def __init__(self, run: Run, parts: Parts, parsed: ParsedPages) -> None:
        self.run, self.parts, self.parsed = run, parts, parsed
        self.found = Crawled()
        self.repeats = SiteRepeats()
        hosts = Hosts(concurrency=run.concurrency)  # for one host too: a recording needs no politeness
        self.frontier = MemoryFrontier(hosts)
        listings = SiteListings(
            self.frontier.notes, sitemaps=self._sitemaps, held=parsed.numbers.__contains__
        )
        self.crawl = Crawl(parts, self.frontier, listings=listings if parts.recipe.listings else None)
        self.crawl.admission.refused = self._refused
        self.draw = random.Random(run.seed)
        # priority queue of (arrival time in pages leased, page number, lease)
        self.under_way: list[tuple[float, int, Fetch]] = []

    def go(self) -> Crawled:
        """Crawl from the seeds until the limit."""
        self.crawl.seed([Link(self.parsed.urls[at], self.parsed.hosts[at]) for at in self.run.seeds], 0.0)
        self._ask()
        while self.under_way:
            _, number, fetch = heappop(self.under_way)
            self._visit(number, fetch)
            self._ask()
        return self.found

    def page(self, number: int, reading: Reading, via: Via) -> Page:
        """The page with its relevance; segments that the site repeated on pages read before are left out, as in a live crawl."""
        page = page_of(reading, self.run.topic, via)
        found, classifier = reading.judged[self.run.topic].found, self.parts.page_classifier
        if found is None or not isinstance(classifier, EvidenceClassifier):
            return page
        keys = [(one.kind, one.key) for one in found]
        repeated = self.repeats.of(self.parsed.hosts[number], page.url, keys)
        own = [one for one, is_repeat in zip(found, repeated, strict=True) if not is_repeat]
        relevance = classifier.relevance_of(own, page.similarity)
        return replace(page, relevance=relevance, is_target=relevance >= classifier.threshold)

    def _ask(self) -> None:
        """Lease URLs until enough requests are in flight."""
        order, concurrency = self.found.order, self.run.concurrency
        while len(self.under_way) < concurrency and len(order) < self.run.pages:
            fetch = self.crawl.next(float(len(order)))
            if fetch is None:
                return
            if not (decision := self.crawl.ask(fetch)).passed:
                self.found.refused += 1
                self.crawl.refuse(fetch, decision.reason, float(len(order)))
                continue
            self.found.tunnels += bool(decision.tunnel)
            order.append(self.parsed.numbers[fetch.leased.link.url])
            if len(order) % MEMORY_STEP == 0:
                self.found.memory[len(order)] = memory_mb("self")
            # a random delay of the response, in pages; none for the first random seed
            late = self.draw.uniform(0.0, concurrency) if self.run.seed and concurrency > 1 else 0.0
            heappush(self.under_way, (len(order) + late, order[-1], fetch))

    def _visit(self, number: int, fetch: Fetch) -> None:
        now = float(len(self.found.order))
        reading = self.parsed.read(number)
        if reading is None:
            self.crawl.end(fetch, Outcome(State.DISCARDED, "no page to read"), now)
            return
        page = self.page(number, reading, fetch.via)
        # whether a crawl would keep the page; the store, which detects copies, is not replayed
        self.found.verdicts[number] = self.crawl.filter.verdict(None, page.relevance)
        links = [link._replace(depth=page.depth + 1) for link in reading.links[self.parts.context]]
        self.crawl.visit(page, links, now, fetch)
        cost = self.found.cost
        cost.most_queued = max(cost.most_queued, self.frontier.look().waiting())
        state, reason = (State.COMPLETED, "") if page.is_target else (State.DISCARDED, "below page threshold")
        self.crawl.end(fetch, Outcome(state, reason, is_relevant=page.is_target), now)

    def _sitemaps(self, root: str) -> Sequence[str]:
        """The sitemaps that the recorded robots.txt of a host lists."""
        number = self.parsed.numbers.get(f"{root}/robots.txt")
        reading = None if number is None else self.parsed.read(number)
        return () if reading is None else reading.page.listings

    def _refused(self, _: str, links: Sequence[Link]) -> None:
        self.found.refused += len(links)


def watch_refreshes(strategy: Strategy, cost: Cost) -> None:
    """Measure the time of the strategy's refreshes from now on, including refreshes that run in slices."""
    refresh = strategy.refresh

    def watched(queued: Iterable[Link]) -> Iterator[Score]:
        began = time.perf_counter()
        scores = iter(refresh(queued))
        spent = time.perf_counter() - began
        cost.refreshes += 1
        try:
            while True:
                began = time.perf_counter()
                score = next(scores, None)
                spent += time.perf_counter() - began
                if score is None:
                    return
                yield score
        finally:
            cost.refresh_seconds += spent
            cost.longest_refresh_seconds = max(cost.longest_refresh_seconds, spent)

    strategy.__dict__["refresh"] = watched  # on this object only


def memory_mb(process: int | str) -> float:
    """The resident memory of a process in MB; 0 when it cannot be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    return 0.0


def _peak_mb() -> float:
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 / (1024 if sys.platform == "darwin" else 1)


class LiveJob(NamedTuple):
    """A crawl that has run in a process of its own."""

    folder: Path  # of the job
    memory: dict[int, float]  # of the process in MB by pages in the crawl log, every MEMORY_STEP
    cost: Cost


def crawl_job(
    what: str,
    arguments: Mapping[str, object],
    settings: Mapping[str, object],
    folder: Path,
    environment: Mapping[str, str] = os.environ,
    running: list[subprocess.Popen[bytes]] | None = None,
) -> LiveJob:
    """Run `scrapy crawl topic` with its job and its log.txt below `folder`. `what`: the name of the crawl in the message of its failure.
    `running`: has the process as long as it runs."""
    log, job, memory, running = (
        folder / "log.txt",
        folder / JOB,
        dict[int, float](),
        [] if running is None else running,
    )
    own, began = {"TOPIC_DATA_DIR": folder, "TOPIC_JOB": JOB}, time.perf_counter()
    with log.open("wb") as output:
        process = start_scrapy(crawl_line(arguments, {**settings, **own}), output, environment)
        running.append(process)
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            pages = number_of_visits(job) // MEMORY_STEP * MEMORY_STEP
            if pages and pages not in memory:
                memory[pages] = memory_mb(process.pid)
            time.sleep(POLL_SECONDS)
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        running.remove(process)
    if process.returncode or not number_of_visits(job):
        raise failure(what, process.returncode, log)
    cpu, wall = ended[2].ru_utime + ended[2].ru_stime, time.perf_counter() - began
    return LiveJob(job, memory, Cost(cpu, wall, ended[2].ru_maxrss / 1024))


@dataclass(slots=True)
class LiveCrawls:
    """Runs live crawls in parallel, each with a folder of its own."""

    web: Sequence[Path]
    pages: RecordedPages
    folder: Path
    jobs: int
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, runs: Sequence[Run]) -> Iterator[Crawled]:
        """The result of each run, in order. When one fails, the others are ended."""
        with ThreadPoolExecutor(self.jobs) as threads:
            try:
                yield from threads.map(self._crawl, runs)
            finally:
                threads.shutdown(wait=False, cancel_futures=True)
                for process in self._running:
                    process.terminate()

    def _crawl(self, run: Run) -> Crawled:
        folder = self.folder / run.recipe.topic.replace("/", "_") / f"{run.spec.replace('/', '_')}-{run.seed}"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / JOB, ignore_errors=True)  # of an earlier comparison
        seeds = folder / "seeds.txt"
        lines = [self.pages.urls[number] for number in run.seeds]
        lines += [f"-{url}" for url in run.recipe.off_topic]
        seeds.write_text("\n".join(lines) + "\n", encoding="utf-8")
        configured = self.arguments(run, seeds, folder)
        job, memory, cost = crawl_job(
            f"live crawl with {run.spec}", *configured, folder, running=self._running
        )
        found = fetched(job, self.pages, run.pages)
        found.memory, found.cost = memory, cost
        for url, verdict in job_verdicts(job).items():
            if (number := self.pages.number_of_any(url)) is not None:
                found.verdicts[number] = verdict
        return found

    def arguments(self, run: Run, seeds: Path, folder: Path) -> tuple[dict[str, object], dict[str, object]]:
        """The arguments and the settings of a crawl."""
        recipe = pruned(run.recipe, run.spec)
        topic = recipe.topic
        if recipe is not run.recipe:
            topic = str(folder / TOPIC)
            Path(topic).write_text(as_toml(topic_of(recipe)), encoding="utf-8")
        settings = {
            "REPLAY_WARC": ",".join(map(str, self.web)),
            "REPLAY_PACED": True,
            "SPIDER_MIDDLEWARES": json.dumps(RECORDED_LINKS),
            "CONCURRENT_REQUESTS": run.concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": run.concurrency,  # a recording needs no politeness
            "STORE_URL": "",  # pages of a comparison do not belong in a shared database
            "TOPIC_SEED": run.seed,
            "TOPIC_LINK_MODELS": recipe.link_models,
            "TOPIC_LINK_THRESHOLD": recipe.link_threshold if recipe.prune else 0,
            "TOPIC_PAGE_CLASSIFIER": recipe.page_classifier,
            "TOPIC_PAGE_CLASSIFIER_MODELS": recipe.page_classifier_models,
            "TOPIC_SEGMENTER": choice(),
            "TOPIC_THESAURUS": recipe.thesaurus,
            "TOPIC_EXPAND": recipe.expand,
            "TOPIC_LISTINGS": recipe.listings,
            # budgets prune too, and a replay has none
            **(dict.fromkeys(BUDGETS, 0) if not recipe.prune else {}),
        }
        given = {"topic": topic, "strategy": name_of(run.spec), "seeds": seeds, "pages": run.pages}
        given |= {f"strategy_{key}": value for key, value in parameters_of(run.spec).items()}
        return given, {name: value for name, value in settings.items() if value is not None}


def fetched(job: Path, pages: RecordedPages, limit: int) -> Crawled:
    """The pages of a crawl log in order, each once, `limit` at most; responses without a page of the web are counted by status."""
    order: dict[int, None] = {}
    no_page: Counter[str] = Counter()
    for visit in visits_of(job):
        number = pages.number_of_any(visit.url) if visit.status == 200 else None
        if number is None:
            no_page[str(visit.status)] += 1
        else:
            order[number] = None
    return Crawled(order=list(order)[:limit], no_page=dict(sorted(no_page.items())))


def job_verdicts(job: Path) -> dict[str, Verdict]:
    """The verdicts on the pages of a crawl, by URL; an alias of another page counts as not kept."""
    found = {visit.url: Verdict(visit.relevance, is_kept=False) for visit in visits_of(job) if visit.is_page}
    with closing(open_pages(job)) as store:
        for record in store.records():
            found[record.url] = Verdict(record.relevance, record.stored and not record.alias_of)
    return found
