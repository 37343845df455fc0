"""Reading rules of a site: what they replace, where they count, and what happens when they meet nothing."""

import pytest

from topiccrawler.links.extract import extract
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.pages.site_rules import rule_of
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import SiteRule, make_topic

TEXT = "基金净值今日上涨，投资者情绪好转，分析师提醒注意风险。" * 4
HTML = f"""<html><head><title>站点名</title></head><body>
<div class="menu"><a href="/a?x=1&amp;y=2">甲</a><a href="/b">乙</a></div>
<h1>头条 - 站点名</h1><p class="real">  真正的
标题 </p>
<div class="story"><p>{TEXT}</p><div class="story inner"><p>第二段，内层。</p></div></div>
<div class="more"><ul><li><a href="/c">丙</a></li></ul></div>
<div class="noise"><p>{"别的文字，很长很长的一段。" * 30}</p></div>
</body></html>"""


def read(rule: dict[str, str], url: str = "http://blog.example.com/p") -> Reading:
    topic = make_topic({"name": "finance", "keywords": ["基金"], "sites": {"blog.example.com": rule}}, "test")
    return Reader(VsmClassifier(topic), sites=topic.sites).read(url, HTML.encode())


def urls(reading: Reading) -> list[str]:
    return [link.url for link in extract(reading.document, reading.page.url, depth=1)]


def test_each_selector_replaces_what_it_names() -> None:
    reading = read({"title": "p.real", "text": "div.story", "links": "div.menu"})
    assert reading.page.title == "真正的 标题"
    assert reading.main_text.split("\n") == [TEXT, "第二段，内层。"]
    assert urls(reading) == ["http://blog.example.com/a?x=1&y=2", "http://blog.example.com/b"]
    assert "别的" not in reading.words.body


def test_what_no_selector_names_is_read_as_ever() -> None:
    plain, ruled = read({}), read({"links": "div.more a"})
    assert (ruled.page.title, ruled.main_text) == (plain.page.title, plain.main_text)
    assert urls(ruled) == ["http://blog.example.com/c"]
    assert len(urls(plain)) == 3


def test_a_selector_that_meets_nothing_leaves_the_general_reading() -> None:
    plain, stale = read({}), read({"title": ".gone", "text": ".gone", "links": ".gone"})
    assert (stale.page, stale.main_text, urls(stale)) == (plain.page, plain.main_text, urls(plain))


def test_other_sites_are_read_as_ever() -> None:
    assert read({"title": "p.real"}, "http://other.example.com/p").page.title != "真正的 标题"


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://example.com/", "example.com"),
        ("https://www.example.com/x", "example.com"),
        ("http://example.com/blog/1", "example.com/blog/"),
        ("http://a.example.com/blog/1", "a.example.com"),
        ("http://badexample.com/", None),
        ("http://[bad", None),
        ("", None),
    ],
)
def test_the_longest_fitting_prefix_gives_the_rule(url: str, place: str | None) -> None:
    sites = {
        name: SiteRule(title=f"h{n}")
        for n, name in enumerate(["example.com", "example.com/blog/", "a.example.com"], 1)
    }
    assert rule_of(url, sites) == (sites[place] if place else None)
