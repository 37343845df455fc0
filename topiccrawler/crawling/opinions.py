"""Chooses the pages about which a second opinion is asked (relevance.second_opinion), and what becomes of a page by it.

Words decide first. The questions of a crawl are few and a model is slow, so they go where an answer is worth most:

    1. the BEST pages kept, which a person sees first
    2. the other pages kept, those nearest to the page threshold first
    3. pages not kept of a relevance of at least LOWEST, those nearest to the threshold first

Half of the questions are asked while the crawl runs, so that the answers can teach its topic; the others when it ends, about the best of
all its pages, and then about the sampled pages that were not kept, by the topic as it was taught: if fewer than BEST are kept, also the
best of those below LOWEST. A page waits for its opinion in memory, at most MOST_WAITING pages; without one the words decide.

`judged` is what an opinion does to a stored page, and `PageFilter.verdict` what it does to one that is not stored yet.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Protocol

from topiccrawler.crawling.page_filter import PageFilter, by_opinion
from topiccrawler.items import YES
from topiccrawler.relevance.second_opinion import Opinion, Shown, addresses_models
from topiccrawler.store.opinions import OpinionLog, StoredOpinion
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord, Pages
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.readable import readable

logger = logging.getLogger(__name__)

OPINIONS = "opinions.jsonl"  # file in the folder of a job (store.opinions)
BEST = 25
LOWEST = 0.1  # of twelve topics: nine of 400 pages from .1 to .5 were about them, one of 5 500 below
MOST_WAITING = 200
TEACHES_AT = (10, 30, 100, 300)  # opinions


class Page(Protocol):
    """A PageItem or a PageRecord."""

    url: str
    title: str
    keywords: str
    text: str


@dataclass(slots=True)
class Question:
    """A page that waits for an opinion."""

    url: str
    shown: Shown
    key: str
    relevance: float  # 0..1, by the words
    is_kept: bool
    means: Any = None  # what the caller needs to keep a page that the words have refused


@dataclass(slots=True)
class Opinions:
    """The opinions of one crawl: those known, and the pages that wait for one. `most`: questions in the whole crawl.

    `counts`: of the pages by what came of it, for the stats.
    """

    wish: str
    model: str
    log: OpinionLog
    filter: PageFilter
    most: int
    waiting: dict[str, Question] = field(default_factory=dict)  # by key
    under_way: set[str] = field(default_factory=set)  # keys
    not_asked: set[str] = field(default_factory=set)  # keys of texts that address models
    is_stopped: bool = False  # a person ended the crawl: nothing more is asked
    counts: dict[str, int] = field(default_factory=dict)
    _best: list[float] = field(default_factory=list)  # heap of relevances

    @property
    def asked(self) -> int:
        """Questions asked so far, in earlier runs too."""
        return len(self.log.by_key) + len(self.under_way)

    def known(self, page: Page) -> StoredOpinion | None:
        """The opinion on a page's text, if it was asked for and given."""
        found = self.log.by_key.get(self.key_of(shown_of(page)))
        return found if found is not None and found.about else None

    def wants(self, relevance: float) -> bool:
        """Whether a page of that relevance is one to ask about."""
        return relevance >= min(LOWEST, self.filter.threshold)

    def offer(
        self, page: Page, relevance: float, *, is_kept: bool, means: Any = None, always: bool = False
    ) -> None:
        """Let a page wait for an opinion, if it is one to ask about. `means`: see Question. `always`: whatever its relevance."""
        shown = shown_of(page)
        key = self.key_of(shown)
        if (
            not (always or self.wants(relevance))
            or key in self.log.by_key
            or key in self.under_way | self.not_asked | self.waiting.keys()
        ):
            return
        if addresses_models(shown):
            self.not_asked.add(key)
            self.count("addresses_models")
            logger.info("Second opinions: not asked about %s, whose text addresses a model", page.url)
            return
        if is_kept:
            heapq.heappush(self._best, relevance)
            if len(self._best) > BEST:
                heapq.heappop(self._best)
        self.waiting[key] = Question(page.url, shown, key, relevance, is_kept, means)
        if len(self.waiting) > MOST_WAITING:
            del self.waiting[min(self.waiting.values(), key=self._worth).key]

    def next(self, count: int, *, ending: bool = False) -> list[Question]:
        """Take the pages to ask about now, at most `count`; none when the questions are used up. `ending`: the crawl has ended."""
        left = (self.most if ending else self.most // 2) - self.asked
        chosen = heapq.nlargest(min(count, max(0, left)), self.waiting.values(), key=self._worth)
        for one in chosen:
            del self.waiting[one.key]
            self.under_way.add(one.key)
        return chosen

    def answered(
        self, questions: Sequence[Question], opinions: Mapping[int, Opinion], now: float
    ) -> list[tuple[Question, StoredOpinion]]:
        """Record the opinions on questions, by their index; the questions with an opinion. One without is not asked again."""
        found = []
        for index, question in enumerate(questions):
            opinion = opinions.get(index, Opinion("", ""))
            stored = StoredOpinion(
                question.key,
                question.url,
                opinion.about,
                opinion.reason,
                round(now, 3),
                self.wish,
                self.model,
            )
            found.append((question, stored))
            self.count(opinion.about or "unanswered")
        self.log.add([stored for _, stored in found])
        self.under_way.difference_update(question.key for question in questions)
        return [(question, stored) for question, stored in found if stored.about]

    def unanswered(self, questions: Sequence[Question]) -> None:
        """Give up questions that the server did not answer; a resumed crawl may ask them again."""
        self.under_way.difference_update(question.key for question in questions)
        self.count("unanswered", len(questions))

    def offer_stored(self, pages: Pages) -> None:
        """Let the best of all stored pages wait, and those nearest to the threshold, when the crawl has ended."""
        left = self.most - self.asked
        rows = [*pages.best(limit=BEST), *pages.nearest(self.filter.threshold, left)] if left > 0 else []
        for row in dict.fromkeys(rows):
            record = pages.at(row)
            if record is not None and record.stored and not record.alias_of and not record.opinion:
                self.offer(record, record.relevance, is_kept=True)

    def offer_sampled(self, pages: Pages, sample: PageSample) -> None:
        """Let the best pages of the sample of those that were not kept wait, when the crawl has ended."""
        left, fewer = self.most - self.asked, BEST - len(pages.best(limit=BEST))
        rows = sample.nearest(1.0, left, stored=False) if left > 0 else []
        for place, row in enumerate(rows):
            record = sample.at(row)
            if record is not None and record.text:
                self.offer(record, record.relevance, is_kept=False, always=place < fewer)

    def unapplied(self, pages: Pages) -> Iterator[PageRecord]:
        """The records to store again, because a crawl was killed between an opinion and the commit of its page."""
        for opinion in list(self.log.by_key.values()):
            record = pages.get(opinion.url) if opinion.about and opinion.wish == self.wish else None
            if record is None or record.alias_of or record.opinion == opinion.about:
                continue
            if self.key_of(shown_of(record)) == opinion.key:
                yield judged(record, opinion)

    def teaching_due(self, before: int) -> bool:
        """Whether so many opinions have come since there were `before` that the topic should learn from them."""
        return any(before < step <= self.given for step in TEACHES_AT)

    @property
    def given(self) -> int:
        """Opinions given so far, in earlier runs too."""
        return sum(1 for one in self.log.by_key.values() if one.about and one.wish == self.wish)

    def answers(self) -> dict[str, bool]:
        """The opinions by URL, as a person's answers are taught (crawling.teaching)."""
        return {
            one.url: one.about == YES
            for one in self.log.by_key.values()
            if one.about and one.wish == self.wish
        }

    def on_pages(self) -> GivenOpinions:
        """The opinions about the present wish."""
        return GivenOpinions(self.log.by_key.values(), self.wish)

    def change_topic(self, topic: Topic, about: str) -> None:
        """Ask about another topic from now on; pages that wait are not asked about. `about`: see `wish_of`."""
        wish = wish_of(topic, about)
        if wish != self.wish:
            self.wish = wish
            self.waiting.clear()
            self._best.clear()

    def key_of(self, page: Shown) -> str:
        """The key of the question about a page in this crawl."""
        return key_of(self.wish, self.model, page)

    def count(self, name: str, count: int = 1) -> None:
        """Count pages of that outcome."""
        self.counts[name] = self.counts.get(name, 0) + count

    def _worth(self, question: Question) -> tuple[int, float]:
        """The order of the questions; the largest is asked first."""
        if question.is_kept and self._best and question.relevance >= self._best[0]:
            return 2, question.relevance
        return int(question.is_kept), -abs(question.relevance - self.filter.threshold)


def key_of(wish: str, model: str, page: Shown) -> str:
    """The hash of what a model is asked about a text; a text with two URLs is one question, two pages without text are two."""
    parts = (wish, model, page.title, page.text or page.url)
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


class GivenOpinions:
    """The opinions about one wish, by the pages that they are about."""

    def __init__(self, opinions: Iterable[StoredOpinion] = (), wish: str = "") -> None:
        given = [one for one in opinions if one.about and one.wish == wish]
        self._wish, self._models = wish, {one.model for one in given}
        self._by_url, self._by_key = {one.url: one for one in given}, {one.key: one for one in given}

    def on(self, page: Page) -> StoredOpinion | None:
        """The opinion on a page, of several the last; else that on its text at another URL."""
        found = self._by_url.get(page.url)
        keys = (key_of(self._wish, model, shown_of(page)) for model in self._models if found is None)
        return found or next((self._by_key[key] for key in keys if key in self._by_key), None)


def wish_of(topic: Topic, about: str) -> str:
    """What the model is asked: the user's sentence, with the words of the topic; without one the words alone."""
    words = list(dict.fromkeys(topic.given or [topic.display_name]))
    named = " ".join(words)
    if about:
        return f"{about} ({named})"
    return f"{named} (in the sense that these words share)" if len(words) > 1 else topic.full_name


def shown_of(page: Page) -> Shown:
    """What a model is shown of a page."""
    return Shown.of(readable(page.url), page.title, page.keywords, page.text)


def judged(record: PageRecord, opinion: StoredOpinion) -> PageRecord:
    """The record of a page with an opinion about it: refused, or kept with the relevance of one that was accepted."""
    relevance, is_kept = by_opinion(record.relevance, opinion.about)
    return replace(
        record,
        relevance=relevance,
        stored=is_kept,
        refused=not is_kept,
        judged=opinion.time,
        opinion=opinion.about,
        opinion_reason=opinion.reason,
    )


def opinion_in(first: PageRecord) -> dict[str, Any]:
    """What a copy has of the page of which it is a copy."""
    names = ("relevance", "stored", "refused", "refusal", "judged", "opinion", "opinion_reason")
    return {name: getattr(first, name) for name in names}
