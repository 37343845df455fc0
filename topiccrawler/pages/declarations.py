"""Reads what a page declares of itself in its markup beyond metas: JSON-LD, elements with a machine-readable day, names of authors.

`declarations_of` parses the page a second time, because the Document has no scripts and no attributes of inline elements. It is called
for kept pages only.
Cost       .5 ms a page of 40 kB, half of it for the tree; a search for the signs of declarations where a page has none.
But        microdata is read by `itemprop` alone, not by its nesting; RDFa and microformats by class names alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topiccrawler.pages.document import Document
from topiccrawler.patterns import lazy_pattern

PUBLISHED, MODIFIED, UNMARKED = "published", "modified", "unmarked"
MOST_ELEMENTS = 200
MOST_OBJECTS = 500  # of JSON-LD
LONGEST_SCRIPT = 1_000_000  # characters
LONGEST_VALUE = 200
MOST_ANCESTORS = 40

_NO_LETTER = re.compile(r"[^a-z]")
_DATED = "[datetime], time, abbr[title], [itemprop], [pubdate]"
_MARKED_NAMES = '[rel~="author"], [itemprop~="author"], [itemprop~="creator"]'
_CLASSED_NAMES = '[class*="author" i], [class*="byline" i], [class*="autor" i], .vcard .fn'
_PUBLISHED_NAME = lazy_pattern(
    r"publi|pubdate|datecreated|dateposted|entry-date|entry-time|uploaddate|posted"
)
_MODIFIED_NAME = lazy_pattern(r"modif|updat|aktuali")
# Elements of other texts than that of the page.
_APART = lazy_pattern(
    r"comment|repl(?:y|ies)|disqus|related|recommend|sidebar|widget|popular|calendar|event|kommentar|teaser|promo|pinglun|tuijian",
    re.IGNORECASE,
)
_APART_TAGS = frozenset({"aside", "nav"})
_COMMENTS = (
    "comments comment comment-list commentlist comment-body comment_list disqus_thread pinglun replies reply"
)
COMMENT_NAME = re.compile(rf"(?:^|\s)(?:{_COMMENTS.replace(' ', '|')})(?:\s|$)", re.IGNORECASE)
_EVENTS = "event vevent events"
_OTHER_TEXTS = ", ".join(f".{name}, #{name}" for name in f"{_COMMENTS} {_EVENTS}".split())
_COMMENTS_EVENTS = f'{_OTHER_TEXTS}, [itemtype*="Event"]'
# One of them is in the source of every page that declares something here.
_SIGNS = ("uthor", "itemprop", "utor", "yline", "datetime")
_LINKED_DATA = 'script[type*="ld+json"]'
_EVENT = lazy_pattern(r'"@type"\s*:\s*"\w*Event"')
_WHOLE = frozenset({"html", "head", "body", "main", "article"})


class DatedElement(NamedTuple):
    """An element that has a day: as an attribute, or as its text."""

    kind: str  # PUBLISHED | MODIFIED | UNMARKED
    day: str  # as written
    node: LexborNode


@dataclass(slots=True)
class Declarations:
    """What the markup of a page declares. JSON-LD objects are those about the page, articles first."""

    objects: list[dict[str, Any]] = field(default_factory=list)
    by_id: dict[str, dict[str, Any]] = field(default_factory=dict)  # JSON-LD objects with an @id
    days: list[DatedElement] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)  # texts of elements marked as an author's
    bylines: list[str] = field(default_factory=list)  # texts of elements whose class names an author

    def days_of(self, kind: str) -> Iterator[str]:
        """The days of elements of this kind, as written; none of an element in a comment, a side bar, an event …"""
        return (each.day for each in self.days if each.kind == kind and not _is_apart(each.node))

    def values(self, *keys: str) -> Iterator[str]:
        """The texts and numbers that the objects have for these keys, by key."""
        for key in keys:
            for one in self.objects:
                value = one.get(key)
                value = value[0] if isinstance(value, list) and value else value
                value = value.get("@value") if isinstance(value, dict) else value
                if isinstance(value, str | int):
                    yield str(value)


def metas_of(document: Document, names: Iterable[str]) -> Iterator[str]:
    """The contents of the metas with these names, in their order. `names`: the letters of each alone, in lower case."""
    by_letters: dict[str, str] = {}
    for name, content in document.metas.items():
        by_letters.setdefault(_NO_LETTER.sub("", name), content)
    return (by_letters[name] for name in names if name in by_letters)


def declarations_of(document: Document) -> Declarations:
    """The declarations of a page, in its source."""
    found, html = Declarations(), document.source
    if (
        document.linked_data < 0
        and "time" not in document.node_tags
        and not any(map(html.__contains__, _SIGNS))
    ):
        return found  # without a second parse
    tree = LexborHTMLParser(html)
    if document.linked_data >= 0:
        found.objects, found.by_id = _linked_data(tree)
    found.days = list(_days(tree))
    found.authors = _names(tree, _MARKED_NAMES)
    found.bylines = _names(tree, _CLASSED_NAMES)
    return found


def without_other_texts(html: str) -> str:
    """The source of a page without its comments and events."""
    tree = LexborHTMLParser(html)
    for node in tree.css(_COMMENTS_EVENTS):
        if node.tag not in _WHOLE:
            node.decompose()
    for script in tree.css(_LINKED_DATA):
        if _EVENT.search(script.text()):
            script.decompose()
    return tree.html or ""


def _days(tree: LexborHTMLParser) -> Iterator[DatedElement]:
    for node in tree.css(_DATED)[:MOST_ELEMENTS]:
        attributes = node.attributes
        item = (attributes.get("itemprop") or "").lower()
        names = f"{item} {attributes.get('class') or ''} {attributes.get('property') or ''}".lower()
        is_time = node.tag == "time" or "datetime" in attributes
        kind = UNMARKED
        if _MODIFIED_NAME.search(names):
            kind = MODIFIED
        elif "pubdate" in attributes or _PUBLISHED_NAME.search(names):
            kind = PUBLISHED
        elif not is_time:
            continue
        written = attributes.get("datetime") or attributes.get("content") or attributes.get("title") or ""
        if not any(map(str.isdigit, written)):
            written = node.text()
        if any(map(str.isdigit, written)):
            yield DatedElement(kind, written[:LONGEST_VALUE], node)


def _names(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [name for node in tree.css(selector)[:MOST_ELEMENTS] if (name := _name(node))]


def _name(node: LexborNode) -> str:
    if _is_apart(node):
        return ""
    inside = node.css_first('[itemprop~="name"]') or node
    written = inside.attributes.get("content") or inside.text(separator=" ")
    return " ".join(written[: 2 * LONGEST_VALUE].split())


def _is_apart(node: LexborNode) -> bool:
    above: LexborNode | None = node
    for _ in range(MOST_ANCESTORS):
        if above is None or above.tag == "body":
            return False
        if _is_named_apart(above):
            return True
        above = above.parent
    return False


def is_apart_name(names: str) -> bool:
    """Whether class and id of an element are those of a comment, a side bar, a list of other pages …"""
    return _APART.search(names[:LONGEST_VALUE]) is not None


def _is_named_apart(node: LexborNode) -> bool:
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('itemprop') or ''}"
    return node.tag in _APART_TAGS or is_apart_name(names)


_ARTICLE = lazy_pattern(
    r"Article$|Posting$|^Report$|^Review$|^Recipe$|^ScholarlyArticle$|^Question$|^VideoObject$|^Book$|^Dataset$"
)
_PAGE = lazy_pattern(r"Page$|^CreativeWork$|^WebSite$")
# Keys below which other things than the page are described.
_OTHERS = frozenset(
    {"comment", "itemListElement", "hasPart", "isPartOf", "publisher", "author", "image", "review", "mentions", "about", "breadcrumb",
     "citation", "suggestedAnswer", "acceptedAnswer", "relatedLink", "logo", "thumbnail", "subjectOf"}
)  # fmt: skip
# Possessive: blanks are not tried twice, however many follow a sign.
_COMMENT = lazy_pattern(r"^\s*+(?://\s*+)?(?:<!--|<!\[CDATA\[)|(?://\s*+)?(?:-->|\]\]>)\s*+;?\s*+$")
_HALF = lazy_pattern(
    r"(\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]..", re.IGNORECASE
)  # of a surrogate pair, if it is no pair
_LAST_COMMA = lazy_pattern(r",(\s*[}\]])")


def _linked_data(tree: LexborHTMLParser) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """The JSON-LD objects about the page, articles before pages; and all objects by @id."""
    articles: list[dict[str, Any]] = []
    pages: list[dict[str, Any]] = []
    by_id: dict[str, dict[str, Any]] = {}
    for script in tree.css(_LINKED_DATA)[:MOST_ELEMENTS]:
        for one in _objects(_parsed(script.text()[:LONGEST_SCRIPT])):
            if isinstance(name := one.get("@id"), str):
                by_id.setdefault(name, one)
            kinds = one.get("@type")
            kinds = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
            if any(isinstance(kind, str) and _ARTICLE.search(kind) for kind in kinds):
                articles.append(one)
            elif any(isinstance(kind, str) and _PAGE.search(kind) for kind in kinds) or not kinds:
                pages.append(one)
    return articles + pages, by_id


def _parsed(text: str) -> Any:
    """The value of a script of JSON-LD; None where it is no JSON, also without its comment signs and last commas."""
    text = _HALF.sub(r"\1", _COMMENT.sub("", text))
    for attempt in (text, _LAST_COMMA.sub(r"\1", text)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a parsed script, outer before inner, without those that describe other things than the page."""
    waiting, count = [value], 0
    while waiting and count < MOST_OBJECTS:
        one = waiting.pop()
        count += 1
        if isinstance(one, list):
            waiting += reversed(one)
        elif isinstance(one, dict):
            yield one
            waiting += [
                inner
                for key, inner in reversed(one.items())
                if key not in _OTHERS and isinstance(inner, dict | list)
            ]
