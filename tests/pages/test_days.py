"""The days of publication and of change, by voice."""

from datetime import date

import pytest

from topiccrawler.pages.days import Days, days_of
from topiccrawler.pages.declarations import declarations_of
from topiccrawler.pages.parse import parse
from topiccrawler.pages.title import title_of

TODAY = date(2024, 5, 6)
TEXT = "<p>今天的基金市场平稳，专家说长期坚持才能看到效果。</p>" * 3


def days(html: str, url: str = "http://a.test/", today: date | None = TODAY) -> Days:
    document = parse(html)
    return days_of(document, declarations_of(document), title_of(document), url, today)


def published(html: str, url: str = "http://a.test/", today: date | None = TODAY) -> str:
    return days(html, url, today).published


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
        ("<h1>标题</h1>" + "<p>正文很长。</p>" * 100 + "2019-09-06", "http://a.test/", "2019-09-06"),  # htmldate
        ("", "", ""),
    ],
)  # fmt: skip
def test_marks_speak_before_the_url_and_the_url_before_the_opening(html: str, url: str, day: str) -> None:
    assert published(html, url) == day


def test_tomorrow_is_a_day_of_another_time_zone_and_the_day_after_is_none() -> None:
    assert published("", "http://a.test/2024/05/07/") == "2024-05-07"
    assert published("", "http://a.test/2024/05/08/") == ""


@pytest.mark.parametrize(
    "head",
    [
        "<meta property=article:published_time content=1709600000>",
        "<meta property=og:article:published_time content=1709600000000>",
        "<meta name=pubdate content='Tue, 05 Mar 2024 10:00:00 GMT'>",
        "<meta name=date content='Tue, 03/05/2024 - 17:57'>",
        "<meta name=DC.date content='5 mars 2024'>",
        "<meta name=dateUpdate content='2024-03-05 10:00'>",
        "<meta name=firstpublishedtime content=2024-03-05-23:59:59>",
        "<meta name=citation_publication_date content=2024/3/5>",
        '<script type="application/ld+json">{"@graph": [{"@type": "WebPage"}, {"@type": ["NewsArticle"], "datePublished": "2024-03-05"}]}</script>',
        '<script type="application/ld+json"><!-- [{"@type": "Article", "pubDate": "2024-03-05T08:00:00+08:00",}] --></script>',
        '<script>var ct = "1709600000";</script>',
    ],
)
def test_a_declared_day_is_read_in_any_form(head: str) -> None:
    assert published(f"<title>基金</title>{head}<h1>基金</h1>{TEXT}") == "2024-03-05"


@pytest.mark.parametrize(
    "line",
    [
        "<time datetime=2024-03-05T10:00>5 March</time>",
        "<time class=updated datetime=2024-04-05>x</time><time class='entry-date published' datetime=2024-03-05>x</time>",
        "<span itemprop=datePublished content=2024-03-05>三天前</span>",
        "<abbr class=published title=2024-03-05T06:20:00-05:00>6:20</abbr>",
        "发布时间：２０２４年３月５日",
        "發佈日期：民國113年3月5日",
        "二〇二四年三月五日",
        "2024-03-05 10:00 来源：某某社",
        "2024년 3월 5일",
        "Veröffentlicht am 05.03.2024",
        "Publié le 5 mars 2024",
        "5 de março de 2024",
        "Posted on March 5th, 2024",
        "5 марта 2024 г.",
    ],
)
def test_a_written_day_is_read_in_any_language(line: str) -> None:
    assert published(f"<title>基金</title><h1>基金</h1><p>{line}</p>{TEXT}") == "2024-03-05"


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("昨天 12:30 来源：某某网", "2024-05-05"),
        ("发布于3小时前", "2024-05-06"),
        ("前天", "2024-05-04"),
        ("2 weeks ago", "2024-04-22"),
    ],
)
def test_a_relative_day_is_seen_from_the_day_of_the_fetch(line: str, day: str) -> None:
    assert published(f"<title>基金</title><h1>基金</h1><p>{line}</p>{TEXT}") == day


