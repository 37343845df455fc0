"""Feeds and sitemaps as programs write them: headlines, links, text before the root, lists without a type."""

import gzip
import json
from contextlib import suppress

import pytest

from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.formats.registry import UnreadableError, recognise

NAMES = (
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"'
)
LINK = "<link>http://a.test/1</link>"


def rss(item: str) -> bytes:
    return (
        f'<rss version="2.0" {NAMES}><channel><title>频道</title><item>{item}</item></channel></rss>'.encode()
    )


def atom(entry: str) -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {NAMES}><title>频道</title><entry>{entry}</entry></feed>'.encode()


def sitemap(entry: str, prefix: str = "") -> bytes:
    names = {"news": "news", "video": "video", "image": "image"}
    declared = " ".join(
        f'xmlns:{name}="http://www.google.com/schemas/sitemap-{of}/1.1"' for name, of in names.items()
    )
    own = f"xmlns{':' if prefix else ''}{prefix.rstrip(':')}"
    return f'<{prefix}urlset {own}="http://www.sitemaps.org/schemas/sitemap/0.9" {declared}>{entry}</{prefix}urlset>'.encode()


@pytest.mark.parametrize(
    "feed",
    [
        rss(f"<media:title>图片</media:title><title>定投</title>{LINK}"),
        rss(f"<title>定投</title><itunes:title>第一集</itunes:title>{LINK}"),
        rss(f"<title>定投</title>{LINK}<image><title>图</title><url>http://a.test/x.png</url></image>"),
        rss(f"<dc:title>图</dc:title><title>定投</title>{LINK}"),
        rss(f"<dc:title>定投</dc:title>{LINK}"),
        rss("<title>定投</title><link><!-- x -->http://a.test/<![CDATA[1]]></link>"),
        rss("<title>定投</title><link><?x y?>http://a.test/1</link>"),
        rss("<title>定投</title><link/><guid>http://a.test/1</guid>"),
        rss('<title>定投</title><guid isPermaLink="false">tag:1</guid><atom:link href="http://a.test/1"/>'),
        atom("<media:title>图片</media:title><title>定投</title><link href='http://a.test/1'/>"),
        atom("<title>定投</title><id>http://a.test/1</id>"),
        atom(
            "<title>定投</title><id>urn:x:1</id><link rel='replies' type='text/html' href='/r'/><link href='http://a.test/1'/>"
        ),
        atom(
            "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>定<b>投</b></div></title><link href='http://a.test/1'/>"
        ),
        atom("<title mode='base64'>5a6a5oqV</title><link href='http://a.test/1'/>"),
        "<channel><title>频道</title><item href='http://a.test/1'><title>定投</title></item></channel>".encode(),
        json.dumps(
            {
                "version": "https://jsonfeed.org/version/1.1",
                "items": [{"title": "定投", "url": "http://a.test/1"}],
            }
        ).encode(),
        b'\xef\xbb\xbf {"items":[{"id":"http://a.test/1","title":"\xe5\xae\x9a\xe6\x8a\x95"},7],"version":"https:\\/\\/jsonfeed.org\\/version\\/1"}',
    ],
)
def test_the_headline_of_an_entry_is_that_of_its_page(feed: bytes, formats: Formats) -> None:
    assert recognise(feed, "application/octet-stream") == "feed"
    assert formats.read("feed", feed).parts == [("定投", "http://a.test/1")]


def test_a_caption_does_not_replace_the_summary(formats: Formats) -> None:
    feed = rss(
        f"<title>定投</title>{LINK}<media:description type='plain'>图片</media:description><media:description/><description>&lt;p&gt;收益&lt;/p&gt;</description>"
    )
    assert formats.read("feed", feed).parts == [("定投", "http://a.test/1"), ("收益", "")]
    feed = rss(f"<itunes:summary>集</itunes:summary><title>定投</title>{LINK}<description>收益</description>")
    assert formats.read("feed", feed).parts == [("定投", "http://a.test/1"), ("收益", "")]
    feed = rss(
        f"<title>定投</title>{LINK}<media:group><media:description>只有它</media:description></media:group>"
    )
    assert formats.read("feed", feed).parts == [("定投", "http://a.test/1"), ("只有它", "")]
    feed = rss(
        f"<title>定投</title>{LINK}<description>短</description><content:encoded>长文</content:encoded>"
    )
    assert formats.read("feed", feed).parts == [("定投", "http://a.test/1"), ("短", "")]


def test_all_pages_of_an_entry_are_links_and_the_first_has_the_headline(formats: Formats) -> None:
    feed = atom(
        "<title>定投</title><link href='/1'/><link rel='alternate' type='text/html' href='/1?amp'/><link rel='edit' href='/e'/>"
    )
    assert formats.read("feed", feed).parts == [("定投", "/1"), ("", "/1?amp")]


@pytest.mark.parametrize("charset", ["gb18030", "big5hkscs", "utf-16"])
def test_a_feed_is_decoded_by_its_header_or_declaration(charset: str, formats: Formats) -> None:
    text = rss(f"<title>債券基金的收益</title>{LINK}").decode().replace("频", "頻")
    body = f'<?xml version="1.0" encoding="{charset}"?>{text}'.encode(charset)
    assert recognise(body) == "feed"
    for declared in (charset, None):
        assert formats.read("feed", body, declared).parts == [("債券基金的收益", "http://a.test/1")]


