"""Defines what a spider yields for each page: a PageItem for the pipelines and an Outlinks for the scheduler.

Items of other spiders count as pages too: a dict, attrs, dataclass or Item with `url`, `title` and `text`. Such an item may have more
fields. Any other item passes the pipelines unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from topiccrawler.model import Link, Page


@dataclass(frozen=True, slots=True)
class Medium:
    """A picture or file that a page links to."""

    url: str
    anchor: str  # the link's text
    alt: str  # of the picture inside the link
    caption: str  # of the figure around the link, else the link's title
    kind: str = "media"


YES, NO = "yes", "no"  # values of `opinion`


@dataclass(slots=True, kw_only=True)
class PageFields:
    """The fields of a page that was read, as feeds and the page store have them."""

    url: str  # canonical
    title: str = ""
    text: str = ""  # main text; a hub page has little
    topic: str = ""
    relevance: float = 0.0  # 0..1
    depth: int = 0  # link steps from the seeds
    source_url: str = ""  # the page whose link led here; empty for a seed
    anchor: str = ""  # that link's text
    score: float = 0.0  # of the link when it was fetched
    encoding: str = ""
    status: int = 200
    fetched: float = 0.0  # seconds since the epoch
    summary: str = ""  # the sentences that fit the topic best
    published: str = ""  # YYYY-MM-DD, as the page declares or shows
    modified: str = (
        ""  # YYYY-MM-DD, as the page declares or shows; the HTTP header Last-Modified is not meant
    )
    language: str = ""  # zh-Hans, zh-Hant, ja, en …; und
    canonical_url: str = ""  # the page's rel=canonical, when it is another URL
    keywords: str = ""  # as the page declares
    description: str = ""  # as the page declares
    author: str = ""
    format: str = "html"  # pdf, docx, feed …
    kind: str = ""  # article, list or stub (pages.kinds); empty for a page that was not kept
    usage: str = ""  # what is said about its use, with the source (pages.usage); empty for a page not kept
    licence: str = ""  # that the page declares for itself, with the evidence (pages.licence)
    personal_data: str = ""  # the number of personal data in title and text by kind, as `phone=2, email=1` (pages.personal_data)
    opinion: str = ""  # a language model's, whether it is about the topic: yes or no; empty if none was asked for or given
    opinion_reason: str = ""  # in the words of that model
    alias_of: str = ""  # URL of the first page that this one is a near-duplicate of; text is empty then


UNCLASSIFIED = -1.0  # relevance of an item that no page classifier has read yet


@dataclass(slots=True, kw_only=True)
class PageItem(PageFields):
    """The item of a page, as pipelines and feeds get it."""

    relevance: float = (
        UNCLASSIFIED  # 0..1, once a page classifier has read the page: RelevancePipeline at the latest
    )
    media: list[Medium] = field(default_factory=list)  # pictures and files it links; never fetched


MARKS = ("url", "title", "text")  # fields that make an item a page


def is_page(item: Any) -> bool:
    """Whether an item of any type is a page. Any other item belongs to the spider alone; it is neither stored nor counted by us."""
    if isinstance(item, PageItem):
        return True
    from itemadapter import (
        ItemAdapter,
    )  # here, because it imports all of Scrapy, which reading pages does not need

    if not ItemAdapter.is_item(item):
        return False
    adapter = ItemAdapter(item)
    return all(name in adapter for name in MARKS)


_FIELDS = [field.name for field in fields(PageItem)]


def page_of(item: Any) -> PageItem | None:
    """The item as a PageItem; None for an item that is no page. A field that the item lacks gets its default."""
    if isinstance(item, PageItem):
        return item
    if not is_page(item):
        return None
    from itemadapter import ItemAdapter

    adapter = ItemAdapter(item)
    known = {name: adapter[name] for name in _FIELDS if name in adapter}
    known["media"] = [Medium(**one) if isinstance(one, Mapping) else one for one in known.get("media") or []]
    return PageItem(**known)


def alias(item: Any, first: str) -> Any:
    """A copy of a page's item without its text, marked as an alias of the page at the URL `first`. An item type without a field `alias_of`
    gets no mark."""
    from itemadapter import ItemAdapter

    # dict and Item (a MutableMapping) have a `copy` of their own, which separates the values too
    has_own_copy = isinstance(item, MutableMapping)
    copied = item.copy() if has_own_copy else copy(item)
    adapter = ItemAdapter(copied)
    adapter["text"] = ""
    if isinstance(item, dict) or "alias_of" in adapter.field_names():
        adapter["alias_of"] = first
    return copied


@dataclass(frozen=True, slots=True)
class Outlinks:
    """A page with all its links in one batch, which the strategy scores together. It is no item: OutlinksMiddleware consumes it."""

    page: Page
    links: Sequence[Link]
