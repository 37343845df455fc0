"""Tells kinds of pages apart: articles, lists and stubs.

A crawl keeps what is about its topic, and a list of articles about the topic is, too. Only articles are what its user has asked for: so
pages are stored with their kind.

`ARTICLE` has text of its own: an article, a thread of a forum, a question with its answers, a description, a file.
`LIST` leads to other pages, with or without excerpts of them: a front page, a tag, a category, an archive, a page of a pager, a feed.
`STUB` has neither: a form for a password, a licence box alone, a gallery without words, a page that does not exist.

What a site repeats is no text of a page: the crawl knows it, and passes the text without it and the repeated lines.

Formula    list(p) = lean - 4 · min(1, own / OWN) - min(.9, own / MOST_OWN) + beside > 0
           lean = evidence in the address (5 to 8 for front pages, tags, numbered pages …, -2.5 for numbers and dates of articles), in the
           title (3), in what the page declares (-3 for an article), in linked headings, dates beside links (2) and links such as "read more"; own =
           characters of its sentences, or a third of those of all its lines (code, verses), without notices and what the site repeats;
           beside = up to 2 where links that may lead to articles have more characters than the text. A page without own text is a stub, unless it
           has the evidence of a list or many links.
Parameters by hand on 165 pages of three recorded webs; benchmarks/kinds.py measures on 465 others.
Cost       .15 ms a page with 110 links, kept pages only.
But        a list whose address and title say nothing passes for an article when it has the whole texts of articles; so do lists of
           goods with long descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from topiccrawler.pages.document import BOUNDARY, Document
from topiccrawler.pages.formats.registry import HTML
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table

ARTICLE, LIST, STUB = "article", "list", "stub"
KINDS = (ARTICLE, LIST, STUB)
LISTS = frozenset({"feed", "sitemap"})  # formats

OWN, MOST_OWN = 400, 2_000  # characters of own text from which on more is little evidence, and none
LEAST_OWN = 30  # characters; with fewer a page has no text
# characters of a sentence outside the main text that makes a page with the signs of an article one
LEAST_SAID = 8
FEW_LINKS = 12  # in the body
LONG_LINK, MANY_LINKS = 8, 15  # characters of a link that is no menu's; their number, but in the footer
MANY_HEADINGS = 12
CERTAIN = 6.0  # evidence of a list that no text outweighs
FEW_DATES = 5  # beside links
MOST_CHARACTERS = 50_000  # in which dates are looked for
MOST_LINES = 400
MOST_ANCHORS = 2_000
LEAST_ENTRY = 5  # characters of a link to an article
LONGEST_BUTTON = 14  # characters of a link such as "read more"
LONGEST_SCRIPT = 20_000  # characters in which types of JSON-LD are looked for
LONG_CHARACTERS = 45  # a line as long as this reads like a sentence
LONGEST_NOTICE, LONGEST_DENIAL = 240, 60  # characters

_WORDS = package_table("pages/kinds.toml")


def _any(name: str) -> str:
    return f"(?:{'|'.join(_WORDS[name])})"


_LIST_SEGMENT, _SPECIAL_SEGMENT, _MAY_BE_SEGMENT = (
    re.compile(f"/{_any(name)}(?=/|$)")
    for name in ("list_segments", "special_segments", "may_be_list_segments")
)
_LIST_TITLE = re.compile(
    rf"\W*{_any('list_titles')}(?=\W|$)|[^-|_–]{{1,60}}\b{_any('list_titles')}\W*$|[^-|_–]{{1,60}}(?:(?<=\W)|_){_any('list_titles')}\W*$",
    re.IGNORECASE,
)
_MORE = frozenset(_WORDS["more_links"])
_MARKS = " |»›>…[]()（）【】《》:：+"  # around the words of a button
_NOTICE, _DENIAL = (re.compile("|".join(_WORDS[name])) for name in ("notices", "no_text"))  # lower-case
_SENTENCE = lazy_pattern(r"[。！？；!?;]|[,，.](?:\s|\D{3})")
_DATE_ALONE = re.compile(r"\|\s?(?:\d{4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?\s?(?=\|)")
_TYPES = re.compile(r'"@type"\s*+:\s*+\[?\s*+"(\w{1,40})"')
_ARTICLE_TYPE = re.compile(r"Article$|Posting$|^Question$|^QAPage$|^Recipe$|^Report$")
_LIST_TYPES = frozenset({"CollectionPage", "SearchResultsPage"})
_DAYS = frozenset({"article:published_time", "publishdate", "pubdate"})
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$")
_FRONT = frozenset({"", "index", "default", "home", "main"})
_NUMBERED = re.compile(r"/page[/-]?\d{1,6}(?:\.html?)?/?$|[?&](?:page|paged|p|pn)=\d{1,6}$")
# Names of files and folders, without their endings.
_LIST_NAME = re.compile(
    r"^(?:article|news|s)?[_-]?(?:list|forum|board|category|column|channel|tag)(?:[_-]?\d{1,12}){0,4}$"
    r"|^(?:index|default)[_-]?\d{1,4}$"
)
_ARCHIVE = re.compile(r"/(?:19|20)\d\d(?:/\d{1,2}){0,2}(?:/page/\d{1,6})?/?$")
_OF_ARTICLE = re.compile(
    r"\d{5}|\d{4}[-/]\d{1,2}[-/]\d|doc-\w|/\d{4}/\d\d/|\d\.s?html?$|[0-9a-f]{8}|/archives?/(?!(?:19|20)\d\d(?:/|$))\d{1,9}/?$"
)
_OUTSIDE = frozenset({"navigation", "footer", "aside"})


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the document of a page says of its kind, besides its main text."""

    lean: float  # evidence that the page is a list; negative for an article
    entries: int  # links in the body that may lead to articles
    entry_characters: int
    leads: bool  # it has many links or headings
    is_like_article: bool  # by address or declaration
    said: tuple[str, ...] = ()  # lines outside links that read like sentences, of a page without main text


