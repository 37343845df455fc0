"""Logs a summary at the end of a crawl: what was found, where the results are, the commands that show them, and why the crawl ended.

Scrapy reports `finished` for a crawl none of whose seeds could be reached, and its stats are the last thing on the screen. Here such a
crawl fails, and the last lines are written for a person.
"""

from __future__ import annotations

import json
import logging
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.estimate import NEXT, words_of
from topiccrawler.crawling.harvest import GateCounts, HarvestCounter
from topiccrawler.crawling.job_files import STATS
from topiccrawler.crawling.page_stores import has_pages
from topiccrawler.crawling.robots_notes import CLOSED, UNREACHABLE
from topiccrawler.engine.faults import FatalFaults
from topiccrawler.engine.opening import faults_of, needed_crawl
from topiccrawler.engine.pipelines import KNOWN_TEXTS, OTHER_LANGUAGES
from topiccrawler.engine.plain_harvest import PlainHarvest
from topiccrawler.engine.queue_stats import wait_key
from topiccrawler.engine.scheduler import LITTLE_PROMISED, focused_scheduler, is_focused
from topiccrawler.errors import CrawlerError, SeedsError
from topiccrawler.files import replace_file
from topiccrawler.frontier.base import State
from topiccrawler.messages import Message, translated
from topiccrawler.pages.kinds import KINDS
from topiccrawler.resources import package_table
from topiccrawler.results.last_run import FAULT

logger = logging.getLogger(__name__)

MARK = "=" * 80  # a line above the summary, so that it is found in a long log
SEEDS_FAILED = "seeds_failed"  # finish_reason
MOST_REASONS = 5
_FAILED, _URLS = "frontier/failed/", "frontier/urls/"  # stats keys
_CLOSED = tuple(wait_key(kind) for kind in (CLOSED, UNREACHABLE))
_WORDS = package_table("engine/finish_reasons.toml")


@dataclass(eq=False)
class Ending:
    """Scrapy extension that fails a crawl without a single page, and logs a summary of any other crawl."""

    crawler: Crawler
    crawl: Crawl
    faults: FatalFaults
    plain: PlainHarvest | None = None  # under another scheduler than ours
    reason: str = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        ending = cls(crawler, needed_crawl(crawler), faults_of(crawler))
        if not is_focused(load_object(crawler.settings["SCHEDULER"])):
            ending.plain = PlainHarvest(ending.crawl)
            ending.plain.connect(crawler)
        crawler.signals.connect(ending.idle, signals.spider_idle)
        crawler.signals.connect(ending.closed, signals.spider_closed)
        crawler.signals.connect(ending.report, signals.engine_stopped)
        return ending

    def idle(self) -> None:
        """End the crawl with an error if it becomes idle before any page was fetched."""
        faults = self.faults
        if self.plain is None and self._began() and self.crawl.harvest.pages == 0 and not faults.reported:
            with faults.guard():
                if self.crawl.shared is not None and self._others_got_pages():
                    return
                faults.end(no_page(self.crawl), SEEDS_FAILED)

    def closed(self, reason: str) -> None:
        """Store the reason of the end; empty for a crawl that neither began nor failed."""
        self.reason = reason if self._began() or self.faults.reported else ""
        if self.plain is not None and self.reason and not self.faults.broken:
            with self.faults.guard():
                self.plain.close()

    def report(self) -> None:
        """Log the summary, after Scrapy's last lines."""
        if not self.reason:
            return
        if self.faults.reported:
            self.crawler.stats.set_value(FAULT, self.faults.reported[0])
        stats, spider = self.crawler.stats.get_stats(), self.crawler.spider
        own, shared = self.plain is None, self.crawl.shared is not None
        resumable = shared or (own and bool(self.crawler.settings.get("JOBDIR")))
        found: Callable[[], list[str]] | None = getattr(spider, "found_lines", None)
        report = [
            *(found() if found is not None else found_lines(self.crawl.harvest)),
            *(self.crawl.rechecks.lines() if self.crawl.rechecks is not None else []),
            *words_of(self.crawl.estimator.estimate()),
            *gate_lines(self.crawl.gate_counts),
            *left_out_lines(self.crawl, stats),
            *failed_lines(stats),
            *self.crawl.challenges.lines(),
            *(look_lines(self.crawl) if found is None else []),
            *place_lines(self.crawl.files.folder, queued=own and not shared),
            *stats_lines(self.crawl.files.folder, stats),
            Message(
                "ended: {why}",
                why=why(self.reason, self.crawl, stats, resumable=resumable, faults=self.faults.reported),
            ),
        ]
        lines = "\n".join(f"  {translated(line)}" for line in report)
        logger.info("\n%s\n%s\n%s", MARK, translated(Message("The crawl in short")), lines)

    def _others_got_pages(self) -> bool:
        counts = self.crawl.frontier.look().counts()
        return counts[State.COMPLETED] + counts[State.DISCARDED] > 0

    def _began(self) -> bool:
        """Whether the spider's own start() has sent its seeds to our scheduler, or runs under another one; False for the commands `parse`
        and `check`, which replace it."""
        scheduler = focused_scheduler(self.crawler)
        if scheduler is not None:
            return scheduler.armed
        spider = self.crawler.spider
        return spider is not None and not type(spider).start.__module__.startswith("scrapy.commands")


