"""Reads a page: from the bytes of a response to a Page with its text, words and relevance.

`ContentReader` and `Reader` parse each page once, within bounds. A crawl meets pages that are not HTML (pages.formats), not text, or
megabytes of either, and must neither stop nor slow down. Words, relevance and links all need the same parse.
Bounds: MOST_BYTES of a body are decoded (the rest is cut); pages.parse and pages.dom_traversal bound characters, elements
and links; MOST_BODY_CHARACTERS of text go to the segmenter.
Cost: see benchmarks/reading.py.

`PageWords` holds the words of a page by field. It is the input of page classifiers.

`PageClassifier` is the protocol that every page classifier implements. Page reading, item pipelines and commands use it.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, Protocol

from topiccrawler.items import PageItem
from topiccrawler.model import Page, Via
from topiccrawler.pages.challenge_signs import Signs, signs_of
from topiccrawler.pages.document import Document
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import HTML, Extract, Part, UnreadableError, recognise
from topiccrawler.pages.kinds import kind_of
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.metadata import declared_language
from topiccrawler.pages.parse import html_of_xhtml, parse
from topiccrawler.pages.refresh import Refresh, read_refresh
from topiccrawler.pages.site_repeats import (
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
from topiccrawler.pages.site_rules import declared_feeds, each_once, read_by_rule, rule_of
from topiccrawler.pages.title import TITLE_READERS, TITLE_TAG
from topiccrawler.pages.usage import Statement, Wishes
from topiccrawler.text.characters import REPLACEMENT, decode
from topiccrawler.text.folding import visible
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.topics.topic import SiteRule
from topiccrawler.urls.canonical import host_of
from topiccrawler.urls.redirect_targets import redirect_target


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page by field. `body`: of the main text, or of all text where there is none. `segments`: the same page in parts,
    for page classifiers with `reads_segments`."""

    title: Sequence[str] = ()
    headings: Sequence[str] = ()
    emphasis: Sequence[str] = ()
    meta: Sequence[str] = ()
    body: Sequence[str] = ()
    segments: Sequence[Segment] = ()


class PageClassifier(Protocol):
    """Estimates the relevance of pages to one topic."""

    threshold: ClassVar[float]  # the relevance from which a page counts as about the topic: one half

    @property
    def reads_segments(self) -> bool:
        """Whether `relevance` reads PageWords.segments."""

    @property
    def similarity_threshold(self) -> float:
        """The value of `similarity` for a page that is as likely about the topic as not."""

    def similarity(self, words: PageWords) -> float:
        """How near the page is to the topic and its surroundings, 0..1 on the classifier's own scale. Strategies use it."""

    def relevance(self, words: PageWords) -> float:
        """The probability, 0..1, that the page is about the topic. Pages are stored from one half on."""

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words that determine the relevance, each with its share; largest first."""


MOST_BYTES = 4_000_000
XHTML = "application/xhtml+xml"
MOST_BODY_CHARACTERS = 100_000
LINES = ("text", "block")  # kinds of segments
SHORTEST_MAIN_TEXT = 80  # characters; below, the page is a hub or empty, and all its text is classified


@dataclass(frozen=True, slots=True)
class Content:
    """What the bytes of a page yield, independent of what the crawl knows of its site."""

    url: str
    format: str  # as pages.formats.registry names it
    encoding: str
    title: str
    main_text: str
    words: PageWords  # with all segments, if the page classifier reads them
    document: Document  # the parsed page
    # canonical URLs of the feeds that the page declares, or of the sitemaps that an index names
    listings: Sequence[str] = ()
    more: Sequence[Part] = ()  # headline and URL of each link of a long list that is not in the document
    is_detail: bool = False  # a page of one text, not of links
    by_rule: bool = False  # read by the site's reading rule
    fault: str = ""  # why nothing could be read; such a page is empty
    lang: str = ""  # the language that the page declares
    refresh: Refresh | None = None  # with the absolute URL that it leads to
    signs: Signs | None = None  # signs that this is no page (pages.challenge_signs)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a page."""

    page: Page
    content: Content
    main_text: str  # without the lines that the site repeats on other pages; `words` cover the whole text
    words: PageWords
    repeated: Collection[str] = ()  # lines of the page that the site repeats

    @property
    def document(self) -> Document:
        """The parsed page."""
        return self.content.document

    @property
    def encoding(self) -> str:
        """The charset that the page was decoded with."""
        return self.content.encoding

    @property
    def format(self) -> str:
        """The file format, as pages.formats.registry names it."""
        return self.content.format

    @property
    def kind(self) -> str:
        """The kind of the page (pages.kinds), by its text without what its site repeats. Computed at each call."""
        content, text = self.content, self.main_text or self.content.main_text
        return kind_of(
            content.document, text, content.url, content.title, form=content.format, repeated=self.repeated
        )

    @property
    def fault(self) -> str:
        """Why nothing could be read, or ""; with a fault the reading is empty."""
        return self.content.fault


