from datetime import date

import pytest

from topiccrawler.pages.metadata import published
from topiccrawler.pages.parse import parse


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/new", "/new"),
        ("5; URL='http://a.test/x'", "http://a.test/x"),
        ("url=/at-once", "/at-once"),
        (' 3 , url = "y" ', "y"),
        ("0; url=/a?b=1;c=2", "/a?b=1;c=2"),
        ("0;url=http://a.test/it's.html", "http://a.test/it's.html"),
        ("0; url='/x\"y' rest", '/x"y'),
        ("0; http://a.test/x", "http://a.test/x"),
        ("3 /b", "/b"),
        ("0.5;/c?url=d", "/c?url=d"),
        ("30", ""),
        ("30 ", ""),
        ("now", ""),
        ("0; url=", ""),
        ("0; url = ''", ""),
        ("0;", ""),
    ],
)
def test_the_target_of_a_refresh(content: str, target: str) -> None:
    escaped = content.replace('"', "&quot;")
    assert parse(f'<meta http-equiv=REFRESH content="{escaped}">').refresh == target


def test_the_first_of_each_counts_wherever_it_stands() -> None:
    document = parse(
        "<base target=_top><base href=/one/><title>一</title><meta name=A content=1><meta property=og:title content=2>"
        "<meta itemprop=price content=3><meta name=empty><p>字<meta name=a content=4><base href=/two/><title>二</title>"
    )
    assert document.metas == {"a": "1", "og:title": "2", "price": "3"}
    assert document.base_href == "/one/"
    assert document.title_tag == "一"


def test_a_meta_with_several_names_counts_for_each() -> None:
    document = parse(
        "<meta name=twitter:title property=og:title content=题><meta property=a:b itemprop=datePublished content=2024-05-06>"
        "<meta name=x name=y property=og:title content=later>"
    )
    assert document.metas == {
        "twitter:title": "题",
        "og:title": "题",
        "a:b": "2024-05-06",
        "datepublished": "2024-05-06",
        "x": "later",
    }
    assert published(document, "http://a.test/", date(2024, 6, 1)) == "2024-05-06"


def test_canonical_and_language() -> None:
    document = parse("<html lang=zh-Hans><link rel='alternate' href=/rss><link rel='Canonical' href=/c>")
    assert (document.lang, document.canonical_href) == ("zh-Hans", "/c")


def test_titles_of_drawings_are_no_titles() -> None:
    assert parse("<body><svg><title>图</title></svg><p>字").title_tag == ""
