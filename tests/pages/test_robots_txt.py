"""robots.txt read by RFC 9309: groups, paths of any charset, and the line that decides."""

import re
import time
from urllib.parse import quote

import pytest

from topiccrawler.pages.robots_txt import RobotsTxt, product_token

HEADER = "topiccrawler/0.1 (focused web crawler; +mailto:a@b.example)"


def allowed(body: str | bytes, path: str, agent: str = HEADER) -> bool:
    return RobotsTxt(body if isinstance(body, bytes) else body.encode(), agent).allowed(
        f"http://a.example{path}"
    )


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        (HEADER, "topiccrawler"),
        ("TopicCrawler", "topiccrawler"),
        ("Mozilla/5.0 (compatible; My_Bot-2/1.0; +http://x)", "my_bot-2"),
        ("", ""),
        ("(none)", ""),
    ],
)
def test_the_product_token_of_a_header(agent: str, token: str) -> None:
    assert product_token(agent) == token


@pytest.mark.parametrize(
    "name",
    [
        "crawler",
        "web",
        "focused",
        "topic",
        "topiccrawlers",
        "topiccrawler-news",
        "t",
        "a",
        "mailto",
        "?",
        "",
        "*bot",
        "*/*",
    ],
)
def test_groups_of_other_names_do_not_apply(name: str) -> None:
    assert allowed(f"User-agent: {name}\nDisallow: /\n", "/x")
    assert not allowed(f"User-agent: {name}\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/x")


@pytest.mark.parametrize(
    "name", ["topiccrawler", "TOPICCRAWLER", "topiccrawler/1.0", "topiccrawler 2 beta", "topiccrawler*"]
)
def test_the_own_group_counts_instead_of_that_for_all(name: str) -> None:
    body = f"User-agent: *\nDisallow: /\n\nUser-agent: {name}\nDisallow: /x\n"
    assert not allowed(body, "/x")
    assert allowed(body, "/y")


def test_groups_of_one_name_are_one_group_and_an_empty_one_allows_all() -> None:
    body = "User-agent: topiccrawler\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: topiccrawler\nDisallow: /b\n"
    assert [allowed(body, path) for path in ("/a", "/b", "/c")] == [False, False, True]
    assert allowed("User-agent: topiccrawler\nUser-agent: x\n\nUser-agent: *\nDisallow: /\n", "/a") is False
    assert allowed("User-agent: topiccrawler\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/a")


@pytest.mark.parametrize(
    "line", ["Sitemap: /map.xml", "Host: a.example", "Noindex: /x", "nonsense", "# Crawl-delay: 3", ""]
)
@pytest.mark.parametrize("names", [("topiccrawler", "other"), ("other", "topiccrawler")])
def test_an_unknown_line_does_not_part_names(line: str, names: tuple[str, str]) -> None:
    body = f"User-agent: {names[0]}\n{line}\nUser-agent: {names[1]}\nDisallow: /x\n"
    assert not allowed(body, "/x")


def test_the_crawl_delay_of_a_group_counts_for_each_of_its_names() -> None:
    body = b"User-agent: a\nUser-agent: topiccrawler\nUser-agent: b\nCrawl-delay: 2.5\n\nUser-agent: *\nCrawl-delay: 9\n"
    assert [RobotsTxt(body, agent).crawl_delay for agent in ("a", HEADER, "b", "c")] == [2.5, 2.5, 2.5, 9.0]
    for wrong in ("x", "-1", "nan", "inf", ""):
        assert RobotsTxt(f"User-agent: *\nCrawl-delay: {wrong}\n".encode(), "c").crawl_delay is None


@pytest.mark.parametrize(
    "line", ["disalow: /x", "DISALLOW : /x", "Disallow /x", "\tDisallow:/x # 后台", "Disallow：/x"]
)
@pytest.mark.parametrize("agent", ["user agent: *", "useragent: *", "User-agent *", "User-agent：*"])
def test_lines_that_are_misspelled_in_a_known_way_count(line: str, agent: str) -> None:
    for charset in ("utf-8", "gb18030"):
        body = f"{agent}\n{line}\n".encode(charset)
        assert [allowed(body, path) for path in ("/x", "/y")] == [False, True]