class ReadItem(PageItem):
    """The item of a page that this crawl has read. It carries what the pipelines need of the reading; neither is a field of the item.

    `reading`: until the page is kept or dropped. `last_modified`: the header of the response. `evidence`: see pages.page_evidence.
    `wishes`: what came with it. `statements`: what is said about the use of the page, once it is kept.
    """

    __slots__ = ("evidence", "last_modified", "reading", "statements", "wishes")

    reading: Reading | None
    last_modified: str
    evidence: bytes
    wishes: Wishes
    statements: list[Statement]


class ContentReader:
    """Reads single pages, independent of other pages. It holds no state of a crawl.

    `segmenter`: that of the crawl's topics. `sites`: the topics' reading rules. `reads_segments`: the page classifier reads segments.
    """

    def __init__(
        self,
        formats: Formats | None = None,
        sites: Mapping[str, SiteRule] | None = None,
        title_reader: str = TITLE_TAG,
        segmenter: Segmenter = PLAIN,
        *,
        reads_segments: bool = False,
    ) -> None:
        self.segmenter = segmenter
        self.reads_segments = reads_segments
        self.sites = sites or {}
        self.formats = formats or Formats()
        self.title_reader = TITLE_READERS[title_reader]

    def is_detail(self, document: Document) -> bool:
        """Whether a page is one of a text, not of links; here none is (relevance.detail)."""
        return False

    def content(
        self,
        url: str,
        body: bytes,
        declared: str | None = None,
        *,
        content_type: str = "",
        extract: Extract | UnreadableError | None = None,
        refresh: str = "",
    ) -> Content:
        """The content of one page. Never raises, whatever the bytes. `declared`: the charset of the HTTP header. `extract`: the
        result of a format reader that was run elsewhere. `refresh`: the HTTP header Refresh, which comes before that of the page."""
        kind, fault, rule, signs = recognise(body, content_type), "", None, None
        more: Sequence[Part] = ()
        children: Sequence[str] = ()
        if kind == HTML:
            if len(body) > MOST_BYTES:
                body = body[:MOST_BYTES]
            html, encoding = decode(body, declared)
            is_same = encoding == "utf-8" and REPLACEMENT not in html and not body.startswith(BOM_UTF8)
            if content_type.partition(";")[0].strip().lower() == XHTML:
                html, is_same = html_of_xhtml(html), False
            document = parse(html, body if is_same else None)
            title, main = self.title_reader(html, document), main_text(document)
            signs = signs_of(html, document, title, main, url)
            rule = rule_of(url, self.sites)
            if rule is not None:
                document, title, main = read_by_rule(html, rule, document, title, main)
            document.refresh = read_refresh(refresh) or document.refresh
        else:
            found = extract or self.extract(kind, body, declared)
            if isinstance(found, UnreadableError):
                fault, found = str(found), Extract()
            document, encoding = parse(found.as_html()), "utf-8"
            title, main, more = found.title, found.main_text(), found.more
            children = each_once(found.listings, url)
            main = visible(main)
        title = visible(title)
        return Content(
            url,
            kind,
            encoding,
            title,
            main,
            self.words(document, title, main, url),
            document,
            listings=children or declared_feeds(document, url),
            more=more,
            is_detail=self.is_detail(document),
            by_rule=rule is not None,
            fault=fault,
            lang=declared_language(document),
            refresh=refresh_of(document, url, encoding),
            signs=signs,
        )

    def words(self, document: Document, title: str, main: str, url: str) -> PageWords:
        """The words of a parsed page, with its segments if the page classifier reads them."""
        texts: list[tuple[Kind, str]] = []
        if self.reads_segments:
            text = main if len(main) >= SHORTEST_MAIN_TEXT else ""
            texts = segment_texts(document, title, text, url)
        return page_words(document, title, main, self.segmenter, texts)

    def extract(self, kind: str, body: bytes, declared: str | None = None) -> Extract | UnreadableError:
        """The format reader's extract of a body that is not HTML, or the error (returned, not raised) with the reason why there is none."""
        try:
            return self.formats.read(kind, body, declared)
        except UnreadableError as fault:
            return fault


