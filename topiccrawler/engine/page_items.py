"""Pages among the items of a crawl, of whatever type: our PageItem, or a dict, attrs, dataclass or Item of someone else's spider
that has its fields and more of its own.

An item is a page when it has `url`, `text` and `is_target`; any other passes the pipelines as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import fields
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Item

from topiccrawler.items import Medium, PageItem

MARKS = ("url", "text", "is_target")
_FIELDS = [field.name for field in fields(PageItem)]


def page_of(item: Any) -> PageItem | None:
    """The item as a page; None for what is none. A field that the item lacks has its default."""
    if isinstance(item, PageItem):
        return item
    if not ItemAdapter.is_item(item):
        return None
    adapter = ItemAdapter(item)
    if not all(name in adapter for name in MARKS):
        return None
    known = {name: adapter[name] for name in _FIELDS if name in adapter}
    known["media"] = [Medium(**one) if isinstance(one, Mapping) else one for one in known.get("media") or []]
    return PageItem(**known)


def alias(item: Any, first: str) -> Any:
    """A copy of the page's item, without its text, as the alias of another page; a type without `alias_of` has no such field."""
    copied = (
        item.copy() if isinstance(item, dict | Item) else copy(item)
    )  # an Item's own copy has its values apart
    adapter = ItemAdapter(copied)
    adapter["text"] = ""
    if isinstance(item, dict) or "alias_of" in adapter.field_names():
        adapter["alias_of"] = first
    return copied
