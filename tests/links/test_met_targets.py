"""What an href means is remembered from page to page: the same URLs as without, in bounded memory."""

import pytest

from topiccrawler.links import extract as extraction
from topiccrawler.links.extract import HREFS, extract
from topiccrawler.model import Link
from topiccrawler.pages.parse import parse

HREFS_OF_A_PAGE = (
    "/a/", "b.html", "../c", "?page=2", "", "#top", "//o.example/x", "http://O.example/y#z", " ?q=1", "./d", "httpx", "é?k=中",
    "javascript:void(0)", "/photo.jpg", "/a/index.html", "\\\\o.example\\w", "x;jsessionid=1",
)  # fmt: skip
BODY = "".join(f'<a href="{href}">{number}</a>' for number, href in enumerate(HREFS_OF_A_PAGE))
PAGES = ("http://s.example/1/p?id=1", "http://s.example/1/q", "https://s.example/2/3/", "http://t.example/")


def links(page: str, base: str = "", encoding: str = "utf-8") -> list[Link]:
    head = f'<base href="{base}">' if base else ""
    return extract(parse(head + BODY), page, depth=1, encoding=encoding)


@pytest.fixture(autouse=True)
def nothing_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "_met", extraction._MetTargets())


def test_a_page_has_the_same_links_whatever_pages_were_read_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = [
        (page, base, encoding)
        for page in PAGES
        for base in ("", "/4/5", "http://u.example/")
        for encoding in ("utf-8", "gbk")
    ]
    alone = []
    for one in asked:
        monkeypatch.setattr(extraction, "_met", extraction._MetTargets())
        alone.append(links(*one))
    assert [links(*one) for _ in range(2) for one in asked] == 2 * alone
    assert [link.url for link in alone[0][:4]] == [
        "http://s.example/a/",
        "http://s.example/1/b.html",
        "http://s.example/c",
        "http://s.example/1/p?page=2",
    ]
    assert [link.kind for link in alone[0][:4]] == ["cross", "level", "up", "level"]


@pytest.mark.slow
def test_what_is_remembered_is_bounded() -> None:
    met = extraction._met
    for page in range(60):
        body = "".join(f'<a href="/{page}/{number}">x</a>' for number in range(900))
        assert len(extract(parse(body), f"http://s{page % 9}.example/", depth=1)) == 900
        extract(parse("<a href=x>x</a>"), f"http://s.example/{page}/", depth=1)
        assert sum(map(len, met._by_base.values())) <= HREFS + 900
