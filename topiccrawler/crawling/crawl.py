"""Runs one crawl without Scrapy: leases a URL, reads its page, queues the page's links and ends the lease.

`Crawl` has one method for each step:

    seed        queue the seeds
    next        lease the best URL of a host that is ready, if the rules admit it
    ask         ask the link gate again, just before the request is sent; `refuse` ends a fetch that it refuses
    read        make a page of the response; `links_of` returns its links, `items` its item
    visit       score the links with the strategy and queue them
    end         log and count the visit, acknowledge the lease
    fail        set the URL of a fetch that failed aside, to be tried again (crawling.outages)
    checkpoint  store what the strategy has learned beside the queue; `close` ends the crawl

Scrapy's scheduler and spiders, replays and `scrapy control` use it; none of them uses strategy or frontier directly.

One transaction of the job's database ends a page: its links, its item, its visit, its lease. Where the queue is on a server, what a crash
repeats must be harmless: the job's files come first, the acknowledgement of the lease last (docs/jobs.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from topiccrawler.crawling.admission import Admission, Moment, blocked, by_column, gate_rule, redirected
from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.challenges import Challenges
from topiccrawler.crawling.estimate import LATEST, Estimator
from topiccrawler.crawling.fetch import Fetch, Outcome, Rechecks
from topiccrawler.crawling.harvest import GateCounts, HarvestCounter, begin_anew, of_topic
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.known_texts import KnownTexts
from topiccrawler.crawling.link_gate import Decision
from topiccrawler.crawling.options import DEFAULTS, CrawlOptions
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.outages import ANSWERED_NOTE, Outages, status_in
from topiccrawler.crawling.page_filter import PageFilter
from topiccrawler.crawling.page_items import PageItems
from topiccrawler.crawling.page_stores import latest_visits
from topiccrawler.crawling.sharing import SharedQueue
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.crawling.unmet_words import UnmetWords
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Pushed, State
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.items import Outlinks
from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import Link, Page, Score, Visit
from topiccrawler.pages.formats.registry import READ, SITEMAP, Extract, UnreadableError, recognise
from topiccrawler.pages.kinds import ARTICLE
from topiccrawler.pages.read import Content, Reader, Reading
from topiccrawler.pages.robots_tags import NO_TAGS, RobotsTags
from topiccrawler.urls.canonical import canonical

if TYPE_CHECKING:
    from topiccrawler.crawling.opinions import Opinions
    from topiccrawler.store.pages import PageRecord

MOVED = (State.DISCARDED, "redirected")
KNOWN = "redirect to a known page"
NO_PAGE = "redirect to no page"
MOST_COPIES = 1000  # of a refused page that are refused with it


NEARLY = 0.99  # of the limit of pages: the last ones are not worth a wait of LONG_SECONDS
LONG_SECONDS = 60.0


class Clock:
    """A clock in seconds since the epoch that never runs backwards: it reads the time of day once and adds a monotonic clock to it."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def __call__(self) -> float:
        return self._offset + time.monotonic()


