"""Replays one strategy's crawl over a recorded web, with the crawl's own Crawl and frontier. It is reproducible bit by bit.

Only the engine is replaced: no network, no delays between requests to a host, and the clock counts pages. As many requests are in
flight as in a live crawl, and responses arrive in the order of the requests, so a strategy learns from each page as late as in a live
crawl. Responses of a live crawl arrive a little sooner or later, which may change its order: further runs of `--repeat` draw random delays.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from pathlib import Path

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.crawl import Crawl, Fetch, Outcome
from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.lab.configurations import parts_of
from topiccrawler.lab.cost import Cost, Meter, memory_mb
from topiccrawler.lab.parsed_pages import ParsedPages, Reading
from topiccrawler.model import Link, Page, Via
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.relevance.evidence import EvidenceClassifier, Found

MEMORY_STEP = 250  # pages between two measurements of the memory


CONCURRENCY = 16  # requests in flight, replayed and live; Scrapy's own default


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


def crawl(run: Run) -> Crawled:
    """Run one crawl in this process, and measure its cost."""
    parts = parts_of(run.recipe, run.spec, run.seed)
    with Meter() as meter, closing(ParsedPages(run.parsed)) as parsed:
        meter.watch(parts.strategy)
        return ReplayedCrawl(run, parts, parsed, meter.cost).go()


class ReplayedCrawl:
    """One crawl in progress. `most`: the number of pages after which it stops; `go_on` resumes it when that was raised."""

    def __init__(self, run: Run, parts: Parts, parsed: ParsedPages, cost: Cost) -> None:
        self.run, self.parsed, self.cost = run, parsed, cost
        self.most = run.pages
        self.found = Crawled(cost=cost)
        self.repeats = SiteRepeats()
        hosts = Hosts(concurrency=run.concurrency)  # for one host too: a recording needs no politeness
        self.frontier = MemoryFrontier(hosts)
        self.use(parts)
        self.draw = random.Random(run.seed)
        # priority queue of (arrival time in pages leased, page number, lease)
        self.under_way: list[tuple[float, int, Fetch]] = []

    def use(self, parts: Parts) -> None:
        """Use the strategy of these parts for the queue from now on."""
        self.parts = parts
        listings = SiteListings(
            self.frontier.notes, sitemaps=self._sitemaps, held=self.parsed.numbers.__contains__
        )
        self.crawl = Crawl(parts, self.frontier, listings=listings if parts.recipe.listings else None)
        self.crawl.admission.refused = self._refused

    def go(self) -> Crawled:
        """Crawl from the seeds until the limit."""
        self.crawl.seed([self.parsed.seed(number) for number in self.run.seeds], 0.0)
        return self.go_on()

    def go_on(self) -> Crawled:
        """Resume the crawl until the limit."""
        self._ask()
        while self.under_way:
            _, number, fetch = heappop(self.under_way)
            self._visit(number, fetch)
            self._ask()
        return self.found

    def page(self, number: int, reading: Reading, via: Via) -> Page:
        """The page with its relevance; segments that the site repeated on pages read before are left out, as in a live crawl."""
        page = self.parsed.page(number, reading, self.run.topic, via)
        found, classifier = reading.judged[self.run.topic].found, self.parts.page_classifier
        if found is None or not isinstance(classifier, EvidenceClassifier):
            return page
        segments = [Found(*one) for one in found]
        keys = [(one.kind, one.key) for one in segments]
        repeated = self.repeats.of(self.parsed.hosts[number], page.url, keys)
        own = [one for one, is_repeat in zip(segments, repeated, strict=True) if not is_repeat]
        relevance = classifier.relevance_of(own, page.similarity)
        return replace(page, relevance=relevance, is_target=relevance >= classifier.threshold)

    def _ask(self) -> None:
        """Lease URLs until enough requests are in flight."""
        order = self.found.order
        while len(self.under_way) < self.run.concurrency and len(order) < self.most:
            fetch = self.crawl.next(float(len(order)))
            if fetch is None:
                return
            if not (decision := self.crawl.ask(fetch)).passed:
                self.found.refused += 1
                self.crawl.refuse(fetch, decision.reason, float(len(order)))
                continue
            self.found.tunnels += bool(fetch.decision.tunnel)
            order.append(self.parsed.numbers[fetch.leased.link.url])
            if len(order) % MEMORY_STEP == 0:
                self.found.memory[len(order)] = memory_mb("self")
            heappush(self.under_way, (len(order) + self._late(), order[-1], fetch))

    def _late(self) -> float:
        """The random delay of a response, in pages; 0 for the first random seed."""
        concurrency = self.run.concurrency
        return self.draw.uniform(0.0, concurrency) if self.run.seed and concurrency > 1 else 0.0

    def _visit(self, number: int, fetch: Fetch) -> None:
        now = float(len(self.found.order))
        reading = self.parsed.read(number)
        if reading is None:
            self.crawl.end(fetch, Outcome(State.DISCARDED, "no page to read"), now)
            return
        page = self.page(number, reading, fetch.via)
        # whether a crawl would keep the page; the store, which detects copies, is not replayed
        self.found.verdicts[number] = self.crawl.filter.verdict(None, page.relevance)
        links = self.parsed.links(reading, page, self.parts.context)
        self.crawl.visit(page, links, now, fetch)
        self.cost.most_queued = max(self.cost.most_queued, self.frontier.look().waiting())
        state, reason = (State.COMPLETED, "") if page.is_target else (State.DISCARDED, "below page threshold")
        self.crawl.end(fetch, Outcome(state, reason, is_relevant=page.is_target), now)

    def _sitemaps(self, root: str) -> Sequence[str]:
        """The sitemaps that the recorded robots.txt of a host lists."""
        number = self.parsed.numbers.get(f"{root}/robots.txt")
        reading = None if number is None else self.parsed.read(number)
        return () if reading is None else reading.page["listings"]

    def _refused(self, _: str, links: Sequence[Link]) -> None:
        self.found.refused += len(links)