def no_page(crawl: Crawl) -> CrawlerError:
    """The error of a crawl whose seeds gave no page, with the number of seeds by reason."""
    waits = {
        host: why.removeprefix(f"{UNREACHABLE}: ") for host, why, _ in crawl.hosts.waiting(crawl.clock())
    }
    reasons = Counter(
        row.reason or waits.get(row.link.host) or row.state.value for row in crawl.frontier.look().rows()
    )
    del reasons["redirected"]
    seeds = len(crawl.seeds)
    fault = (
        f"none of {seeds} gave a page ({counted(reasons)})"
        if seeds > 1
        else f"gave no page ({counted(reasons)})"
    )
    what = "seeds" if seeds > 1 else f"seed {crawl.seeds[0].url}"
    return SeedsError(what, fault, "check them and the network, then give the command again")


def found_lines(harvest: HarvestCounter) -> list[str]:
    """A line with the counts of the whole job: pages fetched, relevant and kept, and the kinds and formats of the kept ones."""
    in_this_run = harvest.pages - harvest.begun_with
    formats = ", ".join(f"{count} {name}" for name, count in harvest.formats.most_common())
    by_kind = {kind: harvest.kinds[kind] for kind in KINDS}
    line = Message(
        "{pages} pages fetched{before}, {relevant} relevant ({share}), {kept} kept{kinds}{formats}{copies}",
        pages=harvest.pages,
        before=Message(" ({count} in this run)", count=in_this_run) if harvest.begun_with else "",
        relevant=harvest.relevant,
        share=f"{harvest.relevant / max(1, harvest.pages):.0%}",
        kept=harvest.kept,
        kinds=Message(": {article} articles, {list} lists, {stub} stubs", **by_kind) if harvest.kinds else "",
        formats=Message(" ({formats})", formats=formats) if formats else "",
        copies=Message("; {count} of them copies, without text", count=harvest.copies)
        if harvest.copies
        else "",
    )
    return [line]


def look_lines(crawl: Crawl) -> list[str]:
    """Lines with titles of pages, by which a person sees whether the topic was understood, and a question where they are of two kinds.
    Empty when the job's files cannot be read."""
    from topiccrawler.results.job_pages import first_look  # here, because no crawl needs it while it runs
    from topiccrawler.results.page_groups import kinds_of

    try:
        kinds = kinds_of(crawl.files.folder)
        question = [] if kinds is None else [kinds.question()]
        return [*first_look(crawl.files.folder, crawl.filter.threshold).lines(), *question]
    except CrawlerError:
        return []


def left_out_lines(crawl: Crawl, stats: Mapping[str, Any]) -> list[str]:
    """Lines with the numbers of pages about the topic that were not kept in this run: by language, and because their text is known."""
    lines: list[str] = []
    if count := stats.get(OTHER_LANGUAGES):
        lines.append(Message("{count} pages in other languages are not kept (-a language)", count=count))
    if crawl.known is not None:
        count, place, texts = stats.get(KNOWN_TEXTS, 0), crawl.known.source, len(crawl.known)
        lines.append(
            Message(
                "{count} pages are not kept, because their text is one of the {texts} in {place} (-a known)",
                count=count,
                place=place,
                texts=texts,
            )
        )
    return lines


def failed_lines(stats: Mapping[str, Any]) -> list[str]:
    """A line with the number of URLs that failed in this run, by reason; empty when none failed."""
    reasons = Counter(
        {key.removeprefix(_FAILED).replace("_", " "): stats[key] for key in stats if key.startswith(_FAILED)}
    )
    if not reasons:
        return []
    return [
        Message("{count} URLs failed in this run: {reasons}", count=reasons.total(), reasons=counted(reasons))
    ]


def gate_lines(counts: GateCounts) -> list[str]:
    """A line with what the link gate said of the requests of links in this run; empty when it was not asked."""
    if not counts.asked:
        return []
    line = Message(
        "the link gate scored {scored} of {asked} requests of links ({share}), mean probability {mean}, and refused {refused}",
        scored=counts.scored,
        asked=counts.asked,
        share=f"{counts.scored / counts.asked:.0%}",
        mean=f"{counts.mean_probability or 0.0:.2f}",
        refused=counts.refused,
    )
    return [line]


