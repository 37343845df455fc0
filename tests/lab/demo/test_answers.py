"""Bytes, charsets, moves and dead ends of the synthetic web."""

import tomllib

import pytest

from topiccrawler.lab.demo.crawls import topic_toml
from topiccrawler.lab.demo.plan import JUMPED, LICAI, Web
from topiccrawler.lab.demo.server import Answer, answer
from topiccrawler.text.characters import decode
from topiccrawler.topics.topic import read_topic


def _header(reply: Answer, name: str) -> str | None:
    return dict(reply.headers).get(name)


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


def test_the_topic_file_is_valid_and_names_training_hosts_only(web: Web) -> None:
    topic = read_topic(topic_toml(), "demo.toml")
    assert tomllib.loads(topic_toml())["keywords"]["股票"] == 1.0
    hosts = {place.split("/")[0] for place in (*topic.positive, *topic.negative)}
    assert hosts <= set(web.hosts("train"))
    assert "finance.changting.example" in topic.positive
    assert "www.luoyuan.example/caijing/" in topic.positive
    assert "sport.changting.example" in topic.negative
