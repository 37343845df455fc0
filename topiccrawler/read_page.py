"""Reads one page from its bytes, as a crawl does: `from topiccrawler import read`.

`read` returns a `ReadPage` with title, text, links and metadata, and with a topic also the relevance and the words that decide it.

    page = read(body, "http://a.example/fund.html", "text/html; charset=gbk", topic="finance")
    page.title, page.published, page.relevance, page.why[:3]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import page_classifier_of, topic_of
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.links.extract import extract
from topiccrawler.model import Link
from topiccrawler.pages.document import BOUNDARY
from topiccrawler.pages.kinds import kind_of
from topiccrawler.pages.metadata import facts_of
from topiccrawler.pages.read import ContentReader, Reader
from topiccrawler.settings import TOPIC_PROPOSED_WORDS


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What one page says. A page that cannot be read has a `fault` and is empty."""

    url: str
    title: str
    text: str  # main text; all text of a page without one, such as a list or a feed
    published: str  # YYYY-MM-DD; empty = unknown
    modified: str  # the day it was changed, as published
    author: str
    language: str  # zh-Hans, zh-Hant, ja, en …; und
    format: str  # html, pdf, docx, feed …
    kind: str  # article, list or stub (docs/results.md)
    encoding: str  # charset that the page was decoded with
    links: Sequence[Link]  # in document order; with anchor, context and URL
    fault: str = ""  # why nothing could be read
    topic: str = ""  # display name of the topic; empty without one
    relevance: float | None = None  # 0..1, to the topic; None without one
    why: Sequence[tuple[str, float]] = field(default_factory=tuple)  # words and their shares, largest first


def read(
    body: bytes,
    url: str = "",
    content_type: str = "",
    *,
    topic: str | Sequence[str] = "",
    page_classifier: str = "evidence",
) -> ReadPage:
    """Read a page. It never raises, whatever the bytes.

    `url`: where the page is from; links are relative to it. `content_type`: the HTTP header. `topic`: the name of a topic of the catalogue
    or the path of a topic file, or a list of words of one's own. Raises a CrawlerError for a topic or page classifier that does not exist.
    """
    name, reader = "", _PLAIN
    if topic:
        name, reader = _reader(topic if isinstance(topic, str) else tuple(topic), page_classifier)
    classifier = reader.page_classifier if isinstance(reader, Reader) else None
    content = reader.content(url, body, http_content_type_encoding(content_type), content_type=content_type)
    facts = facts_of(content.document, content.main_text, url, content.title)
    return ReadPage(
        url=url,
        title=content.title,
        text=content.main_text or content.document.text.replace(BOUNDARY, "\n").strip(),
        published=facts.published,
        modified=facts.modified,
        author=facts.author,
        language=facts.language,
        format=content.format,
        kind=kind_of(content.document, content.main_text, url, content.title, form=content.format),
        encoding=content.encoding,
        links=extract(content.document, url, depth=1, encoding=content.encoding),
        fault=content.fault,
        topic=name,
        relevance=None if classifier is None else classifier.relevance(content.words),
        why=() if classifier is None else classifier.explain(content.words),
    )


_PLAIN = ContentReader()


@lru_cache(maxsize=4)
def _reader(topic: str | tuple[str, ...], page_classifier: str) -> tuple[str, ContentReader]:
    """The name of a topic, and a reader for it."""
    if isinstance(topic, str):
        recipe = Recipe(topic, page_classifier=page_classifier)
    else:
        recipe = recipe_of_words(Recipe("", page_classifier=page_classifier), topic, TOPIC_PROPOSED_WORDS)
    made = topic_of(recipe)
    return made.display_name, Reader(page_classifier_of(recipe), sites=made.sites, segmenter=made.segmenter)
