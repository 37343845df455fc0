"""Hrefs as they stand on a page."""

from __future__ import annotations

import pytest

from topiccrawler.urls.canonical import (
    Canonicalizer,
    canonical,
)

HEX32 = "0123456789abcdef0123456789abcdef"

BASE = "http://a.cn/b/c/page.php?id=1#part"
RELATIVE = {
    "a name": ("d.html", "http://a.cn/b/c/d.html"),
    "a deeper name": ("d/e.html", "http://a.cn/b/c/d/e.html"),
    "from the root": ("/d.html", "http://a.cn/d.html"),
    "the root": ("/", "http://a.cn/"),
    "one up": ("../d.html", "http://a.cn/b/d.html"),
    "here": (".", "http://a.cn/b/c/"),
    "too far up": ("../../../../d", "http://a.cn/d"),
    "another host": ("//b.cn/d", "http://b.cn/d"),
    "another host with backslashes": ("\\\\b.cn\\d", "http://b.cn/d"),
    "a query": ("?id=2", "http://a.cn/b/c/page.php?id=2"),
    "an emptied query": ("?", "http://a.cn/b/c/page.php"),
    "nothing": ("", "http://a.cn/b/c/page.php?id=1"),
    "a fragment": ("#x", "http://a.cn/b/c/page.php?id=1"),
    "absolute": ("https://b.cn/d", "https://b.cn/d"),
    "the scheme of the page without slashes": ("http:d.html", "http://a.cn/b/c/d.html"),
    "another scheme without slashes": ("https:b.cn/d", "https://b.cn/d"),
    "a name like a scheme": ("http.html", "http://a.cn/b/c/http.html"),
    "a name with an index": ("d/index.html", "http://a.cn/b/c/d/"),
    "a Chinese name": ("中.html", "http://a.cn/b/c/%E4%B8%AD.html"),
    "a name with a query and a mark": ("d?id=1&utm_term=x", "http://a.cn/b/c/d?id=1"),
    "a colon after a slash": ("./d:e", "http://a.cn/b/c/d:e"),
    "from the root with two slashes within": ("/d//e", "http://a.cn/d//e"),
}


@pytest.mark.parametrize(
    "written",
    ["javascript:;", "mailto:a@b.cn", "data:,x", "http://[", "tencent://x", "//[::1"],
)
def test_what_cannot_be_fetched_is_none_on_a_page_too(written: str) -> None:
    assert canonical(written, BASE) is None


@pytest.mark.parametrize(("href", "expected"), RELATIVE.values(), ids=RELATIVE.keys())
def test_an_href_is_read_as_on_its_page(href: str, expected: str) -> None:
    assert canonical(href, BASE) == expected


def test_an_href_joins_to_the_default_document_it_stands_on() -> None:
    assert canonical("?p=2", "http://a.cn/b/index.php") == "http://a.cn/b/index.php?p=2"
    assert canonical("", "http://a.cn/b/index.php") == "http://a.cn/b/"


def test_a_base_that_is_no_url_leaves_absolute_hrefs_readable() -> None:
    page = Canonicalizer("javascript:x")
    assert [page("http://a.cn/x"), page("x"), page("/x"), page("//a.cn/x")] == [
        "http://a.cn/x",
        None,
        None,
        None,
    ]
