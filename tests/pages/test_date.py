"""The day of publication, by voice."""

from datetime import date

import pytest

from topiccrawler.pages.metadata import published
from topiccrawler.pages.parse import parse

TODAY = date(2024, 5, 6)


@pytest.mark.parametrize(
    ("html", "url", "day"),
    [
        ('<meta property="article:published_time" content="2019-09-26T08:00:00+08:00">', "http://a.test/", "2019-09-26"),
        ("<meta name=PubDate content=20190926>", "http://a.test/2001/01/01/", "2019-09-26"),
        ("<meta name=pubdate content=soon>", "http://a.test/2019/09/26/x.html", "2019-09-26"),
        ("", "http://a.test/c/2019-09-26/doc-1.shtml", "2019-09-26"),
        ("", "http://a.test/n/20190926/123.html", "2019-09-26"),
        ("", "http://a.test/201909/t20190926_123456.html", "2019-09-26"),
        ("", "http://a.test/20191399/x", ""),
        ("", "http://a.test/id/120190926", ""),
        ("", "http://a.test/x?d=2019-09-26", ""),
        ("<h1>标题</h1><p>2019年9月6日 08:30</p>", "http://a.test/", "2019-09-06"),
        ("<h1>2018年的总结</h1><p>活动从2018年1月2日开始</p><p>发布时间：2019/9/6</p>", "http://a.test/", "2019-09-06"),
        ("<h1>标题</h1><p>发布于 2019.09.06 来源：本站</p>", "http://a.test/", "2019-09-06"),
        ("<p>来源：本站 | 2019-09-06</p><p>正文</p>", "http://a.test/", "2019-09-06"),
        ("<p>今天是2019年9月6日</p><a href=/x>另一页</a>", "http://a.test/", ""),
        ("<h1>标题</h1><p>2029-01-01</p><p>2019-09-06</p>", "http://a.test/", "2019-09-06"),
        ("<h1>标题</h1><p>1985-01-01</p><p>2019-02-30</p>", "http://a.test/", ""),
        ("<h1>标题</h1>" + "<p>正文很长。</p>" * 100 + "2019-09-06", "http://a.test/", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_marks_speak_before_the_url_and_the_url_before_the_opening(html: str, url: str, day: str) -> None:
    assert published(parse(html), url, TODAY) == day


def test_tomorrow_is_a_day_of_another_time_zone_and_the_day_after_is_none() -> None:
    assert published(parse(""), "http://a.test/2024/05/07/", TODAY) == "2024-05-07"
    assert published(parse(""), "http://a.test/2024/05/08/", TODAY) == ""


def test_without_a_day_given_today_is_the_limit() -> None:
    assert published(parse(""), "http://a.test/2001/02/03/") == "2001-02-03"
    assert published(parse(""), "http://a.test/2099/02/03/") == ""
