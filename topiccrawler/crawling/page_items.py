"""Makes the item of a page that was read: what Scrapy's pipelines, feeds and the page store get of it."""

from __future__ import annotations

from topiccrawler.crawling.assemble import Parts
from topiccrawler.items import UNCLASSIFIED
from topiccrawler.links.extract import media_of
from topiccrawler.pages.kinds import ARTICLE
from topiccrawler.pages.metadata import Summariser, facts_of, words_about
from topiccrawler.pages.personal_data import counts_of
from topiccrawler.pages.read import Reading, ReadItem
from topiccrawler.pages.usage import NO_WISHES, Wishes, usage_text
from topiccrawler.urls.canonical import canonical


class PageItems:
    """The items of the pages of a crawl for one topic."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._summariser = parts, Summariser(parts.topic.keywords)

    def of(
        self, reading: Reading, status: int, now: float, last_modified: str = "", wishes: Wishes = NO_WISHES
    ) -> ReadItem:
        """The item of a page for Scrapy's item pipelines, which decide whether it is kept. `status`: HTTP status; `now`: seconds since the
        epoch; `last_modified`: the header; `wishes`: what came with the page."""
        page, via, parts = reading.page, reading.page.via, self._parts
        facts = words_about(reading.document)
        item = ReadItem(
            url=page.url,
            title=page.title,
            text=reading.main_text,
            topic=parts.topic_of_page(reading.words),
            # the number that strategies need is the filter's too, unless they learn from another topic
            relevance=page.relevance if parts.strategy_classifier is parts.page_classifier else UNCLASSIFIED,
            depth=page.depth,
            source_url=via.link.source_url if via is not None else "",
            anchor=via.link.anchor if via is not None else "",
            score=via.score if via is not None else 0.0,
            encoding=reading.encoding,
            status=status,
            fetched=round(now, 3),
            keywords=facts.keywords,
            description=facts.description,
            format=reading.format,
        )
        item.reading, item.last_modified, item.evidence = reading, last_modified, b""
        item.wishes, item.statements = wishes, []
        if page.is_target and not wishes.tags.no_index:
            self.describe(item, reading)
        return item

    def describe(self, item: ReadItem, reading: Reading) -> None:
        """Fill in the summary, the media and the metadata that no page classifier reads. Most pages are dropped as irrelevant, so this is
        done only for pages that are kept, or probably will be."""
        content, url = reading.content, item.url
        item.kind = reading.kind
        facts = facts_of(
            content.document, reading.main_text, content.url, content.title, is_list=item.kind != ARTICLE
        )
        named = facts.canonical and canonical(facts.canonical, url, self._parts.dropped_parameters)
        item.summary = self._summariser.summary(reading.main_text)
        item.published, item.modified = facts.published, facts.modified
        item.language, item.author = facts.language, facts.author
        item.canonical_url = named if named and named != url else ""
        item.keywords, item.description = facts.keywords, facts.description
        item.statements = item.wishes.statements(content.document)
        item.usage, item.licence = usage_text(item.statements), facts.licence
        item.personal_data = counts_of(item.title, item.text)
        item.media = media_of(content.document, content.url, content.encoding)
