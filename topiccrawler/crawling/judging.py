"""Judges the stored pages of a job again by its present topic, when that was taught or changed.

The relevance is computed as when a page is fetched, by the same filter (crawling.page_filter) from the same words (pages.page_evidence), so
judging again by an unchanged topic changes nothing. A page that is not kept any more is refused: it stays in the store, apart from the
results. A person's answer about a page decides alone, then a second opinion on it (crawling.opinions). A copy has the judgement of the page
of which it is a copy. Pages of the sample of those that were not kept are kept now, if the topic says so, with what is known of them; days
and authors are not read of such pages. Of other pages that were not kept no text is known: those are queued again whose relevance when they
were fetched was at least that from which on LEAST_SHARE of the sampled pages are kept now.

Cost: a millisecond a page, most of it for the segmenter. What is found is written in one transaction. If a crawl runs meanwhile, it writes
what is found, BATCH pages at a time, because it alone writes to the database of its job.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from topiccrawler.crawling.assemble import page_classifier_of, topic_of, topic_of_page
from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.crawling.known_texts import KnownTexts
from topiccrawler.crawling.opinions import OPINIONS, GivenOpinions, wish_of
from topiccrawler.crawling.page_filter import OFF_TOPIC, PageFilter, Restrictions
from topiccrawler.crawling.page_stores import open_pages, open_sample, stored_in, visits_of
from topiccrawler.errors import ArgumentError
from topiccrawler.frontier.base import Frontier, Pushed, State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE, MEMORY, JobDatabase, is_begun
from topiccrawler.model import Score
from topiccrawler.pages.kinds import kind_of_text
from topiccrawler.pages.languages import is_in, language_of
from topiccrawler.pages.metadata import Summariser
from topiccrawler.pages.page_evidence import unpacked
from topiccrawler.pages.read import SHORTEST_MAIN_TEXT, PageClassifier, PageWords
from topiccrawler.pages.site_repeats import may_be_same, stored_segments
from topiccrawler.store.opinions import read_opinions
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import Judgement, PageRecord, Pages
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import Topic

logger = logging.getLogger(__name__)

BATCH = 100  # pages
LEAST_SHARE = 0.5


def words_of_record(record: PageRecord, segmenter: Segmenter, *, in_segments: bool = False) -> PageWords:
    """The words by which a stored page was classified.

    Of the item of another spider only title, meta keywords, description and main text are known. `in_segments`: their segments too, for
    page classifiers that read them.
    """
    if record.evidence:
        try:
            return unpacked(record.evidence, record.text, segmenter)
        except ValueError:  # the text was changed since
            pass
    meta = f"{record.keywords} {record.description}"
    title, about, body = segmenter.words_of([record.title, meta, record.text])
    words = PageWords(title=title, meta=about, body=body)
    if not in_segments:
        return words
    is_main = len(record.text) >= SHORTEST_MAIN_TEXT
    fields = record.title, record.keywords, record.description, record.text
    return replace(words, segments=stored_segments(*fields, segmenter, is_main=is_main, url=record.url))


@dataclass(slots=True)
class JudgedAgain:
    """What judging the pages of a job again has changed. The first five numbers are without copies."""

    pages: int = 0  # judged, without those of the sample that are not kept
    kept: int = 0  # of these, now
    refused: int = 0  # were kept before
    restored: int = 0  # were refused before, and are kept again
    found: int = 0  # of the sample of pages that were not kept, and are kept now
    queued: int = 0  # were not kept, and are fetched again because they may be kept now
    # by how much the counts of kept pages with copies change; negative if there are fewer
    gained: int = 0
    copies: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)

    @property
    def kept_before(self) -> int:
        """The number of pages that were kept before."""
        return self.kept + self.refused - self.restored - self.found

    def count(self, record: PageRecord, *, kept: bool) -> None:
        """Count one page. `record`: before it was judged."""
        if not record.alias_of:
            self.pages += 1
            self.kept += kept
            self.refused += record.stored and not kept
            self.restored += record.refused and kept
            self.found += kept and not record.stored and not record.refused
        if kept is not record.stored:
            more = 1 if kept else -1
            self.gained += more
            self.copies += more if record.alias_of else 0
            self.kinds[record.kind] += more
            self.formats[record.format] += more

    def correct(self, counter: HarvestCounter) -> None:
        """Correct the counts of a job by these changes."""
        counter.correct(self.gained, self.copies, self.kinds, self.formats)


Progress = Callable[[int], None]


class KeptNow(NamedTuple):
    """What is known of a page of the sample that is kept now."""

    url: str
    relevance: float  # 0..1
    topic: str
    kind: str
    language: str
    summary: str
    opinion: str
    opinion_reason: str
    alias_of: str

    def record(self, sampled: PageRecord, now: float) -> PageRecord:
        """The record of the page in the page store; a copy has no text of its own."""
        copy: dict[str, Any] = {"text": "", "evidence": b""} if self.alias_of else {}
        return replace(sampled, stored=True, judged=now, **self._asdict(), **copy)


@dataclass(slots=True)
class Changes:
    """What judging again has changed of some pages."""

    pages: list[Judgement] = field(default_factory=list)  # of the page store
    # relevance of pages that stay in the sample, by URL
    sampled: dict[str, float] = field(default_factory=dict)
    kept: list[KeptNow] = field(default_factory=list)  # pages of the sample that are kept now
    stored: list[str] = field(default_factory=list)  # URLs of the sample whose pages are stored since

    def __bool__(self) -> bool:
        return bool(self.pages or self.sampled or self.kept or self.stored)

    def write(
        self, store: Pages, sample: PageSample, put: Callable[[PageRecord], object], now: float
    ) -> None:
        """Write them to the page store and the sample of a job. `put`: stores a page."""
        if self.pages:
            store.judge(self.pages, now)
        if self.sampled:
            sample.judge_pages(self.sampled)
        for one in self.kept:
            if (record := sample.get(one.url)) is not None:
                put(one.record(record, now))
        for url in [one.url for one in self.kept] + self.stored:
            sample.delete(url)


class _Named(NamedTuple):
    """A page that is kept."""

    url: str
    title: str


class Running(Protocol):
    """The crawl that runs in the folder of a job, in another process."""

    @property
    def page_threshold(self) -> float:
        """The relevance, 0..1, from which the crawl keeps a page; it may have been changed since the crawl began."""

    def teach(self, keep: bool) -> int:
        """Continue with the topic that the job was just taught. `keep`: the strategy keeps what it has learned. Returns how many URLs get a
        new score."""

    def write(self, changes: Changes) -> None:
        """Let the crawl write what judging its pages again has changed."""

    def judged(self, found: JudgedAgain, again: Sequence[str]) -> int:
        """Correct the counts of the crawl by what judging its pages again has changed, and let it fetch the pages `again` that were off
        topic. Returns how many."""


class Judge:
    """The judgement of stored pages by a topic, a person's answers (URL -> whether it is about the topic) and second opinions.

    `threshold`: None = that of the classifier. `restrictions`, `known`: those of the crawl, for pages of the sample.
    """

    def __init__(
        self,
        topic: Topic,
        classifier: PageClassifier,
        answers: Mapping[str, bool],
        threshold: float | None = None,
        opinions: GivenOpinions | None = None,
        restrictions: Restrictions | None = None,
        known: KnownTexts | None = None,
    ) -> None:
        self.topic, self.classifier, self.answers = topic, classifier, answers
        self.opinions, self.known = opinions or GivenOpinions(), known
        self.filter = PageFilter.of(classifier, replace(restrictions or Restrictions(), sites=topic.sites))
        self.filter.answers = answers
        if threshold is not None:
            self.filter.threshold = threshold
        self._summariser = Summariser(topic.keywords)

    def of(self, row: int, record: PageRecord) -> Judgement:
        """The judgement of a page that is no copy."""
        opinion = self.opinions.on(record)
        said = ("", "") if opinion is None else (opinion.about, opinion.reason)
        if record.refusal:
            return Judgement(row, record.relevance, False, True, record.topic, record.summary, *said)
        words = words_of_record(record, self.topic.segmenter, in_segments=self.classifier.reads_segments)
        relevance, kept = self.filter.verdict(words, url=record.url, opinion=said[0])
        topic = topic_of_page(self.classifier, self.topic, words) if kept else record.topic
        summary = record.summary
        if topic != record.topic or (kept and not summary):
            summary = self._summariser.summary(record.text)
        return Judgement(row, relevance, kept, not kept, topic, summary, *said)

    def may_be_kept(self, record: PageRecord) -> bool:
        """Whether a page of the sample, about the topic, is one to keep: its days, its language, and that its text is not known."""
        limits = self.filter.restrictions
        if not record.text or limits.is_old(record.url, record.published):
            return False
        if limits.languages and not is_in(record.language or language_of(record.text), limits.languages):
            return False
        return self.known is None or not self.known.has(record.text)


def judge_again(
    folder: Path,
    answers: Mapping[str, bool],
    running: Running | None = None,
    progress: Progress | None = None,
) -> JudgedAgain:
    """Judge all stored pages of a job again, and the sample of those that were not kept.

    `answers`: a person's, by URL; `running`: None if no crawl runs in the folder; `progress`: called with the number of pages judged so far.
    ArgumentError for a folder without a job, StateError for files that cannot be used.
    """
    recipe = read_recipe(folder)
    if recipe is None:
        raise ArgumentError(f"folder {folder}", "holds no job", "name the folder of a job")
    threshold = None if running is None else running.page_threshold
    topic = topic_of(recipe)
    opinions = GivenOpinions(read_opinions(folder / OPINIONS), wish_of(topic, recipe.about))
    since = date.fromisoformat(recipe.since) if recipe.since else None
    restrictions = Restrictions(since=since, languages=recipe.language)
    known = None
    if recipe.known:
        try:
            known = KnownTexts.of(Path(recipe.known), folder)
        except ArgumentError as fault:  # it was moved since; it decides about few pages
            logger.warning("%s; pages are judged without it", fault)
    judge = Judge(topic, page_classifier_of(recipe), answers, threshold, opinions, restrictions, known)
    if running is not None:
        return _in_running(folder, judge, running, progress)
    return _at_rest(folder, judge, progress)


def _in_running(folder: Path, judge: Judge, running: Running, progress: Progress | None) -> JudgedAgain:
    """Judge the pages of a crawl that runs, which writes what is found."""
    found, is_kept = JudgedAgain(), dict[str, bool]()
    with closing(open_pages(folder)) as store, closing(open_sample(folder)) as sample:
        for changes in changes_of(store, sample, judge, found, is_kept):
            if changes:
                running.write(changes)
            if progress is not None:
                progress(found.pages)
    found.queued = running.judged(found, _to_fetch_again(folder, is_kept))
    return found


def _at_rest(folder: Path, judge: Judge, progress: Progress | None) -> JudgedAgain:
    """Judge the pages of a job whose crawl does not run, in one transaction."""
    found, is_kept, now = JudgedAgain(), dict[str, bool](), time.time()
    with ExitStack() as opened:
        database = _writable(folder)
        opened.callback(database.abandon)  # does nothing but close after a commit
        is_served = stored_in(folder) is not None
        store = opened.enter_context(closing(open_pages(folder))) if is_served else PageStore(database)
        sample, put = PageSample(database), partial(_put, store, judge.topic.segmenter)
        for changes in changes_of(store, sample, judge, found, is_kept):
            changes.write(store, sample, put, now)
            if progress is not None:
                progress(found.pages)
        again = _to_fetch_again(folder, is_kept)
        if found.gained or found.kinds or again:
            frontier = SqliteFrontier(database, acknowledgements_per_commit=sys.maxsize)
            if (note := frontier.notes.get(HarvestCounter.NOTE)) is not None:
                found.correct(counter := HarvestCounter(note))
                frontier.notes.put(HarvestCounter.NOTE, counter.note())
            found.queued = queue_again(frontier, again, now)
        if is_served:
            store.commit()
        database.commit()
    return found


def _writable(folder: Path) -> JobDatabase:
    """The database of a job, opened for writing; an empty one in memory where there is none."""
    path = folder / JOB_DATABASE
    return JobDatabase(path if is_begun(path) else MEMORY)


def _put(store: Pages, segmenter: Segmenter, record: PageRecord) -> None:
    if isinstance(store, PageStore):
        store.put(record, segmenter)
    else:
        store.put(record)


def changes_of(
    store: Pages, sample: PageSample, judge: Judge, found: JudgedAgain, is_kept: dict[str, bool]
) -> Iterator[Changes]:
    """Judge the pages of a job again, and yield what that has changed, for about BATCH pages at a time; the last are those of the sample.

    The caller writes each before it takes the next, or leaves it to the crawl. `found` gets the counts, `is_kept` for each URL of the
    sample whether its page is kept now.
    """
    texts: dict[str, _Named] = {}
    firsts: dict[str, Judgement] = {}
    copies: list[tuple[int, PageRecord]] = []
    changes, looked = Changes(), 0
    for row, record in store.rows():
        if record.alias_of:
            copies.append((row, replace(record, media="")))
            continue
        judgement = judge.of(row, record)
        if record.text and judgement.kept:
            texts.setdefault(record.content_hash, _Named(record.url, record.title))
        found.count(record, kept=judgement.kept)
        if _differs(judgement, record):
            changes.pages.append(judgement)
            firsts[record.url] = judgement
        looked += 1
        if looked % BATCH == 0:
            yield changes
            changes = Changes()
    changes.pages += _of_copies(store, copies, firsts, judge, found)
    yield changes
    yield _sampled(store, sample, judge, found, texts, is_kept)


def _to_fetch_again(folder: Path, is_kept: Mapping[str, bool]) -> list[str]:
    """The URLs of pages that were off topic, are not in the sample, and may be kept now. `is_kept`: whether a page of the sample is kept
    now."""
    if not any(is_kept.values()):
        return []
    relevance = {
        visit.url: visit.relevance for visit in visits_of(folder) if visit.is_page and not visit.stored
    }
    sampled = [(relevance[url], kept) for url, kept in is_kept.items() if url in relevance]
    least, kept, of = inf, 0, 0
    for value, is_one in sorted(sampled, key=lambda one: -one[0]):
        kept, of = kept + is_one, of + 1
        if kept >= LEAST_SHARE * of:
            least = value
    return [url for url, value in relevance.items() if value >= least and url not in is_kept]


def to_fetch_again(folder: Path, sample: PageSample, judge: Judge) -> Iterator[list[str]]:
    """The URLs of pages that were off topic, are not in the sample, and may be kept now, as the last list; empty lists after each BATCH of
    sampled pages before. Nothing is written, and nothing is judged if the sample has all pages that were not kept."""
    if len(sample.nearest(1.0, sample.size, stored=False)) < sample.size:
        return
    is_kept = dict[str, bool]()
    for number, (row, record) in enumerate(sample.rows(), 1):
        is_kept[record.url] = judge.of(row, record).kept and judge.may_be_kept(record)
        if number % BATCH == 0:
            yield []
    yield _to_fetch_again(folder, is_kept)


def queue_again(frontier: Frontier, urls: Iterable[str], now: float) -> int:
    """Let URLs whose pages were off topic wait again with their scores; others are skipped. Returns how many."""
    queued = 0
    for url in urls:
        row = frontier.look().row(url)
        if row is not None and row.state is State.DISCARDED and row.reason == OFF_TOPIC:
            link = (row.link, Score(url, row.score, row.carry, row.shares))
            queued += frontier.push([link], now=now, tunnel=row.tunnel, again=True)[Pushed.NEW]
    return queued


def _of_copies(
    store: Pages,
    copies: Iterable[tuple[int, PageRecord]],
    firsts: Mapping[str, Judgement],
    judge: Judge,
    found: JudgedAgain,
) -> Iterator[Judgement]:
    """The changed judgements of copies. `firsts`: those of other pages, by URL; they may not be written yet."""
    for row, record in copies:
        now, first = firsts.get(record.alias_of), store.get(record.alias_of)
        relevance, kept, topic = record.relevance, record.stored, record.topic
        said = record.opinion, record.opinion_reason
        if now is not None:
            relevance, kept, topic, said = now.relevance, now.kept, now.topic, now[-2:]
        elif first is not None:
            relevance, kept, topic = first.relevance, first.stored, first.topic
            said = first.opinion, first.opinion_reason
        answer = judge.answers.get(record.url)
        kept = kept if answer is None else answer
        found.count(record, kept=kept)
        judgement = Judgement(row, relevance, kept, not kept, topic, record.summary, *said)
        if _differs(judgement, record):
            yield judgement


def _differs(judgement: Judgement, record: PageRecord) -> bool:
    before = record.relevance, record.stored, record.topic, record.opinion
    return (judgement.relevance, judgement.kept, judgement.topic, judgement.opinion) != before


def _sampled(
    store: Pages,
    sample: PageSample,
    judge: Judge,
    found: JudgedAgain,
    texts: dict[str, _Named],
    is_kept: dict[str, bool],
) -> Changes:
    """Judge the sample of pages that were not kept; those that are kept now go to the page store. `texts`: the pages kept, by the hash of
    their texts: one with the same text becomes a copy. A page that was stored since it was sampled only leaves the sample."""
    changes = Changes()
    for row, record in sample.rows():
        if store.get(record.url) is not None:
            changes.stored.append(record.url)
            continue
        judgement = judge.of(row, record)
        is_kept[record.url] = judgement.kept and judge.may_be_kept(record)
        if is_kept[record.url]:
            first = texts.setdefault(record.content_hash, _Named(record.url, record.title))
            is_copy = first.url != record.url and may_be_same(record.title, first.title)
            now_kept = KeptNow(
                *(record.url, judgement.relevance, judgement.topic),
                *(kind_of_text(record.text), language_of(record.text), judgement.summary),
                *(judgement.opinion, judgement.opinion_reason),
                first.url if is_copy else "",
            )
            changes.kept.append(now_kept)
            found.count(replace(now_kept.record(record, 0.0), stored=False), kept=True)
        elif judgement.relevance != record.relevance:
            changes.sampled[record.url] = judgement.relevance
    return changes
