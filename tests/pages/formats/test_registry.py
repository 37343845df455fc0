"""Which format a body is."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.pages.formats.registry import READ, recognise

URLSET = b'<?xml version="1.0"?>\n<!-- made --><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (b"<!DOCTYPE html><p>x", "", "html"),
        (b"<p>x", "application/octet-stream", "html"),
        ("没有标签的页面".encode("gbk"), "text/html; charset=gbk", "html"),
        ("没有标签的页面".encode("gbk"), "", "html"),
        (b"<html><body>\x00\x01\x02 broken but markup", "text/html", "html"),
        ("<html><p>股票".encode("utf-16"), "text/html", "html"),
        ("<html><p>股票市场".encode("utf-16-le"), "text/html", "html"),
        ("<html><p>股票".encode("utf-16"), "text/plain", "html"),
        ("<html><p>股票".encode("utf-16-be"), "application/octet-stream", "html"),
        ("基金公告 <".encode("utf-16"), "text/plain", "text"),
        ('<?xml version="1.0" encoding="utf-16"?><rss><channel>'.encode("utf-16"), "text/xml", "feed"),
        (b"\xfe\xff" + URLSET.decode().encode("utf-16-be"), "text/xml", "sitemap"),
        (URLSET.decode().encode("utf-16-le"), "application/xml", "sitemap"),
        (b"", "", "html"),
        ("基金公告".encode(), "text/plain; charset=utf-8", "text"),
        (b"<p>a page that is called text", "text/plain", "html"),
        (b"%PDF-1.7\n%\xe2\xe3", "text/html", "pdf"),
        (b"junk\n%PDF-1.7", "application/pdf", "pdf"),
        (b"<p>How %PDF- files begin", "text/html", "html"),
        (b'<?xml version="1.0" encoding="gbk"?><rss version="2.0">', "text/xml", "feed"),
        (b"\xef\xbb\xbf<rss>", "text/html", "feed"),
        (b'<!DOCTYPE rss [<!ENTITY a "b">]><rss >', "", "feed"),
        (b'<rdf:RDF xmlns="http://purl.org/rss/1.0/">', "", "feed"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom">', "application/atom+xml", "feed"),
        (b'<?xml version="1.0"?>\n<search> \n  <entry>', "application/xml", "feed"),
        (URLSET, "application/xml", "sitemap"),
        (b"<sitemapindex >", "", "sitemap"),
        (gzip.compress(URLSET, mtime=0), "application/gzip", "sitemap"),
        (gzip.compress(b"<html>", mtime=0), "application/gzip", "unknown"),
        (b"\x1f\x8bdamaged", "", "unknown"),
        (b"<note><to>x</to></note>", "application/xml", "html"),
        (b"\x89PNG\r\n\x1a\n", "text/html", "media"),
        (b"\xff\xd8\xff\xe0", "", "media"),
        (b"\0\0\0\x18ftypmp42", "video/mp4", "media"),
        (b"anything", "image/x-unheard-of", "media"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword", "unknown"),
        (b"PK\x03\x04 no zip at all", "text/html", "unknown"),
        (bytes(range(32)) * 40, "text/html", "unknown"),
        (b'{"a": 1}', "application/json", "unknown"),
        (b"MZ\x90\0", "application/octet-stream", "unknown"),
        (b"MZ is how <a href=x>this page</a> begins", "text/html", "html"),
    ],
)
def test_the_bytes_speak_first_and_the_declaration_where_they_are_silent(
    body: bytes, declared: str, kind: str
) -> None:
    assert recognise(body, declared) == kind


def test_office_files_are_recognised_by_their_main_part_whatever_they_are_served_as(
    word_file: bytes, workbook: bytes, slides: bytes
) -> None:
    served = "text/html; charset=utf-8"
    assert [recognise(body, served) for body in (word_file, workbook, slides)] == ["docx", "xlsx", "pptx"]


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html", "text/plain", "application/pdf", "x/y", "image/png"]),
)
def test_any_bytes_have_a_format(body: bytes, declared: str) -> None:
    assert recognise(body, declared) in READ | {"media", "unknown"}
