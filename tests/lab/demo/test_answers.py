"""Bytes, charsets, moves and dead ends of the synthetic web."""

import re
import tomllib

import pytest

from topiccrawler.lab.demo.crawls import topic_toml
from topiccrawler.lab.demo.plan import JUMPED, LICAI, Web
from topiccrawler.lab.demo.server import Answer, answer
from topiccrawler.links.extract import extract
from topiccrawler.pages.parse import parse
from topiccrawler.text.characters import decode
from topiccrawler.topics.topic import read_topic


def _header(reply: Answer, name: str) -> str | None:
    return dict(reply.headers).get(name)


def _decodes(body: bytes, codec: str) -> bool:
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _urls(reply: Answer, url: str) -> list[str]:
    html, encoding = decode(reply.body, None)
    return [link.url for link in extract(parse(html), url, depth=1, encoding=encoding)]


def test_the_gbk_portal_decodes_as_gb18030_only_and_says_so_in_its_meta_only(web: Web) -> None:
    for page in web.pages.values():
        if page.site.host == "www.nanpu.example":
            reply = answer(web, page.url)
            assert _header(reply, "Content-Type") == "text/html"
            assert b"charset=gb2312" in reply.body
            codecs = ("gb18030", "gbk", "gb2312", "utf-8", "big5")
            assert [codec for codec in codecs if _decodes(reply.body, codec)] == ["gb18030"]


def test_the_traditional_host_is_big5_and_traditional(web: Web) -> None:
    reply = answer(web, "http://www.haixia.example/")
    assert _header(reply, "Content-Type") == "text/html; charset=big5"
    text = reply.body.decode("big5")
    assert "海霞財經" in text
    assert "财" not in text


def test_one_host_lies_about_its_charset(web: Web) -> None:
    reply = answer(web, "http://baoxian.example/")
    assert _header(reply, "Content-Type") == "text/html; charset=utf-8"
    assert not _decodes(reply.body, "utf-8")
    assert "保险明白人" in reply.body.decode("gb18030")


def test_our_own_reading_understands_every_host(web: Web) -> None:
    for host in web.hosts():
        page = next(page for page in web.pages.values() if f"//{host}/" in page.url and page.kind != "front")
        reply = answer(web, page.url)
        kind = _header(reply, "Content-Type") or ""
        text, _ = decode(reply.body, kind.partition("charset=")[2] or None)
        assert "�" not in text
        assert "责任编辑" in text or "責任編輯" in text


def test_the_same_address_gives_the_same_bytes_under_the_same_seed(web: Web) -> None:
    urls = list(web.pages)[::97]
    again = Web(seed=1)
    assert [answer(again, url).body for url in reversed(urls)] == [
        answer(web, url).body for url in reversed(urls)
    ]
    assert answer(Web(seed=2), web.seeds[0]).body != answer(web, web.seeds[0]).body


@pytest.mark.parametrize(
    ("url", "status", "location"),
    [
        (f"http://{JUMPED}/", 301, f"http://{LICAI}/"),
        ("http://daohang.example/go.php?to=sai.example", 302, "http://sai.example/"),
        ("http://daohang.example/go.php?to=evil.test", 404, None),
        ("http://www.beichuang.example/caijing", 301, "http://www.beichuang.example/caijing/"),
        ("http://www.beichuang.example/caijing/0.html", 404, None),
        ("http://www.beichuang.example/user/login.html", 404, None),
        ("http://www.guanting.example/", 502, None),
        ("http://[junk", 502, None),
    ],
)
def test_what_is_no_page_moves_or_is_missing(web: Web, url: str, status: int, location: str | None) -> None:
    reply = answer(web, url)
    assert (reply.status, _header(reply, "Location"), reply.page) == (status, location, None)


def test_robots_forbid_a_folder_everywhere_and_ask_one_host_for_patience(web: Web) -> None:
    texts = {host: answer(web, f"http://{host}/robots.txt").body.decode() for host in web.hosts()}
    assert all("Disallow: /user/" in text for text in texts.values())
    assert [host for host, text in texts.items() if "Crawl-delay" in text] == ["rili.example"]


def test_frames_and_refresh_lead_to_the_real_home(web: Web) -> None:
    assert _urls(answer(web, "http://laogumin.example/"), "http://laogumin.example/") == [
        "http://laogumin.example/menu.html",
        "http://laogumin.example/main.html",
    ]
    menu = _urls(answer(web, "http://laogumin.example/menu.html"), "http://laogumin.example/menu.html")
    assert menu == [f"http://laogumin.example/c{number}/" for number in range(1, 6)]
    assert _urls(answer(web, "http://www.hongpan.example/"), "http://www.hongpan.example/") == [
        "http://www.hongpan.example/main.html"
    ]


def test_links_relative_to_a_base_resolve_to_pages(web: Web) -> None:
    article = next(
        page for page in web.pages.values() if page.site.host == "chihuo.example" and page.kind == "article"
    )
    reply = answer(web, article.url)
    assert b"<base href=" in reply.body
    relative = re.findall(rb'href="(\d+\.html)"', reply.body)
    assert relative
    found = _urls(reply, article.url)
    assert all(f"http://chihuo.example{article.channel.prefix}{name.decode()}" in found for name in relative)


def test_chinese_addresses_come_in_utf8_and_in_gbk(web: Web) -> None:
    words = [url for url in web.pages if url.startswith("http://cidian.example/%E")]
    tags = [url for url in web.pages if url.startswith("http://www.nanpu.example/so.php?q=%")]
    assert len(words) > 100
    assert len(tags) == 18
    assert answer(web, words[-1]).status == 200
    assert {answer(web, url).status for url in tags} == {200}
    lists = [
        page for page in web.pages.values() if page.site.host == "www.nanpu.example" and page.kind == "list"
    ]
    forms = set()
    for page in lists:
        reply = answer(web, page.url)
        linked = [url for url in _urls(reply, page.url) if "so.php" in url]
        assert [url in web.pages for url in linked] == [True, True]
        forms |= {href.isascii() for href in re.findall(r'href="(/so[^"]*)"', reply.body.decode("gb18030"))}
    assert forms == {True, False}  # escaped, and as raw characters


def test_the_calendar_leads_on_for_ever(web: Web) -> None:
    url = "http://rili.example/2020/12/"
    for _ in range(30):
        earlier, later, far = _urls(answer(web, url), url)[:3]
        assert earlier < url < later < far
        url = later
    assert url == "http://rili.example/2023/06/"
    assert url not in web.pages


def test_the_topic_file_is_valid_and_names_training_hosts_only(web: Web) -> None:
    topic = read_topic(topic_toml(), "demo.toml")
    assert tomllib.loads(topic_toml())["keywords"]["股票"] == 1.0
    hosts = {place.split("/")[0] for place in (*topic.positive, *topic.negative)}
    assert hosts <= set(web.hosts("train"))
    assert "finance.changting.example" in topic.positive
    assert "www.luoyuan.example/caijing/" in topic.positive
    assert "sport.changting.example" in topic.negative
