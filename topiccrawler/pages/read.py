"""Reads a page: bytes in, Page, text and words out.

A crawl meets pages that are no HTML (pages.formats), no text, or megabytes of either, and must neither stop nor
slow down; words, relevance and links all need the same parse. So one Reader parses once per page, with bounds.
Bounds: MOST_BYTES of a body are decoded (the rest is cut); pages.parse and pages.dom_traversal bound characters, elements
and links; MOST_BODY_CHARACTERS of text go to the segmenter.
Cost: see benchmarks/reading.py.

The words of a page by field: the input of page classifiers.

What every page classifier answers; reading, pipelines and commands use this protocol.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, Protocol

from topiccrawler.model import Page, Via
from topiccrawler.pages.document import Document
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import HTML, Extract, UnreadableError, recognise
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.pages.site_repeats import (
    Segment,
    SiteRepeats,
    keys_of,
    keys_of_lines,
    lines_to_ask,
    segments_of,
    without_lines,
)
from topiccrawler.pages.site_rules import declared_feeds, read_by_rule, rule_of
from topiccrawler.pages.title import TITLE_READERS, TITLE_TAG
from topiccrawler.text.decode import decode
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.topics.topic import SiteRule
from topiccrawler.urls.canonical import host_of


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page by field; `body` is the main text, else all text. `segments`: the same page in parts, for page classifiers
    that ask for them (pages.read)."""

    title: Sequence[str] = ()
    headings: Sequence[str] = ()
    emphasis: Sequence[str] = ()
    meta: Sequence[str] = ()
    body: Sequence[str] = ()
    segments: Sequence[Segment] = ()