def kind_of(
    document: Document,
    main_text: str,
    url: str,
    title: str = "",
    *,
    form: str = HTML,
    repeated: Collection[str] = (),
) -> str:
    """The kind of a page. `main_text`: without what its site repeats on other pages; `repeated`: such lines; `form`: its format."""
    if form in LISTS:
        return LIST
    own = _own_characters(main_text.split("\n"), repeated)
    if form != HTML:
        return ARTICLE if own else STUB
    shape = _shape_of(document, main_text, url, title)
    if own < LEAST_OWN and shape.said:
        said = _own_characters(shape.said, repeated)
        own = max(own, said if shape.is_like_article or not shape.leads else 0)
    lean = shape.lean - 4 * min(1.0, own / OWN) - min(0.9, own / MOST_OWN)
    if shape.entry_characters > own and not (shape.is_like_article and own >= LEAST_OWN):
        lean += 2 * min(1.0, shape.entry_characters / 300)
    if own < LEAST_OWN:
        is_short = own >= LEAST_SAID and (shape.is_like_article or not shape.entries)
        if not is_short and not shape.leads and lean < (1 if shape.is_like_article else 3):
            return STUB
        if shape.leads and not shape.is_like_article:
            return LIST
    return LIST if lean > 0 else ARTICLE


def kind_of_text(text: str) -> str:
    """The kind of a page of which only the text is known: an article if it has any."""
    return ARTICLE if _own_characters(text.split("\n"), ()) else STUB


