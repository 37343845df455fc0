"""The table of spellings, and the laws that hold for every string."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from urllib.parse import quote, urljoin

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
HEX32 = "0123456789abcdef0123456789abcdef"

# (how it is written, its one form)
SPELLINGS = {
    "as it is": ("http://a.cn/b/c.html", "http://a.cn/b/c.html"),
    "no path": ("http://a.cn", "http://a.cn/"),
    "no path but a query": ("http://a.cn?id=1", "http://a.cn/?id=1"),
    "scheme in capitals": ("HTTP://a.cn/", "http://a.cn/"),
    "host in capitals": ("http://WWW.A.Cn/News", "http://www.a.cn/News"),
    "https stays https": ("https://a.cn/", "https://a.cn/"),
    "www stays": ("http://www.a.cn/", "http://www.a.cn/"),
    "case of the path stays": ("http://a.cn/ABC", "http://a.cn/ABC"),
    "port of http": ("http://a.cn:80/x", "http://a.cn/x"),
    "port of https": ("https://a.cn:443/x", "https://a.cn/x"),
    "https on the port of http": ("https://a.cn:80/x", "https://a.cn:80/x"),
    "another port": ("http://a.cn:8080/x", "http://a.cn:8080/x"),
    "a port with zeros before it": ("http://a.cn:0080/x", "http://a.cn/x"),
    "an empty port": ("http://a.cn:/x", "http://a.cn/x"),
    "a trailing dot of the host": ("http://a.cn./x", "http://a.cn/x"),
    "a user": ("http://me@a.cn/x", "http://a.cn/x"),
    "a user and a password": ("http://me:pw@a.cn/x", "http://a.cn/x"),
    "a user with an at sign": ("http://me@home@a.cn/x", "http://a.cn/x"),
    "an IPv4 host": ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
    "an IPv6 host": ("http://[2001:DB8:0::1]:80/x", "http://[2001:db8::1]/x"),
    "one label": ("http://localhost/x", "http://localhost/x"),
    "an underscore in the host": ("http://my_blog.a.cn/", "http://my_blog.a.cn/"),
    "a Chinese host": ("http://中国.cn/", "http://xn--fiqs8s.cn/"),
    "a Chinese host below one with an underscore": ("http://a_b.中国.cn/", "http://a_b.xn--fiqs8s.cn/"),
    "a Chinese host below one with hyphens": ("http://r3---sn.中国。cn/", "http://r3---sn.xn--fiqs8s.cn/"),
    "a host of signs": ("http://i❤.ws/", "http://xn--i-7iq.ws/"),
    "a host of an emoji": ("https://🐢.example/x", "https://xn--qo8h.example/x"),
    "a sharp s, which is a letter of its own": ("http://faß.example/", "http://xn--fa-hia.example/"),
    "a Chinese host in simplified characters": ("http://台湾.中国/", "http://xn--kprw13d.xn--fiqs8s/"),
    "a Chinese host in traditional characters": ("http://臺灣.中國/", "http://xn--nnx388a.xn--fiqz9s/"),
    "a Cyrillic host with a port": ("https://тест.example:33", "https://xn--e1aybc.example:33/"),
    "a label of Punycode that decodes to nothing": ("http://a.XN--POKXN.cn/", "http://a.xn--pokxn.cn/"),
    "an address in one number": ("http://2130706433/", "http://127.0.0.1/"),
    "an address of hexadecimal and missing parts": ("http://0x7f.1/", "http://127.0.0.1/"),
    "an address in full-width digits": ("http://１２７．０．０．１/", "http://127.0.0.1/"),
    "an address in percent form": ("http://%31%32%37.1/", "http://127.0.0.1/"),
    "port 0": ("http://a.cn:0/", "http://a.cn:0/"),
    "a Chinese host with an ideographic stop": ("http://中国。cn/", "http://xn--fiqs8s.cn/"),
    "a Chinese host in percent form": ("http://%E4%B8%AD%E5%9B%BD.cn/", "http://xn--fiqs8s.cn/"),
    "a Chinese host in IDNA already": ("http://XN--FIQS8S.cn/", "http://xn--fiqs8s.cn/"),
    "a German host": ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
    "a full-width host": ("http://ｗｗｗ．ａ．ｃｎ/x", "http://www.a.cn/x"),
    "all full-width": ("ｈｔｔｐ：／／ａ．ｃｎ／ｘ？ｉｄ＝１", "http://a.cn/x?id=1"),
    "full-width slashes": ("http:／／a.cn／x／y.html", "http://a.cn/x/y.html"),
    "full-width fragment mark in a full-width URL": ("http：//a.cn/x＃y", "http://a.cn/x"),
    "full-width characters of a title stay": ("http://a.cn/为什么？/", f"http://a.cn/{quote('为什么？')}/"),
    "backslashes": ("http:\\\\a.cn\\b\\c.html", "http://a.cn/b/c.html"),
    "one slash": ("http:/a.cn/x", "http://a.cn/x"),
    "three slashes": ("http:///a.cn/x", "http://a.cn/x"),
    "the scheme twice": ("http://http://a.cn/x", "http://a.cn/x"),
    "the scheme twice, unlike": ("http://https://a.cn/x", "https://a.cn/x"),
    "spaces around": ("  http://a.cn/x \n", "http://a.cn/x"),
    "ideographic space around": ("\u3000http://a.cn/x\u3000", "http://a.cn/x"),
    "a line break within": ("http://a.cn/x\r\n/y\t.html", "http://a.cn/x/y.html"),
    "a fragment": ("http://a.cn/x#top", "http://a.cn/x"),
    "an empty fragment": ("http://a.cn/x#", "http://a.cn/x"),
    "a question mark in the fragment": ("http://a.cn/x#a?b", "http://a.cn/x"),
    "an empty query": ("http://a.cn/x?", "http://a.cn/x"),
    "empty pieces in the query": ("http://a.cn/x?&a=1&&b=2&", "http://a.cn/x?a=1&b=2"),
    "order of parameters stays": ("http://a.cn/x?b=2&a=1", "http://a.cn/x?b=2&a=1"),
    "an empty value stays": ("http://a.cn/x?a=", "http://a.cn/x?a="),
    "a query without values": ("http://a.cn/x?123", "http://a.cn/x?123"),
    "a URL in the query": ("http://a.cn/go?u=http://b.cn/?x", "http://a.cn/go?u=http://b.cn/?x"),
    "one dot": ("http://a.cn/./b/./c", "http://a.cn/b/c"),
    "two dots": ("http://a.cn/b/../c", "http://a.cn/c"),
    "two dots at the end": ("http://a.cn/b/c/..", "http://a.cn/b/"),
    "one dot at the end": ("http://a.cn/b/.", "http://a.cn/b/"),
    "too many dots": ("http://a.cn/../../c", "http://a.cn/c"),
    "dots in percent form": ("http://a.cn/b/%2E%2e/c", "http://a.cn/c"),
    "a name that begins with a dot": ("http://a.cn/.well-known/x", "http://a.cn/.well-known/x"),
    "doubled slashes stay": ("http://a.cn//b//c", "http://a.cn//b//c"),
    "unreserved characters in percent form": ("http://a.cn/%7Eme/%41%2D", "http://a.cn/~me/A-"),
    "reserved ones stay in percent form": ("http://a.cn/a%2fb%3Fc", "http://a.cn/a%2Fb%3Fc"),
    "hex in small letters": ("http://a.cn/%e4%b8%ad", "http://a.cn/%E4%B8%AD"),
    "Chinese in the path": ("http://a.cn/中", "http://a.cn/%E4%B8%AD"),
    "Chinese in percent form, UTF-8": ("http://a.cn/%E4%B8%AD", "http://a.cn/%E4%B8%AD"),
    "Chinese in percent form, GBK": ("http://a.cn/%d6%d0", "http://a.cn/%D6%D0"),
    "GBK in the query": ("http://a.cn/s?k=%b9%c9%c6%b1", "http://a.cn/s?k=%B9%C9%C6%B1"),
    "Chinese in the query": ("http://a.cn/s?k=中", "http://a.cn/s?k=%E4%B8%AD"),
    "old ASP's escape": ("http://a.cn/s?k=%u4E2D", "http://a.cn/s?k=%u4E2D"),
    "a lone percent sign": ("http://a.cn/100%", "http://a.cn/100%"),
    "a broken escape": ("http://a.cn/%zz", "http://a.cn/%zz"),
    "a lone percent sign, which must not begin an escape": ("http://a.cn/%%34%31", "http://a.cn/%%341"),
    "an escape cut off before another": ("http://a.cn/%4%31", "http://a.cn/%4%31"),
    "blanks at the end of a query before a fragment": ("http://a.cn/x? a #b", "http://a.cn/x?%20a%20"),
    "a space": ("http://a.cn/a b", "http://a.cn/a%20b"),
    "a plus stays": ("http://a.cn/s?q=a+b", "http://a.cn/s?q=a+b"),
    "brackets": ("http://a.cn/s?a[0]=1|2", "http://a.cn/s?a%5B0%5D=1%7C2"),
    "quotes and angles": ('http://a.cn/"<x>', "http://a.cn/%22%3Cx%3E"),
    "a control character": ("http://a.cn/\x01x", "http://a.cn/%01x"),
    "half a character": ("http://a.cn/\ud800", "http://a.cn/%EF%BF%BD"),
    "index.html": ("http://a.cn/b/index.html", "http://a.cn/b/"),
    "index.htm": ("http://a.cn/index.htm", "http://a.cn/"),
    "index.shtml stays: a server without it may know no directory": (
        "http://a.cn/b/index.shtml",
        "http://a.cn/b/index.shtml",
    ),
    "index.php": ("http://a.cn/index.php", "http://a.cn/"),
    "index.jsp": ("http://a.cn/index.jsp", "http://a.cn/"),
    "Index.asp": ("http://a.cn/Index.asp", "http://a.cn/"),
    "Default.aspx": ("http://a.cn/Default.aspx", "http://a.cn/"),
    "index.php with a query": ("http://a.cn/index.php?id=1", "http://a.cn/index.php?id=1"),
    "index.html with an empty query": ("http://a.cn/index.html?", "http://a.cn/"),
    "index.php as a folder": ("http://a.cn/index.php/news/1", "http://a.cn/index.php/news/1"),
    "index_2.html": ("http://a.cn/b/index_2.html", "http://a.cn/b/index_2.html"),
    "index.xml": ("http://a.cn/index.xml", "http://a.cn/index.xml"),
    "the index behind dots": ("http://a.cn/b/../index.html", "http://a.cn/"),
    "Java's session id": ("http://a.cn/x.jsp;jsessionid=9A.b?id=1", "http://a.cn/x.jsp?id=1"),
    "Java's session id before the index": ("http://a.cn/index.jsp;JSESSIONID=9A", "http://a.cn/"),
    "another path parameter stays": ("http://a.cn/x;v=1", "http://a.cn/x;v=1"),
    "ASP.NET's session id": ("http://a.cn/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.cn/x.aspx"),
    "brackets that are no session": ("http://a.cn/(S)/x.aspx", "http://a.cn/(S)/x.aspx"),
    "PHP's session id": ("http://a.cn/x.php?PHPSESSID=abc&id=1", "http://a.cn/x.php?id=1"),
    "ASP's session id": ("http://a.cn/x.asp?ASPSESSIONIDQQ=abc", "http://a.cn/x.asp"),
    "sid with a session's value": (f"http://a.cn/x?sid={HEX32}&id=1", "http://a.cn/x?id=1"),
    "sid with a section's number": ("http://a.cn/x?sid=12", "http://a.cn/x?sid=12"),
    "sid with a long number": (f"http://a.cn/x?sid={'1' * 32}", f"http://a.cn/x?sid={'1' * 32}"),
    "s with a session's value": (f"http://a.cn/x?s={HEX32}", "http://a.cn/x"),
    "s with a word": ("http://a.cn/?s=基金", f"http://a.cn/?s={quote('基金')}"),
    "campaign marks": ("http://a.cn/x?utm_source=b&id=1&utm_medium=c", "http://a.cn/x?id=1"),
    "only campaign marks": ("http://a.cn/index.html?utm_source=b", "http://a.cn/"),
    "campaign marks, escaped twice": ("http://a.cn/x?id=1&amp;utm_medium=c", "http://a.cn/x?id=1"),
    "Alibaba's marks": ("http://a.cn/x?spm=a21.1&scm=1002.3&id=1", "http://a.cn/x?id=1"),
    "Baidu's marks": ("http://a.cn/x?hmsr=b&bd_vid=9", "http://a.cn/x"),
    "WeChat's marks": ("http://a.cn/x?from=timeline&isappinstalled=0", "http://a.cn/x"),
    "from that selects": ("http://a.cn/x?from=beijing&to=wuhan", "http://a.cn/x?from=beijing&to=wuhan"),
    "marks in capitals": ("http://a.cn/x?UTM_Source=b", "http://a.cn/x"),
    "a name that only begins like a mark": ("http://a.cn/x?spmx=1", "http://a.cn/x?spmx=1"),
}

NOT_FETCHED = {
    "nothing": "",
    "no scheme and no base": "a.cn/x",
    "javascript": "javascript:void(0)",
    "javascript in capitals": "JavaScript:go('http://a.cn/')",
    "mailto": "mailto:me@a.cn",
    "telephone": "tel:10086",
    "data": "data:text/html,<p>x",
    "ftp": "ftp://a.cn/x",
    "file": "file:///etc/hosts",
    "an app": "weixin://dl/business",
    "no host": "http://",
    "no host but a path": "http://?x",
    "an open bracket": "http://[",
    "a bracket of words": "http://[链接]/x",
    "an IPv6 host with a zone": "http://[FE80::1%25eth0]/x",
    "a host in full-width percent form": "http://％４１.com",
    "a host and a comma": "http://a.cn,/x",
    "an address with a part too many": "http://1.2.3.4.5/",
    "an IPv6 zone that is no name": "http://[fe80::1%中 <x>]/",
    "a bracket and more": "http://[::1]x/",
    "a port of letters": "http://a.cn:port/",
    "port 65536": "http://a.cn:65536/",
    "an absurd port": "http://a.cn:99999999999999999999/",
    "a port in other digits": "http://a.cn:٨٠/",
    "a space in the host": "http://a .cn/",
    "an empty label": "http://a..cn/",
    "only dots": "http://.../",
    "a label of 64": f"http://{'a' * 64}.cn/",
    "a host of 260": f"http://{'a.' * 129}cn/",
    "a host that IDNA refuses": "http://\u0378.cn/",
    "half a character for a host": "http://\ud800/",
    "100 kB": "http://a.cn/" + "x" * 100_000,
    "100 kB of host": "http://" + "a" * 100_000,
    "a little too long": "http://a.cn/" + "x" * MAX_LENGTH_CHARACTERS,
    "too long once encoded": "http://a.cn/" + "中" * 300,
}


# (href, what it means on http://a.cn/b/c/page.php?id=1)
@pytest.mark.parametrize(("written", "expected"), SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_spelling_has_its_one_form_and_keeps_it(written: str, expected: str) -> None:
    assert canonical(written) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize("written", NOT_FETCHED.values(), ids=NOT_FETCHED.keys())
def test_what_cannot_be_fetched_is_none(written: str) -> None:
    assert canonical(written) is None


def test_a_query_is_written_in_the_encoding_of_its_page() -> None:
    gbk = Canonicalizer("http://a.cn/", encoding="gb2312")
    assert gbk("/s?k=股票A") == "http://a.cn/s?k=%B9%C9%C6%B1A"
    assert gbk("/股?k=1") == "http://a.cn/%E8%82%A1?k=1"
    assert gbk("/s?k=%e8%82%a1") == "http://a.cn/s?k=%E8%82%A1"
    assert gbk("/s?k=股\U0001f600") == "http://a.cn/s?k=%B9%C9%26%23128512%3B"
    assert gbk("/s#股?股") == "http://a.cn/s"
    assert canonical("/s?k=股", "http://a.cn/", encoding="utf-16") == "http://a.cn/s?k=%E8%82%A1"


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
