"""The document model: what one traversal of a page's tree yields, and the region of the page that an element belongs to.

`Document` is one line of text, and everything else as offsets into it. Links need the characters around them, main text needs blocks, and
the title needs headings. With offsets into one line the tree is walked once, and the context of a link is a slice.

`region_of` finds the region of an element by its tag, class and id. Authors name regions freely (topNav, nav_top, l-sidebar, 底部). So
names are split into words at case changes and signs, and the words are looked up in short lists. Where several lists match, the first of
this order counts: footer, navigation, aside, header, body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from topiccrawler.pages.refresh import Refresh
from topiccrawler.resources import package_table
from topiccrawler.urls.redirect_targets import redirect_target

BOUNDARY = "|"
LONGEST_TITLE = 200  # characters

# A piece of text that no tag interrupts: start, end, index of its element, whether it is in a link, number of its block.
# A plain tuple, because a page has many hundreds.
Run = tuple[int, int, int, bool, int]


class Anchor(NamedTuple):
    """An element that links to a URL. text[start:end] is its visible text; without any, start = end, just behind a boundary."""

    start: int
    end: int
    href: str
    title: str  # the title attribute
    rel: str
    alt: str  # alt attribute of the first image inside, or of the area
    region: str  # navigation | header | body | aside | footer
    path: str  # class of the DOM path, for example "div.list>ul>li"
    heading: str  # nearest heading above
    tag: str  # a | area | frame | iframe
    node: int  # index of the element in the node lists


class Block(NamedTuple):
    """A stretch of text that no start or end of a block element interrupts."""

    start: int
    end: int
    node: int  # the element of its first run
    link_characters: int


BlockRow = tuple[int, int, int, int]  # a Block as a plain tuple


class Heading(NamedTuple):
    """A heading, h1 to h6, that has text."""

    text: str
    level: int
    start: int


@dataclass(slots=True)
class Document:
    """A page after the traversal. `text` begins and ends with a boundary; adjacent boundaries are merged into one.

    Elements are in document order in three parallel lists. A parent precedes its children, so one backward loop sums up
    any number from the leaves to the root.
    """

    text: str = BOUNDARY
    anchors: list[Anchor] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    node_parents: list[int] = field(default_factory=list)  # index of the parent element, -1 for the root
    node_tags: list[str] = field(default_factory=list)
    node_regions: list[str] = field(default_factory=list)
    node_names: dict[int, str] = field(default_factory=dict)  # class and id of structural elements
    unseen_nodes: list[int] = field(default_factory=list)  # hidden elements, here for their links
    heading_marks: list[Heading] = field(default_factory=list)
    emphasis: list[str] = field(default_factory=list)
    title_tag: str = ""
    # lower-case name -> content; the first of a name counts
    metas: dict[str, str] = field(default_factory=dict)
    more_metas: list[tuple[str, str]] = field(default_factory=list)  # name and content of the later ones
    base_href: str | None = None  # of the first base with one, which may be empty
    canonical_href: str = ""
    feed_hrefs: list[str] = field(default_factory=list)
    licence_hrefs: list[str] = field(default_factory=list)  # of <link rel="license">
    refresh: Refresh | None = None
    lang: str = ""
    source: str = ""  # the HTML, bounded in length and nesting, with its scripts
    linked_data: int = -1  # where the first JSON-LD begins in the source

    def base_url(self, page_url: str) -> str:
        """The URL that the links of the page are relative to. `page_url`: where the page is from."""
        return (redirect_target(page_url, self.base_href) if self.base_href else None) or page_url

    def absolute(self, href: str, page_url: str) -> str:
        """An href of the page as an absolute URL; as it is written, where it leads to none."""
        return (redirect_target(self.base_url(page_url), href) if href else None) or href

    def contents_of(self, name: str) -> list[str]:
        """The contents of all metas with a name, in document order. `name`: in lower case."""
        if name not in self.metas:
            return []
        return [self.metas[name], *(content for other, content in self.more_metas if other == name)]

    def with_ancestors(self, node: int) -> Iterator[int]:
        """An element and those around it, the nearest first; nothing for -1."""
        while node >= 0:
            yield node
            node = self.node_parents[node]

    @property
    def headings(self) -> list[str]:
        """The texts of h1 to h6 in document order."""
        return [heading.text for heading in self.heading_marks]

    @property
    def blocks(self) -> list[Block]:
        """The text runs, merged into blocks."""
        return list(map(tuple.__new__, repeat(Block), self.block_rows))

    @property
    def block_rows(self) -> list[BlockRow]:
        """The blocks as plain tuples, in half the time."""
        found: list[BlockRow] = []
        first = last = in_links = 0
        home = number = -1
        for start, end, node, in_link, block in self.runs:
            if block != number:
                found.append((first, last, home, in_links))
                first, home, number, in_links = start, node, block, 0
            if in_link:
                in_links += end - start
            last = end
        found.append((first, last, home, in_links))
        return found[1:]  # the first is the empty block before all runs


BODY = "body"

_MARKUP = package_table("pages/markup.toml")
_BY_TAG, _WORDS = _MARKUP["region_of_tag"], _MARKUP["region_words"]
_REGION_OF = {word: region for region, words in reversed(_WORDS.items()) for word in words.split()}
_ORDER = {region: rank for rank, region in enumerate(_WORDS)}
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]+(?![a-z])")


def region_of(tag: str, names: str, inherited: str) -> str:
    """The region of an element; a body element inside another region stays in that region."""
    found = _BY_TAG.get(tag) or (_hint(names[:200]) if names else "")
    if not found or (found == BODY and inherited):
        return inherited or BODY
    return found


@lru_cache(maxsize=4096)
def _hint(names: str) -> str:
    found = [_REGION_OF[word] for word in map(str.lower, _WORD.findall(names)) if word in _REGION_OF]
    return min(found, key=_ORDER.__getitem__) if found else ""
