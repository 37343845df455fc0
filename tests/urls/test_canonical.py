"""Spellings (spellings.jsonl), and the laws that hold for every string."""

import json
from pathlib import Path
from time import process_time
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from topiccrawler.urls.canonical import (
    MAX_LENGTH_CHARACTERS,
    Canonicalizer,
    canonical,
    directory_of,
    host_of,
    kind_between,
    registered_domain,
)

BASE = "http://a.cn/b/c/page.php?id=1#part"
LINES = Path(__file__).with_name("spellings.jsonl").read_text("utf-8").splitlines()
SPELLINGS = [json.loads(line) for line in LINES]
TOO_LONG = {
    "a host of 260": f"http://{'a.' * 129}cn/",
    "100 kB": "http://a.cn/" + "x" * 100_000,
    "100 kB of host": "http://" + "a" * 100_000,
    "a little too long": "http://a.cn/" + "x" * MAX_LENGTH_CHARACTERS,
    "too long once encoded": "http://a.cn/" + "中" * 300,
}


@pytest.mark.parametrize("case", SPELLINGS, ids=lambda case: case["shows"])
def test_a_spelling_has_its_one_form_and_keeps_it(case: dict[str, str | None]) -> None:
    assert canonical(case["written"] or "", case.get("page")) == case["is"]
    assert canonical(case["is"] or "") == case["is"]


@pytest.mark.parametrize("written", TOO_LONG.values(), ids=TOO_LONG.keys())
def test_what_cannot_be_fetched_is_none(written: str) -> None:
    assert canonical(written) is None


@pytest.mark.parametrize(
    ("encoding", "query", "escaped"),
    [
        ("gb18030", "基金", "%BB%F9%BD%F0"),
        ("big5hkscs", "基金", "%B0%F2%AA%F7"),
        ("cp932", "投信", "%93%8A%90M"),
        ("euc_jp", "投信", "%C5%EA%BF%AE"),
        ("cp949", "펀드", "%C6%DD%B5%E5"),
        ("cp1251", "фонды", "%F4%EE%ED%E4%FB"),
        ("koi8-r", "фонды", "%C6%CF%CE%C4%D9"),
        ("cp1253", "ταμεία", "%F4%E1%EC%E5%DF%E1"),
        ("iso8859-2", "źródło", "%BCr%F3d%B3o"),
        ("cp1252", "café", "caf%E9"),
        ("utf-8", "café", "caf%C3%A9"),
        ("utf-16-le", "基金", "%E5%9F%BA%E9%87%91"),
        ("no such thing", "基金", "%E5%9F%BA%E9%87%91"),
    ],
)
def test_a_query_is_written_in_the_encoding_of_its_page_whatever_that_is(
    encoding: str, query: str, escaped: str
) -> None:
    page = Canonicalizer("http://a.cn/b/", encoding=encoding)
    path = "".join(f"%{byte:02X}" if byte > 127 else chr(byte) for byte in query.encode())
    assert page(f"/{query}?q={query}&n=1") == f"http://a.cn/{path}?q={escaped}&n=1"


def test_the_users_parameters_are_dropped_by_name_and_by_prefix() -> None:
    extra = frozenset({"nwm", "ref_*"})
    assert (
        canonical("http://a.cn/x?nwm=1&id=2&REF_page=3&refer=4", None, extra) == "http://a.cn/x?id=2&refer=4"
    )
    assert canonical("http://a.cn/x?nwm=1") == "http://a.cn/x?nwm=1"
    assert canonical("http://a.cn/x?a=1", None, frozenset({"*", ""})) == "http://a.cn/x?a=1"


URL_MARKS = """http:// https: // / .. /./ ? & = # : @ [ ] % %2e %E4 %u4e2d ;sid= index.html utm_source= a.cn 中 ｗ ． ： ／ ？
    \\ (S( )) xn-- 80"""
URL_PIECES = st.sampled_from([*URL_MARKS.split(), " ", "\t", "\ud800"])


@given(
    st.one_of(st.text(), st.lists(st.one_of(URL_PIECES, st.text(max_size=3)), max_size=12).map("".join)),
    st.booleans(),
)
def test_any_string_is_read_and_the_form_is_final(text: str, on_a_page: bool) -> None:
    url = canonical(text, BASE if on_a_page else None)
    if url is not None:
        assert canonical(url) == url
        assert url.isascii()
        assert safe_url_string(url) == url, "Scrapy must ask for the URL that is queued"
        assert host_of(url)
        assert registered_domain(url)
        assert kind_between(directory_of(url), directory_of(url)) == "level"


@given(st.lists(st.sampled_from([".", "..", "a", "b.html", "c~", "%E4%B8%AD"]), max_size=6).map("/".join))
def test_a_relative_href_is_joined_as_the_standard_library_joins(href: str) -> None:
    assert canonical(href, "http://a.cn/b/c/page") == canonical(urljoin("http://a.cn/b/c/page", href))


def test_hostile_hrefs_cost_no_time() -> None:
    hostile = [
        "a/" * 4000,
        "%41" * 2700,
        ";sid=" * 1600,
        "(S(" * 2000,
        "&utm_" * 1600,
        "../" * 2700,
        "http:/" * 1300,
    ]
    hostile += [
        "[" * 8000,
        "@" * 8000,
        "." * 8000,
        "：" * 8000,
        "中" * 8000,
        "http://" + "a." * 4000,
        "x" * 5_000_000,
    ]
    began = process_time()
    for text in hostile:
        for prefix in ("", "/", "http://a.cn/", "http://a.cn/?", "http://"):
            canonical(prefix + text, BASE)
    assert process_time() - began < 2


def test_the_urls_of_the_shared_webs_have_a_form_that_scrapy_leaves_alone(shared: Path) -> None:
    lines = [
        line
        for web in ("blogs", "portal")
        for line in (shared / web / "index.tsv").read_text("utf-8").splitlines()
    ]
    urls = [line.split("\t")[0] for line in lines]
    forms = [canonical(url) for url in urls]
    assert len(urls) > 18_000
    assert None not in forms
    assert [form for form in forms if safe_url_string(form) != form or canonical(form) != form] == []