def place_lines(folder: Path, *, queued: bool) -> list[str]:
    """Lines with the job's folder and the commands that show its results. `queued`: the queue is in the folder."""
    quoted = shlex.quote(str(folder))
    commands = [f"scrapy pages {quoted}", f"scrapy search WORDS --job {quoted}"] if has_pages(folder) else []
    commands += [f"scrapy frontier {quoted}"] if queued else []
    commands.append(f"scrapy explain URL --job {quoted}")
    return [
        Message("results: {place}", place=folder),
        *(Message("look: {command}", command=command) for command in commands),
    ]


def stats_lines(folder: Path, stats: Mapping[str, Any]) -> list[str]:
    """Write the stats to the job's folder, and return a line with the path of the file. A file that cannot be written is a warning, not a
    failure, because the crawl has ended."""
    try:
        replace_file(
            folder / STATS, json.dumps(stats, indent=1, sort_keys=True, default=str, ensure_ascii=False)
        )
    except OSError as fault:
        logger.warning("%s: %s; the stats are not kept", folder / STATS, fault.strerror)
        return []
    return [Message("stats: {place}", place=folder / STATS)]


def why(
    reason: str, crawl: Crawl, stats: Mapping[str, Any], *, resumable: bool, faults: Sequence[str] = ()
) -> str:
    """A finish_reason in words, and how to resume the crawl if URLs still wait. `faults`: messages of the faults that ended the crawl; the
    first is shown in place of the reason."""
    if faults:
        return Message("failed; {fault}", fault=faults[0])
    words = Message(_WORDS[reason]) if reason in _WORDS else reason
    remedy = Message("the same command")
    limits, shared = crawl.limits, crawl.shared
    articles = crawl.harvest.articles if shared is None else shared.exchange.harvest().articles
    if reason in {"enough", "finished"} and limits.pages == 0:
        words = Message("all pages were looked at again")
        remedy = Message("the same command with -a pages=NUMBER")
    elif reason == LITTLE_PROMISED or (reason == "finished" and crawl.promises_little):
        estimate, until = crawl.estimator.estimate(), limits.until or 0.0
        promise = 0.0 if estimate is None else estimate.promise
        words = Message(
            "the next {pages} pages promise {share} relevant ones, less than {least} (-a until)",
            pages=NEXT,
            share=f"{promise:.1%}",
            least=f"{until:.1%}",
        )
        remedy = Message(
            "the same command with a smaller share ({argument})", argument=f"-a until={until / 2:g}"
        )
    elif reason == "enough" or (reason == "finished" and crawl.is_enough()):  # or it was when the run began
        words, more = _reached(crawl, articles)
        remedy = Message("the same command with a larger number ({argument})", argument=more)
    elif reason == "finished" and crawl.waits_long_for_few(crawl.clock()):
        words = Message(
            "{pages} of {most} pages are fetched, and what still waits is tried again only after a long time",
            pages=crawl.harvest.pages,
            most=limits.pages or 0,
        )
    elif reason == "finished" and stats.get(f"{_URLS}over_budget"):
        words, remedy = (
            Message("the budgets of hosts hold back all that waits"),
            Message("a larger budget"),
        )
    elif reason == "finished" and any(stats.get(f"frontier/waits/{kind}") for kind in _CLOSED):
        words = Message("robots.txt of the hosts that are left cannot be read")
    elif reason == "finished" and stats.get(f"{_URLS}waiting") and not crawl.outages.is_settled:
        words = Message("all that still waits has failed")
    waiting = stats.get(f"{_URLS}waiting", 0)
    if not (waiting and resumable):
        return words
    return Message(
        "{words}; {count} URLs wait, {remedy} goes on with them", words=words, count=waiting, remedy=remedy
    )


def _reached(crawl: Crawl, articles: int) -> tuple[Message, str]:
    """The limit that a crawl has reached, in words, and the argument for a larger one."""
    limits, rechecks = crawl.limits, crawl.rechecks
    if limits.targets is not None and articles >= limits.targets:
        words = Message("{count} articles are kept (-a targets)", count=limits.targets)
        return words, f"-a targets={2 * articles}"
    most = limits.pages or 1
    if rechecks is None:
        return Message("{count} pages are fetched (-a pages)", count=most), f"-a pages={2 * most}"
    most += len(rechecks.due) - crawl.harvest.begun_with  # with revisits the argument counts this run alone
    return Message("{count} pages are fetched in this run (-a pages)", count=most), f"-a pages={2 * most}"


def counted(reasons: Counter[str]) -> str:
    """The reasons with their counts, the most frequent first: `3 timeout, 1 http 404`."""
    ranked = sorted(reasons.items(), key=lambda found: (-found[1], found[0]))
    shown = [f"{count} {reason}" for reason, count in ranked[:MOST_REASONS]]
    if len(ranked) > MOST_REASONS:
        shown.append(f"{sum(count for _, count in ranked[MOST_REASONS:])} for other reasons")
    return ", ".join(shown)
