"""All that is made of a page's bytes alone, in one value that another process can make: words, links, facts, media.

What depends on the crawl is not in it: what the site repeats, relevance, what is kept, the order of links. Without reading processes the same
functions are called where their results are needed, with the page's document at hand.

A sent content has its links by column (links.page_links): most of a column are few strings, which pickle writes once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from topiccrawler.items import Medium
from topiccrawler.links.extract import ContextMaker, extract, media_of
from topiccrawler.links.page_links import PageLinks
from topiccrawler.pages.document import Document
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import Extract, UnreadableError
from topiccrawler.pages.metadata import Facts, facts_of, language_of, words_about
from topiccrawler.pages.read import MOST_BODY_CHARACTERS, Content, ContentReader, PageWords, Reading
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import SiteRule

_PROTOCOL = 5


@dataclass(frozen=True, slots=True)
class ContentPlan:
    """How a crawl reads contents; another process can be sent it. It has neither page classifier nor link model."""

    segmenter: Segmenter
    sites: Mapping[str, SiteRule]
    title_reader: str
    reads_segments: bool
    is_detail: Callable[[Document], bool] | None
    context: ContextMaker
    window: int  # characters of context on each side of a link
    dropped_parameters: frozenset[str]

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


def media_in(reading: Reading) -> list[Medium]:
    """The pictures and files that a page links."""
    content = reading.content
    if content.media is None:
        return media_of(content.document, content.url, content.encoding)
    return content.media


def packed(plan: ContentPlan, reader: ContentReader, answer: Answer) -> bytes:
    """Read an answer wholly, for another process."""
    content = answer.content(reader)
    content.links = links_by(plan, content, answer.depth)
    content.facts = facts_of(content.document, content.main_text, content.url)
    content.media = media_of(content.document, content.url, content.encoding)
    content.parsed = None
    # The words of the main text are needed again: by fingerprints and the index.
    cut = reader.segmenter.pieces_of(content.main_text[:MOST_BODY_CHARACTERS])
    return pickle.dumps((content, cut), _PROTOCOL)


def unpacked(sent: bytes, answer: Answer, reader: ContentReader) -> Content:
    """The content that `packed` made of this answer. `reader`: of this process; it parses the page again where its
    document is asked for, and learns how the main text is cut."""
    content: Content
    content, cut = pickle.loads(sent)  # noqa: S301 made by our own process
    reader.segmenter.add_pieces(cut)
    content.parse_again = partial(answer.document, reader)
    return content


def unreadable(answer: Answer, form: str, fault: str) -> Content:
    """The content of an answer that no process could read."""
    return Content(answer.url, form, "utf-8", "", "", PageWords(), fault=fault)
