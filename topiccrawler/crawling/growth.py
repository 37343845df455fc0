"""A topic that grows while its crawl runs: each page read is a lesson, and each so many pages the page classifier gets the words they taught.

    growing             topic, rounds, whether it grows, the words that count now (JSON)        when they change
    growing/pages       how many were read                                                       every page
    growing/page/N      a lesson: site, relevance by the topic's own words, expectation, words  every page, in place of the MOST_PAGES-th before

These are notes of the frontier, written in one transaction with the page's links; so a crawl that is killed goes on with the words it had,
and grows by the very pages that its queue knows of. growth.json in the job's folder says the same to people, for `scrapy topics show`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from topiccrawler.crawling.growths import Growths
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.model import Page
from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.growing import GrowingClassifier
from topiccrawler.relevance.training.growth import NEAR, Lesson, Lessons, telling_words
from topiccrawler.text.tokenise import words_of
from topiccrawler.topics.keywords import background_idf
from topiccrawler.urls.canonical import registered_domain

logger = logging.getLogger(__name__)

NOTE, PAGES, PAGE = "growing", "growing/pages", "growing/page/"
EVERY_PAGES, FIRST_PAGES = 100, 200
MOST_PAGES = 1_000
NEAR_WORDS = 40_000
TOLD = 10
ON, OFF, UNDO = "on", "off", "undo"
CHANGES = (ON, OFF, UNDO)
_REMEDY = "put back a copy, or choose another JOBDIR"


class Growth:
    """Of one crawl. `kept`: hears of each change of the words. `durable`: False where other processes have the same notes."""

    def __init__(
        self,
        classifier: GrowingClassifier,
        notes: Notes,
        kept: Callable[[Growths], None] = lambda _: None,
        *,
        durable: bool = True,
    ) -> None:
        background_idf()  # now: it takes a second
        self.classifier, self._notes, self._kept, self._durable = classifier, notes, kept, durable
        self._own, self._near = classifier.own_words, _near(classifier)
        self._lessons = Lessons(MOST_PAGES)
        self.state = Growths(classifier.topic.name)
        if durable:
            self._load()

    def read(self, page: Page, expected: float) -> None:
        """A page was read; `expected`: 0..1, how good the link to it looked."""
        title = words_of([page.title])[0]
        body = [word for word, count in page.terms.items() for _ in range(int(count))]
        relevance = self.classifier.own.relevance(PageWords(title=title, body=body))
        lesson = Lesson(
            registered_domain(page.url),
            round(relevance, 4),
            round(expected, 4),
            telling_words(page.terms, self._own),
        )
        place = self._lessons.add(lesson)
        if self._durable:
            text = json.dumps(
                [lesson.site, lesson.relevance, lesson.expected, *lesson.words], ensure_ascii=False
            )
            self._notes.put(f"{PAGE}{place}", text)
            self._notes.put(PAGES, str(self._lessons.count))
        due = self._lessons.count >= FIRST_PAGES and self._lessons.count % EVERY_PAGES == 0
        if due and self.state.grows:
            self._grow()
            self._use()

    def change(self, to: str) -> None:
        """`on` grows, `off` keeps the words as they are, `undo` takes them back and grows no more."""
        self.state = replace(self.state, pages=self._lessons.count, grows=to == ON)
        if to == UNDO:
            self.state = replace(self.state, words={}, since={})
        elif to == ON and self._lessons.count >= FIRST_PAGES:
            self._grow()
        self._use()

    def figures(self) -> Mapping[str, float]:
        """For the stats: by key."""
        return {"growth/words": len(self.state.words), "growth/rounds": self.state.rounds}

    def _grow(self) -> None:
        before, pages = self.state, self._lessons.count
        words = self._lessons.grown(self._own, self.classifier.threshold, self._near)
        since = {word: before.since.get(word, pages) for word in words}
        self.state = replace(before, rounds=before.rounds + 1, pages=pages, words=words, since=since)
        new = [word for word in words if word not in before.words]
        if new:
            text = "After %d pages the topic has %d words that it grew; new: %s"
            logger.info(
                text,
                pages,
                len(words),
                ", ".join(new[:TOLD]) + (", …" if len(new) > TOLD else ""),
            )

    def _use(self) -> None:
        self.classifier.use(self.state.weights, self.state.reasons)
        self._kept(self.state)
        if self._durable:
            self._notes.put(NOTE, json.dumps(self.state.as_json(), ensure_ascii=False))

    def _load(self) -> None:
        text, count = self._notes.get(NOTE), self._notes.get(PAGES)
        if count is None:
            return
        try:
            state = Growths.from_json(json.loads(text)) if text is not None else self.state
            if state.topic != self.state.topic:
                return  # a running crawl was given another topic
            self._lessons.count = int(count)
            lessons = {}
            for name, kept in self._notes.all(PAGE).items():
                site, relevance, expected, *words = json.loads(kept)
                if (place := int(name.removeprefix(PAGE))) < self._lessons.count:
                    lessons[place] = Lesson(str(site), float(relevance), float(expected), words)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            fault = f"is damaged ({type(error).__name__}: {error})"
            raise StateError("what the topic grew", fault, _REMEDY) from error
        for place in sorted(lessons):
            self._lessons.put(place, lessons[place])
        self.state = state
        self.classifier.use(state.weights, state.reasons)


def _near(classifier: GrowingClassifier) -> frozenset[str]:
    """The words near those that a person gave, as the segmenter gives them."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    topic = classifier.own.topic
    given = {word: topic.keywords[word] for word in topic.given or topic.keywords if word in topic.keywords}
    alike = shipped_vectors().alike(given, NEAR, NEAR_WORDS)
    return frozenset("".join(tokens) for tokens in words_of(alike))
