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

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, Protocol

from topiccrawler.items import Medium
from topiccrawler.model import Link, Page, Via
from topiccrawler.pages.document import Document
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import HTML, Extract, UnreadableError, recognise
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.metadata import Facts, declared_language
from topiccrawler.pages.parse import parse
from topiccrawler.pages.site_repeats import (
    Fingerprint,
    Kind,
    Segment,
    SiteRepeats,
    keys_of,
    keys_of_lines,
    lines_to_ask,
    segment_texts,
    segments_of,
    without_lines,
)
from topiccrawler.pages.site_rules import declared_feeds, read_by_rule, rule_of
from topiccrawler.pages.title import TITLE_READERS, TITLE_TAG
from topiccrawler.text.characters import REPLACEMENT, decode
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


@dataclass(slots=True)
class Content:
    """What the bytes of a page say, whatever the crawl knows of its site. Without its document it can be sent to another process.

    `links` and what stands below: made with it, by a reading process (crawling.contents); None = to be made here, of the document.
    """

    url: str
    format: str  # as pages.formats.registry names it
    encoding: str
    title: str
    main_text: str
    words: PageWords  # with all segments, where the page classifier reads them
    listings: Sequence[str] = ()  # canonical URLs of feeds and sitemaps that it declares
    is_detail: bool = False  # a page of one text, not of links
    by_rule: bool = False  # read by the site's reading rule
    fault: str = ""  # why nothing could be read; such a page is empty
    lang: str = ""  # the language it declares
    parsed: Document | None = None
    parse_again: Callable[[], Document] | None = None  # for one that came without its document
    links: Sequence[Link] | None = None  # crawling.contents makes links.page_links.PageLinks
    facts: Facts | None = None
    media: list[Medium] | None = None
    similarity: float | None = None  # by the crawl's page classifier; with `relevance`
    relevance: float | None = None
    summary: str | None = None  # of `main_text`
    fingerprint: Fingerprint | None = None  # of `main_text`

    @property
    def document(self) -> Document:
        """The page as it was parsed; of one that another process has read, parsed once more."""
        if self.parsed is None:
            self.parsed = Document() if self.parse_again is None else self.parse_again()
        return self.parsed


@dataclass(frozen=True, slots=True)
class Reading:
    """All that reading a page gives."""

    page: Page
    content: Content
    main_text: str  # without the lines that the site repeats on other pages; the words are of the whole
    words: PageWords

    @property
    def document(self) -> Document:
        """The page as it was parsed."""
        return self.content.document

    @property
    def encoding(self) -> str:
        """Its charset."""
        return self.content.encoding

    @property
    def format(self) -> str:
        """As pages.formats.registry names it."""
        return self.content.format

    @property
    def fault(self) -> str:
        """Why nothing could be read; such a reading is empty."""
        return self.content.fault


class ContentReader:
    """Reads what pages say by themselves: it holds nothing of a crawl, so any process may have one.

    `segmenter`: of the crawl's topics. `sites`: their reading rules. `reads_segments`: the page classifier does.
    `is_detail`: tells pages of one text from pages of links; None = all count as the latter.
    """

    def __init__(
        self,
        formats: Formats | None = None,
        sites: Mapping[str, SiteRule] | None = None,
        title_reader: str = TITLE_TAG,
        segmenter: Segmenter = PLAIN,
        *,
        reads_segments: bool = False,
        is_detail: Callable[[Document], bool] | None = None,
    ) -> None:
        self.segmenter = segmenter
        self.reads_segments = reads_segments
        self.sites = sites or {}
        self.formats = formats or Formats()
        self.title_reader = TITLE_READERS[title_reader]
        self.is_detail = is_detail

    def content(
        self,
        url: str,
        body: bytes,
        declared: str | None = None,
        *,
        content_type: str = "",
        extract: Extract | UnreadableError | None = None,
        as_utf8: str | None = None,
    ) -> Content:
        """What one page says; arguments as of `Reader.read`. Never raises on any bytes. `as_utf8`: see text.characters.decode."""
        kind, fault, rule = recognise(body, content_type), "", None
        if kind == HTML:
            if len(body) > MOST_BYTES:
                body, as_utf8 = body[:MOST_BYTES], None
            html, encoding = decode(body, declared, as_utf8)
            is_same = encoding == "utf-8" and REPLACEMENT not in html and not body.startswith(BOM_UTF8)
            document = parse(html, body if is_same else None)
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
        return Content(
            url,
            kind,
            encoding,
            title,
            main,
            self.words(document, title, main, url),
            declared_feeds(document, url),
            self.is_detail is not None and self.is_detail(document),
            rule is not None,
            fault,
            declared_language(document),
            document,
        )

    def words(self, document: Document, title: str, main: str, url: str) -> PageWords:
        """The words of a page that was parsed, with its segments where the page classifier reads them."""
        texts: list[tuple[Kind, str]] = []
        if self.reads_segments:
            text = main if len(main) >= SHORTEST_MAIN_TEXT else ""
            texts = segment_texts(document, title, text, url)
        return page_words(document, title, main, self.segmenter, texts)

    def extract(self, kind: str, body: bytes, declared: str | None = None) -> Extract | UnreadableError:
        """The format reader's extract of a body that is no HTML, or the error that says why there is none."""
        try:
            return self.formats.read(kind, body, declared)
        except UnreadableError as fault:
            return fault


