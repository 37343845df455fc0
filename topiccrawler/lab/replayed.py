"""One strategy's crawl over a recorded web, by the crawl's own Crawl and frontier. It repeats to the bit.

Only the engine is gone: no network, no delays between requests to a host, the clock counts pages. As many pages are under
way as in a live crawl, and come back in the order in which they were asked for, so a strategy learns from each page as late as
there. Pages of a live crawl come back a little sooner or later, which may change its order: further runs of `--repeat` draw that.

What a run cost: processor time, memory, and the time that went into refreshing the queue. It never repeats to the bit.

Peak memory is the process's; on Linux its mark is set back before a run, elsewhere it is that of all runs before it too.

The strategies of a comparison, from what a user writes, NAME or NAME:key=value:key=value, to one that is ready to crawl. Two keys are the
topic's: `breadth` (broad, normal, specific) and `tunnels` (its tunnel probability) prune that run alone, with the gate open for the others.
"""

from __future__ import annotations

import contextlib
import random
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from pathlib import Path
from typing import Self

from topiccrawler.crawling import assemble
from topiccrawler.crawling.assemble import PLAIN_CONTEXT, Parts
from topiccrawler.crawling.crawl import Crawl, Fetch, Outcome
from topiccrawler.crawling.harvest import Verdict, verdict_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.errors import CrawlerError, ModelError, StrategyError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.lab.recorded_web import ParsedPages, Reading
from topiccrawler.links.extract import ContextMaker
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.relevance.evidence import EvidenceClassifier, Found
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Strategy
from topiccrawler.topics.topic import make_topic

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_PEAK_MARK = "5"  # see proc(5): sets the peak back to what is used now


@dataclass(slots=True)
class Cost:
    """Filled while a run goes on."""

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    refreshes: int = 0
    refresh_seconds: float = 0.0
    longest_refresh_seconds: float = 0.0
    most_queued: int = 0


class Meter:
    """`with Meter() as meter: …` fills `meter.cost`."""

    def __init__(self) -> None:
        self.cost = Cost()

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):
            _CLEAR.write_text(_PEAK_MARK)
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *failure: object) -> None:
        self.cost.cpu_seconds = time.process_time() - self._cpu
        self.cost.wall_seconds = time.perf_counter() - self._wall
        self.cost.peak_memory_mb = _peak_mb()

    def watch(self, strategy: Strategy) -> None:
        """From now on take the time of the strategy's refreshes; they may come in slices."""
        refresh = strategy.refresh

        def watched(queued: Iterable[Link]) -> Iterator[Score]:
            began = time.perf_counter()
            scores = iter(refresh(queued))
            spent = time.perf_counter() - began
            self.cost.refreshes += 1
            try:
                while True:
                    began = time.perf_counter()
                    score = next(scores, None)
                    spent += time.perf_counter() - began
                    if score is None:
                        return
                    yield score
            finally:
                self.cost.refresh_seconds += spent
                self.cost.longest_refresh_seconds = max(self.cost.longest_refresh_seconds, spent)

        strategy.__dict__["refresh"] = watched  # on this object only


MEMORY_STEP = 250  # pages between two looks at the memory


def memory_mb(process: int | str) -> float:
    """What it holds now; 0 when that cannot be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    return 0.0


def _peak_mb() -> float:
    with contextlib.suppress(OSError, ValueError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 / (1024 if sys.platform == "darwin" else 1)


ALL = "all"
PRUNING = {"breadth": "breadth", "tunnels": "tunnel_probability"}  # in a spec -> of the topic


@dataclass(slots=True)
class Configurations:
    """Who runs, and who cannot and why."""

    specs: list[str] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)


def named(text: str) -> list[str]:
    """The strategies a user wrote, separated by commas; `all` stands for every registered one."""
    specs: list[str] = []
    for spec in filter(None, (part.strip() for part in text.split(","))):
        specs += list(STRATEGIES) if spec == ALL else [spec]
    if not specs:
        raise StrategyError("--strategies", "names none", f"give {ALL}, or some of: {', '.join(STRATEGIES)}")
    return list(dict.fromkeys(specs))


def strategy_of(spec: str) -> Strategy:
    """Build from NAME or NAME:key=value:…"""
    return build(name_of(spec), parameters_of(spec))


def name_of(spec: str) -> str:
    """The registered name."""
    return spec.split(":", maxsplit=1)[0]


def parameters_of(spec: str) -> dict[str, str]:
    """The strategy's parameters, as text."""
    return {key: value for key, value in _written(spec).items() if key not in PRUNING}


