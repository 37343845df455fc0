"""The reading rules of a user for single sites, and the places where a site lists its own pages.

`read_by_rule` applies a rule: a user's CSS selectors for title, main text and links. A rule replaces only what it names, only on its site.
Where its selector matches nothing (the site has changed, or this page is of another kind), the page is read as on any site, so that an
outdated rule does not empty the store.
Which: the host, its subdomains, or a host/path prefix; the longest host that fits, then the longest path.
Cost: a second parse, of pages with a rule only.

`declared_feeds` and `sitemap_lines` return the listings of a site: feeds that a page declares, and the Sitemap lines of robots.txt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from topiccrawler.pages.document import Document
from topiccrawler.pages.dom_traversal import LONGEST_HREF, UNREAD
from topiccrawler.pages.parse import MOST_CHARACTERS, limit_nesting
from topiccrawler.pages.robots_txt import RobotsTxt
from topiccrawler.topics.topic import SiteRule
from topiccrawler.urls.canonical import Canonicalizer

MOST_NODES = 2_000  # matches of one selector that are used


def rule_of(url: str, sites: Mapping[str, SiteRule]) -> SiteRule | None:
    """The reading rule for the page of a URL, or None, as for most pages. `sites`: the rules by host or host/path prefix."""
    if not sites:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host, path = parts.netloc.lower(), parts.path.lower() or "/"
    fitting = [place for place in sites if _fits(place, host, path)]
    return sites[max(fitting, key=_specific)] if fitting else None


def read_by_rule(
    html: str, rule: SiteRule, document: Document, title: str, main: str
) -> tuple[Document, str, str]:
    """Document, title and main text of a page: each by the rule if its selector is set and matches, else as passed in."""
    tree = LexborHTMLParser(limit_nesting(html[:MOST_CHARACTERS]))
    tree.strip_tags([*UNREAD])
    if rule.title:
        found = _outermost(tree, rule.title)
        title = " ".join(found[0].text().split()) or title if found else title
    if rule.text:
        pieces = [_plain(node) for node in _outermost(tree, rule.text)]
        main = "\n".join(filter(None, pieces)) or main
    if rule.links:
        hrefs = {href for node in _outermost(tree, rule.links) for href in _hrefs(node)}
        if hrefs:
            anchors = [anchor for anchor in document.anchors if anchor.href in hrefs]
            document = replace(document, anchors=anchors)
    return document, title, main


def _fits(place: str, host: str, path: str) -> bool:
    place_host, _, place_path = place.partition("/")
    if host != place_host and not host.endswith("." + place_host):
        return False
    return not place_path or path.startswith("/" + place_path)


def _specific(place: str) -> tuple[int, int]:
    host, _, path = place.partition("/")
    return len(host), len(path)


def _outermost(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """The elements that a selector matches, without those inside another match."""
    met = tree.css(selector)[:MOST_NODES]
    known = {node.mem_id for node in met}
    found = []
    for node in met:
        above = node.parent
        while above is not None and above.mem_id not in known:
            above = above.parent
        if above is None:
            found.append(node)
    return found


def _plain(node: LexborNode) -> str:
    lines = (" ".join(line.split()) for line in node.text(separator="\n").split("\n"))
    return "\n".join(filter(None, lines))


def _hrefs(node: LexborNode) -> list[str]:
    inside = [node, *node.css("[href], [src]")]
    found = [one.attributes.get("href") or one.attributes.get("src") for one in inside]
    return [href[:LONGEST_HREF] for href in found if href]


MOST_LINES = 10  # Sitemap lines of one robots.txt


def declared_feeds(document: Document, page_url: str) -> tuple[str, ...]:
    """Canonical URLs of the RSS and Atom feeds that a page declares, each once, in page order."""
    if not document.feed_hrefs:
        return ()
    return each_once(document.feed_hrefs, document.base_url(page_url))


def is_robots(url: str) -> bool:
    """Whether a URL is that of a robots.txt."""
    return url.endswith("/robots.txt") and urlsplit(url).path == "/robots.txt"


def sitemap_lines(text: str, robots_url: str) -> tuple[str, ...]:
    """Canonical URLs of the Sitemap lines of a robots.txt, each once, in file order; at most MOST_LINES."""
    return each_once(RobotsTxt(text.encode(), "").sitemaps[:MOST_LINES], robots_url)


def each_once(hrefs: Iterable[str], base: str) -> tuple[str, ...]:
    """The canonical URLs of these hrefs, each once, in order; hrefs without one are left out. `base`: the URL they are relative to."""
    urls = Canonicalizer(base)
    return tuple(dict.fromkeys(url for href in hrefs if (url := urls(href)) is not None))