SITEMAP = sitemap("<url><loc>http://a.test/1</loc></url>")
FEED = rss(f"<title>定投</title>{LINK}")
BEFORE = [
    b"<!--" + b"c" * 5_000 + b"-->",
    b"<?xml version='1.0'?><?xml-stylesheet href='" + b"x" * 3_000 + b"'?><!-- <html> --> <!-- b -->",
    b"<br />\n<b>Deprecated</b>: strftime() in <b>/feed.php</b> on line <b>9</b><br />\n<?xml version='1.0'?>",
    b"<div id='error'><p>Datenbankfehler</p></div>\n\n<?xml version='1.0' encoding='utf-8'?>",
    "警告：第9行\n".encode(),
    b"\xef\xbb\xbf\r\n  ",
    b"<!DOCTYPE rss [<!ENTITY e 'x'>\n" + b" " * 3_000 + b"]>",
]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_text_before_the_root_is_left_out(before: bytes, pack: type, formats: Formats) -> None:
    for kind, body, expected in (
        ("feed", FEED, ("定投", "http://a.test/1")),
        ("sitemap", SITEMAP, ("", "http://a.test/1")),
    ):
        assert recognise(pack(before + body), "text/html") == kind
        assert formats.read(kind, pack(before + body)).parts == [expected]


@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html><html><head><title>RSS</title></head><body><pre><rss version='2.0'><channel></pre></body></html>",
        b"<title>x</title><p>text <rss version='2.0'>",
        b"<pre>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
        b"<!--" + b"c" * 5_000 + b"--><html><body><rss version='2.0'>",
        b"<p>how <channel> and <search> begin",
    ],
)
def test_a_page_that_shows_a_feed_is_a_page(page: bytes) -> None:
    assert recognise(page, "text/html") == "html"


@pytest.mark.parametrize(
    "entry",
    [
        "<s:url><s:loc>http://a.test/1</s:loc></s:url>",
        "<s:url><s:loc><!-- a -->http://a.test/1<!-- b --></s:loc></s:url>",
        "<s:url><image:loc>http://a.test/1.png</image:loc><s:loc>\n http://a.test/1 </s:loc></s:url>",
        "<s:url><s:loc><![CDATA[http://a.test/1]]></s:loc><s:lastmod>0000</s:lastmod></s:url>",
    ],
)
def test_the_url_of_an_entry_has_the_prefix_of_its_sitemap(entry: str, formats: Formats) -> None:
    for own in ("s:", "my-site:"):
        body = sitemap(entry.replace("s:", own), own)
        assert recognise(body) == "sitemap"
        assert formats.read("sitemap", body).parts == [("", "http://a.test/1")]
        undeclared = body.replace(f"xmlns:{own[:-1]}".encode(), b"lang")
        assert formats.read("sitemap", undeclared).parts == [("", "http://a.test/1")]


def test_the_title_of_news_goes_before_that_of_a_film(formats: Formats) -> None:
    film = "<video:video><video:title>短片</video:title></video:video>"
    news = "<news:news><news:title>定投</news:title></news:news>"
    for inside, title in ((film + news, "定投"), (news + film, "定投"), (film, "短片")):
        body = sitemap(f"<url><loc>http://a.test/1</loc>{inside}</url>")
        assert formats.read("sitemap", body).parts == [(title, "http://a.test/1")]


@pytest.mark.parametrize(
    "declared", ["", "text/html", "application/xml", "application/octet-stream", "text/plain"]
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_of_urls_needs_no_type(declared: str, charset: str, formats: Formats) -> None:
    body = "http://a_b.test/1\r\n\r\nHTTPS://a.test/基金\nhttp://a.test/2".encode(charset)
    assert recognise(body, declared) == "text"
    urls = [url for _, url in formats.read("text", body).parts if url]
    assert [url for url in urls if url.startswith("http:")] == ["http://a_b.test/1", "http://a.test/2"]


def test_a_list_of_urls_with_other_lines_is_one_still(formats: Formats) -> None:
    body = b"http://a_b.test/1\n\nhttp://a.test/2\n\nother words"
    assert recognise(body, "") == "text"
    assert [url for _, url in formats.read("text", body).parts if url] == [
        "http://a_b.test/1",
        "http://a.test/2",
    ]
    assert recognise(b"http://a.test/1 is a page\nand this is text", "text/html") == "html"


def test_what_is_no_feed_is_unreadable(formats: Formats) -> None:
    with pytest.raises(UnreadableError, match=r"^no feed"):
        formats.read("feed", b"<rss")
    with pytest.raises(UnreadableError, match=r"\w"):
        formats.read("feed", b'{"version": "https://jsonfeed.org/version/1", ')


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        b"<a ",
        b"<![CDATA[",
        b"<!--",
        b"&#",
        b"<rss version=",
        b"<item><title>",
        b"<!DOCTYPE [",
        b"<?x ",
        b'{"a":[',
    ],
)
def test_feeds_that_never_end_do_not_stop_the_worker_for_ever(piece: bytes, formats: Formats) -> None:
    formats = Formats(seconds=3)
    for body in (piece * 100_000, b"<rss version='2.0'><channel>" + piece * 100_000):
        recognise(body)
        with suppress(UnreadableError):
            assert sum(len(text) for text, _ in formats.read("feed", body).parts) <= 500_000
    formats.close()
