"""Reads the licence that a page declares for itself, with the evidence: JSON-LD, rel=license, metas, or a sentence with a link to the deed.

The conflict: most links to a licence on a page are about something else: a picture, an embedded player, a comment, the theme or the program
of the site. So an element below a figure, a comment, a side bar or a list of other pages says nothing, and neither does a block that names a
theme, a program, a font or a picture. A link without rel=license counts only in a block that names the page or site as what is licensed.

The text is `NAME; url=URL; source=EVIDENCE`. NAME is that of SPDX for Creative Commons and the licences of _KNOWN, else empty; a statement without
a known licence is `stated; …`. The evidence is JSON-LD, `rel=license`, `meta NAME` or `link`. Of several the first in this order counts.
Cost    some µs for a page without such links and metas: no second parse.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any
from urllib.parse import unquote

from topiccrawler.pages.declarations import COMMENT_NAME, Declarations, is_apart_name
from topiccrawler.pages.document import Anchor, Document
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table

STATED = "stated"  # in place of a name: the page states something that is no licence we know
LONGEST_URL, LONGEST_BLOCK = 300, 600  # characters
MOST_LINKS, MOST_ANCESTORS = 30, 40

_TABLE = package_table("pages/licence.toml")
_KNOWN: dict[str, str] = {part: name for name, parts in _TABLE["known"].items() for part in parts.split()}
_METAS: list[str] = _TABLE["metas"].split()


def _any(name: str) -> re.Pattern[str]:
    return re.compile("|".join(_TABLE["words"][name]), re.IGNORECASE)


_CC_WORDS = {kind: _any(kind) for kind in ("by", "nc", "nd", "sa")}
_NAMED_CC, _RESERVED, _OF_PROGRAM, _OF_MEDIUM, _OF_PAGE = map(
    _any, ("creative_commons", "reserved", "program", "medium", "page")
)
_CC_URL = lazy_pattern(
    r"creativecommons\.org/(?:licenses/((?:by|nc|nd|sa|sampling|devnations|-|\+)+)/(\d\.\d)(?:/([a-z]{2,3})(?![a-z.]))?"
    r"|publicdomain/(zero|mark)/(\d\.\d)|licenses/(publicdomain))",
    re.IGNORECASE,
)
_CC_TEXT = lazy_pattern(
    r"(?:\bcc|creative commons|知识共享|創用\s?cc|创作共用)[\s:：（(-]*(by(?:[\s-]+(?:nc|nd|sa))*|0|zero)\b(?:[^\d]{0,20}(\d\.\d))?",
    re.IGNORECASE,
)
_CC_VERSION = lazy_pattern(r"\b(\d\.\d)\b")
_SPDX_URL = lazy_pattern(r"spdx\.org/licenses/([A-Za-z0-9.+-]{1,60}?)(?:\.html|\.json)?/?\Z")
_PICTURES = frozenset({"figure", "figcaption", "picture", "video", "audio", "object", "iframe"})
_APART_TAGS = frozenset({"aside", "blockquote"})
_LICENCE_NAME = lazy_pattern(r"licen[cs]e|copyright|copyleft|\bcc-|creative-?commons", re.IGNORECASE)
_COPYRIGHT = lazy_pattern(r"©|\(c\)|copyright|版权|版權", re.IGNORECASE)
NEAR_LICENCE = 5  # elements above a link that may be named after the licence
_MEDIUM_NAME = lazy_pattern(
    r"caption|figure|gallery|player|embed|photo|picture|image|thumb|video|audio|lightbox|theme|powered",
    re.IGNORECASE,
)
_MEDIUM_KIND = lazy_pattern(r"Video|Image|Audio|Music|Software|Clip")  # of JSON-LD
NEAR = 3  # elements above a link whose names say that it is of a picture; further above, a page may be named after its pictures
FOOTER = "footer"
_PROGRAMS = frozenset({"MIT", "Apache-2.0", "GPL-3.0-only"})


def licence_of(document: Document, declared: Declarations, url: str) -> str:
    """The licence of a page with its evidence; empty when it declares none. `url`: where the page is from."""
    found = list(_found(document, declared, url))
    return next((one for one in found if not one.startswith(f"{STATED};")), "".join(found[:1]))


def _found(document: Document, declared: Declarations, url: str) -> Iterator[str]:
    for value in _of_linked_data(declared):
        yield _written(value, "JSON-LD")
    for href in document.licence_hrefs:
        yield _written(document.absolute(href, url), "rel=license")
    links = [anchor for anchor in document.anchors if _may_be(anchor)][:MOST_LINKS]
    around = _Around(document) if links else None
    links = [anchor for anchor in links if around is not None and not around.is_of_others(anchor)]
    for anchor in links:
        if "licen" in anchor.rel.lower() and not (anchor.region == FOOTER and _is_of_programs(anchor.href)):
            yield _written(document.absolute(anchor.href, url), "rel=license")
    for name in _METAS:
        for content in document.contents_of(name):
            if _name(content) or content.startswith(("http://", "https://")) or _RESERVED.search(content):
                yield _written(content, f"meta {name}")
    for anchor in links:
        if around is not None and _CC_URL.search(anchor.href) and around.is_claimed(anchor):
            yield _written(document.absolute(anchor.href, url), "link")


def _of_linked_data(declared: Declarations) -> Iterator[str]:
    """The texts and URLs of `license` in the objects about the page."""
    for one in declared.objects:
        values = one.get("license")
        if _MEDIUM_KIND.search(str(one.get("@type"))):
            continue
        for value in (values if isinstance(values, list) else [values])[:MOST_LINKS]:
            named: Any = value
            if isinstance(value, dict):
                value = declared.by_id.get(str(value.get("@id")), {}) | value  # noqa: PLW2901
                named = value.get("url") or value.get("@id") or value.get("name")
            if isinstance(named, str) and named.strip():
                yield named


def _is_of_programs(href: str) -> bool:
    return _name(href) in _PROGRAMS


def _may_be(anchor: Anchor) -> bool:
    return "licen" in anchor.rel.lower() or "creativecommons.org/" in anchor.href


class _Around:
    """What is around the links of a page."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._blocks = document.block_rows
        self._starts = [start for start, *_ in self._blocks]

    def block(self, anchor: Anchor) -> str:
        """The text of the block of a link; of a link without text, that of the block before it."""
        at = bisect_right(self._starts, anchor.start) - 1
        if at < 0:
            return ""
        start, end, *_ = self._blocks[at]
        begin, last = max(start, anchor.start - LONGEST_BLOCK), min(end, anchor.end + LONGEST_BLOCK)
        return self._document.text[begin:last] if anchor.start <= end + 1 else ""

    def is_of_page(self, anchor: Anchor) -> bool:
        """Whether the block of a link names the page or its site as what is licensed, or an element around it is named after the licence."""
        return _OF_PAGE.search(self.block(anchor)) is not None or any(
            _LICENCE_NAME.search(names) for _, names in self._above(anchor)[:NEAR_LICENCE]
        )

    def is_claimed(self, anchor: Anchor) -> bool:
        """Whether a link without rel=license is the licence of the page: also one beside the site's © at the foot of the page."""
        return self.is_of_page(anchor) or (
            anchor.region == FOOTER and _COPYRIGHT.search(self.block(anchor)) is not None
        )

    def _above(self, anchor: Anchor) -> list[tuple[str, str]]:
        """Tag, and class and id, of the elements above a link, the nearest first, below the body."""
        tags, names = self._document.node_tags, self._document.node_names
        above = islice(self._document.with_ancestors(anchor.node), MOST_ANCESTORS)
        return [
            (tags[node], names.get(node, "")) for node in takewhile(lambda node: tags[node] != "body", above)
        ]

    def is_of_others(self, anchor: Anchor) -> bool:
        """Whether a link is part of a comment or a picture, or its block names a theme, a program or a picture. In a side bar the block must
        name the page or site."""
        above, of_page, block = self._above(anchor), self.is_of_page(anchor), self.block(anchor)
        if any(tag in _PICTURES or COMMENT_NAME.search(names) for tag, names in above):
            return True
        if any(_MEDIUM_NAME.search(names) for _, names in above[:NEAR]):
            return True
        is_apart = any(tag in _APART_TAGS or is_apart_name(names) for tag, names in above)
        if _OF_PROGRAM.search(block) or (is_apart and not of_page):
            return True
        return _OF_MEDIUM.search(block) is not None and not of_page


