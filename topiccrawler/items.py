"""What the spider yields: one PageItem for the pipelines, one Outlinks for the scheduler.

Other spiders' items count as pages too: a dict, attrs, dataclass or Item with `url`, `text` and `is_target`. Such an item may have more
fields; any other item passes the pipelines unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
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


_FIELDS = [field.name for field in fields(PageItem)]


def page_of(item: Any) -> PageItem | None:
    """The item as a page; None for what is none. A field that the item lacks has its default."""
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
    """A copy of the page's item, without its text, as the alias of another page; a type without `alias_of` has no such field."""
    from itemadapter import ItemAdapter

    # a dict and an Item (a MutableMapping) have a copy of their own, with its values apart
    has_own_copy = isinstance(item, MutableMapping)
    copied = item.copy() if has_own_copy else copy(item)
    adapter = ItemAdapter(copied)
    adapter["text"] = ""
    if isinstance(item, dict) or "alias_of" in adapter.field_names():
        adapter["alias_of"] = first
    return copied


@dataclass(frozen=True, slots=True)
class Outlinks:
    """A page and all its links, in one piece: the unit of ordering. No item: OutlinksMiddleware takes it out."""

    page: Page
    links: Sequence[Link]
