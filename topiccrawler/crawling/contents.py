"""Computes the content of a page: all that follows from its bytes alone, so that another process can compute it.

A content has words, links, facts and media. By the crawl's models it also has the relevance, the scores of links, and, for a page that
is likely to be kept, summary and fingerprint. What depends on the crawl is not part of it: texts that the site repeats, the decision to
keep the page, the order of links. Without reading processes the crawl calls the same functions where it needs their results.

A content that is sent to another process has its links by column (links.page_links): most of a column are few different strings, which
pickle writes once.
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
from topiccrawler.pages.kinds import kind_by, shape_of
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

MOST_SEEN = 50_000  # links in each of two generations; some 8 MB in total
SITEMAP = "sitemap"  # a format (pages.formats.registry)
_PROTOCOL = 5


@dataclass(frozen=True, slots=True)
class ContentPlan:
    """The parameters by which a crawl reads contents; it can be sent to another process."""

    segmenter: Segmenter
    sites: Mapping[str, SiteRule]
    title_reader: str
    reads_segments: bool
    is_detail: Callable[[Document], bool] | None
    context: ContextMaker
    window: int  # characters of context on each side of a link
    dropped_parameters: frozenset[str]
    keywords: Mapping[str, float]  # keywords of the topic, for summaries
    page_classifier: PageClassifier | None  # None: it is of another package and cannot be sent
    link_model: LinkClassifier | None  # None: the crawl has no link model, or several

    def reader(self) -> ContentReader:
        """A reader of contents by this plan. It starts no process to read PDF and Office files, so these must come as extracts."""
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
    """A response to be read: its body, and what is known of it."""

    url: str
    body: bytes
    declared: str | None = None  # the charset in the HTTP header
    content_type: str = ""
    extract: Extract | UnreadableError | None = None  # the result of a format reader for the body
    depth: int = 0  # depth of the page, in link steps from the seeds
    refresh: str = ""  # the HTTP header Refresh

    def content(self, reader: ContentReader) -> Content:
        """Read the content of the response."""
        return reader.content(
            self.url,
            self.body,
            self.declared,
            content_type=self.content_type,
            extract=self.extract,
            refresh=self.refresh,
        )

    def document(self, reader: ContentReader) -> Document:
        """Parse the response and return its document only."""
        return self.content(reader).document


def links_by(
    plan: ContentPlan, content: Content, depth: int, context: ContextMaker | None = None
) -> PageLinks:
    """All links of a page; `depth`: depth of the page, in link steps from the seeds."""
    return extract(
        content.document,
        content.url,
        depth=depth + 1,
        context=context or plan.context,
        window=plan.window,
        extra_parameters=plan.dropped_parameters,
        encoding=content.encoding,
        more=content.more,
        sitemaps=content.listings if content.format == SITEMAP else (),
    )


def facts_in(reading: Reading) -> Facts:
    """The metadata of a page; the language is that of the main text as it is stored."""
    content = reading.content
    if content.facts is None:
        return facts_of(content.document, reading.main_text, content.url, content.title)
    if reading.main_text == content.main_text:
        return content.facts
    language = language_of(reading.main_text or content.document.text, content.lang)
    return replace(content.facts, language=language)


def kind_in(reading: Reading) -> str:
    """The kind of a page, by its text without what its site repeats."""
    content = reading.content
    shape = content.shape
    if shape is None:
        shape = shape_of(content.document, content.main_text, content.url, content.title)
    text = reading.main_text or content.main_text
    return kind_by(shape, text, form=content.format, repeated=reading.repeated)


def words_in(reading: Reading) -> Facts:
    """Those metadata of a page that page classifiers read: keywords and description."""
    content = reading.content
    return words_about(content.document) if content.about is None else content.about


def summary_in(reading: Reading, summariser: Summariser) -> str:
    """The summary of the main text of a page, without what its site repeats."""
    content = reading.content
    made = content.summary if reading.main_text == content.main_text else None
    return summariser.summary(reading.main_text) if made is None else made


def fingerprint_in(reading: Reading) -> Fingerprint | None:
    """The fingerprint of the main text of a page; None unless a reading process has made it from the same text."""
    content = reading.content
    return content.fingerprint if reading.main_text == content.main_text else None


def media_in(reading: Reading) -> list[Medium]:
    """The pictures and files to which a page links."""
    content = reading.content
    if content.media is None:
        return media_of(content.document, content.url, content.encoding)
    return content.media


class SeenLinks:
    """A two-generation cache of the links that a process has read, by hash of URL and anchor.

    A link is forgotten when MOST_SEEN to twice as many different links were read after it.
    """

    def __init__(self) -> None:
        self._young, self._old = set[int](), set[int]()

    def new_in(self, links: PageLinks) -> list[int]:
        """The positions of the links that are not in the cache; adds all links to it."""
        if len(self._young) > MOST_SEEN:
            self._young, self._old = set(), self._young
        young, old = self._young, self._old
        keys = list(map(hash, zip(links.urls, links.anchors, strict=True)))
        found = [place for place, key in enumerate(keys) if key not in young and key not in old]
        young.update(keys)
        return found


class Read(NamedTuple):
    """A response with the content that was read from it, and the plan by which it was read."""

    answer: Answer
    plan: ContentPlan
    content: Content


class ContentPacker:
    """Reads the full contents of responses in a reading process, and packs them for the crawl's process (`unpacked`)."""

    def __init__(self, plan: ContentPlan) -> None:
        self.plan, self.reader = plan, plan.reader()
        self._summariser, self._seen = Summariser(plan.keywords), SeenLinks()

    def packed(self, answer: Answer) -> bytes:
        """The content of one response, with link scores and segmented words, as a pickle."""
        plan, content = self.plan, answer.content(self.reader)
        links = content.links = links_by(plan, content, answer.depth)
        content.about = words_about(content.document)
        content.media = media_of(content.document, content.url, content.encoding)
        new = self._seen.new_in(links)
        # Texts that the crawl segments later: anchors of new links, and the main text, for fingerprints and the index.
        to_cut = [links.anchors[place] for place in new]
        if self._may_be_kept(content):
            content.facts = facts_of(content.document, content.main_text, content.url, content.title)
            content.shape = shape_of(content.document, content.main_text, content.url, content.title)
            to_cut.append(content.main_text[:MOST_BODY_CHARACTERS])
        cut = self.reader.segmenter.pieces_of("|".join(to_cut))
        scores = []
        if plan.link_model is not None:
            scores = plan.link_model.log_odds([links[place] for place in new])
        content.parsed, content.more = None, ()  # of both, what is needed is in `links`
        return pickle.dumps((content, cut, new[: len(scores)], scores), _PROTOCOL)

    def _may_be_kept(self, content: Content) -> bool:
        """Whether a page is likely to be kept, by its words; if so, its summary and fingerprint are made.

        Only the crawl knows which texts the site repeats. So if the page classifier reads segments, the crawl computes the relevance again.
        """
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
    """The content that a ContentPacker with this plan has made of this response.

    The segmented words and the link scores are added to the caches of the crawl's segmenter and link model. `reader`: the reader of this
    process, which parses the page again if its document is needed.
    """
    content: Content
    content, cut, new, scores = pickle.loads(sent)  # noqa: S301 made by our own process
    reader.segmenter.add_pieces(cut)
    if plan.link_model is not None and content.links is not None:
        plan.link_model.add_log_odds([content.links[place] for place in new], scores)
    content.parse_again = partial(answer.document, reader)
    return content


def unreadable(answer: Answer, form: str, fault: str) -> Content:
    """The empty content of a response that could not be read, with the fault."""
    return Content(answer.url, form, "utf-8", "", "", PageWords(), fault=fault)
