"""Judges the stored pages of a job again by its present topic, when that was taught or changed.

The relevance is computed as when a page is fetched, by the same filter (crawling.page_filter) from the same words (pages.page_evidence), so
judging again by an unchanged topic changes nothing. A page that is not kept any more is refused: it stays in the store, apart from the
results. A person's answer about a page decides alone. A copy has the judgement of the page of which it is a copy. Pages of the sample of
those that were not kept are kept now, if the topic says so, with what is known of them; days and authors are not read of such pages. Of
other pages that were not kept no text is known: those are queued again whose relevance when they were fetched was at least that from which
on LEAST_SHARE of the sampled pages are kept now.

Cost: a millisecond a page, most of it for the segmenter. A crawl may run meanwhile: the pages are written in transactions of BATCH.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, Protocol

from topiccrawler.crawling.assemble import page_classifier_of, topic_of, topic_of_page
from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.job_files import DISCARDED, FRONTIER, INDEX, PAGES, read_recipe
from topiccrawler.crawling.page_filter import OFF_TOPIC, PageFilter, Restrictions
from topiccrawler.crawling.page_stores import has_pages, open_pages, visits_of
from topiccrawler.errors import ArgumentError
from topiccrawler.frontier.base import Frontier, Pushed, State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Score
from topiccrawler.pages.kinds import kind_of_text
from topiccrawler.pages.metadata import Summariser, language_of
from topiccrawler.pages.page_evidence import unpacked
from topiccrawler.pages.read import SHORTEST_MAIN_TEXT, PageClassifier, PageWords
from topiccrawler.pages.site_repeats import may_be_same, stored_segments
from topiccrawler.store.index import PageIndex
from topiccrawler.store.pages import Judgement, PageRecord, Pages, PageStore
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import Topic

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


class Running(Protocol):
    """The crawl that runs in the folder of a job, in another process."""

    @property
    def page_threshold(self) -> float:
        """The relevance, 0..1, from which the crawl keeps a page; it may have been changed since the crawl began."""

    def teach(self, keep: bool) -> int:
        """Continue with the topic that the job was just taught. `keep`: the strategy keeps what it has learned. Returns how many URLs get a
        new score."""

    def judged(self, found: JudgedAgain) -> None:
        """Correct the counts of the crawl by what judging its pages again has changed."""

    def queue_again(self, urls: Sequence[str]) -> int:
        """Let the crawl fetch pages again that were off topic. Returns how many."""


class Judge:
    """The judgement of stored pages by a topic and a person's answers. `threshold`: None = that of the classifier."""

    def __init__(
        self,
        topic: Topic,
        classifier: PageClassifier,
        answers: Mapping[str, bool],
        threshold: float | None = None,
    ) -> None:
        self.topic, self.classifier, self.answers = topic, classifier, answers
        self.filter = PageFilter.of(classifier, Restrictions(sites=topic.sites))
        self.filter.answers = answers
        if threshold is not None:
            self.filter.threshold = threshold
        self._summariser = Summariser(topic.keywords)

    def of(self, row: int, record: PageRecord) -> Judgement:
        """The judgement of a page that is no copy."""
        words = words_of_record(record, self.topic.segmenter, in_segments=self.classifier.reads_segments)
        relevance, kept = self.filter.verdict(words, url=record.url)
        topic = topic_of_page(self.classifier, self.topic, words) if kept else record.topic
        summary = record.summary
        if topic != record.topic or (kept and not summary):
            summary = self._summariser.summary(record.text)
        return Judgement(row, relevance, kept, not kept, topic, summary)


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
    judge = Judge(topic_of(recipe), page_classifier_of(recipe), answers, threshold)
    found, now = JudgedAgain(), time.time()
    texts: dict[str, PageRecord] = {}
    if has_pages(folder):
        with closing(open_pages(folder)) as store:
            _stored(folder, store, judge, found, texts, now, progress)
    again: list[str] = []
    if (folder / DISCARDED).is_file():
        with closing(PageStore(folder / DISCARDED, create=False)) as sample:
            is_kept = _sampled(folder, sample, judge, found, texts, now)
        again = _to_fetch_again(folder, is_kept) if any(is_kept.values()) else []
    if running is not None:
        running.judged(found)
        found.queued = running.queue_again(again) if again else 0
    elif (found.gained or found.kinds or again) and (folder / FRONTIER).is_file():
        with SqliteFrontier(folder / FRONTIER) as frontier:
            counter = HarvestCounter(frontier.notes.get(HarvestCounter.NOTE))
            found.correct(counter)
            frontier.notes.put(HarvestCounter.NOTE, counter.note())
            found.queued = queue_again(frontier, again, now)
            frontier.commit()
    return found


