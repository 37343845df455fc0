"""A page as a strategy was shown it, as JSON: what it took from the page, or page and links, to be shown again later or elsewhere."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.base import Strategy

TAKEN = "taken"


def entry_of(strategy: Strategy, page: Page, links: Sequence[Link], **first: object) -> str:
    """Of the page that it was shown last; `first`: what stands before it."""
    taken = strategy.taken()
    return _text({**first, **({TAKEN: taken} if taken is not None else _whole(strategy, page, links))})


def whole_entry_of(strategy: Strategy, page: Page, links: Sequence[Link]) -> str:
    """Of a page that it was not shown."""
    return _text(_whole(strategy, page, links))


def show_again(strategy: Strategy, kept: Mapping[str, Any]) -> None:
    """What an entry says. ValueError, KeyError or TypeError when it is damaged."""
    if TAKEN in kept:
        strategy.take(kept[TAKEN])
    else:
        deque(strategy.visit(*page_of(kept)), maxlen=0)


def page_of(kept: Mapping[str, Any]) -> tuple[Page, list[Link]]:
    """Page and links of an entry that has them. ValueError, KeyError or TypeError when it is damaged."""
    make_link: Callable[..., Link] = Link
    make_page: Callable[..., Page] = Page
    via = None
    if kept["via"] is not None:
        fields, score, carry, tunnel = kept["via"]
        via = Via(make_link(*fields), score, carry, tunnel)
    page = make_page(*kept["page"], via, bool(kept.get("detail")))
    return page, [make_link(*fields) for fields in kept["links"]]


def _whole(strategy: Strategy, page: Page, links: Sequence[Link]) -> dict[str, Any]:
    via = page.via
    terms = dict(page.terms) if strategy.reads_terms else {}
    plain = (page.url, page.depth, page.title, terms, page.similarity, page.is_target, page.seconds)
    return {
        "page": plain,
        "detail": page.is_detail,
        "via": None if via is None else (via.link, via.score, via.carry, via.tunnel),
        "links": links,
    }


def _text(entry: Mapping[str, Any]) -> str:
    text = json.dumps(entry, allow_nan=False, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair in somebody's HTML
        return json.dumps(entry, allow_nan=False)
    return text