@pytest.mark.parametrize(
    "html",
    [
        f"{TEXT}<div class=comments>网友 <time datetime=2024-04-09>4月9日</time> 写得好</div>",
        f"<p>活动时间：2024年3月5日 地点：某某厅</p>{TEXT}",
        f"<p>Event date: March 5, 2024</p>{TEXT}",
        f'<script type="application/ld+json">{{"@type": "Event", "startDate": "2024-03-05"}}</script>{TEXT}',
        f"<p>2024年3月号 总第88期</p>{TEXT}",
        f"<p>24-03-05</p>{TEXT}",
        f"<p>每天<time datetime=14:30>下午两点半</time>开课</p>{TEXT}",
    ],
)
def test_a_day_of_something_else_is_not_that_of_the_page(html: str) -> None:
    assert published(f"<title>基金</title><h1>基金</h1>{html}") == ""


@pytest.mark.parametrize("title", ["<h3>县城里的基金课堂</h3>", "<div class=title>县城里的基金课堂</div>"])
def test_the_title_need_not_be_a_main_heading(title: str) -> None:
    html = f"<title>县城里的基金课堂</title>{title}<p>2024-03-05 10:00</p>{TEXT}<p>2024-04-05</p>"
    assert published(html) == "2024-03-05"


def test_a_marked_day_counts_below_the_text_too_but_not_before_a_day_in_the_opening() -> None:
    below = f"<title>基金课堂</title><h1>基金课堂</h1>{TEXT * 10}<p>发布日期：2024-03-05 责任编辑：某某</p>"
    assert published(below) == "2024-03-05"
    assert published(below.replace("</h1>", "</h1><p>2024-02-01</p>")) == "2024-02-01"


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("http://a.test/art/2024/3/5/art_1_2.html", "2024-03-05"),
        ("http://a.test/20240305101010.html", "2024-03-05"),
        ("http://a.test/2024/March/5/x", "2024-03-05"),
        ("http://a.test/journal/2022/06/81540", ""),
    ],
)
def test_the_day_in_a_url(url: str, day: str) -> None:
    assert published(f"<title>基金</title>{TEXT}", url) == day


def test_what_is_displayed_corrects_a_declared_moment_in_utc_by_a_day() -> None:
    moment = "<meta property=article:published_time content=2024-03-04T16:30:00Z>"
    assert published(f"{moment}<h1>基金课堂</h1><p>2024-03-05 00:30</p>{TEXT}") == "2024-03-05"
    assert published(f"{moment}<h1>基金课堂</h1><p>2024-03-15</p>{TEXT}") == "2024-03-04"


@pytest.mark.parametrize(
    "html",
    [
        "<meta property=article:published_time content=2024-03-05><meta property=article:modified_time content=2024-04-01>",
        '<script type="application/ld+json">{"@type": "Article", "dateModified": "2024-04-01", "datePublished": "2024-03-05"}</script>',
        "<time itemprop=dateModified datetime=2024-04-01>x</time><time itemprop=datePublished datetime=2024-03-05>y</time>",
        "<h1>基金课堂</h1><p>更新时间：2024-04-01 发布时间：2024-03-05</p>",
    ],
)
def test_published_and_modified_are_told_apart(html: str) -> None:
    assert days(html + TEXT) == Days("2024-03-05", "2024-04-01")


def test_the_dates_of_a_list_are_not_searched_for_its_day() -> None:
    html = "<title>列表</title>" + "<ul><li class=date>2024-03-05</li></ul>" * 3
    document = parse(html)
    declared = declarations_of(document)
    assert days_of(document, declared, "列表", "http://a.test/", TODAY).published == "2024-03-05"
    assert days_of(document, declared, "列表", "http://a.test/", TODAY, is_list=True) == Days()


@pytest.mark.parametrize(
    "html",
    [
        '<script type="application/ld+json">' + "[" * 100_000 + "</script>",
        '<script type="application/ld+json">' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "</script>",
        '<script type="application/ld+json">{"@type": 5, "datePublished": {"@value": []}, "author": [[[[[{}]]]]]}</script>',
        "<time datetime=9999999999999999>x</time>" * 500,
        "<meta name=date content=" + "9" * 5_000 + ">",
    ],
)
def test_hostile_declarations_cost_nothing_but_the_day(html: str) -> None:
    assert published(html + TEXT) == ""