def _own_characters(lines: Iterable[str], repeated: Collection[str]) -> int:
    """Characters of the sentences among these lines, or a third of those of all, without notices; not counted beyond MOST_OWN."""
    sentences = every = 0
    for line in islice(lines, MOST_LINES):
        length = len(line)
        if not length or line in repeated:
            continue
        if length < LONGEST_NOTICE and _NOTICE.search(low := line.lower()):
            continue
        if length < LONGEST_DENIAL and _DENIAL.search(low):
            continue
        every += length
        if length >= LONG_CHARACTERS or _SENTENCE.search(line):
            sentences += length
            if sentences >= MOST_OWN:
                break
    return max(sentences, every // 3)


def _shape_of(document: Document, main_text: str, url: str, title: str) -> _Shape:
    """The shape of a parsed page."""
    lean, is_like_article = _by_address(url)
    if _LIST_TITLE.match(title[:200]):
        lean += 3
    declared = _by_declaration(document)
    entries = characters = more = far = 0
    linked: list[tuple[int, int]] = []
    text = document.text
    for start, end, _, _, _, _, region, _, _, _, _ in document.anchors[:MOST_ANCHORS]:
        length = end - start
        if not length:
            continue
        if length >= LONG_LINK and region != "footer":
            far += 1
        if region in _OUTSIDE:
            continue
        linked.append((start, end))
        if length <= LONGEST_BUTTON and text[start:end].strip(_MARKS).lower() in _MORE:
            more += 1
        elif length >= LEAST_ENTRY and region != "header":
            entries += 1
            characters += length
    headings, linked_headings = len(document.heading_marks), _linked_headings(document, linked)
    lean += declared + min(3.0, linked_headings / 2)
    if linked_headings >= MANY_HEADINGS and linked_headings >= 0.7 * headings:
        lean += 2.5
    lean += 0 if more < 2 else 1 if more < 5 else 2
    is_open = declared >= 0 and lean < CERTAIN  # else the rest would change nothing
    if is_open and len(_DATE_ALONE.findall(text, 0, MOST_CHARACTERS)) >= FEW_DATES:
        lean += 2
    said = () if lean >= CERTAIN or len(main_text) >= LONGEST_NOTICE else _said(document)
    leads = entries >= FEW_LINKS or far >= MANY_LINKS or headings >= MANY_HEADINGS
    return _Shape(lean, entries, characters, leads, is_like_article or declared < 0, said)


def _by_address(url: str) -> tuple[float, bool]:
    """The evidence in a URL that its page is a list, and whether the URL looks like that of an article."""
    if "://" not in url:
        return 0.0, False  # a page without an address, read from a file
    address, _, query = url[:2_000].partition("#")[0].partition("?")
    begin = address.find("/", address.find("//") + 2)
    path = address[begin:] if begin >= 0 else "/"
    path = (unquote(path) if "%" in path else path).lower()
    bare = _ENDING.sub("", path.rstrip("/"))  # /segment/segment
    front, _, last = bare.rpartition("/")
    is_list = _NUMBERED.search(f"{path}?{query}" if query else path) or _LIST_NAME.search(last) or _ARCHIVE.search(path)  # fmt: skip
    is_of_article = not is_list and _OF_ARTICLE.search(path) is not None
    is_front = not front and last in _FRONT and not query
    lean = -2.5 if is_of_article else 0.0
    if _LIST_SEGMENT.search(bare):
        lean += 8
    elif is_front or is_list or (not is_of_article and _MAY_BE_SEGMENT.search(bare)):
        lean += 5
    elif last in _FRONT or _SPECIAL_SEGMENT.search(bare):
        lean += 2
    return lean, is_of_article


def _by_declaration(document: Document) -> float:
    metas, source = document.metas, document.source
    declared = metas.get("og:type", "").strip().lower()
    if "article" in declared or declared in {"news", "blog"} or not _DAYS.isdisjoint(metas):
        return -3
    place = document.linked_data
    types = set(_TYPES.findall(source, place, place + LONGEST_SCRIPT)) if place >= 0 else set()
    if any(map(_ARTICLE_TYPE.search, types)):
        return -3
    return (declared == "website") + 2.0 * (not types.isdisjoint(_LIST_TYPES))


def _linked_headings(document: Document, linked: list[tuple[int, int]]) -> int:
    """The number of headings that are links. `linked`: starts and ends of links, in order."""
    count = place = 0
    for heading in document.heading_marks:
        while place < len(linked) and linked[place][1] <= heading.start:
            place += 1
        count += place < len(linked) and linked[place][0] < heading.start + len(heading.text)
    return count


def _said(document: Document) -> tuple[str, ...]:
    """The lines outside links that read like sentences; not those of menus and footers."""
    text, regions, found = document.text, document.node_regions, []
    for start, end, node, in_links in document.block_rows[: 2 * MOST_LINES]:
        length = end - start
        if length >= LEAST_SAID and 2 * in_links < length and regions[node] not in _OUTSIDE:
            line = text[start:end].replace(BOUNDARY, " ").strip()
            if length >= LONG_CHARACTERS or _SENTENCE.search(line):
                found.append(line[:OWN])
    return tuple(found)