def _written(value: str, source: str) -> str:
    """The text of a licence that is declared by its URL or its name."""
    value = " ".join(value.split())
    name, address = _name(value), _address(value)
    if not name and not address and _RESERVED.search(value):
        name = "all rights reserved"
    address = address or (value if value.startswith(("http://", "https://")) else "")
    parts = [name or STATED, *([f"url={address[:LONGEST_URL]}"] if address else []), f"source={source}"]
    return "; ".join(parts).replace("\n", " ")


def _name(value: str) -> str:
    """The SPDX name of a licence by its URL or its own name; empty for any other text."""
    if found := _CC_URL.search(value):
        return _cc_name(found)
    lower = unquote(value[:LONGEST_URL]).lower()
    known = next((name for part, name in _KNOWN.items() if part in lower), "")
    if known or (spdx := _SPDX_URL.search(value[:LONGEST_URL])) is None:
        return known or _cc_by_text(value)
    return spdx[1]


def _cc_name(found: re.Match[str]) -> str:
    kinds, version, region, public, of_public, old = found.groups()
    if public:
        return f"CC0-{of_public}" if public.lower() == "zero" else f"CC-PDM-{of_public}"
    if old:
        return "CC-PDDC"
    return "-".join(filter(None, ("CC", kinds.upper(), version, (region or "").upper())))


def _cc_by_text(value: str) -> str:
    """The name of a Creative Commons licence in words: `CC BY-SA 4.0`, `署名-非商业性使用 4.0 国际`."""
    text = value[:LONGEST_BLOCK]
    if found := _CC_TEXT.search(text):
        kinds = re.sub(r"[\s-]+", "-", found[1]).upper()
        version = f"-{found[2]}" if found[2] else ""
        return f"CC0{version or '-1.0'}" if kinds in {"0", "ZERO"} else f"CC-{kinds}{version}"
    words = [kind for kind, word in _CC_WORDS.items() if word.search(text)]
    numbers = _CC_VERSION.findall(text)[:1]
    if "by" not in words or not (numbers or _NAMED_CC.search(text)) or len(words) + len(numbers) < 2:
        return ""
    return "-".join(["CC", *(kind.upper() for kind in words), *numbers])


def _address(value: str) -> str:
    """The canonical URL of a Creative Commons licence in a URL or text; empty for any other."""
    found = _CC_URL.search(value)
    if found is None:
        return ""
    kinds, version, region, public, of_public, old = found.groups()
    if public:
        return f"https://creativecommons.org/publicdomain/{public.lower()}/{of_public}/"
    if old:
        return "https://creativecommons.org/licenses/publicdomain/"
    return f"https://creativecommons.org/licenses/{kinds.lower()}/{version}/{f'{region.lower()}/' if region else ''}"