def _to_fetch_again(folder: Path, is_kept: Mapping[str, bool]) -> list[str]:
    """The URLs of pages that were off topic, are not in the sample, and may be kept now. `is_kept`: whether a page of the sample is kept
    now."""
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


def queue_again(frontier: Frontier, urls: Iterable[str], now: float) -> int:
    """Let URLs whose pages were off topic wait again with their scores; others are skipped. Returns how many."""
    queued = 0
    for url in urls:
        row = frontier.look().row(url)
        if row is not None and row.state is State.DISCARDED and row.reason == OFF_TOPIC:
            link = (row.link, Score(url, row.score, row.carry, row.shares))
            queued += frontier.push([link], now=now, tunnel=row.tunnel, again=True)[Pushed.NEW]
    return queued


def _stored(
    folder: Path,
    store: Pages,
    judge: Judge,
    found: JudgedAgain,
    texts: dict[str, PageRecord],
    now: float,
    progress: Progress | None,
) -> None:
    """Judge the pages in the store. `texts`: gets them by the hash of their texts, each without its text."""
    is_indexed = isinstance(store, PageStore) and PageIndex.is_begun(folder / INDEX)
    index = PageIndex(folder / INDEX) if is_indexed else None

    def write(judgements: Iterable[Judgement]) -> None:
        waiting = iter(judgements)
        while some := list(islice(waiting, BATCH)):
            store.judge(some, now)
            store.commit()
            if index is not None:
                index.judge(some)
                index.commit()
            if progress is not None:
                progress(found.pages)

    copies: list[tuple[int, PageRecord]] = []
    try:
        write(_changes(store.rows(), judge, found, copies, texts))
        write(_of_copies(store, copies, judge, found))
    finally:
        if index is not None:
            index.close()


def _changes(
    rows: Iterable[tuple[int, PageRecord]],
    judge: Judge,
    found: JudgedAgain,
    copies: list[tuple[int, PageRecord]],
    texts: dict[str, PageRecord],
) -> Iterator[Judgement]:
    for row, record in rows:
        if record.alias_of:
            copies.append((row, record))
            continue
        if record.text:
            texts.setdefault(record.content_hash, replace(record, text="", evidence=b"", media=""))
        judgement = judge.of(row, record)
        found.count(record, kept=judgement.kept)
        if _differs(judgement, record):
            yield judgement


def _of_copies(
    store: Pages, copies: Iterable[tuple[int, PageRecord]], judge: Judge, found: JudgedAgain
) -> Iterator[Judgement]:
    for row, record in copies:
        first = store.get(record.alias_of)
        answer = judge.answers.get(record.url)
        kept = record.stored if first is None else first.stored
        kept = kept if answer is None else answer
        found.count(record, kept=kept)
        of_first = record if first is None else first
        judgement = Judgement(row, of_first.relevance, kept, not kept, of_first.topic, record.summary)
        if _differs(judgement, record):
            yield judgement


def _differs(judgement: Judgement, record: PageRecord) -> bool:
    before = record.relevance, record.stored, record.topic
    return (judgement.relevance, judgement.kept, judgement.topic) != before


def _sampled(
    folder: Path,
    sample: PageStore,
    judge: Judge,
    found: JudgedAgain,
    texts: Mapping[str, PageRecord],
    now: float,
) -> dict[str, bool]:
    """Judge the sample of pages that were not kept, and return for each URL whether it is kept now; such pages go to the page store.
    `texts`: the pages there, by the hash of their texts: one with the same text becomes a copy."""
    kept: list[PageRecord] = []
    others: list[Judgement] = []
    is_kept: dict[str, bool] = {}
    for row, record in sample.rows():
        judgement = judge.of(row, record)
        old = judge.filter.restrictions.is_old(record.url, record.published)
        is_kept[record.url] = judgement.kept and bool(record.text) and not old
        if is_kept[record.url]:
            known: dict[str, Any] = {"kind": kind_of_text(record.text), "language": language_of(record.text)}
            known |= {"relevance": judgement.relevance, "topic": judgement.topic}
            known["summary"] = judgement.summary
            first = texts.get(record.content_hash)
            if first is not None and may_be_same(record.title, first.title):
                known |= {"text": "", "evidence": b"", "alias_of": first.url}
            kept.append(replace(record, stored=True, judged=now, **known))
            found.count(replace(kept[-1], stored=False), kept=True)
        elif judgement.relevance != record.relevance:
            others.append(judgement._replace(kept=False, refused=False))
    if kept:
        place = open_pages(folder) if has_pages(folder) else PageStore(folder / PAGES)
        with closing(place) as store:
            for record in kept:
                store.put(record)
            store.commit()
    for record in kept:
        sample.delete(record.url)
    sample.judge(others, 0.0)
    return is_kept