class Reader(ContentReader):
    """Reads pages for one page classifier; `segmenter`: of its topic, or of the crawl's topics."""

    def __init__(
        self,
        page_classifier: PageClassifier,
        formats: Formats | None = None,
        sites: Mapping[str, SiteRule] | None = None,
        title_reader: str = TITLE_TAG,
        repeats: SiteRepeats | None = None,
        segmenter: Segmenter = PLAIN,
        is_detail: Callable[[Document], bool] | None = None,
    ) -> None:
        reads_segments = page_classifier.reads_segments
        super().__init__(
            formats, sites, title_reader, segmenter, reads_segments=reads_segments, is_detail=is_detail
        )
        self.page_classifier = page_classifier
        self.repeats = repeats  # of the crawl; None: each page is read by itself
        self.page_threshold = page_classifier.threshold  # a running crawl may be given another one

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
        content = self.content(url, body, declared, content_type=content_type, extract=extract)
        return self.reading(content, depth=depth, seconds=seconds, via=via)

    def reading(
        self, content: Content, *, depth: int = 0, seconds: float = 0.0, via: Via | None = None
    ) -> Reading:
        """The page of this content: by what its site has written before, and with its relevance. The page is counted for its site."""
        url, main, words = content.url, content.main_text, content.words
        segments, own_text, repeated = self._own(url, words.segments, main)
        if repeated and not own_text and content.format == HTML and not content.by_rule:
            # what the site repeats took the main text's place
            _, own_text, _ = self._own(url, [], main_text(content.document, repeated))
        if self.reads_segments:
            words = replace(words, segments=segments)
        similarity, relevance = content.similarity, content.relevance
        if similarity is None or relevance is None:
            similarity, relevance = (
                self.page_classifier.similarity(words),
                self.page_classifier.relevance(words),
            )
        page = Page(
            url=url,
            depth=depth,
            title=content.title,
            terms=terms_of(words),
            similarity=similarity,
            relevance=relevance,
            is_target=relevance >= self.page_threshold,
            seconds=seconds,
            via=via,
            is_detail=content.is_detail,
            listings=content.listings,
        )
        return Reading(page, content, own_text, words)

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
        are_segments = any(segment.kind == "text" for segment in segments)
        keys = keys_of(segments) + ([] if are_segments else keys_of_lines(lines))
        repeated = self.repeats.of(host_of(url), url, keys)
        own = [segment for segment, is_repeat in zip(segments, repeated, strict=False) if not is_repeat]
        texts = [segment.text if segment.kind == "text" else "" for segment in segments] + lines
        repeats = {text for text, is_repeat in zip(texts, repeated, strict=False) if is_repeat}
        dropped = repeats.intersection(lines)
        if not dropped:
            return own, main, dropped
        rest = without_lines(main, dropped)
        return own, rest if len(rest) >= SHORTEST_MAIN_TEXT else "", dropped


def terms_of(words: PageWords) -> Counter[str]:
    """What strategies see of a page's words."""
    return Counter(chain(words.title, words.body))


def page_words(
    document: Document,
    title: str,
    main: str,
    segmenter: Segmenter = PLAIN,
    texts: Sequence[tuple[Kind, str]] = (),
) -> PageWords:
    """The words of a page by field, and of its segments (`texts`), in one call of the segmenter."""
    body = main if len(main) >= SHORTEST_MAIN_TEXT else document.text
    metas = document.metas
    # of the segments: together the whole main text, which so is cut once
    lines = [at for at, (kind, _) in enumerate(texts) if kind == "text"]
    fields = (
        title,
        "|".join(document.headings)[:MOST_BODY_CHARACTERS],
        "|".join(document.emphasis)[:MOST_BODY_CHARACTERS],
        f"{metas.get('keywords', '')}|{metas.get('description', '')}"[:MOST_BODY_CHARACTERS],
        "" if lines else body[:MOST_BODY_CHARACTERS],
    )
    words = segmenter.words_of([*fields, *(text for _, text in texts)])
    of_title, headings, emphasis, meta, of_body = words[: len(fields)]
    of_texts = words[len(fields) :]
    if lines:
        of_body = list(chain.from_iterable(map(of_texts.__getitem__, lines)))
    return PageWords(of_title, headings, emphasis, meta, of_body, segments_of(texts, of_texts))
