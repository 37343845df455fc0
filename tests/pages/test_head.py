from math import inf

import pytest

from topiccrawler.pages.declarations import metas_of
from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import ContentReader


@pytest.mark.parametrize(
    ("content", "refresh"),
    [
        ("0;url=/new", (0, "/new")),
        ("5; URL='http://a.test/x'", (5, "http://a.test/x")),
        ("5, url=/new", (5, "/new")),
        ("url=/at-once", (inf, "/at-once")),
        (' 3 , url = "y" ', (3, "y")),
        ("0; url=/a?b=1;c=2", (0, "/a?b=1;c=2")),
        ("0;url=http://a.test/it's.html", (0, "http://a.test/it's.html")),
        ("0; url='/x\"y' rest", (0, '/x"y')),
        ("0;url='/open", (0, "/open")),
        ("0; http://a.test/x", (0, "http://a.test/x")),
        ("3 /b", (3, "/b")),
        ("0.9;/c?url=d", (0, "/c?url=d")),
        (".5;url=/c", (0, "/c")),
        ("0;url=/新页", (0, "/新页")),
        ("0;URL=#top", (0, "#top")),
        ("30", (30, "")),
        ("30 ", (30, "")),
        ("0; url=", (0, "")),
        ("0; url = ''", (0, "")),
        ("0;", (0, "")),
        ("now", None),
        ("30s", None),
        ("-1;url=/x", None),
        ("9" * 9_000 + ";url=/x", (float("9" * 20), "/x")),
        ("9" * 9_000 + "x", None),
        (" " * 9_000 + "x", None),
    ],
)
def test_a_refresh(content: str, refresh: tuple[float, str] | None) -> None:
    escaped = content.replace('"', "&quot;")
    assert parse(f'<meta http-equiv=REFRESH content="{escaped}">').refresh == refresh


@pytest.mark.parametrize(
    "html",
    [
        '<script>var s="{}"</script>',
        "<style>/* {} */</style>",
        "<textarea>{}</textarea>",
        "<template>{}</template>",
        "<noscript>{}</noscript>",
        "<xmp>{}</xmp>",
        "<iframe>{}</iframe>",
        "<title>{}</title>",
        "<!-- {} -->",
        '<div data-x="{}"></div>',
    ],
)
def test_a_refresh_in_a_text_is_none(html: str) -> None:
    assert (
        parse(html.format("<meta http-equiv=refresh content='0;url=/gone'>") + "<p>基金</p>").refresh is None
    )


def test_a_page_in_noscript_has_no_refresh_from_there() -> None:
    text = "本页说明基金的由来，购买之前先看费率与规模。" * 40
    document = parse(f"<noscript><meta http-equiv=refresh content='0;url=/plain'><p>{text}</p></noscript>")
    assert text in document.text
    assert document.refresh is None


def test_the_first_refresh_counts_also_in_the_body() -> None:
    document = parse("<p>字<meta http-equiv=refresh content=30><meta http-equiv=refresh content='0;url=/b'>")
    assert document.refresh == (30, "")


@pytest.mark.parametrize(
    ("html", "header", "refresh"),
    [
        (
            "<meta http-equiv=refresh content='0;url=b?词=基金'>",
            "",
            (0, "http://a.test/x/b?%B4%CA=%BB%F9%BD%F0"),
        ),
        ("<base href=/c/><meta http-equiv=refresh content='9;url=b'>", "", (9, "http://a.test/c/b")),
        ("<meta http-equiv=refresh content='9;url=/b'>", "1;url=/header", (1, "http://a.test/header")),
        ("<meta http-equiv=refresh content='9;url=/b'>", "soon", (9, "http://a.test/b")),
        ("<meta http-equiv=refresh content='9;url=/b'>", "30", None),
        ("<meta http-equiv=refresh content='0;url=javascript:go()'>", "", None),
        ("<p>基金</p>", "", None),
    ],
)
def test_the_refresh_of_a_content_is_absolute_and_the_header_comes_first(
    html: str, header: str, refresh: tuple[float, str] | None
) -> None:
    body = f"<html>{html}<p>基金定投</p>".encode("gbk")
    assert ContentReader().content("http://a.test/x/a", body, "gbk", refresh=header).refresh == refresh


def test_the_first_of_each_counts_wherever_it_stands() -> None:
    document = parse(
        "<base target=_top><base href=/one/><title>一</title><meta name=A content=1><meta property=og:title content=2>"
        "<meta itemprop=price content=3><meta name=empty><p>字<meta name=a content=4><base href=/two/><title>二</title>"
    )
    assert document.metas == {"a": "1", "og:title": "2", "price": "3"}
    assert document.base_href == "/one/"
    assert document.title_tag == "一"


@pytest.mark.parametrize(
    ("bases", "url"),
    [
        ("", "http://a.test/x/a"),
        ("<base href=''><base href=/one/>", "http://a.test/x/a"),
        ("<base href><base href=/one/>", "http://a.test/x/a"),
        ("<base target=_top><base href=../one/>", "http://a.test/one/"),
        ("<base href=javascript:x><base href=/one/>", "http://a.test/x/a"),
        ("<base href='//b.test/路/index.html'>", "http://b.test/%E8%B7%AF/index.html"),
    ],
)
def test_links_are_relative_to_the_first_base_with_an_href(bases: str, url: str) -> None:
    assert parse(f"{bases}<p>字").base_url("http://a.test/x/a") == url


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
    assert list(metas_of(document, ["datepublished", "y", "ogtitle"])) == ["2024-05-06", "题"]


def test_canonical_and_language() -> None:
    document = parse("<html lang=zh-Hans><link rel='alternate' href=/rss><link rel='Canonical' href=/c>")
    assert (document.lang, document.canonical_href) == ("zh-Hans", "/c")


def test_titles_of_drawings_are_no_titles() -> None:
    assert parse("<body><svg><title>图</title></svg><p>字").title_tag == ""
