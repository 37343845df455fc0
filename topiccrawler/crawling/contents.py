"""All that is made of a page's bytes alone, in one value that another process can make: words, links, facts, media; by the crawl's models also
relevance, the scores of links, and of a page that is likely to be kept summary and fingerprint.

What depends on the crawl is not in it: what the site repeats, what is kept, the order of links. Without reading processes the same
functions are called where their results are needed, with the page's document at hand.

A sent content has its links by column (links.page_links): most of a column are few strings, which pickle writes once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from topiccrawler.items import Medium
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.links.extract import ContextMaker, extract, media_of
from topiccrawler.links.page_links import PageLinks
from topiccrawler.pages.document import Document
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import Extract, UnreadableError
from topiccrawler.pages.metadata import Facts, Summariser, facts_of, language_of, words_about
from topiccrawler.pages.read import (
    MOST_BODY_CHARACTERS,
    Content,
    ContentReader,
    PageClassifier,
    PageWords,
    Reading,
)
from topiccrawler.pages.site_repeats import Fingerprint, fingerprint
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import SiteRule

MOST_SEEN = 50_000  # links, twice; some 8 MB
_PROTOCOL = 5


@dataclass(frozen=True, slots=True)
class ContentPlan:
    """How a crawl reads contents; another process can be sent it."""

    segmenter: Segmenter
    sites: Mapping[str, SiteRule]
    title_reader: str
    reads_segments: bool
    is_detail: Callable[[Document], bool] | None
    context: ContextMaker
    window: int  # characters of context on each side of a link
    dropped_parameters: frozenset[str]
    keywords: Mapping[str, float]  # of the topic, for summaries
    page_classifier: PageClassifier | None  # None: one of another package that cannot be sent
    link_model: LinkClassifier | None  # None: the crawl has none, or several

    def reader(self) -> ContentReader:
        """Reads contents by this plan. PDF and Office files must come as extracts: it starts no process for them."""
        return ContentReader(
            Formats(),
            self.sites,
            self.title_reader,
            self.segmenter,
            reads_segments=self.reads_segments,
            is_detail=self.is_detail,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What is read: the body of an answer, and what is known of it."""

    url: str
    body: bytes
    declared: str | None = None  # the charset of the HTTP header
    content_type: str = ""
    extract: Extract | UnreadableError | None = None  # what a format reader made of the body
    depth: int = 0  # of the page, in link steps from the seeds

    def content(self, reader: ContentReader) -> Content:
        """Read it."""
        return reader.content(
            self.url, self.body, self.declared, content_type=self.content_type, extract=self.extract
        )

    def document(self, reader: ContentReader) -> Document:
        """Parse it alone."""
        return self.content(reader).document


def links_by(
    plan: ContentPlan, content: Content, depth: int, context: ContextMaker | None = None
) -> PageLinks:
    """All links of a page; `depth`: of the page."""
    return extract(
        content.document,
        content.url,
        depth=depth + 1,
        context=context or plan.context,
        window=plan.window,
        extra_parameters=plan.dropped_parameters,
        encoding=content.encoding,
    )


def facts_in(reading: Reading) -> Facts:
    """The facts of a page; its language is that of the text that is kept."""
    content = reading.content
    if content.facts is None:
        return facts_of(content.document, reading.main_text, content.url)
    if reading.main_text == content.main_text:
        return content.facts
    language = language_of(reading.main_text or content.document.text, content.lang)
    return replace(content.facts, language=language)


def words_in(reading: Reading) -> Facts:
    """Keywords and description alone."""
    facts = reading.content.facts
    if facts is None:
        return words_about(reading.content.document)
    return Facts(keywords=facts.keywords, description=facts.description)


def summary_in(reading: Reading, summariser: Summariser) -> str:
    """The summary of a page's own text."""
    content = reading.content
    made = content.summary if reading.main_text == content.main_text else None
    return summariser.summary(reading.main_text) if made is None else made


