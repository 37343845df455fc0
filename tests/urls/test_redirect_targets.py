"""Where a Location header or a refresh leads to, as browsers have it."""

import pytest

from topiccrawler.urls.redirect_targets import redirect_target

BASE = "http://a.example:81/x/y?q=1"
ROOT = "http://a.example:81"


@pytest.mark.parametrize(
    ("written", "target"),
    [
        (b"\\goal", f"{ROOT}/goal"),
        (b"\\\\b.example\\z", "http://b.example/z"),
        (b"/\\b.example/z", "http://b.example/z"),
        (b"//b.example/z", "http://b.example/z"),
        (b"http:///b.example/z", "http://b.example/z"),
        (b"http:/z", f"{ROOT}/z"),
        (b"http:z", f"{ROOT}/x/z"),
        (b"http:a:b", f"{ROOT}/x/a:b"),
        (b"https:/b.example/z", "https://b.example/z"),
        (b"HTTP://b.example/Z", "http://b.example/Z"),
        (b" \t/sp\nace ", f"{ROOT}/space"),
        (b"/a b<c", f"{ROOT}/a%20b%3Cc"),
        (b"?z=\\w", f"{ROOT}/x/y?z=\\w"),
        (b"../../z", f"{ROOT}/z"),
        (b"/z;jsessionid=1?utm_source=a", f"{ROOT}/z;jsessionid=1?utm_source=a"),
        (b"", BASE),
        (b"/%C4%BF", f"{ROOT}/%C4%BF"),
        ("/目标?词=值".encode(), f"{ROOT}/%E7%9B%AE%E6%A0%87?%E8%AF%8D=%E5%80%BC"),
        ("/目標?詞=值".encode("big5"), f"{ROOT}/%A5%D8%BC%D0?%B5%FC=%AD%C8"),
        ("/目标?词=值".encode("gbk"), f"{ROOT}/%C4%BF%B1%EA?%B4%CA=%D6%B5"),
        ("http://例子.中国/路".encode(), "http://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF"),
    ],
)
def test_the_target_of_a_location(written: bytes, target: str) -> None:
    assert redirect_target(BASE, written) == target


@pytest.mark.parametrize(
    "written",
    [b"http://[::bad/", b"ftp://a.example/", b"javascript:void(0)", b"about:blank", b"http://a:99999/", b"http://a b/", b"/" + b"x" * 9_000],
)  # fmt: skip
def test_what_leads_nowhere(written: bytes) -> None:
    assert redirect_target(BASE, written) is None


@pytest.mark.parametrize(
    ("charset", "href", "target"),
    [
        ("gbk", "/页?词=目标", "/%E9%A1%B5?%B4%CA=%C4%BF%B1%EA"),
        ("big5", "/頁?詞=目標", "/%E9%A0%81?%B5%FC=%A5%D8%BC%D0"),
        ("cp1251", "/фонд?q=фонд", "/%D1%84%D0%BE%D0%BD%D0%B4?q=%F4%EE%ED%E4"),
        ("utf-8", "/页?词=目标", "/%E9%A1%B5?%E8%AF%8D=%E7%9B%AE%E6%A0%87"),
    ],
)
def test_a_query_in_the_text_of_a_page_has_the_charset_of_the_page(
    charset: str, href: str, target: str
) -> None:
    assert redirect_target(BASE, href, charset) == ROOT + target