class Crawl:
    """One running crawl, in one process.

    `files`: the files of the job; None = nothing is written. `shared`: the shared queue of a crawl of several processes; None = this is
    the only process. `budgets`, `listings`: see crawling.ordering.Ordering. `known`: texts that are not stored again.
    """

    def __init__(
        self,
        parts: Parts,
        frontier: Frontier,
        options: CrawlOptions = DEFAULTS,
        *,
        files: JobFiles | None = None,
        budgets: Budgets | None = None,
        shared: SharedQueue | None = None,
        listings: SiteListings | None = None,
        known: KnownTexts | None = None,
    ) -> None:
        self.parts, self.topic, self.strategy = parts, parts.topic, parts.strategy
        self.frontier, self.hosts, self.shared = frontier, frontier.hosts, shared
        self.seeds, self.limits, self._links_kept = options.seeds, options.limits, options.links_kept
        self._files, self.known = files, known
        self._repeats = None if files is None else files.repeats(durable=options.durable)
        self.items = PageItems(parts)
        restrictions = replace(options.restrictions, sites=parts.topic.sites)
        classifier = parts.page_classifier
        self.filter = PageFilter(
            classifier, restrictions, classifier.threshold, options.agent, options.obeys_tags
        )
        self.opinions: Opinions | None = None  # None: no second opinions are asked for
        self.unmet_words = UnmetWords(parts.page_classifier)
        self.gate = parts.gate
        self.blocks = Blocks(frontier.notes, None if shared is None else shared.exchange)
        self.admission = Admission([blocked(self.blocks), gate_rule(self.gate)])
        self.harvest = HarvestCounter(frontier.notes.get(HarvestCounter.NOTE))
        self.gate_counts = GateCounts()
        earlier = () if files is None or not files.resumes else latest_visits(files.folder, LATEST)
        self.estimator = Estimator(frontier.look(), of_topic(earlier, frontier.notes))
        self.challenges = Challenges()
        self.rechecks: Rechecks | None = None
        self.clock = Clock()
        self.outages = Outages(frontier.hosts, count=self.count_try, recall=frontier.recall)
        self.outages.restore(frontier.notes.get(ANSWERED_NOTE))
        self.given_up: Callable[[Outcome], None] = lambda _: None  # called for each URL that is given up
        self.hosts.worth = parts.strategy.worth
        self.ordering = Ordering(
            parts.strategy,
            frontier,
            budgets,
            durable=options.durable,
            admission=self.admission,
            refused=None if files is None else lambda *refused: files.refused.add(*refused),  # noqa: PLW0108 opens the database
            shared=shared,
            listings=listings,
        )

    @property
    def files(self) -> JobFiles:
        """The files of the job; StateError in a crawl that writes none."""
        if self._files is None:
            raise StateError("this crawl", "writes no files", "give it some")
        return self._files

    @cached_property
    def reader(self) -> Reader:
        """The reader that makes pages of responses, with this crawl's topic and settings."""
        return self.parts.reader(self._repeats)

    # --- which URL is fetched

    def seed(self, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Queue the seeds and return the number of links for each outcome; a resumed job has them already."""
        pushed = self.ordering.seed(links, now)
        self.frontier.commit()
        return pushed

    def next(self, now: float, refusals: int = 0) -> Fetch | None:
        """Lease the best URL that may be fetched now, or return None.

        `refusals`: how many URLs the rules may refuse in this call (0 = no bound). After that many the result is None, although other
        URLs may be ready; `next_ready` says when to call again.
        """
        if self.outages.stops:
            return None
        self.outages.recall_due(now)
        leased = self.ordering.lease(now, refusals)
        return None if leased is None else Fetch(leased)

    def next_ready(self, now: float) -> float | None:
        """The time to call `next` again, on the clock of `now`; None = nothing can be fetched before something changes."""
        ready = self.hosts.next_ready(now) if self.shared is None else self.shared.next_ready(now)
        times = (ready, self.outages.next_due())
        return min((time for time in times if time is not None), default=None)

    def has_more(self, now: float, under_way: int) -> bool:
        """Whether a waiting URL will still be fetched, now or later. `under_way`: the number of fetches of this process."""
        budgets = self.ordering.budgets
        if self.is_enough(under_way):
            return False
        shared = self.shared is not None
        # asked in any case: it keeps in touch with other processes
        pending = self.frontier.look().waiting() > 0 if self.shared is None else self.shared.pending()
        if not pending or under_way or shared:
            return pending or (shared and self.outages.urls_are_worth_waiting(now))
        if self.outages.stops or self.outages.urls_are_worth_waiting(now):
            return True
        if self.waits_long_for_few(now):
            return False
        if self.outages.is_settled and (budgets is None or not budgets.closed):
            return True
        return self.hosts.may_come(now)  # or budgets and failures hold back all waiting URLs

    def waits_long_for_few(self, now: float) -> bool:
        """Whether nearly all pages of the limit are fetched, and what still waits is tried again only after a long time, as after failures."""
        most, due = self.limits.pages or 0, self.next_ready(now) or 0.0
        return 0 < NEARLY * most <= self.harvest.pages and due > now + LONG_SECONDS

    def is_enough(self, under_way: int = 0) -> bool:
        """Whether all processes together have reached the page limits, or this process expects too little of the next pages (`until`).

        `under_way`: the number of fetches of this process.
        """
        pages, articles = self.harvest.pages, self.harvest.articles
        if self.shared is not None:
            pages, _, articles, under_way = self.shared.exchange.harvest()
        most, targets = self.limits.pages, self.limits.targets
        reached = (most is not None and pages + under_way >= most) or (
            targets is not None and articles >= targets
        )
        return reached or self.promises_little

    @property
    def promises_little(self) -> bool:
        """Whether URLs wait, but the expected share of kept pages among the next ones is below the limit `until`."""
        until = self.limits.until
        found = None if until is None else self.estimator.estimate()
        if found is None or until is None or found.promise >= until:
            return False
        return self.frontier.look().waiting() > 0

    def ask(self, fetch: Fetch) -> Decision:
        """Ask the rules that are asked just before a request is sent, the link gate among them. Their decision on the URL of the fetch, or
        on the one that a redirect led to, is recorded in the fetch."""
        link, targets = fetch.leased.link, fetch.redirect_targets
        if targets:
            target = redirected(link, targets[-1])
            fetch.decision = self.admission.ask(target, Moment.FOLLOWED, fetch.decision.tunnel)
        else:
            fetch.decision = self.admission.ask(link, Moment.SENT, fetch.leased.tunnel)
        return fetch.decision

    def refuse(self, fetch: Fetch, reason: str, now: float) -> None:
        """End a fetch whose request is not sent. It counts neither as a page nor as a failure, and its host's clock is set back."""
        url = fetch.leased.link.url
        self.ordering.end(url, State.DISCARDED, reason, now, fetched=False, unused=True)

    @property
    def rechecks_left(self) -> int:
        """The number of pages of the job that are still to be checked again."""
        return 0 if self.rechecks is None else self.rechecks.left

    def come_back(self, fetch: Fetch, url: str, now: float) -> str | None:
        """Check whether the request of a fetch may be retried, or redirected to `url`; return the reason if not, else None.

        The target of a redirect may be on another host, and may be waiting, in progress or done already. So the target is leased as well,
        and its lease ends with the fetch; if it cannot be leased, the fetch ends at once. A retry needs no further lease. In both cases
        the slot of the first host is released. The link gate is asked about a target when its request is sent.
        """
        link, target = fetch.leased.link, canonical(url, extra_parameters=self.parts.dropped_parameters)
        if target is None:
            return NO_PAGE
        moment = Moment.RETRIED
        if target not in fetch.urls:
            moment = Moment.REDIRECTED
            # As the rules judge it now; a crawl that is resumed before this fetch ends judges it again.
            there = redirected(link, target)._replace(depth=link.depth)
            score = Score(target, fetch.leased.score, shares=fetch.leased.shares)
            if self.frontier.lease(now, target=(there, score)) is None:
                return KNOWN
            fetch.redirect_targets.append(target)
        self.frontier.release(now, [link.url], slots_only=True)
        decision = self.admission.ask(redirected(link, target), moment)
        return None if decision.passed else decision.reason

    def leave_target(self, fetch: Fetch, now: float) -> None:
        """Let the target of a redirect wait in the queue by itself: it does not end with the fetch that led to it."""
        self.frontier.release(now, [fetch.redirect_targets.pop()])

    # --- the content of a page

    def reads(self, url: str, body: bytes, content_type: str = "") -> bool:
        """Whether this crawl reads documents of the response's format."""
        form = recognise(body, content_type)
        return form in READ and self.filter.restrictions.reads(url, form)

    def read(
        self,
        url: str,
        body: bytes,
        content_type: str = "",
        charset: str | None = None,
        *,
        content: Content | None = None,
        extract: Extract | UnreadableError | None = None,
        **known: Any,
    ) -> Reading | None:
        """Make a page of a response; None when this crawl does not read documents of its format.

        `content`: the content, if `reader` has read it already. `extract`, `known`: see pages.read.Reader.
        """
        if not self.reads(url, body, content_type):
            return None
        if content is None:
            content = self.reader.content(url, body, charset, content_type=content_type, extract=extract)
        reading = self.reader.reading(content, **known)
        self.unmet_words.read(reading.words)
        return self._under_its_url(reading)

    def _under_its_url(self, reading: Reading) -> Reading:
        """The reading with the canonical URL of its page, under which the page is leased and logged; a redirect may spell it otherwise."""
        page = reading.page
        if page.via is not None and page.via.link.url == page.url:
            return reading
        clean = canonical(page.url, extra_parameters=self.parts.dropped_parameters)
        return reading if clean in (None, page.url) else replace(reading, page=replace(page, url=clean))

    def outlinks(self, reading: Reading, tags: RobotsTags = NO_TAGS) -> Outlinks:
        """A page with its links, for the queue; without any, and without its feeds, when its robots tags ask not to follow them."""
        if not tags.no_follow:
            return Outlinks(reading.page, self.links_of(reading))
        return Outlinks(replace(reading.page, listings=()), PageLinks.of(()))

    def links_of(self, reading: Reading, context: ContextMaker | None = None) -> PageLinks:
        """The links of a page with their surrounding text. `context`: how to cut that text; None = as the link model was trained."""
        content, page, parts = reading.content, reading.page, self.parts
        links = extract(
            content.document,
            content.url,
            depth=page.depth + 1,
            context=context or parts.context,
            extra_parameters=parts.dropped_parameters,
            encoding=content.encoding,
            more=content.more,
            sitemaps=content.listings if content.format == SITEMAP else (),
        )
        links.source_url = page.url  # a redirect may spell the URL of the response otherwise
        return links

    def visit(
        self, page: Page, links: Sequence[Link], now: float, fetch: Fetch | None = None
    ) -> Mapping[Pushed, int]:
        """Pass a page with all its links to the strategy, queue the links it scores, and return their number for each outcome."""
        if fetch is not None:
            fetch.page = page
        if self._links_kept and self._files is not None:
            self._files.outlinks.put(page.url, by_column(links).urls)
        again = fetch is not None and fetch.due is not None
        return (self.ordering.visit_again if again else self.ordering.visit)(page, links, now)

    # --- how a fetch ends, and the crawl

    def end(self, fetch: Fetch, outcome: Outcome, now: float) -> None:
        """Log and count a fetch and acknowledge its lease. All is durable on return."""
        if fetch.due is not None:
            if self.rechecks is not None:
                self.rechecks.ended(fetch, fetch.due, now)
        else:
            self._log(fetch, outcome, now)
        if self._files is not None and self.shared is not None:  # the acknowledgement comes last
            self._files.commit()
        if fetch.due is None:
            self._count(fetch, outcome)
        ended = outcome.state, outcome.reason
        # The last redirect target gets the outcome of the fetch; those before it only redirected.
        for target in fetch.redirect_targets:
            self.ordering.end(target, *(ended if target == fetch.redirect_targets[-1] else MOVED), now)
        if fetch.due is None:
            own = MOVED if fetch.redirect_targets else ended
            self.ordering.end(fetch.leased.link.url, *own, now, fetched=fetch.status > 0)
        self._commit()

    def _commit(self) -> None:
        """Make all so far durable: one transaction, unless the queue is not in the job's database."""
        if self._files is not None:
            self._files.commit()
        self.frontier.commit()

    def _log(self, fetch: Fetch, outcome: Outcome, now: float) -> None:
        if self._files is None:
            return
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
            challenge=fetch.challenge,
        )
        self._files.visits.append(visit)

    def _count(self, fetch: Fetch, outcome: Outcome) -> None:
        kept = outcome.state is State.COMPLETED
        self.estimator.ended(fetch.leased.score, kept=kept)
        if self.hosts.seeds is not None and kept:
            self.hosts.seeds.keep(seed=not fetch.leased.link.source_url)
        if fetch.page is None:
            return
        self.harvest.add(
            kept=kept,
            relevant=outcome.is_relevant,
            format=outcome.format,
            kind=outcome.kind,
            copy=outcome.is_copy,
        )
        self.frontier.notes.put(HarvestCounter.NOTE, self.harvest.note())
        if self.shared is not None:
            self.shared.exchange.count(kept=kept, article=kept and outcome.kind == ARTICLE)

    def keep(self, record: PageRecord) -> None:
        """Store a page outside of the pipelines."""
        if self.files.kept_in is None:
            self.files.keep(record)
        else:
            self.files.kept_in.keep(record, self.files.segmenter)

    def withdraw(self, url: str, refusal: str) -> None:
        """Refuse a stored page that asks not to be kept any more, with its copies, and take it out of the sample. `refusal`: the reason."""
        store = self.files.store
        self.files.discarded.delete(url)
        urls = [url, *store.copies(url, MOST_COPIES)]
        for record in filter(None, map(store.get, urls)):
            refused = replace(record, stored=False, refused=True, refusal=refusal, judged=self.clock())
            self.keep(refused)
            if record.stored:
                self.correct_counts(-1, -bool(record.alias_of), {record.kind: -1}, {record.format: -1})

    def correct_counts(
        self, kept: int, copies: int, kinds: Mapping[str, int], formats: Mapping[str, int]
    ) -> None:
        """Correct the counts of kept pages by what judging stored pages again has changed (crawling.judging)."""
        self.harvest.correct(kept, copies, kinds, formats)
        self.frontier.notes.put(HarvestCounter.NOTE, self.harvest.note())

    def try_again(self, fetch: Fetch, now: float) -> None:
        """Log a fetch whose response was a challenge, and return its URL to the queue. The targets of its redirects are done: they are
        the address of the challenge."""
        self._log(fetch, Outcome(State.DISCARDED, fetch.challenge), now)
        for target in fetch.redirect_targets:
            self.ordering.end(target, State.DISCARDED, fetch.challenge, now)
        fetch.redirect_targets.clear()
        self.release([fetch], now)

    def fail(
        self, fetch: Fetch, host: str, reason: str, now: float, *, way: str = "", answered: bool = False
    ) -> None:
        """Return the URL of a fetch that failed to the queue, to be tried again later, or give it up after too many tries.

        `host`: the host that failed; `way`: see crawling.outages; `answered`: the server has answered, with an error.
        """
        url, tries = fetch.leased.link.url, fetch.leased.tries
        aside = self.outages.set_aside(url, host, tries, now, way=way, counts=answered)
        self.frontier.release(now, fetch.redirect_targets)
        fetch.redirect_targets.clear()
        self.release([fetch], now, reason if aside else "")
        if aside and answered:
            self.count_try(url)
        self._commit()

    def count_try(self, url: str) -> None:
        """Count a failed try of a URL, and give the URL up after the last one."""
        if self.frontier.count_try(url) < self.outages.patience.url_tries:
            return
        now, row = self.clock(), self.frontier.look().row(url)
        if row is None:
            return
        score = Score(url, row.score, row.carry, row.shares)
        leased = self.frontier.lease(now, target=(row.link, score))
        if leased is not None:  # else it is being tried again
            self.outages.given_up(url)
            outcome = Outcome(State.ERROR, row.reason)
            self.end(Fetch(leased, status=status_in(row.reason)), outcome, now)
            self.given_up(outcome)

    def release(self, fetches: Iterable[Fetch], now: float, reason: str = "") -> None:
        """Return fetches that will not end to the queue. `reason`: see frontier.base.Frontier.release."""
        left = list(fetches)
        self.frontier.release(now, [url for fetch in left for url in fetch.urls], reason=reason)
        for fetch in left:
            self.ordering.release(fetch.leased.link.url)

    def checkpoint(self) -> None:
        """Store what the strategy has learned, durably."""
        self.ordering.checkpoint()
        self._commit()

    def close(self) -> None:
        """Store the state of the crawl and close its files; a later crawl can resume from them."""
        self.ordering.checkpoint()
        if self._files is not None:
            self._files.close()
        self.frontier.close()

    def abandon(self) -> None:
        """Close the files without writing to any of them, because one is broken."""
        self.frontier.close(commit=False)
        if self._files is not None:
            self._files.abandon()

    def change_topic(self, parts: Parts, now: float, *, is_same: bool = False) -> None:
        """Continue the crawl with another topic.

        The new strategy knows only what it has loaded. Waiting URLs keep their scores (the frontier's `rescore` changes them). `is_same`:
        pages are judged as before and only the strategy was taught, so the page threshold and the counts of earlier pages stay valid.
        """
        self.parts, self.topic, self.strategy = parts, parts.topic, parts.strategy
        self.reader, self.items = parts.reader(self._repeats), PageItems(parts)
        if not is_same:
            self.filter.threshold, self.filter.answers = parts.page_classifier.threshold, {}
            self.unmet_words = UnmetWords(parts.page_classifier)
        self.filter.classifier = parts.page_classifier
        gate, new = self.gate, parts.gate  # changed in place, since the admission rules refer to the object
        gate.scorer, gate.threshold = new.scorer, new.threshold
        gate.tunnel_probability, gate.tunnel_depth = new.tunnel_probability, new.tunnel_depth
        self.hosts.worth = parts.strategy.worth
        self.filter.restrictions = replace(self.filter.restrictions, sites=parts.topic.sites)
        self.ordering.change_strategy(parts.strategy)
        notes = self.frontier.notes
        if self.opinions is not None:
            self.opinions.change_topic(parts.topic, parts.recipe.about)
        if not is_same:
            begin_anew(notes, now)
            self.estimator.forget()
        if self._files is not None:
            self._files.segmenter = parts.segmenter
            # From now on the job belongs to this topic.
            self._files.keep_recipe(parts.record(), parts.topic.name)
