"""One crawl without Scrapy: from a leased URL to its page, from the page's links to the queue, to the end of the lease.

    seed        queue the seeds
    next        lease the best URL of a host that is ready, if the rules admit it
    read        make a page of the response; `links_of` returns its links, `item_of` its item
    visit       score the links with the strategy and queue them
    end         log and count the visit, acknowledge the lease
    checkpoint  store what the strategy has learned beside the queue; `close` ends the crawl

Scrapy's scheduler and spiders, replays and `scrapy control` use it; none of them uses strategy or frontier directly.

The conflict at an end: page store and frontier are two files that cannot be committed together, and a process may be killed between any two
steps. So the steps that are harmless when repeated come first: the store and the crawl log, then the acknowledgement, in one transaction
with the page's links (docs/what-survives-a-crash.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from topiccrawler.crawling.admission import (
    PASSED,
    Admission,
    Blocks,
    Decision,
    GateRule,
    Moment,
    blocked,
    by_column,
    redirected,
)
from topiccrawler.crawling.assemble import Parts, content_plan
from topiccrawler.crawling.checkpoints import EVERY_PAGES, LEARNING_SECONDS
from topiccrawler.crawling.contents import (
    ContentPlan,
    facts_in,
    fingerprint_in,
    links_by,
    media_in,
    summary_in,
    words_in,
)
from topiccrawler.crawling.harvest import (
    Estimator,
    HarvestCounter,
    Restrictions,
    Verdict,
    begin_anew,
    of_topic,
    verdict_of,
)
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.revisiting import Due
from topiccrawler.crawling.sharing import SharedQueue
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Leased, Pushed, State
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.items import PageItem
from topiccrawler.links.extract import ContextMaker
from topiccrawler.model import Link, Page, Score, Via, Visit
from topiccrawler.pages.formats.registry import READ, Extract, UnreadableError, recognise
from topiccrawler.pages.metadata import Summariser
from topiccrawler.pages.read import Content, Reader, Reading
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.urls.canonical import canonical, host_of

MOVED = (State.DISCARDED, "redirected")
KNOWN = "redirect to a known page"
NO_PAGE = "redirect to no page"


class Clock:
    """Seconds since the epoch by a clock that never goes back: the time of day is read once, and a monotonic clock counts on from there."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return self._offset + time.monotonic()


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """When a crawl has enough; None = never. Of all its processes together."""

    pages: int | None = None  # fetched
    targets: int | None = None  # kept
    until: float | None = None  # 0..1, promised of the next pages; less = enough