class PageClassifier(Protocol):
    """Relevance of a page to one topic."""

    threshold: ClassVar[float]  # relevance from which a page is about the topic: one half
    reads_segments: ClassVar[bool]  # `relevance` reads PageWords.segments

    @property
    def similarity_threshold(self) -> float:
        """The similarity that `similarity` has where a page is as likely about the topic as not."""
        ...

    def similarity(self, words: PageWords) -> float:
        """0..1, on the classifier's own scale: how near the page is to the topic and its surroundings. Strategies go by it."""
        ...

    def relevance(self, words: PageWords) -> float:
        """0..1: the probability that the page is about the topic; kept from one half on."""
        ...

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words behind the relevance, each with its share; largest first."""
        ...


MOST_BYTES = 4_000_000
MOST_BODY_CHARACTERS = 100_000
SHORTEST_MAIN_TEXT = 80  # characters; below, the page is a hub or empty, and all its text is classified


@dataclass(frozen=True, slots=True)
class Reading:
    """All that reading a page gives."""

    page: Page
    document: Document
    main_text: str  # without the lines that the site repeats on other pages; the words are of the whole
    encoding: str
    words: PageWords
    format: str = HTML  # as pages.formats.registry names it
    fault: str = ""  # why nothing could be read; such a reading is empty


class Reader:
    """Reads pages for one page classifier; `segmenter`: of its topic, or of the crawl's topics."""

    def __init__(
        self,
        page_classifier: PageClassifier,
        formats: Formats | None = None,
        sites: Mapping[str, SiteRule] | None = None,
        title_reader: str = TITLE_TAG,
        repeats: SiteRepeats | None = None,
        segmenter: Segmenter = PLAIN,
    ) -> None:
        self.page_classifier = page_classifier
        self.segmenter = segmenter
        self.reads_segments = page_classifier.reads_segments
        self.repeats = repeats  # of the crawl; None: each page is read by itself
        self.page_threshold = page_classifier.threshold  # a running crawl may be given another one
        self.sites = sites or {}  # reading rules of the topic
        self.formats = formats or Formats()
        self.title_reader = TITLE_READERS[title_reader]

    def read(
        self,
        url: str,
        body: bytes,
        declared: str | None = None,
        *,
        depth: int = 0,
        seconds: float = 0.0,
        via: Via | None = None,
        content_type: str = "",
        extract: Extract | UnreadableError | None = None,
    ) -> Reading:
        """Read one page; `declared` is the charset of the HTTP header. Never raises on any bytes.

        `extract`: what a format reader made of this very body, for callers that do not wait for one here.
        """
        kind, fault = recognise(body, content_type), ""
        if kind == HTML:
            html, encoding = decode(body[:MOST_BYTES], declared)
            document = parse(html)
            title, main = self.title_reader(html, document), main_text(document)
            rule = rule_of(url, self.sites)
            if rule is not None:
                document, title, main = read_by_rule(html, rule, document, title, main)
        else:
            found = extract or self.extract(kind, body, declared)
            if isinstance(found, UnreadableError):
                fault, found = str(found), Extract()
            document, encoding = parse(found.as_html()), "utf-8"
            title, main = found.title, found.main_text()
        words = self.words(document, title, main)
        segments, own_text, repeated = self._own(url, words.segments, main)
        if repeated and not own_text and kind == HTML and rule is None:  # it took the main text's place
            _, own_text, _ = self._own(url, [], main_text(document, repeated))
        if self.reads_segments:
            words = replace(words, segments=segments)
        relevance = self.page_classifier.relevance(words)
        page = Page(
            url=url,
            depth=depth,
            title=title,
            terms=terms_of(words),
            similarity=self.page_classifier.similarity(words),
            relevance=relevance,
            is_target=relevance >= self.page_threshold,
            seconds=seconds,
            via=via,
            listings=declared_feeds(document, url),
        )
        return Reading(page, document, own_text, encoding, words, kind, fault)

    def words(self, document: Document, title: str, main: str) -> PageWords:
        """The words of a page that was parsed, with its segments where the page classifier reads them."""
        words = page_words(document, title, main, self.segmenter)
        if not self.reads_segments:
            return words
        text = main if len(main) >= SHORTEST_MAIN_TEXT else ""
        return replace(words, segments=segments_of(document, title, text, self.segmenter))

    def own_text(self, url: str, text: str) -> str:
        """An earlier main text of a page that was read just now, without what the site repeats by now."""
        return self._own(url, [], text)[1]

    def _own(
        self, url: str, segments: Sequence[Segment], main: str
    ) -> tuple[Sequence[Segment], str, set[str]]:
        """Segments and main text without what the site repeats on other pages, and the lines left out; the page is counted."""
        if self.repeats is None:
            return segments, main, set()
        lines = lines_to_ask(main)
        repeated = self.repeats.of(host_of(url), url, [*keys_of(segments), *keys_of_lines(lines)])
        own = [segment for segment, is_repeat in zip(segments, repeated, strict=False) if not is_repeat]
        dropped = {
            line for line, is_repeat in zip(lines, repeated[len(segments) :], strict=True) if is_repeat
        }
        if not dropped:
            return own, main, dropped
        rest = without_lines(main, dropped)
        return own, rest if len(rest) >= SHORTEST_MAIN_TEXT else "", dropped

    def extract(self, kind: str, body: bytes, declared: str | None = None) -> Extract | UnreadableError:
        """The format reader's extract of a body that is no HTML, or the error that says why there is none."""
        try:
            return self.formats.read(kind, body, declared)
        except UnreadableError as fault:
            return fault


def terms_of(words: PageWords) -> Counter[str]:
    """What strategies see of a page's words."""
    return Counter(chain(words.title, words.body))


def page_words(document: Document, title: str, main: str, segmenter: Segmenter = PLAIN) -> PageWords:
    """The words of a page by field, in one call of the segmenter."""
    body = main if len(main) >= SHORTEST_MAIN_TEXT else document.text
    metas = document.metas
    fields = (
        title,
        "|".join(document.headings)[:MOST_BODY_CHARACTERS],
        "|".join(document.emphasis)[:MOST_BODY_CHARACTERS],
        f"{metas.get('keywords', '')}|{metas.get('description', '')}"[:MOST_BODY_CHARACTERS],
        body[:MOST_BODY_CHARACTERS],
    )
    of_title, headings, emphasis, meta, of_body = segmenter.words_of(fields)
    return PageWords(of_title, headings, emphasis, meta, of_body)
