"""Reads one page from its bytes, as a crawl does: `from topiccrawler import read`; `scrapy read` prints the same.

`read` returns a `ReadPage` with title, text, links and metadata, and with a topic also the relevance and the words that decide it.

    page = read(body, "http://a.example/fund.html", "text/html; charset=gbk", topic="finance")
    page.title, page.published, page.relevance, page.why[:3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import page_classifier_of, reader_of, topic_of
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.links.extract import extract
from topiccrawler.model import Link
from topiccrawler.pages.document import BOUNDARY
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import SITEMAP
from topiccrawler.pages.kinds import ARTICLE, kind_of
from topiccrawler.pages.metadata import facts_of
from topiccrawler.pages.personal_data import counts_of
from topiccrawler.pages.read import Content, ContentReader, Reader
from topiccrawler.pages.robots_tags import AGENT, HEADER, robots_tags
from topiccrawler.pages.usage import NO_HEADERS, Statement, Wishes, usage_text
from topiccrawler.relevance.evidence import words_that_lead
from topiccrawler.settings import TOPIC_PROPOSED_WORDS
from topiccrawler.topics.catalogue import site_rules_of


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
    robots: str  # what it asks of crawlers: `noindex (meta robots), nofollow (X-Robots-Tag)`; empty = nothing
    usage: str  # what is said about its use, without the file of TDMRep: `train-ai=n; source=robots.txt`; or unstated
    licence: str  # that it declares for itself, with the evidence
    personal_data: str  # by kind, as `phone=2, email=1`; empty = none
    links: Sequence[Link]  # in document order; with anchor, context and URL
    fault: str = ""  # why nothing could be read
    topic: str = ""  # display name of the topic; it and all below are empty without one
    relevance: float | None = None  # 0..1, to the topic
    threshold: float | None = None  # the relevance from which a crawl keeps pages
    kept: bool | None = None
    similarity: float | None = None  # 0..1; orders the links of the page
    why: Sequence[tuple[str, float]] = field(default_factory=tuple)  # words and their shares, largest first
    # words that do not name a narrow topic, and only lead to its pages: their shares of the similarity
    leading: Sequence[tuple[str, float]] = field(default_factory=tuple)


class PageReader:
    """Reads single pages as a crawl with this recipe reads them, for its topic; `topic=""`: for none. `agent`: the name by which pages
    address the crawler; `obeys_tags`: whether a page that asks not to be kept is not."""

    def __init__(self, recipe: Recipe, agent: str = AGENT, *, obeys_tags: bool = True) -> None:
        self._agent, self._obeys_tags = agent, obeys_tags
        self._dropped_parameters = frozenset(recipe.dropped_parameters)
        if recipe.topic:
            topic = topic_of(recipe)
            self._topic = topic.display_name
            self._reader: ContentReader = reader_of(recipe, topic, page_classifier_of(recipe), detail=False)
        else:
            self._topic = ""
            formats = Formats()
            self._reader = ContentReader(formats, site_rules_of(recipe.sites), recipe.title_reader)

    def read(
        self,
        body: bytes,
        url: str = "",
        content_type: str = "",
        headers: Mapping[str, Sequence[str]] = NO_HEADERS,
        of_host: Sequence[Statement] = (),
    ) -> ReadPage:
        """Read a page, as `read` does. `of_host`: what robots.txt says about its use."""
        declared = http_content_type_encoding(content_type)
        content = self._reader.content(url, body, declared, content_type=content_type)
        kind = kind_of(content.document, content.main_text, url, content.title, form=content.format)
        facts = facts_of(content.document, content.main_text, url, content.title, is_list=kind != ARTICLE)
        tags = robots_tags(content.document, headers.get(HEADER, ()), self._agent)
        return ReadPage(
            url=url,
            title=content.title,
            text=content.main_text or content.document.text.replace(BOUNDARY, "\n").strip(),
            published=facts.published,
            modified=facts.modified,
            author=facts.author,
            language=facts.language,
            format=content.format,
            kind=kind,
            encoding=content.encoding,
            robots=", ".join(filter(None, (tags.no_index, tags.no_follow))),
            usage=usage_text(Wishes(tags, headers, of_host).statements(content.document)),
            licence=facts.licence,
            personal_data=counts_of(content.title, content.main_text),
            links=extract(
                content.document,
                url,
                depth=1,
                extra_parameters=self._dropped_parameters,
                encoding=content.encoding,
                more=content.more,
                sitemaps=content.listings if content.format == SITEMAP else (),
            ),
            fault=content.fault,
            **self._of_topic(content, is_refused=self._obeys_tags and bool(tags.no_index)),
        )

    def _of_topic(self, content: Content, *, is_refused: bool) -> dict[str, Any]:
        """The fields of ReadPage that depend on the topic. `is_refused`: the page asks not to be kept."""
        if not isinstance(self._reader, Reader):
            return {}
        classifier = self._reader.page_classifier
        page = self._reader.reading(content).page
        return {
            "topic": self._topic,
            "relevance": page.relevance,
            "threshold": classifier.threshold,
            "kept": page.is_target and not is_refused,
            "similarity": page.similarity,
            "why": classifier.explain(content.words),
            "leading": words_that_lead(classifier, content.words),
        }


def read(
    body: bytes,
    url: str = "",
    content_type: str = "",
    *,
    topic: str | Sequence[str] = "",
    page_classifier: str = "evidence",
    headers: Mapping[str, Sequence[str]] = NO_HEADERS,
) -> ReadPage:
    """Read a page. It never raises, whatever the bytes.

    `url`: where the page is from; links are relative to it. `content_type`: the HTTP header. `topic`: the name of a topic of the catalogue
    or the path of a topic file, or a list of words of one's own. `headers`: the values of the other headers that count, by name: X-Robots-Tag,
    Content-Usage, tdm-reservation, tdm-policy. Raises a CrawlerError for a topic or page classifier that does not exist.
    """
    return _reader(topic if isinstance(topic, str) else tuple(topic), page_classifier).read(
        body, url, content_type, headers
    )


@lru_cache(maxsize=4)
def _reader(topic: str | tuple[str, ...], page_classifier: str) -> PageReader:
    if isinstance(topic, str):
        return PageReader(Recipe(topic, page_classifier=page_classifier))
    recipe = Recipe("", page_classifier=page_classifier)
    return PageReader(recipe_of_words(recipe, topic, TOPIC_PROPOSED_WORDS) if topic else recipe)
