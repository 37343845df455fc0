"""Reads seeds from URLs, a list of URLs, or a file of another program (sitemap, feed, OPML, bookmarks), and writes proposed seeds.

`read_seeds` recognises a file by its content, also if it is compressed with gzip. An error in a list that a person wrote is reported with
its line. From a file that a program wrote only http(s) URLs are read, and the number of others is logged. A sitemap index yields the URLs
of its sitemaps, which a crawl reads as pages of links.

`as_seed_file` writes proposed seeds as a file for a crawl, with the reason for each in a comment.
"""

from __future__ import annotations

import gzip
import logging
import re
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from topiccrawler.errors import SeedsError
from topiccrawler.files import is_file, read_bytes, user_path
from topiccrawler.pages.formats.listings import MOST_BYTES, entries, name_of, root_of
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import FEED, HTML, IN_PROCESS, UnreadableError, recognise, tidy
from topiccrawler.pages.parse import limit_nesting
from topiccrawler.text.characters import decode
from topiccrawler.text.printable import printable
from topiccrawler.topics.seeds import Seeds, are_hosts, seeds_of_addresses, seeds_of_text, seeds_of_topic
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical

if TYPE_CHECKING:
    from topiccrawler.seeding.candidates import Candidate  # a crawl needs nothing else of that module

logger = logging.getLogger(__name__)

# of a list, uncompressed; for files of programs: pages.formats.listings.MOST_BYTES
MOST_LIST_BYTES = 50_000_000
MOST_SEEDS = 50_000  # most seeds in one file; the limit of a sitemap
KINDS = "a list of addresses, a sitemap, an RSS or Atom feed, an OPML file or a browser's bookmarks"
REMEDY = f"give {KINDS}"

_GZIP = b"\x1f\x8b"
_BOOKMARKS = re.compile(r"\s*<!DOCTYPE\s+NETSCAPE-Bookmark-file", re.IGNORECASE)
_HTML = re.compile(r"\s*<(?:!DOCTYPE\s+html\b|html\b|head\b|body\b)", re.IGNORECASE)
# an embedded picture makes a tag as long as a hostile one
_ICON = re.compile(r'\bICON="[^"]*"', re.IGNORECASE)
_SITEMAPS = frozenset({"urlset", "sitemapindex"})


def read_seeds(source: str | None, topic: Topic | None = None) -> Seeds:
    """The seeds in a file, or of URLs in one string; None = the topic's own seeds, else the list for it in this package."""
    if source is None or not source.strip():
        if topic is None:
            raise SeedsError("seeds", "none were given", "give a file or http(s) addresses")
        return seeds_of_topic(topic)
    name = source.strip()
    if "://" in source or (are_hosts(name) and not is_file(user_path(name))):
        return seeds_of_addresses(source)
    remedy = "give a seeds file or http(s) addresses"
    body = read_bytes(user_path(name), MOST_LIST_BYTES, SeedsError, name, remedy)
    if body.startswith(_GZIP):
        try:
            body = gzip.GzipFile(fileobj=BytesIO(body)).read(MOST_LIST_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise SeedsError(name, "is damaged gzip", remedy) from None
        if len(body) > MOST_LIST_BYTES:
            raise SeedsError(name, f"unpacks to more than {MOST_LIST_BYTES} bytes", remedy)
    return _of_body(body, name)


def _of_body(body: bytes, name: str) -> Seeds:
    text = decode(body)[0].removeprefix("\ufeff")
    form = recognise(body, "text/plain")
    if form not in {HTML, FEED, *IN_PROCESS} or "\0" in text[:1000]:
        raise SeedsError(name, "is no text", REMEDY)
    if form != FEED and not text.lstrip().startswith("<"):
        return seeds_of_text(text, name)
    if len(body) > MOST_BYTES:
        raise SeedsError(name, f"is larger than {MOST_BYTES} bytes", "give a part of it")
    kind, found = _in_feed(text, name) if form == FEED else _listed(text, name)
    seeds: dict[str, None] = {}
    others = more = 0
    for url in map(tidy, found):
        clean = canonical(url) if url.lower().startswith(("http://", "https://")) else None
        if clean is None:
            others += 1
        elif len(seeds) < MOST_SEEDS:
            seeds[clean] = None
        else:
            more += clean not in seeds
    if not seeds:
        raise SeedsError(name, f"is {kind} that lists no http(s) address", REMEDY)
    _log_summary(name, kind, len(seeds), others, more)
    return Seeds(list(seeds), [])


def _log_summary(name: str, kind: str, seeds: int, others: int, more: int) -> None:
    left = [f"{others} that are no http(s) addresses"] if others else []
    left += [f"{more} beyond the first {MOST_SEEDS}"] if more else []
    end = f"; left out: {', '.join(left)}" if left else ""
    logger.log(logging.WARNING if left else logging.INFO, "Seeds of %s, %s: %d%s", name, kind, seeds, end)


def _in_feed(text: str, name: str) -> tuple[str, Iterable[str]]:
    """As `_listed`, of a feed."""
    formats = Formats()
    try:
        return "a feed", [
            url for _, url in formats.read(FEED, text.encode("utf-8", "replace"), "utf-8").parts if url
        ]
    except UnreadableError as failure:
        raise SeedsError(name, f"cannot be read: {failure}", REMEDY) from None
    finally:
        formats.close()


def _listed(text: str, name: str) -> tuple[str, Iterable[str]]:
    """The kind of markup, and the URLs that it lists, as they are written."""
    if _BOOKMARKS.match(text):
        return "a bookmarks file", _bookmarks(text)
    if _HTML.match(text):
        raise SeedsError(name, "is a web page", REMEDY)
    try:
        root = root_of(text.encode("utf-8", "replace"), "utf-8")
    except UnreadableError as failure:
        raise SeedsError(name, f"cannot be read: {failure}", REMEDY) from None
    kind = name_of(root)
    if kind in _SITEMAPS:
        what = "a sitemap" if kind == "urlset" else "an index of sitemaps"
        return what, (url for _, url in entries(root) if url)
    if kind == "opml":
        return "an OPML file", _outlines(root)
    raise SeedsError(name, f"is XML of another kind (<{kind[:40]}>)", REMEDY)


def _bookmarks(text: str) -> Iterator[str]:
    tree = LexborHTMLParser(limit_nesting(_ICON.sub("", text)))
    return (link.attributes.get("href") or "" for link in tree.css("a[href]"))


def _outlines(root: etree._Element) -> Iterator[str]:
    """The URLs in an OPML file: for each subscription that of the site, else that of the feed."""
    for outline in root.iter(etree.Element):
        given = {name.lower(): url for name, url in outline.attrib.items()}
        if name_of(outline) == "outline" and (url := given.get("htmlurl") or given.get("xmlurl")):
            yield url


LONGEST_TITLE = 100


def display_title(candidate: Candidate) -> str:
    """The title of a candidate, shortened and printable, for one line of a terminal or a file."""
    return printable(tidy(candidate.title))[:LONGEST_TITLE]


def as_seed_file(topic: Topic, seeds: Iterable[Candidate]) -> str:
    """The text of a seed file: one URL per line, after a comment with its score, title and reason."""
    lines = [f"# seeds for topic {topic.full_name}"]
    lines.append("# proposed by scrapy seeds; delete what you do not want")
    for seed in seeds:
        parts = (f"{seed.score:.2f}", display_title(seed), seed.why)
        lines += ["", f"# {'; '.join(filter(None, parts))}", seed.url]
    return "\n".join(lines) + "\n"