def fingerprint_in(reading: Reading) -> Fingerprint | None:
    """That of a page's own text, where a reading process has made it."""
    content = reading.content
    return content.fingerprint if reading.main_text == content.main_text else None


def media_in(reading: Reading) -> list[Medium]:
    """The pictures and files that a page links."""
    content = reading.content
    if content.media is None:
        return media_of(content.document, content.url, content.encoding)
    return content.media


class SeenLinks:
    """Which links a process has read, by URL and anchor. Two generations of MOST_SEEN: what was not met for so long is new again."""

    def __init__(self) -> None:
        self._young, self._old = set[int](), set[int]()

    def new_in(self, links: PageLinks) -> list[int]:
        """The places of those not read before; all are read from now on."""
        if len(self._young) > MOST_SEEN:
            self._young, self._old = set(), self._young
        young, old = self._young, self._old
        keys = list(map(hash, zip(links.urls, links.anchors, strict=True)))
        found = [place for place, key in enumerate(keys) if key not in young and key not in old]
        young.update(keys)
        return found


class Read(NamedTuple):
    """What a reader made of an answer."""

    answer: Answer
    plan: ContentPlan
    content: Content


class ContentPacker:
    """Reads answers wholly, for another process: the crawl's own, which takes its contents from `unpacked`."""

    def __init__(self, plan: ContentPlan) -> None:
        self.plan, self.reader = plan, plan.reader()
        self._summariser, self._seen = Summariser(plan.keywords), SeenLinks()

    def packed(self, answer: Answer) -> bytes:
        """Of one answer."""
        plan, content = self.plan, answer.content(self.reader)
        links = content.links = links_by(plan, content, answer.depth)
        content.facts = facts_of(content.document, content.main_text, content.url)
        content.media = media_of(content.document, content.url, content.encoding)
        new = self._seen.new_in(links)
        # What the crawl cuts again: anchors of new links, and the main text, for fingerprints and the index.
        to_cut = [links.anchors[place] for place in new]
        if self._may_be_kept(content):
            to_cut.append(content.main_text[:MOST_BODY_CHARACTERS])
        cut = self.reader.segmenter.pieces_of("|".join(to_cut))
        scores = []
        if plan.link_model is not None:
            scores = plan.link_model.log_odds([links[place] for place in new])
        content.parsed = None
        return pickle.dumps((content, cut, new[: len(scores)], scores), _PROTOCOL)

    def _may_be_kept(self, content: Content) -> bool:
        """By its own words; of one that is, summary and fingerprint are made. One that reads segments judges here without what the site
        repeats, which the crawl alone knows, so the crawl judges again."""
        classifier = self.plan.page_classifier
        if classifier is None:
            return True
        relevance = classifier.relevance(content.words)
        if not self.plan.reads_segments:
            content.similarity, content.relevance = classifier.similarity(content.words), relevance
        if relevance < classifier.threshold:
            return False
        content.summary = self._summariser.summary(content.main_text)
        content.fingerprint = fingerprint(content.main_text, self.reader.segmenter)
        return True


def unpacked(sent: bytes, answer: Answer, reader: ContentReader, plan: ContentPlan) -> Content:
    """The content that a ContentPacker of this plan made of this answer. `reader`: of this process; it parses the page again where its
    document is asked for. What was cut and scored is learned by the crawl's segmenter and link model."""
    content: Content
    content, cut, new, scores = pickle.loads(sent)  # noqa: S301 made by our own process
    reader.segmenter.add_pieces(cut)
    if plan.link_model is not None and content.links is not None:
        plan.link_model.add_log_odds([content.links[place] for place in new], scores)
    content.parse_again = partial(answer.document, reader)
    return content


def unreadable(answer: Answer, form: str, fault: str) -> Content:
    """The content of an answer that no process could read."""
    return Content(answer.url, form, "utf-8", "", "", PageWords(), fault=fault)
