"""What a few answers of a person give a narrow topic of a user's own words, by a simulated person who answers as the labels say.

    python benchmarks/teaching_narrow.py [WEBS] [--part NAME,NAME] [--answers 0,5,10,20] [--pages 1000] [--pilot 300] [--topics FILE]
        [--judged FILE] [--parsed DIR]

WEBS, topics and truth as for benchmarks/narrow.py. A pilot crawl of `adaptive` fetches 300 pages, without HTTP; the person is asked about some,
five at a time, as `scrapy topics teach` asks; the topic learns, what waits is rescored as that command has it, and the crawl goes on to
1 000. What is kept is what the topic as it is at the end keeps of all content pages fetched: those of the pilot by their stored words, as
`teach` has them. Every row leaves out the pages that are asked about with the most answers, so that no answer counts as a success.
--parsed keeps the webs as they were read, for another call.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import _checkout  # noqa: F401 first: the package may not be installed
from narrow import CONTENT, TOPICS, LabelledWeb, Topic, harvest_ratio, read_json, read_topics, read_web
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import assemble, topic_of
from topiccrawler.crawling.checkpoints import can_transfer, relearn, transfer_state
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.teaching import ANSWERED, without_repeats, words_of_record
from topiccrawler.lab.cost import Cost
from topiccrawler.lab.kept_pages import Assessed, measure
from topiccrawler.lab.page_reading import ReadingPlan
from topiccrawler.lab.page_reading import read_web as parse_web
from topiccrawler.lab.parsed_pages import ParsedPages
from topiccrawler.lab.parsed_pages import Reading as ParsedReading
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.replayed import ReplayedCrawl, Run
from topiccrawler.lab.workers import Workers
from topiccrawler.model import Page, Via
from topiccrawler.pages.metadata import words_about
from topiccrawler.pages.read import PageWords, Reader, Reading
from topiccrawler.pages.site_repeats import keys_of
from topiccrawler.relevance.base import relevance_with
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.training.teaching import questions, taught
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.text.weights import log_odds
from topiccrawler.topics.topic import PROPOSED_WORDS

PART = "tcm,japan,apple,philosophy,phones,outfits,docker,booknotes"
A_ROUND = 5
HEADS = ("yes", "kept", "precision", "recall", "P@25", "ratio")


class Texts:
    """The words of recorded pages: as a crawl reads them, and as its job stores them. Read when they are first wanted."""

    def __init__(self, pages: RecordedPages, any_topic: EvidenceClassifier, segmenter: Segmenter) -> None:
        self._pages, self._reader = pages, Reader(any_topic, segmenter=segmenter)
        self._read: dict[int, PageWords] = {}
        self._stored: dict[int, PageWords] = {}

    def read(self, number: int) -> PageWords:
        """As it is read; what the site repeats is not left out."""
        if number not in self._read:
            self._put(number)
        return self._read[number]

    def stored(self, number: int) -> PageWords:
        """As it is stored."""
        if number not in self._stored:
            self._put(number)
        return self._stored[number]

    def _put(self, number: int) -> None:
        reading = self._reading(number)
        facts = words_about(reading.document)
        record = PageRecord(
            url=reading.page.url,
            title=reading.page.title,
            text=reading.main_text,
            keywords=facts.keywords,
            description=facts.description,
        )
        self._read[number] = reading.words
        self._stored[number] = words_of_record(record, self._reader.segmenter, in_segments=True)

    def _reading(self, number: int) -> Reading:
        pages = self._pages
        recorded = pages.web.response(pages.recorded[number])
        headers = {name.lower(): value for name, value in recorded.headers} if recorded else {}
        kind = headers.get(b"content-type", b"").decode("latin-1")
        body = recorded.body if recorded else b""
        return self._reader.read(
            pages.urls[number], body, http_content_type_encoding(kind), content_type=kind
        )


class TaughtCrawl(ReplayedCrawl):
    """A replay whose topic may be taught words that were not looked for when the web was parsed."""

    def __init__(self, run: Run, recipe: Recipe, parsed: ParsedPages, texts: Texts) -> None:
        self.texts, self.recipe = texts, recipe
        self.came: dict[int, Page] = {}
        self.asked: dict[int, bool] = {}  # page number -> answer
        super().__init__(run, assemble(recipe), parsed, Cost())

    def page(self, number: int, reading: ParsedReading, via: Via) -> Page:
        words = self.texts.read(number)
        page = self.parsed.page(number, reading, self.run.topic, via)
        repeated = self.repeats.of(self.parsed.hosts[number], page.url, keys_of(words.segments))
        own = [one for one, is_repeat in zip(words.segments, repeated, strict=True) if not is_repeat]
        self.came[number] = page = self.judged(page, dataclasses.replace(words, segments=own))
        return page

    def judged(self, page: Page, words: PageWords, unseen: float = 0.0) -> Page:
        """The page as the strategy is told of it. `unseen`: the log-odds of what these words do not show."""
        one = self.parts.page_classifier
        relevance = relevance_with(one, words, unseen)
        return dataclasses.replace(
            page,
            relevance=relevance,
            similarity=one.similarity(words),
            is_target=relevance >= one.threshold,
        )

    def answered(self, number: int) -> Page:
        """The page as the strategy learns from it after the answers."""
        page, answer = self.came[number], self.asked.get(number)
        if answer is None:
            return page
        relevance = max(page.relevance, ANSWERED) if answer else min(page.relevance, 1.0 - ANSWERED)
        return dataclasses.replace(page, relevance=relevance, is_target=answer)

    def teach(self, relevant: frozenset[int], count: int) -> None:
        """Ask the simulated person, learn, rescore."""
        base, numbers = self.parts.topic, list(self.came)
        urls = [self.came[number].url for number in numbers]
        words = without_repeats(urls, [self.texts.stored(number) for number in numbers])
        one = EvidenceClassifier(base)
        unseen = [
            log_odds(self.came[number].relevance) - log_odds(one.relevance(page))
            for number, page in zip(numbers, words, strict=True)
        ]
        answers: dict[int, bool] = {}
        topic = base
        while len(answers) < count:
            one = EvidenceClassifier(topic)
            relevances = [relevance_with(one, page, more) for page, more in zip(words, unseen, strict=True)]
            chosen = questions(relevances, one.threshold, answers, min(A_ROUND, count - len(answers)))
            if not chosen:
                break
            answers |= {place: numbers[place] in relevant for place in chosen}
            topic = taught(base, words, answers, unseen)
        self.asked = {numbers[place]: answer for place, answer in answers.items()}
        old, changed = self.parts.strategy, 0
        self.use(assemble(dataclasses.replace(self.recipe, topic_fields=topic.model_dump())))
        for number, page, more in zip(numbers, words, unseen, strict=True):
            was, self.came[number] = self.came[number], self.judged(self.came[number], page, more)
            changed += was.is_target != self.answered(number).is_target
        if can_transfer(old, changed, len(numbers)):
            transfer_state(self.parts.strategy, old.save(), self.frontier)
        else:
            relearn(self.parts.strategy, self.frontier, map(self.answered, numbers))
        self.ordering.pages = len(self.came)


@dataclass(frozen=True, slots=True)
class Taught:
    """A crawl that has ended."""

    order: list[int]
    came: Mapping[int, Page]
    asked: Mapping[int, bool]

    def row(
        self, web: LabelledWeb, relevant: frozenset[int], left_out: Mapping[int, bool], most: int
    ) -> list[float]:
        """The values of HEADS."""
        order = [number for number in self.order if number in web.kinds]
        content = [number for number in order if web.kinds[number] == CONTENT and number not in left_out]
        pages = [(number in relevant, self.came.get(number)) for number in content]
        kept = measure(
            [
                Assessed(hit, page.relevance if page else None, page is not None and page.is_target)
                for hit, page in pages
            ]
        )
        shares = [one or 0.0 for one in (kept.precision, kept.recall, kept.p_at_25)]
        ratio = harvest_ratio([number in relevant for number in order], len(relevant), most)
        return [float(sum(self.asked.values())), float(kept.pages), *shares, ratio]


def measured(
    options: argparse.Namespace, name: str, topics: Sequence[Topic], folder: Path
) -> dict[int, list[list[float]]]:
    """Number of answers -> a row a topic, of the topics of one web."""
    web = read_web(options.webs / name)
    judged = read_json(options.judged) if options.judged else {}
    recipes = [recipe_of(topic) for topic in topics]
    plan = ReadingPlan.of(list(web.paths), recipes, ["window"])
    place = folder / f"{name}.{'.'.join(topic.name for topic in topics)}.sqlite"
    if not place.exists():
        with Workers(1) as workers:
            parse_web(plan, web.pages, place, workers, lambda _: None)
    seeds = tuple(number for url in web.seeds if (number := web.pages.number_of_any(url)) is not None)
    found: dict[int, list[list[float]]] = {}
    with contextlib.closing(ParsedPages(place)) as parsed:
        made = [topic_of(recipe) for recipe in recipes]
        segmenter = Segmenter(word for topic in made for word in topic.keywords)  # pages are cut once for all
        texts = Texts(web.pages, EvidenceClassifier(made[0].cut_by(segmenter)), segmenter)
        for at, topic in enumerate(topics):
            relevant = web.about(topic, judged.get(topic.name, {}))
            run = Run(recipes[at], "adaptive", seeds, options.pages, place, at)
            crawls = {}
            for count in options.answers:
                crawl = TaughtCrawl(run, recipes[at], parsed, texts)
                crawl.most = options.pilot
                crawl.go()
                if count:
                    crawl.teach(relevant, count)
                crawl.most = options.pages
                crawls[count] = Taught(crawl.go_on().order, crawl.came, crawl.asked)
            left_out = crawls[max(options.answers)].asked
            for count, one in crawls.items():
                row = one.row(web, relevant, left_out, options.pages)
                found.setdefault(count, []).append(row)
                show(f"{topic.name} {count}", row)
    return found


def recipe_of(topic: Topic) -> Recipe:
    """As `-a keywords=` makes it."""
    made = recipe_of_words(Recipe(""), topic.words.split(), PROPOSED_WORDS)
    return dataclasses.replace(made, topic_fields=topic_of(made).model_dump())


def show(name: str, row: Sequence[float]) -> None:
    print(f"{name:<16}" + "".join(f"{one:>11.3f}" for one in row), flush=True)


def main() -> None:
    """Crawl for each topic and number of answers; print a row each, and the means."""
    options = arguments()
    topics = read_topics(options.topics, options.part.split(","))
    webs = list(dict.fromkeys(topic.web for topic in topics))
    print(f"{'':<16}" + "".join(f"{head:>11}" for head in HEADS))
    found: dict[int, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for web in webs:
            own = [topic for topic in topics if topic.web == web]
            for count, rows in measured(options, web, own, options.parsed or Path(temporary)).items():
                found.setdefault(count, []).extend(rows)
    for count, rows in sorted(found.items()):
        show(f"mean, {count}", [fmean(column) for column in zip(*rows, strict=True)])


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    add("webs", type=Path, nargs="?", default=shared and Path(shared), help="folder of recorded webs")
    add("--topics", type=Path, default=TOPICS)
    add("--judged", type=Path)
    add("--part", default=PART, metavar="NAME,NAME", help="these topics")
    add("--answers", type=lambda text: sorted(map(int, text.split(","))), default=[0, 5, 10, 20])
    add("--pages", type=int, default=1000, metavar="N")
    add("--pilot", type=int, default=300, metavar="N")
    add("--parsed", type=Path, metavar="DIR", help="keeps the webs as they were read")
    options = parser.parse_args()
    if options.webs is None:
        parser.error("name a folder of recorded webs, or set TOPICCRAWLER_SHARED")
    return options


if __name__ == "__main__":
    main()
