"""Sitemaps of 50,000 URLs, and those that an index names: all URLs are queued, the best by the gate first, within bounded memory."""

import gzip
import tracemalloc
from collections.abc import Callable, Sequence
from urllib.parse import quote

import pytest

from topiccrawler.crawling.admission import Admission, gate_rule
from topiccrawler.crawling.link_gate import LinkGate
from topiccrawler.crawling.ordering import MOST_VISITED, Ordering
from topiccrawler.crawling.site_listings import MOST_CHILDREN, SiteListings
from topiccrawler.frontier.base import Pushed
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.links.extract import extract
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import LISTING, Link, Page, Via
from topiccrawler.pages.formats import listings
from topiccrawler.pages.formats.registry import MOST_LINKS, recognise
from topiccrawler.pages.read import ContentReader
from topiccrawler.strategies import build

HOST = "http://a.example"
SITEMAP = f"{HOST}/map.xml"
OPEN, CLOSE = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", "</urlset>"


def address(number: int) -> str:
    return f"{HOST}/{quote('基金')}/{number}.html"


def sitemap(count: int, charset: str = "utf-8") -> bytes:
    rows = "".join(f"<url><loc>{address(n)}</loc><priority>0.5</priority></url>" for n in range(count))
    return f"<?xml version='1.0' encoding='{charset}'?>{OPEN}{rows}{CLOSE}".encode(charset)


def url_list(count: int) -> bytes:
    return "\r\n".join(map(address, range(count))).encode()


def links_in(body: bytes, url: str = SITEMAP, content_type: str = "") -> PageLinks:
    content = ContentReader().content(url, body, content_type=content_type)
    assert not content.fault
    return extract(content.document, url, depth=1, more=content.more, sitemaps=content.listings)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    "made", [sitemap, url_list, lambda count: sitemap(count, "gb18030")], ids=["xml", "text", "gb18030"]
)
def test_all_urls_of_a_long_list_are_links(
    made: Callable[[int], bytes], pack: Callable[[bytes], bytes]
) -> None:
    count = MOST_LINKS + 20_000
    found = links_in(pack(made(count)), content_type="text/plain" if made is url_list else "")
    assert found.urls == [address(number) for number in range(count)]


def test_a_long_sitemap_is_parsed_piece_by_piece() -> None:
    body = gzip.compress(
        sitemap(listings.MOST_LISTED).replace(
            b"</loc>", b"</loc><changefreq>" + b"daily" * 40 + b"</changefreq>"
        )
    )
    tracemalloc.start()
    try:
        found = listings.read_sitemap(body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found.more) == listings.MOST_LISTED - MOST_LINKS
    assert peak < 40_000_000  # unpacked it has 16 MB, its tree 200


@pytest.mark.parametrize(
    ("inside", "form"),
    [
        (
            b"<rss version='2.0'><channel><item><title>x</title><link>http://a.example/1</link></item></channel></rss>",
            "feed",
        ),
        (sitemap(1), "sitemap"),
        (b"http://a.example/1\nhttp://a.example/2\n", "text"),
        (b"\xef\xbb\xbfhttps://a.example/1", "text"),
        (b"2024-03-05 a line of a log http://a.example/", "unknown"),
        (b"<export><row>1</row></export>", "unknown"),
        (b"\0\1\2 ustar", "unknown"),
    ],
)
def test_what_is_in_gzip(inside: bytes, form: str) -> None:
    assert recognise(gzip.compress(inside), "application/octet-stream") == form


def test_a_packed_feed_is_read() -> None:
    feed = "<rss><channel><item><title>基金定投</title><link>http://a.example/1.html</link></item></channel></rss>"
    found = links_in(gzip.compress(feed.encode()), f"{HOST}/feed.xml.gz")
    assert [(link.url, link.anchor) for link in found] == [("http://a.example/1.html", "基金定投")]


def index(*children: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{child}</loc></sitemap>" for child in children)
    return f"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{rows}</sitemapindex>".encode()


CHILDREN = [f"{HOST}/posts-1.xml.gz", f"{HOST}/Sitemap1.xml.gz", f"{HOST}/urllist.txt.gz", f"{HOST}/地图.gz"]
CANONICAL = [*CHILDREN[:3], f"{HOST}/{quote('地图')}.gz"]


def test_the_children_of_an_index_are_listings_whatever_their_name() -> None:
    found = links_in(index(*CHILDREN))
    assert [(link.url, link.kind) for link in found] == [(url, LISTING) for url in CANONICAL]
    # archives that a page or a sitemap names are none
    page = f"<a href={CHILDREN[0]}>基金</a><a href=/p>基金</a>".encode()
    assert links_in(page, HOST + "/").urls == [f"{HOST}/p"]
    assert links_in(f"{OPEN}<url><loc>{CHILDREN[0]}</loc></url>{CLOSE}".encode()).urls == []


def fetched(url: str, *listings: str, score: float = 3.5) -> Page:
    via = Via(Link(url, "a.example", kind=LISTING, source_url=f"{HOST}/"), score)
    return Page(url, 2, via=via, listings=listings)


def test_the_children_of_an_index_are_queued_with_its_score() -> None:
    site = SiteListings(MemoryFrontier(Hosts()).notes)
    found = site.of(
        fetched(SITEMAP, *CANONICAL, "http://www.a.example/b.xml.gz", "http://b.example/other.xml.gz")
    )
    assert [link.url for link, _ in found] == [*CANONICAL, "http://www.a.example/b.xml.gz"]
    assert {(link.kind, score.value) for link, score in found} == {(LISTING, 3.5)}
    many = [f"{HOST}/{number}.xml.gz" for number in range(MOST_CHILDREN)]
    assert len(site.of(fetched(SITEMAP, *many))) == MOST_CHILDREN - 5
    assert site.of(fetched(SITEMAP, *many)) == []


class LikesTheLast:
    """A link scorer by hand: URLs late in the list are probable."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [float(link.url.rpartition("/")[2].partition(".")[0]) for link in links]


def test_the_best_of_a_long_list_by_the_gate_is_fetched_first() -> None:
    count = MOST_VISITED + 3_000
    frontier = MemoryFrontier(Hosts(concurrency=count))
    admission = Admission([gate_rule(LinkGate(LikesTheLast()))])
    ordering = Ordering(build("breadth_first"), frontier, admission=admission)
    pushed = ordering.visit(fetched(SITEMAP), links_in(sitemap(count)), 0.0)
    assert pushed[Pushed.NEW] == count
    leased = [ordering.lease(0.0) for _ in range(count)]
    assert [one.link.url for one in leased if one is not None] == [address(n) for n in reversed(range(count))]