class Reader(ContentReader):
    """Reads pages for one page classifier. `segmenter`: that of its topic, or of the crawl's topics."""

    def __init__(
        self,
        page_classifier: PageClassifier,
        formats: Formats | None = None,
        sites: Mapping[str, SiteRule] | None = None,
        title_reader: str = TITLE_TAG,
        repeats: SiteRepeats | None = None,
        segmenter: Segmenter = PLAIN,
    ) -> None:
        reads_segments = page_classifier.reads_segments
        super().__init__(formats, sites, title_reader, segmenter, reads_segments=reads_segments)
        self.page_classifier = page_classifier
        self.repeats = repeats  # of the crawl; None: each page is read by itself

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
    ) -> Reading:
        """Read one page. Never raises, whatever the bytes. `declared`: the charset of the HTTP header."""
        content = self.content(url, body, declared, content_type=content_type)
        return self.reading(content, depth=depth, seconds=seconds, via=via)

    def reading(
        self, content: Content, *, depth: int = 0, seconds: float = 0.0, via: Via | None = None
    ) -> Reading:
        """The reading of a content: without what its site repeats, with relevance. The page is added to the counts of its site."""
        url, main, words = content.url, content.main_text, content.words
        segments, own_text, repeated = self._own(url, words.segments, main)
        if main and not own_text and content.format == HTML and not content.by_rule:
            # Repeated lines were taken for the main text: extract it again without them.
            dropped = repeated.intersection(lines_to_ask(main))
            _, own_text, _ = self._own(url, [], main_text(content.document, dropped))
        if self.reads_segments:
            words = replace(words, segments=segments)
        relevance = self.page_classifier.relevance(words)
        page = Page(
            url=url,
            depth=depth,
            title=content.title,
            terms=terms_of(words),
            similarity=self.page_classifier.similarity(words),
            relevance=relevance,
            is_target=relevance >= self.page_classifier.threshold,
            seconds=seconds,
            via=via,
            is_detail=content.is_detail,
            listings=content.listings,
        )
        return Reading(page, content, own_text, words, repeated)

    def own_text(self, url: str, text: str) -> str:
        """An earlier main text of a page that was just read, without the lines that the site repeats by now."""
        return self._own(url, [], text)[1]

    def _own(
        self, url: str, segments: Sequence[Segment], main: str
    ) -> tuple[Sequence[Segment], str, set[str]]:
        """Segments and main text without what the site repeats on other pages, and the repeated lines and blocks. The site's counts are
        updated."""
        if self.repeats is None:
            return segments, main, set()
        lines = lines_to_ask(main)
        are_segments = any(segment.kind == "text" for segment in segments)
        keys = keys_of(segments) + ([] if are_segments else keys_of_lines(lines))
        repeated = self.repeats.of(host_of(url), url, keys)
        own = [segment for segment, is_repeat in zip(segments, repeated, strict=False) if not is_repeat]
        texts = [segment.text if segment.kind in LINES else "" for segment in segments] + lines
        repeats = {text for text, is_repeat in zip(texts, repeated, strict=False) if is_repeat}
        dropped = repeats.intersection(lines)
        if not dropped:
            return own, main, repeats
        rest = without_lines(main, dropped)
        return own, rest if len(rest) >= SHORTEST_MAIN_TEXT else "", repeats


def refresh_of(document: Document, url: str, encoding: str) -> Refresh | None:
    """The refresh of a page with its target as an absolute URL, by the page's base; None without one that leads to another http(s) URL."""
    refresh = document.refresh
    if refresh is None or not refresh.href:
        return None
    target = redirect_target(document.base_url(url), refresh.href, encoding)
    return None if target is None else Refresh(refresh.seconds, target)


def terms_of(words: PageWords) -> Counter[str]:
    """The words of a page that strategies read, with their counts: those of title and body."""
    return Counter(chain(words.title, words.body))


def page_words(
    document: Document,
    title: str,
    main: str,
    segmenter: Segmenter = PLAIN,
    texts: Sequence[tuple[Kind, str]] = (),
) -> PageWords:
    """The words of a page by field, and of its segments (`texts`: kind and text of each), in one call of the segmenter."""
    body = main if len(main) >= SHORTEST_MAIN_TEXT else document.text
    metas = document.metas
    # The segments of kind "text" together are the whole main text, so the body need not be segmented a second time.
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