@pytest.mark.parametrize("charset", ["gb2312", "gbk", "gb18030", "big5", "big5hkscs"])
@pytest.mark.parametrize(
    "word", ["下", "下載", "新聞", "后台", "會員", "登录", "論壇", "功能", "许功盖", "啊"]
)
def test_a_path_in_a_chinese_charset_closes_itself_alone(charset: str, word: str) -> None:
    try:
        octets = word.encode(charset)
    except UnicodeEncodeError:
        pytest.skip("the charset has no such character")
    body = f"# {word}\nUser-agent: *\nDisallow: /{word}/\nDisallow: /*.php?{word}$\n".encode(charset)
    for spelled in (
        quote(octets),
        re.sub("%..", lambda escape: escape[0].lower(), quote(octets)),
        quote(octets, safe="[]@\\^|`{}~_"),
        quote(word),
    ):
        assert not allowed(body, f"/{spelled}/a.html")
        assert not allowed(body, f"/a.php?{spelled}")
    others = ("中国", "国", "上載", "文章", "功")
    for other in (quote(one.encode("gb18030")) for one in others if not one.startswith(word)):
        assert allowed(body, f"/{other}/a.html")
    assert [allowed(body, path) for path in ("/", "/news/1.html", "/a.php?x")] == [True] * 3


def test_escaped_octets_that_are_no_utf8_differ() -> None:
    body = "User-agent: *\nDisallow: /%cf%C2%D4%D8\nAllow: /%CF%C2%D4%D8/%61\n"
    paths = ("/%CF%C2%D4%D8", "/%cf%c2%d4%d8x", "/%CF%C2%D4%D8/a", "/%CF%C2%D4%D9", "/%D0%C2%CE%C5")
    assert [allowed(body, path) for path in paths] == [False, False, True, True, True]


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_read(charset: str) -> None:
    mark = {"utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}.get(charset, "")
    body = f"{mark}User-agent: *\r\nDisallow: /下载\r\n".encode(charset)
    assert [allowed(body, path) for path in ("/%E4%B8%8B%E8%BD%BD", "/x")] == [False, True]


def test_a_path_of_another_url_and_raw_characters() -> None:
    body = "User-agent: *\nDisallow: /中\nDisallow: *.gif$\nAllow: /open/*.gif\n"
    paths = ("/中", "/%E4%B8%AD", "/x.gif", "/x.gif?1", "/open/x.gif", "/国")
    assert [allowed(body, path) for path in paths] == [False, False, False, True, True, True]


def test_the_line_that_decides() -> None:
    body = "User-agent: x\nDisallow: /\n\nUser-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b*c\nDisallow: /新\n"
    for charset in ("utf-8", "gb18030", "big5"):
        rules = RobotsTxt(body.encode(charset), HEADER)
        found = [
            rules.rule(f"http://a.example{path}") for path in ("/a", "/a/b", "/a/b/c", "/%E6%96%B0/1", "/z")
        ]
        assert [None if rule is None else (rule.number, rule.kind) for rule in found] == [
            (5, "Disallow"), (6, "Allow"), (7, "Disallow"), (8, "Disallow"), None,
        ]  # fmt: skip
    assert (
        str(RobotsTxt(body.encode("gb18030"), HEADER).rule("http://a.example/%E6%96%B0"))
        == "line 8: Disallow: /新"
    )


def test_a_hostile_file_costs_little() -> None:
    for body in (
        b"User-agent: *\nDisallow: /" + b"*a" * 200_000,
        b"User-agent: *\n" * 30_000,
        b"a " * 200_000,
        b"\xff" * 400_000,
    ):
        begun = time.process_time()
        rules = RobotsTxt(body, HEADER)
        rules.allowed("http://a.example/" + "a" * 2000)
        assert time.process_time() - begun < 2