def pruned(recipe: Recipe, spec: str) -> Recipe:
    """The recipe with the breadth and the tunnels that the strategy is written with; TopicError for a wrong one."""
    given = {PRUNING[key]: value for key, value in _written(spec).items() if key in PRUNING}
    if not given:
        return recipe
    topic = make_topic({**assemble.topic_of(recipe).model_dump(), **given}, f"strategy {spec}")
    return replace(recipe, prune=True, topic_fields=topic.model_dump(mode="json"))


def _written(spec: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in spec.split(":")[1:]:
        key, equals, value = part.partition("=")
        if not equals:
            raise StrategyError(f"strategy {spec!r}", f"{part!r} is no parameter", "write NAME:key=value")
        parameters[key.strip()] = value.strip()
    return parameters


def build_all(recipe: Recipe, specs: Sequence[str], *, forgiving: Sequence[str] = ()) -> Configurations:
    """Build each once. One among `forgiving` that cannot be built is absent; another one's error goes up."""
    found = Configurations()
    for spec in specs:
        strategy_of(spec)
        try:
            parts_of(recipe, spec)
        except CrawlerError as fault:
            if spec not in forgiving:
                raise
            found.absent[spec] = str(fault)
        else:
            found.specs.append(spec)
    return found


def parts_of(recipe: Recipe, spec: str, seed: int = 0) -> Parts:
    """The crawl's parts with that strategy; a topic's link model is loaded once in a process."""
    ready = replace(pruned(recipe, spec), strategy=name_of(spec), parameters=parameters_of(spec), seed=seed)
    model = _model(recipe.topic, recipe.link_models) if assemble.needs_link_model(ready) else None
    return assemble.assemble(ready, model)


def contexts_of(recipe: Recipe) -> list[ContextMaker]:
    """All context makers a topic may need."""
    try:
        return list(dict.fromkeys((PLAIN_CONTEXT, _model(recipe.topic, recipe.link_models).context)))
    except ModelError:
        return [PLAIN_CONTEXT]


@lru_cache(maxsize=4)
def _model(topic: str, models: str | None) -> assemble.LinkModel:
    recipe = Recipe(topic, link_models=models)
    return assemble.link_model_of(recipe)


CONCURRENCY = 16  # pages under way at once, replayed and live; Scrapy's own default


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl to do. Plain values: it goes to another process."""

    recipe: Recipe  # of the topic
    spec: str
    seeds: tuple[int, ...]  # page numbers
    pages: int
    parsed: Path  # the file of ParsedPages
    topic: int = 0  # which of the page classifiers in that file
    seed: int = 0  # for strategies that draw lots; from 1 on also for when pages come back
    concurrency: int = CONCURRENCY


@dataclass(slots=True)
class Crawled:
    """What it did."""

    order: list[int] = field(default_factory=list)  # page numbers, first to last
    refused: int = 0  # links the gate refused
    tunnels: int = 0  # links it gave a second chance
    no_page: dict[str, int] = field(default_factory=dict)  # what was asked for and is no page (live only)
    verdicts: dict[int, Verdict] = field(default_factory=dict)  # of the pages that could be read
    # MB of the process by pages fetched, every MEMORY_STEP
    memory: dict[int, float] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)


def crawl(run: Run) -> Crawled:
    """Do it."""
    parts = parts_of(run.recipe, run.spec, run.seed)
    with Meter() as meter, closing(ParsedPages(run.parsed)) as parsed:
        meter.watch(parts.strategy)
        return ReplayedCrawl(run, parts, parsed, meter.cost).go()


class ReplayedCrawl:
    """One crawl under way. `most`: pages after which it stops; `go_on` goes on when that was raised."""

    def __init__(self, run: Run, parts: Parts, parsed: ParsedPages, cost: Cost) -> None:
        self.run, self.parsed, self.cost = run, parsed, cost
        self.most = run.pages
        self.found = Crawled(cost=cost)
        self.repeats = SiteRepeats()
        hosts = Hosts(concurrency=run.concurrency)  # to one host too: a recording needs no politeness
        self.frontier = MemoryFrontier(hosts)
        self.use(parts)
        self.draw = random.Random(run.seed)
        # when it comes back, in pages leased; its number; what is known of it
        self.under_way: list[tuple[float, int, Fetch]] = []

    def use(self, parts: Parts) -> None:
        """From now on order what waits by the strategy of these parts."""
        self.parts = parts
        after = parts.recipe.listings_after
        listings = SiteListings(self.frontier.notes, after, self._sitemaps, self.parsed.numbers.__contains__)
        self.crawl = Crawl(parts, self.frontier, listings=listings if after else None)
        self.crawl.admission.refused = self._refused

    def go(self) -> Crawled:
        """From the seeds on."""
        self.crawl.seed([self.parsed.seed(number) for number in self.run.seeds], 0.0)
        return self.go_on()

    def go_on(self) -> Crawled:
        """From where it stands."""
        self._ask()
        while self.under_way:
            _, number, fetch = heappop(self.under_way)
            self._visit(number, fetch)
            self._ask()
        return self.found

    def page(self, number: int, reading: Reading, via: Via) -> Page:
        """The page as its page classifier sees it, which knows what the site wrote on the pages read before it."""
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
        """Lease pages until enough are under way."""
        order = self.found.order
        while len(self.under_way) < self.run.concurrency and len(order) < self.most:
            fetch = self.crawl.next(float(len(order)))
            if fetch is None:
                return
            self.found.tunnels += bool(fetch.decision.tunnel)
            order.append(self.parsed.numbers[fetch.leased.link.url])
            if len(order) % MEMORY_STEP == 0:
                self.found.memory[len(order)] = memory_mb("self")
            heappush(self.under_way, (len(order) + self._late(), order[-1], fetch))

    def _late(self) -> float:
        """How many pages later than asked for a page comes back."""
        concurrency = self.run.concurrency
        return self.draw.uniform(0.0, concurrency) if self.run.seed and concurrency > 1 else 0.0

    def _visit(self, number: int, fetch: Fetch) -> None:
        now = float(len(self.found.order))
        reading = self.parsed.read(number)
        if reading is None:
            self.crawl.end(fetch, Outcome(State.DISCARDED, "no page to read"), now)
            return
        page = self.page(number, reading, fetch.via)
        # whether a crawl would keep it; its store, which tells copies, is not replayed
        threshold = self.parts.page_classifier.threshold
        self.found.verdicts[number] = verdict_of(page, None, self.parts, threshold)
        links = self.parsed.links(reading, page, self.parts.context)
        self.crawl.visit(page, links, now, fetch)
        self.cost.most_queued = max(self.cost.most_queued, self.frontier.look().waiting())
        state, reason = (State.COMPLETED, "") if page.is_target else (State.DISCARDED, "below page threshold")
        self.crawl.end(fetch, Outcome(state, reason, is_relevant=page.is_target), now)

    def _sitemaps(self, root: str) -> Sequence[str]:
        """What the recorded robots.txt of a host says."""
        number = self.parsed.numbers.get(f"{root}/robots.txt")
        reading = None if number is None else self.parsed.read(number)
        return () if reading is None else reading.page["listings"]

    def _refused(self, _: str, links: Sequence[Link]) -> None:
        self.found.refused += len(links)
