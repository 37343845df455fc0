"""What the spider yields: one PageItem for the pipelines, one Outlinks for the scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from topiccrawler.model import Link, Page


@dataclass(frozen=True, slots=True)
class Medium:
    """One linked file."""

    url: str
    anchor: str  # the link's text
    alt: str  # of the picture inside the link
    caption: str  # of the figure around the link, else the link's title
    kind: str = "media"


@dataclass(slots=True, kw_only=True)
class PageFields:
    """What is known of a page that was read; feeds and the page store have all of it."""

    url: str  # canonical
    title: str = ""
    text: str = ""  # main text; of a hub page what there is
    topic: str = ""
    relevance: float = 0.0  # 0..1
    depth: int = 0  # link steps from the seeds
    source_url: str = ""  # the page whose link led here; empty for a seed
    anchor: str = ""  # that link's text
    score: float = 0.0  # of the link when it was fetched
    encoding: str = ""
    status: int = 200
    fetched: float = 0.0  # seconds since the epoch
    summary: str = ""  # its best sentences for the topic
    published: str = ""  # YYYY-MM-DD, as the page says
    language: str = ""  # zh-Hans, zh-Hant, ja, en …; und
    canonical_url: str = ""  # what the page calls itself, when that is another URL
    keywords: str = ""  # the page's own
    description: str = ""  # the page's own
    author: str = ""
    format: str = "html"  # pdf, docx, feed …
    alias_of: str = ""  # the first page of which this one is a near copy; then text is empty


@dataclass(slots=True, kw_only=True)
class PageItem(PageFields):
    """A page as pipelines and feeds see it."""

    is_target: bool = False  # relevance >= the topic's page_threshold
    media: list[Medium] = field(default_factory=list)  # pictures and files it links; never fetched


MARKS = ("url", "text", "is_target")  # fields of every page


def is_page(item: Any) -> bool:
    """Whether an item of whatever type is a page; any other is the spider's own: it is neither kept nor counted by us."""
    if isinstance(item, PageItem):
        return True
    from itemadapter import ItemAdapter  # imports all of Scrapy, which a reading process does without

    if not ItemAdapter.is_item(item):
        return False
    adapter = ItemAdapter(item)
    return all(name in adapter for name in MARKS)


@dataclass(frozen=True, slots=True)
class Outlinks:
    """A page and all its links, in one piece: the unit of ordering. No item: OutlinksMiddleware takes it out."""

    page: Page
    links: Sequence[Link]
