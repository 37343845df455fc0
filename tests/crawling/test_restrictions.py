"""Which pages a user does not want, by arguments and by site."""

from datetime import date

import pytest

from topiccrawler.crawling.page_filter import Restrictions
from topiccrawler.crawling.recipe import parse_arguments
from topiccrawler.errors import ArgumentError, TopicError
from topiccrawler.topics.topic import SiteRule, read_site_rules

SITES = {
    "old.cn": SiteRule(since=date(2020, 1, 1), formats=("pdf",)),
    "own.cn": SiteRule(only=True),
    "b.cn:8080/blog": SiteRule(only=True),
}


def test_a_sites_formats_go_before_the_jobs() -> None:
    wanted = Restrictions(frozenset({"html"}), sites=SITES)
    assert wanted.reads("http://a.cn/", "html")
    assert not wanted.reads("http://a.cn/", "pdf")
    assert wanted.reads("http://old.cn/", "pdf")
    assert not wanted.reads("http://www.old.cn/", "html")
    assert Restrictions().reads("http://a.cn/", "pdf")


@pytest.mark.parametrize(
    ("url", "published", "header", "old"),
    [
        ("http://a.cn/", "2023-12-31", "", True),
        ("http://a.cn/", "2024-01-01", "", False),
        ("http://a.cn/", "", "", False),
        ("http://a.cn/", "", "Sun, 06 Nov 1994 08:49:37 GMT", True),
        ("http://a.cn/", "2024-05-05", "Sun, 06 Nov 1994 08:49:37 GMT", False),
        ("http://a.cn/", "", "yesterday", False),
        ("http://a.cn/", "", "Thu, 01 Jan 1970 00:00:00 +99999999999999", False),
        ("http://a.cn/", "", "Mon, 99999999999999999999 Jan 2020 00:00:00 GMT", False),
        ("http://old.cn/", "2021-01-01", "", False),
        ("http://old.cn/", "2019-12-31", "", True),
    ],
)
def test_a_page_is_as_old_as_it_tells_else_as_its_header(
    url: str, published: str, header: str, *, old: bool
) -> None:
    assert Restrictions(since=date(2024, 1, 1), sites=SITES).is_old(url, published, header) is old


def test_languages_are_tags() -> None:
    params = parse_arguments({"language": "zh-TW, ja"}, topic="finance", strategy="adaptive")
    assert params.language == ("zh-Hant", "ja")
    with pytest.raises(ArgumentError, match="-a language=Chinese: is no language tag"):
        parse_arguments({"language": "Chinese"}, topic="finance", strategy="adaptive")


@pytest.mark.parametrize(
    "wrong", ['password = "secret"', 'proxy = "http://me:secret@proxy.cn:8080"', 'since = "soon"']
)
def test_a_rule_holds_no_password_and_a_real_day(wrong: str) -> None:
    with pytest.raises(TopicError, match=r"docs/site-rules\.md"):
        read_site_rules(f'[sites."a.cn"]\n{wrong}\n', "rules")


def test_domains_are_hosts_in_their_one_form_and_urls_of_hosts_are_understood() -> None:
    configured = "http://A.example/, .b.example, https://c.example:8080, 中文.example"
    params = parse_arguments(
        {"topic": "finance", "allowed_domains": configured}, topic=None, strategy="breadth_first"
    )
    assert params.allowed_domains == ("a.example", "b.example", "c.example", "xn--fiq228c.example")
    for wrong in ("http://a.example/news/", "a b", "*.a.example"):
        with pytest.raises(ArgumentError, match="-a allowed_domains="):
            parse_arguments(
                {"topic": "finance", "allowed_domains": wrong}, topic=None, strategy="breadth_first"
            )
