"""Feeds that pages declare, and the Sitemap lines of robots.txt."""

from topiccrawler.pages.parse import parse
from topiccrawler.pages.site_rules import declared_feeds, sitemap_lines


def test_a_page_declares_feeds_by_alternates_of_their_types() -> None:
    document = parse(
        "<head><base href=/blog/><link rel=alternate hreflang=en href=/en/>"
        "<link rel='alternate home' type='Application/RSS+xml' href=rss.xml>"
        "<link rel=alternate type=application/atom+xml href=http://B.example/atom#x>"
        "<link rel=alternate type=application/rss&#43;xml href=/blog/rss.xml>"
        "<link rel=stylesheet type=application/rss+xml href=/no><link rel=alternate type=application/rss+xml>"
    )
    assert declared_feeds(document, "http://a.example/x/") == (
        "http://a.example/blog/rss.xml",
        "http://b.example/atom",
    )


def test_of_a_hostile_page_the_first_ten_count() -> None:
    feeds = "".join(f"<link rel=alternate type=application/rss+xml href=/{n}>" for n in range(5000))
    assert len(declared_feeds(parse(feeds), "http://a.example/")) == 10


def test_sitemap_lines_in_any_case_and_relative_ones_too() -> None:
    text = "User-agent: *\nSITEMAP : /a.xml\r\n  sitemap:http://a.example/b.xml # second\nSitemap: mailto:x\n# Sitemap: /c.xml"
    assert sitemap_lines(text, "http://a.example/robots.txt") == (
        "http://a.example/a.xml",
        "http://a.example/b.xml",
    )
    assert (
        len(sitemap_lines("\n".join(f"Sitemap: /{n}" for n in range(500)), "http://a.example/robots.txt"))
        == 10
    )


def test_sitemap_lines_of_a_file_with_the_line_ends_of_old_macs() -> None:
    text = "User-agent: *\rSitemap: /a.xml\r sitemap: /b.xml\rDisallow: /sitemap: /c.xml\r"
    urls = ("http://a.example/a.xml", "http://a.example/b.xml")
    assert sitemap_lines(text, "http://a.example/robots.txt") == urls