@dataclass(slots=True)
class Fetch:
    """A URL under way, and what is known of its answer."""

    leased: Leased
    decision: Decision = PASSED  # on fetching it
    redirect_targets: list[str] = field(default_factory=list)  # leased along, end with it
    status: int = 0  # of the answer; 0 = none came
    etag: str = ""  # headers of the answer
    modified: str = ""
    page: Page | None = None  # once it is read
    error: str = ""
    due: Due | None = None  # of a page of the job that is looked at again; the frontier knows no such lease

    @property
    def via(self) -> Via:
        """How the page was reached."""
        leased = self.leased
        return Via(leased.link, leased.score, leased.carry, self.decision.tunnel)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a fetch ended."""

    state: State
    reason: str
    is_relevant: bool = False  # its page reached the page threshold, whether it was stored or is a copy
    format: str = ""  # of a page that was kept
    is_copy: bool = False


class Rechecks(Protocol):
    """Pages of the job that are looked at again in this run."""

    @property
    def left(self) -> int:
        """Pages that no look has ended."""

    def ended(self, fetch: Fetch, due: Due, now: float) -> None:
        """Write down what a look has found; the caller commits the files."""

    def lines(self) -> list[str]:
        """For the end of the crawl."""


class Crawl:
    """One crawl under way.

    `files`: of the job; None = nothing is written. `durable`: the frontier outlives the process. `shared`: the queue's contract in a crawl of
    several processes; None = this one is alone. `repeats`: what the sites have written on several pages. `latest`: visits of
    earlier runs, the last of them. `links_kept`: the job's files get each page's links. `listings`, `checkpoint_pages`, `learning_seconds`, `earlier`:
    see crawling.ordering.Ordering.
    """

    def __init__(
        self,
        parts: Parts,
        frontier: Frontier,
        *,
        seeds: Sequence[Link] = (),
        limits: CrawlLimits = CrawlLimits(),
        files: JobFiles | None = None,
        budgets: Budgets | None = None,
        restrictions: Restrictions | None = None,
        shared: SharedQueue | None = None,
        repeats: SiteRepeats | None = None,
        latest: Iterable[Visit] = (),
        earlier: Callable[[], Iterable[Page]] | None = None,
        links_kept: bool = False,
        listings: SiteListings | None = None,
        durable: bool = False,
        checkpoint_pages: int = EVERY_PAGES,
        learning_seconds: float = LEARNING_SECONDS,
    ) -> None:
        self.parts, self.topic, self.strategy = parts, parts.topic, parts.strategy
        self.frontier, self.hosts, self.shared = frontier, frontier.hosts, shared
        self.seeds, self.limits, self._files = list(seeds), limits, files
        self._repeats = repeats
        self.summariser = Summariser(parts.topic.keywords)
        self.restrictions = restrictions or Restrictions(sites=parts.topic.sites)
        self.gate = parts.gate
        self.blocks = Blocks(frontier.notes, None if shared is None else shared.exchange)
        self.admission = Admission([blocked(self.blocks), GateRule(self.gate)])
        self.harvest = HarvestCounter(frontier.notes.get(HarvestCounter.NOTE))
        self.estimator = Estimator(frontier.look(), of_topic(latest, frontier.notes))
        self.rechecks: Rechecks | None = None
        self.clock = Clock()
        self.hosts.worth = parts.strategy.worth
        self.ordering = Ordering(
            parts.strategy,
            frontier,
            budgets,
            expand=parts.expand,
            admission=self.admission,
            refused=None if files is None else files.refused.add,
            shared=shared,
            listings=listings,
            earlier=earlier,
            durable=durable,
            checkpoint_pages=checkpoint_pages,
            learning_seconds=learning_seconds,
        )
        self._links_kept = links_kept

    @property
    def files(self) -> JobFiles:
        """Of the job."""
        if self._files is None:
            raise StateError("this crawl", "writes no files", "give it some")
        return self._files

    @cached_property
    def reader(self) -> Reader:
        """Reads pages as this crawl does."""
        return self.parts.reader(self._repeats)

    # --- which URL is fetched

    def seed(self, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Queue the seeds; a job that goes on knows them."""
        pushed = self.ordering.seed(links, now)
        self.frontier.commit()
        return pushed

    def next(self, now: float, refusals: int = 0) -> Fetch | None:
        """The best URL that may be fetched now. After so many `refusals` (0 = no bound) it is None for this time: `next_ready` says
        whether to ask again."""
        leased = self.ordering.lease(now, refusals)
        return None if leased is None else Fetch(leased, self.ordering.decision)

    def next_ready(self, now: float) -> float | None:
        """When to ask again, on the clock of `now`; None = nothing can be fetched before something changes."""
        return self.ordering.next_ready(now)

    def has_more(self, now: float, under_way: int) -> bool:
        """Something waits that will be fetched, be its host ready or not; `under_way`: fetches here."""
        budgets = self.ordering.budgets
        if self.is_enough(under_way) or not self.ordering.pending():
            return False
        if under_way or budgets is None or not budgets.closed:
            return True
        return self.next_ready(now) is not None  # else budgets hold back all that waits

    def is_enough(self, under_way: int = 0) -> bool:
        """The limits are reached, by all processes of the crawl; `under_way`: fetches here. Each process has a promise of its own."""
        pages, kept = self.harvest.pages, self.harvest.kept
        if self.shared is not None:
            pages, kept, under_way = self.shared.exchange.harvest()
        most, targets = self.limits.pages, self.limits.targets
        reached = (most is not None and pages + under_way >= most) or (
            targets is not None and kept >= targets
        )
        return reached or self.promises_little

    @property
    def promises_little(self) -> bool:
        """Something waits, and the next pages promise less than `until`."""
        until = self.limits.until
        found = None if until is None else self.estimator.estimate()
        if found is None or until is None or found.promise >= until:
            return False
        return self.frontier.look().waiting() > 0

    @property
    def rechecks_left(self) -> int:
        """Pages of the job that are still to be looked at again."""
        return 0 if self.rechecks is None else self.rechecks.left

    def come_back(self, fetch: Fetch, url: str, tunnel: int, now: float) -> str | None:
        """The request of a fetch is to be sent again, or to another URL. A text = it goes no further, for that reason.

        A redirect leads to a URL, perhaps of another host, that may be waiting, under way or done with already. So the target is
        leased along and ends with the fetch; a known one ends it at once. A retry stays where it is. Either way the slot of the
        host is released. `tunnel`: tunnel steps in a row that led to the URL.
        """
        link, target = fetch.leased.link, canonical(url)
        if target is None:
            return NO_PAGE
        moment = Moment.RETRIED
        if target not in (link.url, *fetch.redirect_targets):
            moment = Moment.REDIRECTED
            there = Link(target, host_of(target), link.anchor, depth=link.depth, source_url=link.url)
            score = Score(target, fetch.leased.score, shares=fetch.leased.shares)
            if self.frontier.lease(now, target=(there, score)) is None:
                return KNOWN
            fetch.redirect_targets.append(target)
        self.frontier.release(now, [link.url], slots_only=True)
        decision = self.admission.ask(redirected(link, target), moment, tunnel)
        if decision.passed and decision.reason:
            fetch.decision = replace(fetch.decision, reason=decision.reason)
        return None if decision.passed else decision.reason

    # --- the content of a page

    def reads(self, url: str, body: bytes, content_type: str = "") -> bool:
        """Documents of this answer's format are read in this crawl."""
        form = recognise(body, content_type)
        return form in READ and self.restrictions.reads(url, form)

    def read(
        self,
        url: str,
        body: bytes,
        content_type: str = "",
        charset: str | None = None,
        *,
        content: Content | None = None,
        extract: Extract | UnreadableError | None = None,
        as_utf8: str | None = None,
        **known: Any,
    ) -> Reading | None:
        """The page of an answer; None when documents of its format are not read in this crawl. `content`: what another process read by
        `content_plan`. `extract`, `known`: see pages.read.Reader; `as_utf8`: see text.characters.decode."""
        if not self.reads(url, body, content_type):
            return None
        if content is None:
            content = self.reader.content(
                url, body, charset, content_type=content_type, extract=extract, as_utf8=as_utf8
            )
        return self.reader.reading(content, **known)

    @cached_property
    def content_plan(self) -> ContentPlan:
        """How contents are read; another one once the topic has changed."""
        return content_plan(self.parts, self.reader)

    def links_of(self, reading: Reading, context: ContextMaker | None = None) -> Sequence[Link]:
        """The links of a page, with the `context` that the link model wants."""
        content, plan = reading.content, self.content_plan
        if content.links is not None and context in (None, plan.context):
            return content.links
        return links_by(plan, content, reading.page.depth, context)

    def verdict(self, reading: Reading) -> Verdict:
        """The relevance of a page that is held against the page threshold, and whether the page is kept."""
        return verdict_of(reading.page, reading.words, self.parts, self.reader.page_threshold)

    def item_of(self, reading: Reading, status: int, now: float) -> PageItem:
        """The page as it is kept."""
        page, via = reading.page, reading.page.via
        relevance, is_kept = self.verdict(reading)
        # Only what is kept is looked at further, but for what page classifiers read: most pages leave at the relevance filter.
        facts = facts_in(reading) if is_kept else words_in(reading)
        if is_kept and self._files is not None and (made := fingerprint_in(reading)) is not None:
            self._files.fingerprints.put(reading.main_text, made)
        named = facts.canonical and canonical(facts.canonical, page.url, self.parts.dropped_parameters)
        return PageItem(
            url=page.url,
            title=page.title,
            text=reading.main_text,
            topic=self.parts.topic_of_page(reading.words),
            relevance=relevance,
            is_target=is_kept,
            depth=page.depth,
            source_url=via.link.source_url if via is not None else "",
            anchor=via.link.anchor if via is not None else "",
            score=via.score if via is not None else 0.0,
            encoding=reading.encoding,
            status=status,
            fetched=round(now, 3),
            summary=summary_in(reading, self.summariser) if is_kept else "",
            published=facts.published,
            language=facts.language,
            canonical_url=named if named and named != page.url else "",
            keywords=facts.keywords,
            description=facts.description,
            author=facts.author,
            format=reading.format,
            media=media_in(reading) if is_kept else [],
        )

    def visit(
        self, page: Page, links: Sequence[Link], now: float, fetch: Fetch | None = None
    ) -> Mapping[Pushed, int]:
        """Show a page that was read with all its links to the strategy, and queue what it scores."""
        if fetch is not None:
            fetch.page = page
        if self._links_kept and self._files is not None:
            self._files.outlinks.put(page.url, by_column(links).urls)
        again = fetch is not None and fetch.due is not None
        return (self.ordering.visit_again if again else self.ordering.visit)(page, links, now)

    # --- how a fetch ends, and the crawl

    def end(self, fetch: Fetch, outcome: Outcome, now: float) -> None:
        """Log, count and acknowledge; durable when it returns, but for a shared page store."""
        if fetch.due is not None and self.rechecks is not None:
            self.rechecks.ended(fetch, fetch.due, now)
        if self._files is not None:
            if fetch.due is None:
                self._log(self._files, fetch, outcome, now)
            self._files.commit()
        if fetch.due is None:
            self.estimator.ended(fetch.leased.score, kept=outcome.state is State.COMPLETED)
        if fetch.due is None and fetch.page is not None:
            self._count(outcome)
        left = len(fetch.redirect_targets)
        for (
            target
        ) in fetch.redirect_targets:  # the last of them ends as the fetch does, those before it led on
            left -= 1
            self.ordering.end(target, *(MOVED if left else (outcome.state, outcome.reason)), now)
        if fetch.due is None:
            ended = MOVED if fetch.redirect_targets else (outcome.state, outcome.reason)
            self.ordering.end(fetch.leased.link.url, *ended, now, fetched=fetch.status > 0)
        self.frontier.commit()

    def _log(self, files: JobFiles, fetch: Fetch, outcome: Outcome, now: float) -> None:
        leased, link, kept = fetch.leased, fetch.leased.link, outcome.state is State.COMPLETED
        moved = fetch.redirect_targets
        visit = Visit(
            moved[-1] if moved else link.url,
            fetch.status,
            leased.score,
            fetch.page.relevance if fetch.page is not None else 0.0,
            kept,
            round(now, 3),
            source_url=link.url if moved else link.source_url,
            anchor=link.anchor,
            shares=self.strategy.shares(link, leased.score, leased.shares),
            gate=fetch.decision.reason,
            etag=fetch.etag,
            modified=fetch.modified,
        )
        files.visits.append(visit)
        if kept and self.rechecks is not None:
            files.checks.led_to(link.source_url)

    def _count(self, outcome: Outcome) -> None:
        kept = outcome.state is State.COMPLETED
        self.harvest.add(kept=kept, relevant=outcome.is_relevant, format=outcome.format, copy=outcome.is_copy)
        self.frontier.notes.put(HarvestCounter.NOTE, self.harvest.note())
        if self.shared is not None:
            self.shared.exchange.count(kept=kept)

    def release(self, fetches: Iterable[Fetch], now: float) -> None:
        """Put fetches that will not end back to waiting; what is known of the others is durable."""
        if self._files is not None:
            self._files.commit()
        urls = [url for fetch in fetches for url in (fetch.leased.link.url, *fetch.redirect_targets)]
        self.frontier.release(now, urls)

    def checkpoint(self) -> None:
        """Keep what the strategy has learned, durably."""
        self.ordering.checkpoint()
        self.frontier.commit()

    def close(self) -> None:
        """Keep all there is and let go of the files; a later crawl goes on from there."""
        self.ordering.checkpoint()
        self.frontier.close()
        if self._files is not None:
            self._files.close()

    def abandon(self) -> None:
        """Let go of the files without writing to any: one of them is broken."""
        self.frontier.close(commit=False)
        if self._files is not None:
            self._files.abandon()

    def change_topic(self, parts: Parts, now: float, *, is_same: bool = False) -> None:
        """Go on for another topic, of which nothing is learned yet but what the strategy has loaded; what waits keeps its scores (`rescore`
        of the frontier). `is_same`: as it was taught, so that what was read and kept before still counts."""
        self.parts, self.topic, self.strategy = parts, parts.topic, parts.strategy
        threshold = self.reader.page_threshold
        self.reader, self.summariser = parts.reader(self._repeats), Summariser(parts.topic.keywords)
        if is_same:
            self.reader.page_threshold = threshold
        self.content_plan = content_plan(parts, self.reader)
        gate, new = self.gate, parts.gate  # rules hold it
        gate.scorer, gate.threshold = new.scorer, new.threshold
        gate.tunnel_probability, gate.tunnel_depth = new.tunnel_probability, new.tunnel_depth
        self.hosts.worth = parts.strategy.worth
        self.restrictions = replace(self.restrictions, sites=parts.topic.sites)
        self.ordering.change_strategy(parts.strategy, parts.expand)
        notes = self.frontier.notes
        if not is_same:
            begin_anew(notes, now)
            self.estimator.forget()
        if self._files is not None:
            self._files.segmenter = parts.segmenter
            self._files.keep_recipe(
                parts.record(), parts.topic.name
            )  # the job is one for this topic from now on
